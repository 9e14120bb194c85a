#!/usr/bin/env bash
# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# run-tests.sh DIRECTORY COMMAND [ARGUMENT...] copies a directory into a sandbox of a warm pool, runs the command there, and
# ends with its exit code. Nothing of the directory runs on this machine. Variables:
#
#   POOL     the SandboxWarmPool (default: ci)
#   LIMIT    how long the command may run (default: 10m)
#   LIFE     when the cluster deletes the sandbox if this machine has not (default: 30m)
#   REPORTS  a directory of the sandbox's copy to copy back to ./reports, also if the tests fail (default: none)
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: run-tests.sh DIRECTORY COMMAND [ARGUMENT...]" >&2; exit 2; }
directory=$1
shift
pool=${POOL:-ci} limit=${LIMIT:-10m} life=${LIFE:-30m} reports=${REPORTS:-}

name=$(kubectl sandbox create --generate-name ci- --pool "$pool" --ttl "$life" --shutdown-policy Delete --quiet)
trap 'kubectl sandbox delete "$name" --yes --quiet >/dev/null' EXIT
kubectl sandbox wait "$name" --for ready --timeout 5m --quiet >/dev/null

kubectl sandbox cp "$directory/" "$name:/tmp/work"
status=0
kubectl sandbox exec "$name" --no-stdin --timeout "$limit" --workdir /tmp/work -- "$@" || status=$?
if [ -n "$reports" ]; then
  kubectl sandbox cp "$name:/tmp/work/$reports/" reports
fi
exit "$status"
