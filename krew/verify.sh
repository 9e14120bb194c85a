#!/usr/bin/env bash
# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# verify.sh tries a release as its users do. It builds and packs a release, lets krew's validator install every platform
# from a server on loopback, and installs, runs, completes and removes the plugin under both of its names, with real
# krew and with kubectl from the PATH. The cluster of $KUBECONFIG must have the operator and be able to run
# $SANDBOX_IMAGE. It writes to a temporary directory only. PLATFORMS=host builds and validates for this machine's
# platform alone, which takes seconds instead of minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
version=v0.0.0-verify.1
platforms=${PLATFORMS:-all}
image=${SANDBOX_IMAGE:-localhost/sandbox-shell:v1}
say() { printf '[%3d s] %s\n' "$SECONDS" "$*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }
# quietly LOG COMMAND... runs the command and shows its output only if it fails.
quietly() {
  local log=$work/$1
  shift
  "$@" >"$log" 2>&1 || { cat "$log" >&2; fail "$*"; }
}
: "${KUBECONFIG:?names the cluster that the installed plugin is tried on}"
for program in kubectl git; do command -v "$program" >/dev/null || fail "$program is not on the PATH"; done

work=$(mktemp -d)
server=
cleanup() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

# A plugin that is already on the PATH would run instead of the one that krew installs.
path=
while IFS= read -r -d: dir; do
  [ -e "$dir/kubectl-sandbox" ] || [ -e "$dir/kubectl-agent_sandbox" ] || path+=$dir:
done <<<"$PATH:"
export KREW_ROOT=$work/krew KREW_NO_UPGRADE_CHECK=1 KREW_DEFAULT_INDEX_URI=$work/index/public
export PATH=$KREW_ROOT/bin:$work/bin:${path%:}

say "building krew, its validator and the release program"
mkdir -p "$work/bin" "$work/dist"
export CGO_ENABLED=0 GOFLAGS=-trimpath # as `make build`, to share its compiled packages
go build -C tools/krew -o "$work/bin/kubectl-krew" sigs.k8s.io/krew/cmd/krew
go build -C tools/krew -o "$work/bin/" sigs.k8s.io/krew/cmd/validate-krew-manifest
go build -C tools -o "$work/bin/" ./release ./serve

serve "$work" >"$work/url" &
server=$!
for _ in $(seq 100); do
  [ -s "$work/url" ] && break
  sleep 0.1
done
base=$(cat "$work/url")
[ -n "$base" ] || fail "the server on loopback does not start"

say "building the release $version for $platforms platforms"
here=$(go env GOOS)/$(go env GOARCH)
only=()
count=5
if [ "$platforms" = host ]; then only=(-platform "$here") count=1; fi
quietly release.log release -root "$root" -out "$work/dist" -version "$version" -base-url "$base/dist" "${only[@]}"
(cd "$work/dist" && sha256sum --check --quiet checksums.txt)

for name in sandbox agent-sandbox; do
  say "krew's validator: $name"
  quietly validate.log validate-krew-manifest -manifest "$work/dist/krew/$name.yaml"
  grep -q "all $count spec.platforms installed fine" "$work/validate.log" ||
    { cat "$work/validate.log" >&2; fail "the validator did not install $count platforms"; }
done

# works NAME runs what a user tries first.
works() {
  local name=$1 out
  out=$(kubectl "$name" version --client)
  [[ $out == *"$version"* ]] || fail "kubectl $name version says $out"
  out=$(kubectl "$name" --help)
  [[ $out == *"kubectl $name create"* ]] || fail "the help of kubectl $name does not call it so"
  out=$(kubectl "$name" list --all-namespaces -o json) || fail "kubectl $name list"
  [[ $out == *'"kind": "List"'* ]] || fail "kubectl $name list says $out"
  out=$(kubectl "$name" run --image "$image" -- echo hello 2>"$work/run.log") ||
    { cat "$work/run.log" >&2; fail "kubectl $name run"; }
  [[ $out == hello ]] || fail "kubectl $name run says $out"
  quietly completion.log kubectl "$name" completion install
  out=$(kubectl __complete "$name" susp 2>/dev/null)
  [[ $out == suspend* ]] || fail "kubectl does not complete 'kubectl $name susp': $out"
}
# index NAME PLUGIN makes a git repository that krew can clone as an index, with one plugin.
index() {
  local dir=$work/index/$1
  mkdir -p "$dir/plugins"
  cp "$work/dist/krew/$2.yaml" "$dir/plugins/"
  git -C "$dir" init --quiet
  git -C "$dir" add .
  git -C "$dir" -c user.name=verify -c user.email=verify@localhost commit --quiet --message "$2 $version"
}
index public agent-sandbox
index own sandbox
quietly update.log kubectl krew update

archive=$work/dist/kubectl-sandbox_${version}_${here/\//_}.tar.gz
for name in sandbox agent-sandbox; do
  say "kubectl krew install --manifest --archive: $name"
  quietly install.log kubectl krew install --manifest "$work/dist/krew/$name.yaml" --archive "$archive"
  works "$name"
  quietly uninstall.log kubectl krew uninstall "$name"
  rm "$KREW_ROOT"/bin/kubectl_complete-*
  if kubectl "$name" version --client >/dev/null 2>&1; then fail "kubectl $name is still there"; fi
done

say "kubectl krew index add, and install from both indexes"
quietly index.log kubectl krew index add agent-sandbox "$work/index/own"
quietly install.log kubectl krew install agent-sandbox/sandbox agent-sandbox
works sandbox
works agent-sandbox
say "krew installs the plugin under both names"
