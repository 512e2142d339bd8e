{{- define "capstan.name" -}}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{- end }}

{{/* Labels of every object. Call with (dict "root" $ "component" "api"). */}}
{{- define "capstan.labels" -}}
{{ include "capstan.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: capstan
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "capstan.selector" -}}
app.kubernetes.io/name: capstan
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "capstan.image" -}}
{{ .root.Values.image.repository }}/{{ .component }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{- define "capstan.instancesNamespace" -}}
{{ .Values.instances.namespace | default (printf "%s-instances" (include "capstan.name" .)) }}
{{- end }}

{{- define "capstan.adminSecret" -}}{{ .Values.admin.existingSecret | default (printf "%s-admin" (include "capstan.name" .)) }}{{- end }}
{{- define "capstan.keysSecret" -}}{{ .Values.secrets.existingSecret | default (printf "%s-keys" (include "capstan.name" .)) }}{{- end }}
{{- define "capstan.databaseSecret" -}}
{{- if .Values.postgresql.enabled }}{{ .Values.postgresql.existingSecret | default (printf "%s-database" (include "capstan.name" .)) }}{{ else }}{{ required "externalDatabase.existingSecret is needed while postgresql.enabled is false" .Values.externalDatabase.existingSecret }}{{ end }}
{{- end }}

{{/* Pod settings that the restricted Pod Security standard asks for. */}}
{{- define "capstan.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "capstan.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* Probes on the management addresses. Call with (dict "port" "http" "live" "/livez" "startSeconds" 120): what says that the
     process answers, whatever it depends on, and how long its start may take. */}}
{{- define "capstan.probes" -}}
startupProbe:
  httpGet: { path: /readyz, port: {{ .port }} }
  periodSeconds: 1
  failureThreshold: {{ .startSeconds }}
readinessProbe:
  httpGet: { path: /readyz, port: {{ .port }} }
  periodSeconds: 5
  timeoutSeconds: 3
livenessProbe:
  httpGet: { path: {{ .live }}, port: {{ .port }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
{{- end }}

{{/* Which nodes take the platform's pods. */}}
{{- define "capstan.placement" -}}
{{- with .Values.scheduling }}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{/* The same, and how replicas spread. Call with (dict "root" $ "component" "api"). */}}
{{- define "capstan.scheduling" -}}
{{- $selector := include "capstan.selector" . }}
{{- include "capstan.placement" .root }}
{{- with .root.Values.scheduling.topologySpread }}
topologySpreadConstraints:
  {{- range . }}
  - maxSkew: {{ .maxSkew }}
    topologyKey: {{ .topologyKey }}
    whenUnsatisfiable: {{ .whenUnsatisfiable }}
    labelSelector:
      matchLabels: {{- $selector | nindent 8 }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Where players reach the platform, if that is known: as it was said, or the one host name of Ingress and HTTPRoute. */}}
{{- define "capstan.publicOrigin" -}}
{{- $origins := list }}
{{- with .Values.ingress }}
{{- if and .enabled .host }}{{ $origins = append $origins (printf "%s://%s" (ternary "http" "https" (empty .tlsSecret)) .host) }}{{ end }}
{{- end }}
{{- if .Values.httpRoute.enabled }}
{{- range .Values.httpRoute.hostnames }}{{ $origins = append $origins (printf "https://%s" .) }}{{ end }}
{{- end }}
{{- $origins = $origins | uniq }}
{{- if .Values.publicOrigin }}{{ .Values.publicOrigin }}
{{- else if and (eq (len $origins) 1) (not (contains "*" (first $origins))) }}{{ first $origins }}
{{- else if .Values.smtp.existingSecret }}{{ fail "publicOrigin is needed with smtp.existingSecret: links in mails must not come from a request, and no single host name of an Ingress or HTTPRoute says where players reach the platform" }}
{{- end }}
{{- end }}

{{/* Which process answers an address from outside, longest prefix first. */}}
{{- define "capstan.routes" -}}
/hub: gateway
/api/proxy: gateway
/api: api
/assets: api
/favicon.webp: api
/: web
{{- end }}

{{/* Least replicas of a process. Call with (dict "root" $ "component" "api"). */}}
{{- define "capstan.leastReplicas" -}}
{{- $values := index .root.Values .component }}
{{- if (default dict $values.autoscaling).enabled }}{{ $values.autoscaling.minReplicas }}{{ else }}{{ $values.replicas }}{{ end }}
{{- end }}

{{/* Most replicas of a process. Call with (dict "root" $ "component" "api"). */}}
{{- define "capstan.mostReplicas" -}}
{{- $values := index .root.Values .component }}
{{- if (default dict $values.autoscaling).enabled }}{{ $values.autoscaling.maxReplicas }}{{ else }}{{ $values.replicas }}{{ end }}
{{- end }}

{{- define "capstan.redisEnv" -}}
{{- if .Values.redis.enabled }}
- { name: REDIS_URL, value: "redis://{{ include "capstan.name" . }}-redis:6379" }
{{- else }}
- name: REDIS_URL
  valueFrom: { secretKeyRef: { name: {{ required "externalRedis.existingSecret is needed while redis.enabled is false" .Values.externalRedis.existingSecret }}, key: url } }
{{- end }}
{{- end }}

{{- define "capstan.internalTokenEnv" -}}
- name: CAPSTAN_INTERNAL_TOKEN
  valueFrom: { secretKeyRef: { name: {{ include "capstan.keysSecret" . }}, key: internalToken } }
{{- end }}

{{/* Where traces go, for every process. */}}
{{- define "capstan.tracingEnv" -}}
{{- with .Values.tracing }}
{{- if .endpoint }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ .endpoint | quote }} }
- { name: OTEL_TRACES_SAMPLER_ARG, value: {{ divf .samplePercent 100 | quote }} }
{{- end }}
{{- end }}
{{- end }}

{{/* A map as name=value,name=value. */}}
{{- define "capstan.pairs" -}}
{{- $pairs := list }}
{{- range $name, $value := . }}{{ $pairs = append $pairs (printf "%s=%s" $name $value) }}{{ end }}
{{- join "," $pairs }}
{{- end }}
