{{/*
Copyright 2026 The kubectl-sandbox Authors.
SPDX-License-Identifier: Apache-2.0
*/}}

{{- define "agent-sandbox.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "agent-sandbox.namespace" -}}
{{- default .Release.Namespace .Values.namespace.name }}
{{- end }}

{{- define "agent-sandbox.tag" -}}
{{- required "image.tag is required" (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}

{{- define "agent-sandbox.image" -}}
{{- printf "%s:%s" .Values.image.repository (include "agent-sandbox.tag" .) }}
{{- end }}

{{- define "agent-sandbox.labels" -}}
app: agent-sandbox-controller
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/name: {{ include "agent-sandbox.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ include "agent-sandbox.tag" . | replace "+" "-" | trunc 63 | trimSuffix "-" | quote }}
app.kubernetes.io/part-of: agent-sandbox
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{/* A selector cannot change. It equals that of the static manifests, so that the chart can take over an installation. */}}
{{- define "agent-sandbox.selectorLabels" -}}
app: agent-sandbox-controller
{{- end }}

{{/* Labels of Pods. The labels that identify the Pods override podLabels. */}}
{{- define "agent-sandbox.podLabels" -}}
{{- $own := include "agent-sandbox.selectorLabels" . | fromYaml }}
{{- $own = merge $own (dict "app.kubernetes.io/name" (include "agent-sandbox.name" .) "app.kubernetes.io/instance" .Release.Name) }}
{{- toYaml (merge (dict) $own .Values.podLabels) }}
{{- end }}

{{/* Annotations of Pods. The hash that replaces the Pods when definitions change overrides podAnnotations. */}}
{{- define "agent-sandbox.podAnnotations" -}}
{{- $own := .Files.Get "files/pod-annotations.yaml" | fromYaml }}
{{- toYaml (merge (dict) $own .Values.podAnnotations) }}
{{- end }}

{{/* The objects of files/manifests/FILE, with the labels and the namespace of the release. Takes a dict of root and file. */}}
{{- define "agent-sandbox.manifest" -}}
{{- $root := .root }}
{{- $namespace := include "agent-sandbox.namespace" $root }}
{{- $labels := include "agent-sandbox.labels" $root | fromYaml }}
{{- range $text := splitList "\n---\n" ($root.Files.Get (printf "files/manifests/%s" .file)) }}
{{- $object := fromYaml $text }}
{{- if $object }}
{{- $_ := set $object.metadata "labels" (merge (dict) $labels (default (dict) $object.metadata.labels)) }}
{{- if $object.metadata.namespace }}
{{- $_ := set $object.metadata "namespace" $namespace }}
{{- end }}
{{- if hasSuffix "-leader-election" $object.metadata.name }}
{{- $_ := set $object.metadata "namespace" (default $namespace $root.Values.controller.leaderElectionNamespace) }}
{{- end }}
{{- range $subject := $object.subjects }}
{{- $_ := set $subject "namespace" $namespace }}
{{- end }}
{{- $watched := $root.Values.controller.watchNamespaces }}
{{- if and $watched (hasPrefix "ClusterRole" $object.kind) (has $object.metadata.name (list "agent-sandbox-controller" "agent-sandbox-controller-extensions")) }}
{{- $_ := set $object "kind" (trimPrefix "Cluster" $object.kind) }}
{{- if $object.rules }}
{{- /* A Role cannot grant access to definitions and nodes, and an operator with Roles does not read them. */}}
{{- $rules := list }}
{{- range $rule := $object.rules }}
{{- if not (or (has "apiextensions.k8s.io" $rule.apiGroups) (has "nodes" $rule.resources)) }}
{{- $rules = append $rules $rule }}
{{- end }}
{{- end }}
{{- $_ := set $object "rules" $rules }}
{{- end }}
{{- if $object.roleRef }}
{{- $_ := set $object.roleRef "kind" "Role" }}
{{- end }}
{{- range $watched | uniq | sortAlpha }}
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
