{{/*
Copyright 2026 The kubectl-sandbox Authors.
SPDX-License-Identifier: Apache-2.0
*/}}

{{/* The namespaces of all routers in JSON, that of the operator first. */}}
{{- define "agent-sandbox.routerNamespaces" -}}
{{- $all := list }}
{{- if .Values.router.enabled }}
{{- $all = append $all (include "agent-sandbox.namespace" .) }}
{{- end }}
{{- concat $all (.Values.router.namespaces | sortAlpha) | uniq | toJson }}
{{- end }}

{{- define "agent-sandbox.routerLabels" -}}
{{- toYaml (merge (dict "app" "sandbox-router") (include "agent-sandbox.labels" . | fromYaml)) }}
{{- end }}

{{/* The grants of one router. Takes a dict of root, namespace and the namespaces that it serves; none are all. */}}
{{- define "agent-sandbox.routerGrants" -}}
{{- $root := .root }}
{{- $namespace := .namespace }}
{{- $serves := .serves }}
{{- range $text := splitList "\n---\n" ($root.Files.Get "files/manifests/router-role.yaml") }}
{{- $object := fromYaml $text }}
{{- if $object }}
{{- $_ := set $object.metadata "labels" (include "agent-sandbox.routerLabels" $root | fromYaml) }}
{{- range $subject := $object.subjects }}
{{- $_ := set $subject "namespace" $namespace }}
{{- end }}
{{- if and $object.rules (not $root.Values.router.resumeOnRequest) }}
{{- $rules := list }}
{{- range $rule := $object.rules }}
{{- if not (has "patch" $rule.verbs) }}
{{- $rules = append $rules $rule }}
{{- end }}
{{- end }}
{{- $_ := set $object "rules" $rules }}
{{- end }}
{{- if $serves }}
{{- $_ := set $object "kind" (trimPrefix "Cluster" $object.kind) }}
{{- if ne $namespace (include "agent-sandbox.namespace" $root) }}
{{- $_ := set $object.metadata "name" "sandbox-router-local" }}
{{- end }}
{{- if $object.roleRef }}
{{- $_ := set $object.roleRef "kind" "Role" }}
{{- $_ := set $object.roleRef "name" $object.metadata.name }}
{{- end }}
{{- range $serves }}
{{- $_ := set $object.metadata "namespace" . }}
---
{{ toYaml $object }}
{{- end }}
{{- else }}
---
{{ toYaml $object }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* The other objects of one router. Takes the same. */}}
{{- define "agent-sandbox.routerObjects" -}}
{{- $root := .root }}
{{- range $text := splitList "\n---\n" ($root.Files.Get "files/manifests/router.yaml") }}
{{- $object := fromYaml $text }}
{{- if and $object (or $root.Values.serviceAccount.create (ne $object.kind "ServiceAccount")) }}
{{- $_ := set $object.metadata "labels" (include "agent-sandbox.routerLabels" $root | fromYaml) }}
{{- $_ := set $object.metadata "namespace" $.namespace }}
{{- if eq $object.kind "Deployment" }}
{{- include "agent-sandbox.routerDeployment" (dict "object" $object "root" $root "serves" $.serves) }}
{{- end }}
---
{{ toYaml $object }}
{{- end }}
{{- end }}
{{- end }}

{{/* Changes the Deployment in object to what the values say. */}}
{{- define "agent-sandbox.routerDeployment" -}}
{{- $values := .root.Values.router }}
{{- $pod := .object.spec.template.spec }}
{{- $container := first $pod.containers }}
{{- $_ := set .object.spec "replicas" $values.replicaCount }}
{{- $tag := default (include "agent-sandbox.tag" .root) $values.image.tag }}
{{- $_ := set $container "image" (printf "%s:%s" $values.image.repository $tag) }}
{{- $_ := set $container "imagePullPolicy" .root.Values.image.pullPolicy }}
{{- $_ := set $container "resources" $values.resources }}
{{- $args := $container.args }}
{{- with .serves }}
{{- $args = append $args (printf "--watch-namespaces=%s" (join "," .)) }}
{{- end }}
{{- if $values.resumeOnRequest }}
{{- $args = append $args "--resume-on-request=true" }}
{{- end }}
{{- $_ := set $container "args" (concat $args $values.extraArgs) }}
{{- $env := list }}
{{- with .root.Values.controller.clusterDomain }}
{{- $env = append $env (dict "name" "CLUSTER_DOMAIN" "value" .) }}
{{- end }}
{{- with concat $env $values.env }}
{{- $_ := set $container "env" . }}
{{- end }}
{{- with .root.Values.imagePullSecrets }}
{{- $_ := set $pod "imagePullSecrets" . }}
{{- end }}
{{- $_ := mergeOverwrite $pod (deepCopy $values.podSpec) }}
{{- end }}
