#!/usr/bin/env bash
# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# kind.sh up IMAGE ROUTER_IMAGE creates a kind cluster and installs the operator of this tree in it, with ROUTER=true a
# router too. kind.sh down deletes the cluster.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
name=${KIND_CLUSTER:-agent-sandbox}

need() { # program, where to get it
  command -v "$1" >/dev/null || {
    echo "$1 is missing: $2. Without Docker, use 'make cluster deploy' (Linux, root)." >&2
    exit 1
  }
}
need docker 'install Docker Engine or Podman with its docker command'
# shellcheck disable=SC2016 # the user runs the command in the text
need kind 'run "go install sigs.k8s.io/kind@latest", and have $(go env GOPATH)/bin on the PATH'
docker info >/dev/null 2>&1 || {
  echo "docker is installed, but its engine does not answer: start it (docker info shows why)." >&2
  exit 1
}

case "${1:-}" in
up)
  image=${2:?usage: hack/kind.sh up IMAGE ROUTER_IMAGE}
  router=${3:?usage: hack/kind.sh up IMAGE ROUTER_IMAGE}
  need kubectl 'install kubectl'
  make build
  kind get clusters 2>/dev/null | grep -qx "$name" || kind create cluster --name "$name" --wait 2m
  build() { # TARGET TAG
    docker build --target "$1" --tag "$2" --build-arg VERSION="${VERSION:-}" --build-arg COMMIT="${COMMIT:-}" \
      --build-arg DATE="${DATE:-}" .
    kind load docker-image "$2" --name "$name"
  }
  build agent-sandbox-controller "$image"
  [ "${ROUTER:-false}" != true ] || build sandbox-router "$router"
  KUBECONFIG=$(mktemp)
  export KUBECONFIG
  trap 'rm -f "$KUBECONFIG"' EXIT
  kind get kubeconfig --name "$name" >"$KUBECONFIG"
  hack/deploy.sh "$image" "$router"
  echo "Ready: kubectl --context kind-$name get pods --namespace agent-sandbox-system"
  ;;
down)
  kind delete cluster --name "$name"
  ;;
*)
  echo "usage: hack/kind.sh up IMAGE ROUTER_IMAGE | down" >&2
  exit 2
  ;;
esac
