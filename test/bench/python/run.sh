#!/usr/bin/env bash
# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# run.sh starts a cluster and measures the Python client in it: many sandboxes at once beside one after the other, and what
# a command costs beside the plugin's exec, kubectl's, and a bare HTTP request. It passes its arguments to the program.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
name=bench-python
bin=$PWD/bin
export RUNTIME_IMAGE=localhost/sandbox-runtime:bench-python
make -s build testcluster >/dev/null
"$bin/testcluster" prerequisites >&2
trap '"$bin/testcluster" down --name "$name" >/dev/null 2>&1' EXIT
"$bin/testcluster" up --name "$name" >&2
make -s deploy CLUSTER="$name" EXTENSIONS=true >&2
programs=$("$bin/testcluster" binaries --only cluster)
KUBECONFIG=$("$bin/testcluster" kubeconfig --name "$name")
export KUBECONFIG PATH="$bin:$programs:$PATH" PYTHONPATH=$PWD/clients/python/src PYTHONDONTWRITEBYTECODE=1
/usr/bin/python3 clients/python/e2e/measure.py "$@"
