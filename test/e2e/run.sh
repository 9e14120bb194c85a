#!/usr/bin/env bash
# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# run.sh starts a cluster, installs the operator in it with the plugin, and runs the end-to-end tests. Both programs are
# built with the race detector. E2E_KEEP=true leaves the cluster up for another run.
# SOAK_DURATION=1h runs a soak of that length instead, on a cluster named soak.
#
# shellcheck disable=SC2317 # a trap calls down
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
: "${ARTIFACTS:=$PWD/artifacts}" "${RACE:=-race -trimpath -gcflags=all=-dwarf=false}" "${RUN:=}" "${E2E_KEEP:=false}"
name=${SOAK_DURATION:+soak}
: "${name:=e2e}"
format=${SOAK_DURATION:+standard-verbose} # shows the figures
: "${format:=testname}"
bin=$PWD/bin
say() { printf '[%4ds] %s\n' "$SECONDS" "$*"; }
mkdir -p "$ARTIFACTS"

# The test of krew builds a release. Compiled now, that takes no CPU time from tests that wait for something.
release() {
  local -x CGO_ENABLED=0 GOFLAGS=-trimpath
  make -s build && go build -C tools -o /dev/null ./release ./serve &&
    go build -C tools/krew -o /dev/null sigs.k8s.io/krew/cmd/krew sigs.k8s.io/krew/cmd/validate-krew-manifest
}
say "building our programs (with the race detector) and the cluster's programs"
{
  make -s build-race testcluster "$bin/tools/gotestsum" && { [ -n "${SOAK_DURATION:-}" ] || release; }
} >"$ARTIFACTS/race-build.log" 2>&1 || { cat "$ARTIFACTS/race-build.log" >&2; exit 1; }

down() { [ "$E2E_KEEP" = true ] || "$bin/testcluster" down --name "$name" >"$ARTIFACTS/cluster-down.log" 2>&1; }
trap down EXIT
say "starting the cluster $name"
"$bin/testcluster" up --name "$name"
programs=$("$bin/testcluster" binaries --only cluster)
image=localhost/agent-sandbox-controller:race-$(sha256sum "$bin/race/agent-sandbox-controller" | cut -c1-12)
router=localhost/sandbox-router:race-$(sha256sum "$bin/race/sandbox-router" | cut -c1-12)
"$bin/testcluster" image operator --binary "$bin/race/agent-sandbox-controller" --tag "$image" \
  --out "$bin/race/operator.tar"
"$bin/testcluster" image router --binary "$bin/race/sandbox-router" --tag "$router" --out "$bin/race/router.tar"
"$bin/testcluster" image runtime --binary "$bin/race/sandbox-runtime" --tag localhost/sandbox-runtime:race \
  --out "$bin/race/runtime.tar"
"$bin/testcluster" load "$bin/race/operator.tar" "$bin/race/router.tar" "$bin/race/runtime.tar" --name "$name"

KUBECONFIG=$("$bin/testcluster" kubeconfig --name "$name")
export KUBECONFIG ARTIFACTS PATH="$bin/race:$programs:$PATH" GORACE=atexit_sleep_ms=0
export E2E_PLUGIN=$bin/race/kubectl-sandbox E2E_KUBECTL=$programs/kubectl E2E_TESTCLUSTER=$bin/testcluster
export E2E_CLUSTER=$name E2E_IMAGE=$image E2E_ROUTER_IMAGE=$router
say "installing the operator and, except for a soak, a router, whose budget would block the drain of the only node"
with=(--router --router-image "$router")
[ -z "${SOAK_DURATION:-}" ] || with=()
kubectl sandbox install --image "$image" "${with[@]}" --timeout 3m

say "running the tests"
status=0
read -ra race <<<"$RACE"
tests() { # REPORT PACKAGE [TIMEOUT]
  "$bin/tools/gotestsum" --format "$format" --junitfile "$ARTIFACTS/junit-$1.xml" --junitfile-testsuite-name relative \
    --junitfile-testcase-classname relative -- "${race[@]}" -vet=off -count=1 -parallel 6 -timeout "${3:-30m}" \
    ${RUN:+-run "$RUN"} "$2" || status=$?
}
# collect saves the logs of all Pods. A deleted Pod of an operator takes its log with it.
collect() { # DIRECTORY
  "$bin/testcluster" logs --name "$name" --to "$ARTIFACTS/$1" >/dev/null || status=1
}
if [ -n "${SOAK_DURATION:-}" ]; then tests soak-cluster ./test/e2e/soak 5h; else tests e2e ./test/e2e; fi
kubectl -n agent-sandbox-system logs -l app=agent-sandbox-controller --tail=-1 >"$ARTIFACTS/operator.log" 2>&1 || true
kubectl -n agent-sandbox-system logs -l app=sandbox-router --tail=-1 --prefix >"$ARTIFACTS/router.log" 2>&1 || true
collect cluster-logs
if [ -z "${SOAK_DURATION:-}" ]; then
  say "breaking, mending and upgrading the installation"
  tests e2e-operate ./test/e2e/operate
  collect cluster-logs/operate
fi
if ! grep -q '"starting"\|starting' "$ARTIFACTS/operator.log"; then
  echo "the operator's log is missing, so data races cannot be found" >&2
  status=1
elif grep -rl 'DATA RACE\|^panic:' "$ARTIFACTS"/operator*.log "$ARTIFACTS"/router.log "$ARTIFACTS/cluster-logs" >&2; then
  echo "the operator or the router had a data race or a panic: see the files above" >&2
  status=1
fi
if [ $status = 0 ] && [ -z "${SOAK_DURATION:-}" ]; then
  say "removing the operator"
  tests e2e-uninstall ./test/e2e/uninstall
fi
say "done with status $status"
exit $status
