{{/*
Names of the `tritonserver` options that values of this chart own, without dashes. Options that `extraArgs` must not set for
other reasons (ports, addresses and switches that Services and probes rely on; deprecated twins) are here as well.
*/}}
{{- define "triton.ownedOptions" -}}
model-repository model-store model-control-mode load-model repository-poll-secs model-load-thread-count exit-on-error
strict-readiness exit-timeout-secs cache-config response-cache-byte-size log-format log-verbose log-file rate-limit
rate-limit-resource pinned-memory-pool-byte-size cuda-memory-pool-byte-size allow-http http-address http-port
reuse-http-port http-thread-count http-restricted-api allow-grpc grpc-address grpc-port reuse-grpc-port
grpc-max-connection-age grpc-restricted-protocol allow-metrics metrics-address metrics-port metrics-interval-ms
metrics-config backend-config
{{- end }}

{{/* Arguments of `tritonserver`, as a JSON list. */}}
{{- define "triton.arguments" -}}
{{- $triton := .Values.triton }}
{{- $mode := $triton.modelControlMode }}
{{- $url := default .Values.modelRepository.volume.mountPath .Values.modelRepository.url }}
{{- $args := list
  (printf "--model-repository=%s" $url)
  (printf "--model-control-mode=%s" $mode)
  (printf "--model-load-thread-count=%d" (int64 $triton.modelLoadThreads))
  (printf "--exit-on-error=%t" $triton.exitOnError)
  (printf "--strict-readiness=%t" $triton.strictReadiness)
  (printf "--exit-timeout-secs=%d" (int64 $triton.exitTimeoutSeconds))
  (printf "--log-format=%s" $triton.logFormat)
  (printf "--log-verbose=%d" (int64 $triton.logVerbose))
  (printf "--rate-limit=%s" $triton.rateLimiter)
}}
{{- range $triton.loadModels }}
{{- $args = append $args (printf "--load-model=%s" .) }}
{{- end }}
{{- if eq $mode "poll" }}
{{- $args = append $args (printf "--repository-poll-secs=%d" (int64 $triton.repositoryPollSeconds)) }}
{{- end }}
{{- range $triton.rateLimitResources }}
{{- $args = append $args (printf "--rate-limit-resource=%s" .) }}
{{- end }}
{{- if gt (int64 $triton.responseCacheBytes) 0 }}
{{- $args = append $args (printf "--cache-config=local,size=%d" (int64 $triton.responseCacheBytes)) }}
{{- end }}
{{- if not (kindIs "invalid" $triton.pinnedMemoryPoolBytes) }}
{{- $args = append $args (printf "--pinned-memory-pool-byte-size=%d" (int64 $triton.pinnedMemoryPoolBytes)) }}
{{- end }}
{{- if not (kindIs "invalid" $triton.cudaMemoryPoolBytes) }}
{{- range $gpu := until (int .Values.gpus) }}
{{- $args = append $args (printf "--cuda-memory-pool-byte-size=%d:%d" $gpu (int64 $triton.cudaMemoryPoolBytes)) }}
{{- end }}
{{- end }}
{{- with $triton.httpThreadCount }}
{{- $args = append $args (printf "--http-thread-count=%d" (int64 .)) }}
{{- end }}
{{- /* A connection outlives the pod's place in the Service, so it must end before the pod does. gRPC varies the age by a
tenth, and lets running requests end. */}}
{{- $age := div (mul .Values.shutdown.preStopSeconds 2000) 3 }}
{{- if not (kindIs "invalid" $triton.grpcMaxConnectionAgeSeconds) }}
{{- $age = mul $triton.grpcMaxConnectionAgeSeconds 1000 }}
{{- end }}
{{- if $age }}
{{- $args = append $args (printf "--grpc-max-connection-age=%d" $age) }}
{{- end }}
{{- with $triton.restrictedApis }}
{{- if .apis }}
{{- $restriction := printf "%s:%s=$(TRITON_ADMIN_KEY)" (join "," .apis) .header }}
{{- $args = append $args (printf "--http-restricted-api=%s" $restriction) }}
{{- $args = append $args (printf "--grpc-restricted-protocol=%s" $restriction) }}
{{- end }}
{{- end }}
{{- $args = append $args (printf "--allow-metrics=%t" $triton.metrics.enabled) }}
{{- if $triton.metrics.enabled }}
{{- $args = append $args (printf "--metrics-interval-ms=%d" (int64 $triton.metrics.intervalMilliseconds)) }}
{{- if $triton.metrics.summaryLatencies }}
{{- $args = append $args "--metrics-config=summary_latencies=true" }}
{{- end }}
{{- range $triton.metrics.config }}
{{- $args = append $args (printf "--metrics-config=%s" .) }}
{{- end }}
{{- end }}
{{- range $triton.backendConfig }}
{{- $args = append $args (printf "--backend-config=%s" .) }}
{{- end }}
{{- concat $args $triton.extraArgs | toJson }}
{{- end }}
