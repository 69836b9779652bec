{{/*
What the schema cannot say: rules over several values. All problems at once, each with the key and the remedy.
*/}}
{{- define "triton.validate" -}}
{{- $v := .Values }}
{{- $problems := list }}
{{- $kind := include "triton.repositoryKind" . }}

{{- if and (eq $v.image.tag "latest") (not $v.image.digest) }}
{{- $problems = append $problems "image.tag: latest changes under running pods; name a release, such as 26.07-py3" }}
{{- end }}
{{- if not (or $v.image.tag $v.image.digest) }}
{{- $problems = append $problems "image: name a tag, such as 26.07-py3, or a digest" }}
{{- end }}

{{- $url := $v.modelRepository.url }}
{{- $forms := dict
  "as" (list "^as://[A-Za-z0-9.-]+(/[^/\\s]+)+$" "as://account/container[/path]")
  "gs" (list "^gs://[^/\\s]+(/[^/\\s]+)*$" "gs://bucket[/path]")
  "s3" (list "^s3://(https?://)?[^/\\s]+(/[^/\\s]+)*$" "s3://bucket[/path] or s3://https://host:port/bucket[/path]")
  "/" (list "^(/[A-Za-z0-9._-]+)+$" "/path of letters, digits, dots, hyphens and underscores")
}}
{{- with $url }}
{{- $form := get $forms (ternary "/" (splitList ":" . | first) (hasPrefix "/" .)) }}
{{- if not (regexMatch (first $form) .) }}
{{- $problems = append $problems (printf "modelRepository.url: %s is not of the form %s, without empty folders or a slash at the end" . (last $form)) }}
{{- end }}
{{- end }}
{{- if and (eq $v.triton.modelControlMode "poll") (ne $kind "path") }}
{{- $problems = append $problems "triton.modelControlMode: poll sees no change in cloud storage; use none or explicit and publish each release under a new path" }}
{{- end }}
{{- if and $v.triton.loadModels (ne $v.triton.modelControlMode "explicit") }}
{{- $problems = append $problems (printf "triton.loadModels: Triton reads it with modelControlMode explicit only, not with %s" $v.triton.modelControlMode) }}
{{- end }}
{{- if and (has "*" $v.triton.loadModels) (gt (len $v.triton.loadModels) 1) }}
{{- $problems = append $problems "triton.loadModels: \"*\" loads all models and must stand alone" }}
{{- end }}
{{- if and $v.modelRepository.existingClaim (ne $kind "path") }}
{{- $problems = append $problems "modelRepository.existingClaim: set modelRepository.url to the path at which the claim is to be mounted, such as /models" }}
{{- end }}

{{- if and $v.triton.restrictedApis.apis (not $v.triton.restrictedApis.secretName) }}
{{- $problems = append $problems "triton.restrictedApis.secretName: name the Secret that holds the key of the restricted APIs" }}
{{- end }}
{{- $owned := regexSplit "\\s+" (include "triton.ownedOptions" .) -1 }}
{{- range $argument := $v.triton.extraArgs }}
{{- $option := $argument | trimPrefix "--" | splitList "=" | first }}
{{- $clash := "" }}
{{- range $owned }}
{{- /* A prefix counts: the server's option parser completes abbreviations. */}}
{{- if and (not $clash) (hasPrefix $option .) }}
{{- $clash = . }}
{{- end }}
{{- end }}
{{- if $clash }}
{{- $problems = append $problems (printf "triton.extraArgs: %s sets --%s, which the chart's own values own; use those" $argument $clash) }}
{{- end }}
{{- end }}

{{- $memory := include "triton.bytes" $v.resources.memory | int64 }}
{{- $reserved := include "triton.reservedMemory" . | int64 }}
{{- if le $memory $reserved }}
{{- $problems = append $problems (printf "resources.memory: %s does not exceed the %d MiB of shared memory, response cache, pinned memory and memory volumes that count in it; raise it" $v.resources.memory (div $reserved 1048576)) }}
{{- end }}
{{- with $v.resources.cpuLimit }}
{{- if lt (include "triton.millicores" . | int64) (include "triton.millicores" $v.resources.cpu | int64) }}
{{- $problems = append $problems (printf "resources.cpuLimit: %s is less than the request resources.cpu, %s" . $v.resources.cpu) }}
{{- end }}
{{- end }}
{{- if and (eq (int $v.gpus) 0) (not (kindIs "invalid" $v.triton.cudaMemoryPoolBytes)) }}
{{- $problems = append $problems "triton.cudaMemoryPoolBytes: there is no GPU with gpus: 0; leave it out" }}
{{- end }}

{{- if and (eq (int $v.rollout.maxSurge) 0) (eq (int $v.rollout.maxUnavailable) 0) }}
{{- $problems = append $problems "rollout: with maxSurge and maxUnavailable both 0 no pod could ever be replaced; raise one of them" }}
{{- end }}
{{- if le (int $v.rollout.progressDeadlineSeconds) (int $v.startup.budgetSeconds) }}
{{- $problems = append $problems (printf "rollout.progressDeadlineSeconds: %d does not exceed startup.budgetSeconds, %d: a pod would fail the roll-out while it may still start" (int $v.rollout.progressDeadlineSeconds) (int $v.startup.budgetSeconds)) }}
{{- end }}

{{- if $v.autoscaling.enabled }}
{{- if $v.scaledExternally }}
{{- $problems = append $problems "autoscaling.enabled: two autoscalers would fight over the pods; drop it or scaledExternally" }}
{{- end }}
{{- if lt (int $v.autoscaling.maxReplicas) (int $v.autoscaling.minReplicas) }}
{{- $problems = append $problems (printf "autoscaling.maxReplicas: %d is less than autoscaling.minReplicas, %d" (int $v.autoscaling.maxReplicas) (int $v.autoscaling.minReplicas)) }}
{{- end }}
{{- if not (or $v.autoscaling.targetCPUUtilizationPercentage $v.autoscaling.targetMemoryUtilizationPercentage $v.autoscaling.metrics) }}
{{- $problems = append $problems "autoscaling: nothing to scale by; set a target or metrics" }}
{{- end }}
{{- end }}

{{- range $index, $range := $v.networkPolicy.egress.ranges }}
{{- if and (include "triton.holdsMetadataService" $range.cidr) (hasSuffix "/32" $range.cidr) }}
{{- $problems = append $problems (printf "networkPolicy.egress.ranges[%d]: %s is the instance metadata service, which hands the node's identity to any model; remove it" $index $range.cidr) }}
{{- end }}
{{- end }}
{{- range $index, $peer := $v.networkPolicy.egress.dns }}
{{- with $peer.ipBlock }}
{{- if include "triton.holdsMetadataService" .cidr }}
{{- $problems = append $problems (printf "networkPolicy.egress.dns[%d]: %s holds the instance metadata service 169.254.169.254; name the DNS server's own address" $index .cidr) }}
{{- end }}
{{- end }}
{{- end }}

{{- $chartEnv := list "HOME" }}
{{- if eq (int $v.gpus) 0 }}
{{- $chartEnv = append $chartEnv "NVIDIA_VISIBLE_DEVICES" }}
{{- end }}
{{- if eq $kind "cloud" }}
{{- $chartEnv = concat $chartEnv $v.modelRepository.volume.mountPathEnv }}
{{- end }}
{{- if $v.triton.restrictedApis.apis }}
{{- $chartEnv = append $chartEnv "TRITON_ADMIN_KEY" }}
{{- end }}
{{- $seenEnv := list }}
{{- range $v.env }}
{{- if has .name $chartEnv }}
{{- $problems = append $problems (printf "env: the chart sets %s itself; remove it" .name) }}
{{- else if has .name $seenEnv }}
{{- $problems = append $problems (printf "env: %s is there twice" .name) }}
{{- end }}
{{- $seenEnv = append $seenEnv .name }}
{{- end }}

{{- $chartLabels := list "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/component" "app.kubernetes.io/version" "app.kubernetes.io/part-of" "app.kubernetes.io/managed-by" "helm.sh/chart" "triton/release" }}
{{- range $key := keys $v.podLabels | sortAlpha }}
{{- if has $key $chartLabels }}
{{- $problems = append $problems (printf "podLabels: the chart sets %s itself; remove it" $key) }}
{{- else if hasKey $v.commonLabels $key }}
{{- $problems = append $problems (printf "podLabels: %s is in commonLabels already; remove it from one of them" $key) }}
{{- end }}
{{- end }}
{{- range $key := keys $v.commonLabels | sortAlpha }}
{{- if has $key $chartLabels }}
{{- $problems = append $problems (printf "commonLabels: the chart sets %s itself; remove it" $key) }}
{{- end }}
{{- end }}
{{- if hasKey $v.podAnnotations "triton/chart-digest" }}
{{- $problems = append $problems "podAnnotations: the chart sets triton/chart-digest itself, from chartDigest; remove it" }}
{{- end }}

{{- $volumes := list "model-repository" "shared-memory" "temporary" }}
{{- range $v.extraVolumes }}
{{- if has .name $volumes }}
{{- $problems = append $problems (printf "extraVolumes: the name %s is taken; choose another" .name) }}
{{- end }}
{{- $volumes = append $volumes .name }}
{{- end }}
{{- $paths := list "/dev/shm" "/tmp" }}
{{- if ne $kind "path" }}
{{- $paths = append $paths $v.modelRepository.volume.mountPath }}
{{- else if $v.modelRepository.existingClaim }}
{{- $paths = append $paths $v.modelRepository.url }}
{{- end }}
{{- range $v.extraVolumeMounts }}
{{- if not (has .name (without $volumes "model-repository" "shared-memory" "temporary")) }}
{{- $problems = append $problems (printf "extraVolumeMounts: no volume %s in extraVolumes" .name) }}
{{- end }}
{{- if has .mountPath $paths }}
{{- $problems = append $problems (printf "extraVolumeMounts: something is mounted at %s already; choose another path" .mountPath) }}
{{- end }}
{{- $paths = append $paths .mountPath }}
{{- end }}

{{- if and $v.test.request (not $v.test.model) }}
{{- $problems = append $problems "test.model: name the model that test.request is for" }}
{{- end }}

{{- if $problems }}
{{- fail (printf "\n  - %s\n" (join "\n  - " $problems)) }}
{{- end }}
{{- end }}
