{{- define "triton.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 53 | trimSuffix "-" }}
{{- end }}

{{/* 53 characters at most: "-headless" still fits in a Service name of 63. */}}
{{- define "triton.fullname" -}}
{{- $name := include "triton.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 53 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 53 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* Immutable on a living Deployment: never add a version or a release here. */}}
{{- define "triton.selectorLabels" -}}
app.kubernetes.io/name: {{ include "triton.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: server
{{- end }}

{{- define "triton.metadataLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/name: {{ include "triton.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/version: {{ default .Chart.AppVersion .Values.image.tag | trunc 63 | trimAll "-_." | quote }}
app.kubernetes.io/part-of: {{ include "triton.name" . | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "triton.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "triton.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "triton.image" -}}
{{- with .Values.image }}
{{- if .digest }}
{{- printf "%s@%s" .repository .digest }}
{{- else }}
{{- printf "%s:%s" .repository .tag }}
{{- end }}
{{- end }}
{{- end }}

{{/* What the model repository is: "cloud" (Triton copies it to the model volume), "path" (it is in the container) or "none". */}}
{{- define "triton.repositoryKind" -}}
{{- $url := .Values.modelRepository.url }}
{{- if not $url }}none{{ else if hasPrefix "/" $url }}path{{ else }}cloud{{ end }}
{{- end }}

{{/* Bytes of a quantity such as 16Gi, as text. */}}
{{- define "triton.bytes" -}}
{{- $units := dict "" 1 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 }}
{{- $number := regexFind "^[0-9.]+" . }}
{{- mulf (float64 $number) (float64 (get $units (trimPrefix $number .))) | ceil | int64 }}
{{- end }}

{{/* Thousandths of a core of a quantity such as 2 or 500m, as text. */}}
{{- define "triton.millicores" -}}
{{- if hasSuffix "m" . }}{{ trimSuffix "m" . }}{{ else }}{{ mulf (float64 .) 1000 | int64 }}{{ end }}
{{- end }}

{{/*
Bytes of memory that are spoken for before a model is loaded: shared memory, response cache, pinned memory, further memory
volumes. Triton takes 256 MiB of pinned memory unless told otherwise, and none without a GPU.
*/}}
{{- define "triton.reservedMemory" -}}
{{- $pinned := .Values.triton.pinnedMemoryPoolBytes }}
{{- if kindIs "invalid" $pinned }}
{{- $pinned = 268435456 }}
{{- end }}
{{- if eq (int .Values.gpus) 0 }}
{{- $pinned = 0 }}
{{- end }}
{{- $sum := add (include "triton.bytes" .Values.sharedMemory) .Values.triton.responseCacheBytes $pinned }}
{{- range .Values.extraVolumes }}
{{- if and .emptyDir (eq (default "" .emptyDir.medium) "Memory") }}
{{- $sum = add $sum (include "triton.bytes" .emptyDir.sizeLimit) }}
{{- end }}
{{- end }}
{{- $sum }}
{{- end }}

{{/* Node disk that the pod may fill: its volumes on disk and its log. The root file system is read-only and adds nothing. */}}
{{- define "triton.ephemeralStorage" -}}
{{- $sum := add (include "triton.bytes" .Values.temporaryStorage) (include "triton.bytes" .Values.logStorage) }}
{{- if ne (include "triton.repositoryKind" .) "path" }}
{{- $sum = add $sum (include "triton.bytes" .Values.modelRepository.volume.sizeLimit) }}
{{- end }}
{{- range .Values.extraVolumes }}
{{- if and .emptyDir (ne (default "" .emptyDir.medium) "Memory") }}
{{- $sum = add $sum (include "triton.bytes" .emptyDir.sizeLimit) }}
{{- end }}
{{- end }}
{{- printf "%dMi" (div (add $sum 1048575) 1048576) }}
{{- end }}

{{/* Seconds from the wish to stop a pod until it is killed: always more than leaving the Services and Triton's own time. */}}
{{- define "triton.gracePeriodSeconds" -}}
{{- add .Values.shutdown.preStopSeconds .Values.triton.exitTimeoutSeconds .Values.shutdown.marginSeconds }}
{{- end }}

{{/* A 32-bit number of an IPv4 address, as text. */}}
{{- define "triton.ipv4" -}}
{{- $value := 0 }}
{{- range splitList "." . }}
{{- $value = add (mul $value 256) (int64 .) }}
{{- end }}
{{- $value }}
{{- end }}

{{/* Whether an IPv4 range holds the instance metadata service: "true" or "". */}}
{{- define "triton.holdsMetadataService" -}}
{{- $parts := splitList "/" . }}
{{- $size := 1 }}
{{- range until (sub 32 (int (last $parts)) | int) }}
{{- $size = mul $size 2 }}
{{- end }}
{{- if eq (div (include "triton.ipv4" (first $parts) | int64) $size) (div (include "triton.ipv4" "169.254.169.254" | int64) $size) }}true{{ end }}
{{- end }}
