#!/usr/bin/env bash
# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# run.sh starts a Kubernetes cluster on this machine and shows the usual commands on a sandbox. The cluster stays up.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
bin=$PWD/bin
name=${CLUSTER:-dev}
bold='' plain=''
[ ! -t 1 ] || bold=$'\033[1m' plain=$'\033[0m'
say() { printf '\n%s[%3ds] %s%s\n' "$bold" "$SECONDS" "$*" "$plain"; }
# show prints a command as one would type it, and runs it.
show() {
  local word line=
  for word in "$@"; do
    case $word in *[!A-Za-z0-9_./:=@%+,-]*) word=${word@Q} ;; esac
    line+=" $word"
  done
  printf '  $%s\n' "$line"
  "$@"
}
# until_true waits up to ten seconds for a command to succeed.
until_true() {
  local _
  for _ in $(seq 50); do "$@" >/dev/null 2>&1 && return; sleep 0.2; done
  fail "not within ten seconds: $*"
}
down="make cluster-down${CLUSTER:+ CLUSTER=$name}"
fail() { printf '\ndemo: %s\n(the cluster may still be up: %s removes it)\n' "$*" "$down" >&2; exit 1; }
same() { [ "$1" = "$2" ] || fail "expected '$2', got '$1'"; }

command -v go >/dev/null || fail "Go is missing: install Go 1.26 or newer and try again"
[ "$(id -u)" = 0 ] || fail "the built-in cluster needs root: run 'sudo make demo', or see README.md for kind"
if ! command -v curl >/dev/null; then
  say "Installing curl"
  apt-get install -y -q curl >/dev/null || fail "curl is missing: install it and try again"
fi

work=$(mktemp -d)
forward=
cleanup() { [ -z "$forward" ] || kill "$forward" 2>/dev/null || true; rm -rf "$work"; }
trap cleanup EXIT

say "Building the plugin and the operator (the first time takes a few minutes)"
make -s build testcluster
say "Starting a Kubernetes cluster named $name (the first time on a machine builds it: about ten minutes)"
"$bin/testcluster" up --name "$name"
PATH=$bin:$("$bin/testcluster" binaries --only cluster):$PATH
KUBECONFIG=$("$bin/testcluster" kubeconfig --name "$name")
export PATH KUBECONFIG
say "Installing the operator and a router"
# load KIND PROGRAM TAG writes the image of a program, and loads it in the cluster.
load() {
  "$bin/testcluster" image "$1" --binary "$bin/$2" --tag "$3" --out "$bin/$2.tar"
  "$bin/testcluster" load "$bin/$2.tar" --name "$name"
}
digest() { sha256sum "$bin/$1" | cut -c1-12; }
operator=localhost/agent-sandbox-controller:$(digest agent-sandbox-controller)
router=localhost/sandbox-router:$(digest sandbox-router)
load operator agent-sandbox-controller "$operator"
load router sandbox-router "$router"
load runtime sandbox-runtime localhost/sandbox-runtime:v1
show kubectl sandbox install --image "$operator" --router --router-image "$router"

kubectl get sandbox demo >/dev/null 2>&1 && kubectl sandbox delete demo --yes --wait
say "A sandbox with Python and a volume that outlives its Pod"
show kubectl sandbox create demo --image localhost/sandbox-python:v1 --volume work=64Mi:/work --wait

say "Generated code runs in it, not on your machine"
show kubectl sandbox exec demo -- python3 -c 'print("the answer is", 6 * 7)'

say "Files go in and out, directories too"
mkdir -p "$work/site/pages"
echo '<h1>served from a sandbox</h1>' >"$work/site/index.html"
echo 'one page' >"$work/site/pages/one.txt"
show kubectl sandbox cp "$work/site" demo:/work/site
show kubectl sandbox exec demo -- sh -c 'wc -c /work/site/pages/one.txt > /work/site/report.txt'
show kubectl sandbox cp demo:/work/site "$work/back"
diff -r -x report.txt "$work/site" "$work/back" || fail "the directory came back different"
show cat "$work/back/report.txt"

say "A port of the sandbox, on this machine"
# With a terminal, the process in the background would end when the command ends.
kubectl sandbox exec demo --tty=false --stdin=false -- \
  sh -c 'cd /work/site && python3 -m http.server 8000 >/dev/null 2>&1 &'
printf '  $ kubectl sandbox port-forward demo :8000 &\n'
kubectl sandbox port-forward demo :8000 >"$work/forward" 2>&1 &
forward=$!
until_true grep -q 'Forwarding from 127' "$work/forward"
port=$(sed -n 's/^Forwarding from 127.0.0.1:\([0-9]*\) .*/\1/p' "$work/forward" | head -1)
[ -n "$port" ] || fail "port-forward did not start: $(cat "$work/forward")"
until_true curl -sS "http://127.0.0.1:$port/" # the server in the sandbox takes a moment to start
show curl -sS "http://127.0.0.1:$port/"
same "$(curl -sS "http://127.0.0.1:$port/")" '<h1>served from a sandbox</h1>'
kill "$forward" 2>/dev/null || true
wait "$forward" 2>/dev/null || true
forward=

say "Suspended, it costs nothing but its volume; resumed, it has its data"
show kubectl sandbox suspend demo --wait
show kubectl sandbox status demo || true
show kubectl sandbox resume demo --wait
same "$(kubectl sandbox exec demo -- cat /work/site/pages/one.txt)" "one page"
show kubectl sandbox list

say "Done. The cluster is still up. Try:"
cat <<TEXT
  export KUBECONFIG=$KUBECONFIG
  export PATH=$bin:$(dirname "$(command -v kubectl)"):\$PATH
  kubectl sandbox shell demo                     # a shell inside (exit leaves it)
  kubectl sandbox create other --image localhost/sandbox-shell:v1 --ttl 10m --wait
  kubectl sandbox describe demo
  IMAGE=localhost/sandbox-python:v1              # for the commands of the guides: this cluster pulls no images
  RUNTIME=localhost/sandbox-runtime:v1           # for those of the guides runtime.md and python.md
  kubectl sandbox --help
  $(printf '%-46s' "$down") # removes the cluster and everything in it
TEXT
