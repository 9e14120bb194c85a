#!/usr/bin/env bash
# Copyright 2026 The kubectl-sandbox Authors.
# SPDX-License-Identifier: Apache-2.0
#
# generate.sh writes every generated file: deepcopy functions, CRDs, RBAC, typed clients, reference pages, manifests, the
# licences of what the programs contain, the Python client without asyncio.
# With the argument "bootstrap" it writes only what the types need to compile.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CGO_ENABLED=0 GOFLAGS=-trimpath # as `make build`, to share its compiled packages
module=github.com/agent-sandbox/kubectl-sandbox
header=hack/boilerplate/header.go.txt
tool() { go tool -modfile=tools/go.mod "$@"; }

tool controller-gen object:headerFile=$header paths=./apis/agents/... paths=./apis/extensions/...
if [ "${1:-}" = bootstrap ]; then exit; fi

rm -f apis/crds/*/*.yaml
for group in agents extensions; do
  tool controller-gen crd paths=./apis/$group/... output:crd:dir=apis/crds/$group
done
go run ./hack/crds apis/crds/*/*.yaml

role() { # NAME FILE DIRECTORY...
  tool controller-gen "rbac:roleName=$1,fileName=$2,headerFile=hack/boilerplate/header.yaml.txt" "${@:3}" \
    output:rbac:dir=operator/install/manifests
}
role agent-sandbox-controller role.yaml \
  paths=./operator/manager/... paths=./operator/internal/sandbox/... paths=./operator/internal/volume/...
role agent-sandbox-controller-extensions extensions-role.yaml \
  paths=./operator/internal/claim/... paths=./operator/internal/pool/... paths=./operator/internal/template/...

client=$module/apis/client
types=("$module/apis/agents/v1beta1" "$module/apis/extensions/v1beta1")
core=k8s.io/client-go/applyconfigurations
external=k8s.io/api/core/v1.PodSpec:$core/core/v1,k8s.io/api/core/v1.PersistentVolumeClaimSpec:$core/core/v1
external+=,k8s.io/api/networking/v1.NetworkPolicyIngressRule:$core/networking/v1
external+=,k8s.io/api/networking/v1.NetworkPolicyEgressRule:$core/networking/v1
rm -rf apis/client
tool applyconfiguration-gen --go-header-file $header --output-dir apis/client/applyconfiguration \
  --output-pkg $client/applyconfiguration \
  --external-applyconfigurations "$external" \
  "${types[@]}"
tool client-gen --go-header-file $header --output-dir apis/client/clientset --output-pkg $client/clientset \
  --clientset-name versioned --input-base "" --apply-configuration-package $client/applyconfiguration \
  --input "${types[0]}" --input "${types[1]}"
tool lister-gen --go-header-file $header --output-dir apis/client/listers --output-pkg $client/listers "${types[@]}"
tool informer-gen --go-header-file $header --output-dir apis/client/informers --output-pkg $client/informers \
  --versioned-clientset-package $client/clientset/versioned --listers-package $client/listers "${types[@]}"

mkdir -p docs/reference
tool crd-ref-docs --source-path=apis --config=hack/boilerplate/reference.yaml --renderer=markdown \
  --output-path=docs/reference/api.md
go run ./hack/vocabularydoc docs/reference/vocabulary.md
go run ./hack/flagdoc docs/reference/operator-flags.md
go run ./hack/commanddoc docs/reference/cli
go run ./hack/manifests
go run -C tools ./licences
python3 clients/python/tools/generate.py
python3 clients/python/tools/reference.py
