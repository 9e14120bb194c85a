#!/usr/bin/env bash
# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# run.sh starts a cluster and measures exec, cp and port-forward of the plugin and of kubectl in it. It passes its
# arguments to the program.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
name=bench-copy
bin=$PWD/bin
make -s build testcluster image >/dev/null
CGO_ENABLED=0 go build -o "$bin/bench-copy" ./test/bench/copy
trap '"$bin/testcluster" down --name "$name" >/dev/null 2>&1' EXIT
"$bin/testcluster" up --name "$name" >&2
make -s deploy CLUSTER="$name" >&2
programs=$("$bin/testcluster" binaries --only cluster)
KUBECONFIG=$("$bin/testcluster" kubeconfig --name "$name")
export KUBECONFIG PATH="$bin:$programs:$PATH"
"$bin/bench-copy" "$@"
