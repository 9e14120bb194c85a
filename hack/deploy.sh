#!/usr/bin/env bash
# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# deploy.sh IMAGE ROUTER_IMAGE installs the operator in the cluster of $KUBECONFIG, which must have the images.
# EXTENSIONS=true adds claims, templates and pools, and ROUTER=true a router. CONTROLLER_ARGS="--flag=value ..." adds
# arguments of the operator.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
image=${1:?usage: hack/deploy.sh IMAGE ROUTER_IMAGE}

what=(--image "$image")
[ "${EXTENSIONS:-false}" = true ] || what+=(--core-only)
[ "${ROUTER:-false}" != true ] || what+=(--router --router-image "${2:?the image of the router}")
read -ra arguments <<<"${CONTROLLER_ARGS:-}"
for argument in "${arguments[@]}"; do
  what+=("--arg=$argument")
done
bin/kubectl-sandbox install "${what[@]}"
