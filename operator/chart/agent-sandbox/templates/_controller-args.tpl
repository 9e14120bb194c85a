{{/*
Copyright 2026 The kubectl-sandbox Authors.
SPDX-License-Identifier: Apache-2.0
*/}}

{{/* The flags of the operator. An unset value gives no flag. The values false, 0 and the empty string give one. */}}
{{- define "agent-sandbox.controllerArgs" -}}
{{- $values := .Values.controller }}
{{- range $key := list
  "leaderElect" "extensions" "leaderElectionNamespace" "clusterDomain" "enableTracing" "enablePprof" "enablePprofDebug"
  "pprofBlockProfileRate" "pprofMutexProfileFraction" "kubeApiQps" "kubeApiBurst" "separateWatchConnection"
  "sandboxConcurrentWorkers" "sandboxClaimConcurrentWorkers" "sandboxWarmPoolConcurrentWorkers" "sandboxTemplateConcurrentWorkers"
  "sandboxWarmPoolMaxBatchSize" "sandboxWarmPoolReadinessGracePeriod" "sandboxWarmPoolUnschedulableRecheck"
  "sandboxWarmPoolRefillRate"
  "metricsSecure" "metricsCertPath" "metricsCertName" "metricsCertKey" }}
{{- $value := get $values $key }}
{{- if and (hasKey $values $key) (not (kindIs "invalid" $value)) }}
{{- if and (kindIs "float64" $value) (eq (floor $value) $value) }}
{{- $value = printf "%.0f" $value }}
{{- end }}
- {{ printf "--%s=%v" (kebabcase $key) $value | quote }}
{{- end }}
{{- end }}
{{- range $key := list "watchNamespaces" "routerNamespace" }}
{{- with get $values $key }}
- {{ printf "--%s=%s" (kebabcase $key) (. | uniq | sortAlpha | join ",") | quote }}
{{- end }}
{{- end }}
{{- with concat $values.tenantRouterNamespaces .Values.router.namespaces }}
- {{ printf "--tenant-router-namespaces=%s" (. | uniq | sortAlpha | join ",") | quote }}
{{- end }}
{{- range $values.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end }}
