{{- define "capstan.captureImage" -}}
{{ .Values.capture.image | default (include "capstan.image" (dict "root" . "component" "capture")) }}
{{- end }}

{{/* Variables that the operator needs in order to record traffic. */}}
{{- define "capstan.captureOperatorEnv" -}}
{{- if .Values.capture.enabled }}
- { name: CAPSTAN_CAPTURE_IMAGE, value: {{ include "capstan.captureImage" . | quote }} }
- { name: CAPSTAN_COLLECTOR_LABELS, value: "app.kubernetes.io/component=api,app.kubernetes.io/instance={{ .Release.Name }}" }
- { name: CAPSTAN_CAPTURE_MEMORY_MB, value: {{ .Values.capture.resources.memoryMb | int | quote }} }
- { name: CAPSTAN_CAPTURE_CPU_MILLIS, value: {{ .Values.capture.resources.cpuMillis | int | quote }} }
- { name: CAPSTAN_CAPTURE_DRAIN_SECONDS, value: {{ .Values.capture.drainSeconds | int | quote }} }
{{- end }}
{{- end }}

{{/* Variables that the api needs in order to request and store recordings. */}}
{{- define "capstan.captureApiEnv" -}}
- { name: CAPSTAN_CAPTURE, value: {{ ternary "on" "off" .Values.capture.enabled | quote }} }
{{- if .Values.capture.enabled }}
- { name: CAPSTAN_CAPTURE_SEGMENT_MB, value: {{ .Values.capture.limits.segmentMb | int | quote }} }
- { name: CAPSTAN_CAPTURE_SEGMENT_SECONDS, value: {{ .Values.capture.limits.segmentSeconds | int | quote }} }
- { name: CAPSTAN_CAPTURE_STORED_MB, value: {{ .Values.capture.limits.podMb | int | quote }} }
- { name: CAPSTAN_CAPTURE_INSTANCE_MB, value: {{ .Values.capture.limits.instanceMb | int | quote }} }
{{- end }}
{{- end }}
