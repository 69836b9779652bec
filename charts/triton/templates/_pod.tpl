{{/* Where pods go and whence their image comes: the same for the server and for its test. */}}
{{- define "triton.scheduling" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .Values.runtimeClassName }}
runtimeClassName: {{ . | quote }}
{{- end }}
{{- with .Values.hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* The key of the restricted APIs, which Kubernetes puts into the arguments as $(TRITON_ADMIN_KEY). */}}
{{- define "triton.adminKeyEnv" -}}
{{- with .Values.triton.restrictedApis }}
{{- if .apis }}
- name: TRITON_ADMIN_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .secretName | quote }}
      key: {{ .secretKey | quote }}
{{- end }}
{{- end }}
{{- end }}
