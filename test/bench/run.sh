#!/usr/bin/env bash
# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# run.sh starts a control plane with simulated nodes, measures the operator on it, and removes it.
# RUN selects scenarios, PROFILE is full or small, RUNS says how often a scenario is repeated, OPERATOR is the operator's
# binary (by default that of this tree), OPERATOR_ARGS adds arguments of the operator, and BENCH_KEEP=true leaves the
# cluster up for another run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
: "${ARTIFACTS:=$PWD/artifacts}" "${RUN:=}" "${PROFILE:=full}" "${RUNS:=3}" "${OPERATOR_ARGS:=}"
: "${BENCH_KEEP:=false}" "${BENCH_CLUSTER:=bench}"
bin=$PWD/bin
: "${OPERATOR:=$bin/agent-sandbox-controller}"
say() { printf '== %s\n' "$*" >&2; }
mkdir -p "$ARTIFACTS"

say "building"
make -s build testcluster >/dev/null
CGO_ENABLED=0 go build -o "$bin/bench" ./test/bench
if [ "$RUN" = help ]; then
  exec "$bin/bench" -list -profile "$PROFILE"
fi

down() {
  [ "$BENCH_KEEP" = true ] || "$bin/testcluster" down --name "$BENCH_CLUSTER" >"$ARTIFACTS/cluster-down.log" 2>&1
}
trap down EXIT
"$bin/testcluster" up --name "$BENCH_CLUSTER" --simulated-nodes 10
kubeconfig=$("$bin/testcluster" kubeconfig --name "$BENCH_CLUSTER")
state=$(dirname "$kubeconfig")/..
version=$("$bin/testcluster" status --name "$BENCH_CLUSTER" | sed -n 's/^versions *Kubernetes \([^,]*\).*/\1/p')

more=()
for arg in $OPERATOR_ARGS; do more+=(-operator-arg "$arg"); done
say "measuring"
"$bin/bench" -kubeconfig "$kubeconfig" -audit-log "$state/logs/audit.log" -processes "$state/processes" \
  -operator "$OPERATOR" \
  -artifacts "$ARTIFACTS" -run "$RUN" -profile "$PROFILE" -runs "$RUNS" -kubernetes "$version" "${more[@]}"
say "reports are in $ARTIFACTS: bench.json, junit-bench.xml; the operator's log beside them"
