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

{{/* An image of the platform, by its digest if the values contain a digest, and otherwise by its tag.
     Call with (dict "root" $ "component" "api"). */}}
{{- define "capstan.image" -}}
{{- with .root.Values.image }}
{{- $repository := required "image.repository is needed: the registry and path of the platform's images, for example registry.example.org/ctf. Build and push them first: node scripts/images.mjs --repository registry.example.org/ctf --tag 0.1.0 --push --values-file images.yaml" .repository }}
{{- $digest := get (.digests | default dict) $.component }}
{{- printf "%s/%s" $repository $.component }}{{ if $digest }}@{{ $digest }}{{ else }}:{{ .tag | default $.root.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{- define "capstan.instancesNamespace" -}}
{{ .Values.instances.namespace | default (printf "%s-instances" (include "capstan.name" .)) }}
{{- end }}

{{- define "capstan.adminSecret" -}}{{ .Values.admin.existingSecret | default (printf "%s-admin" (include "capstan.name" .)) }}{{- end }}
{{- define "capstan.keysSecret" -}}{{ .Values.secrets.existingSecret | default (printf "%s-keys" (include "capstan.name" .)) }}{{- end }}
{{- define "capstan.operatorLogsSecret" -}}{{ .Values.operator.logs.existingSecret | default (printf "%s-operator-logs" (include "capstan.name" .)) }}{{- end }}
{{- define "capstan.databaseSecret" -}}
{{- if .Values.postgresql.enabled }}{{ .Values.postgresql.existingSecret | default (printf "%s-database" (include "capstan.name" .)) }}{{ else }}{{ required "externalDatabase.existingSecret is needed while postgresql.enabled is false" .Values.externalDatabase.existingSecret }}{{ end }}
{{- end }}

{{- define "capstan.redisSecret" -}}
{{- if .Values.redis.enabled }}{{ .Values.redis.existingSecret | default (printf "%s-redis" (include "capstan.name" .)) }}{{ else }}{{ required "externalRedis.existingSecret is needed while redis.enabled is false" .Values.externalRedis.existingSecret }}{{ end }}
{{- end }}

{{/* Pod settings that the Pod Security standard `restricted` requires. */}}
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

{{/* Probes on the management port. Call with (dict "port" "http" "live" "/livez" "startSeconds" 120). `live` answers even if Redis or
     the database is down, so a process is not restarted because of them. `startSeconds` is how long a process may take to start. The
     readiness probe tolerates 20 s of failures: that is longer than the 15 s for which the api waits for its database. */}}
{{- define "capstan.probes" -}}
startupProbe:
  httpGet: { path: {{ .live }}, port: {{ .port }} }
  periodSeconds: 1
  timeoutSeconds: 5
  failureThreshold: {{ .startSeconds }}
readinessProbe:
  httpGet: { path: /readyz, port: {{ .port }} }
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: 10
livenessProbe:
  httpGet: { path: {{ .live }}, port: {{ .port }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
{{- end }}

{{/* `true` if challenges may have egress, so that their containers need names outside of their instance; else nothing. */}}
{{- define "capstan.forwardsNames" -}}
{{- with .Values.instances }}
{{- if or (ne .egress "None") (has .widestEgress (list "Dns" "Internet")) }}true{{ end }}
{{- end }}
{{- end }}

{{/* Placement of the platform's pods on nodes. */}}
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

{{/* Placement of the platform's pods on nodes, and the rules that spread replicas over nodes.
     Call with (dict "root" $ "component" "api"). */}}
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

{{/* Address at which players open the platform: `publicOrigin`, else the only host name of Ingress and HTTPRoute, else nothing. */}}
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
{{- else if .Values.smtp.existingSecret }}{{ fail "publicOrigin is needed with smtp.existingSecret: a request must not choose the host of links in mails, and there is no single host name of an Ingress or HTTPRoute" }}
{{- end }}
{{- end }}

{{/* The process that answers each path, longest prefix first. */}}
{{- define "capstan.routes" -}}
/hub: gateway
/api/proxy: gateway
/api: api
/assets: api
/favicon.webp: api
/: web
{{- end }}

{{/* `true` if several api processes can use the store of files; else nothing. */}}
{{- define "capstan.sharesFiles" -}}
{{- if or (eq .Values.blobs.kind "s3") (eq .Values.blobs.folder.accessMode "ReadWriteMany") }}true{{ end }}
{{- end }}

{{/* The number of replicas of a process without autoscaling. Call with (dict "root" $ "component" "api"). */}}
{{- define "capstan.replicas" -}}
{{- $wanted := (index .root.Values .component).replicas | int }}
{{- if or $wanted (ne .component "api") }}{{ $wanted }}{{ else }}{{ ternary 2 1 (not (empty (include "capstan.sharesFiles" .root))) }}{{ end }}
{{- end }}

{{/* The minimum number of replicas of a process. Call with (dict "root" $ "component" "api"). */}}
{{- define "capstan.leastReplicas" -}}
{{- $values := index .root.Values .component }}
{{- if (default dict $values.autoscaling).enabled }}{{ $values.autoscaling.minReplicas }}{{ else }}{{ include "capstan.replicas" . }}{{ end }}
{{- end }}

{{/* The maximum number of replicas of a process. Call with (dict "root" $ "component" "api"). */}}
{{- define "capstan.mostReplicas" -}}
{{- $values := index .root.Values .component }}
{{- if (default dict $values.autoscaling).enabled }}{{ $values.autoscaling.maxReplicas }}{{ else }}{{ include "capstan.replicas" . }}{{ end }}
{{- end }}

{{- define "capstan.redisEnv" -}}
- name: REDIS_URL
  valueFrom: { secretKeyRef: { name: {{ include "capstan.redisSecret" . }}, key: url } }
{{- end }}

{{/* `true` if an Ingress or HTTPRoute sends sockets directly to the gateway and not through the web process; else nothing. */}}
{{- define "capstan.isRouted" -}}
{{- if or .Values.ingress.enabled .Values.httpRoute.enabled }}true{{ end }}
{{- end }}

{{/* Maximum time that sockets may remain open in a stopping process, in seconds. Call with (dict "root" $ "component" "gateway"). */}}
{{- define "capstan.drainSeconds" -}}
{{- $seconds := (index .root.Values .component).drainSeconds | int }}
{{- /* If players reach the web process only through routes, and these routes send sockets to the gateway, the web process forwards none. */}}
{{- $isBypassed := and (eq .component "web") (include "capstan.isRouted" .root) (eq .root.Values.web.service.type "ClusterIP") }}
{{- ternary (min $seconds 20) $seconds (not (empty $isBypassed)) }}
{{- end }}

{{/* Time in seconds before the kubelet kills a process: time for load balancers to notice, drain time of the sockets, and a margin to
     close the last ones. */}}
{{- define "capstan.graceSeconds" -}}
{{- add (include "capstan.drainSeconds" .) 25 }}
{{- end }}

{{- define "capstan.drainEnv" -}}
- { name: CAPSTAN_DRAIN_MS, value: {{ mul (include "capstan.drainSeconds" .) 1000 | quote }} }
{{- end }}

{{/* Known host names of the site, one per line. */}}
{{- define "capstan.siteHosts" -}}
{{- with .Values.publicOrigin }}{{ (urlParse .).hostname | lower }}{{ println }}{{ end }}
{{- if .Values.ingress.enabled }}{{ .Values.ingress.host | lower }}{{ println }}{{ end }}
{{- if .Values.httpRoute.enabled }}{{ range .Values.httpRoute.hostnames }}{{ lower . }}{{ println }}{{ end }}{{ end }}
{{- end }}

{{/*
Fails if instances would have node ports on the host of the site. A browser sends the cookies of a host to all its ports, so a page
of a challenge would receive the session of every player who opens it.
*/}}
{{- define "capstan.refuseSharedHost" -}}
{{- with .Values.instances }}
{{- if and (eq .exposure "NodePort") (not .allowSiteHost) }}
{{- $remedy := "Give instances a separate host name, on another domain if possible (instances.publicHost), or set instances.allowSiteHost=true if instances serve nothing for browsers" }}
{{- $site := include "capstan.siteHosts" $ | splitList "\n" | compact }}
{{- $host := .publicHost | lower | trimSuffix "." }}
{{- if has $host $site }}
{{- fail (printf "instances.publicHost is the host of the site, %s: browsers send its cookies to every port, so pages of instances would receive the players' sessions. %s" $host $remedy) }}
{{- end }}
{{- if and (not $host) (not $site) (eq $.Values.web.service.type "NodePort") }}
{{- fail (printf "instances and the site would share the address of a node: browsers send its cookies to every port, so pages of instances would receive the players' sessions. %s" $remedy) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/*
Fails with a sentence if values contradict each other, before anything changes. Otherwise the API server would refuse only some
objects, or a process would start with unintended settings.
*/}}
{{- define "capstan.refuseContradictions" -}}
{{- range $component := list "api" "gateway" "web" }}
{{- with (index $.Values $component).autoscaling }}
{{- if and .enabled (gt (int .minReplicas) (int .maxReplicas)) }}
{{- fail (printf "%s.autoscaling.minReplicas %d is more than maxReplicas %d" $component (int .minReplicas) (int .maxReplicas)) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and .Values.postgresql.enabled .Values.externalDatabase.existingSecret }}
{{- fail "externalDatabase.existingSecret and postgresql.enabled=true contradict each other: the platform uses one PostgreSQL. Set postgresql.enabled=false for the external one" }}
{{- end }}
{{- if and .Values.redis.enabled .Values.externalRedis.existingSecret }}
{{- fail "externalRedis.existingSecret and redis.enabled=true contradict each other: the platform uses one Redis. Set redis.enabled=false for the external one" }}
{{- end }}
{{- if and .Values.operator.terminals.enabled (not .Values.operator.logs.enabled) }}
{{- fail "operator.terminals.enabled=true and operator.logs.enabled=false contradict each other: terminals use the operator's listener for output" }}
{{- end }}
{{- if and (eq .Values.blobs.kind "folder") .Values.blobs.s3.bucket }}
{{- fail "blobs.s3.bucket and blobs.kind=folder contradict each other: all files are in one store. Set blobs.kind=s3 for the bucket" }}
{{- end }}
{{- with .Values.instances }}
{{- if and (not .createNamespace) (eq (include "capstan.instancesNamespace" $) $.Release.Namespace) }}
{{- fail (printf "instances.namespace %s is the namespace of the release: the network policy of challenges would cut off the platform. Give challenges a separate namespace" $.Release.Namespace) }}
{{- end }}
{{- with .nodePortRange }}
{{- $bounds := splitList "-" . }}
{{- $first := first $bounds | int }}
{{- $last := last $bounds | int }}
{{- if or (lt $first 1) (gt $last 65535) (lt $last $first) }}
{{- fail (printf "instances.nodePortRange %s must be two ports, the smaller one first" .) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/*
Fails with a sentence if the values need another volume than the existing one. Otherwise the API server would refuse the change of the
claim in the middle of the upgrade. Tools that render without a cluster see no volume.
*/}}
{{- define "capstan.refuseAnotherVolume" -}}
{{- if eq .Values.blobs.kind "folder" }}
{{- $name := printf "%s-blobs" (include "capstan.name" .) }}
{{- $wanted := .Values.blobs.folder }}
{{- with (lookup "v1" "PersistentVolumeClaim" .Release.Namespace $name).spec }}
{{- $way := "A volume cannot be changed: see `Another volume for files` in docs/operations.md" }}
{{- if not (has $wanted.accessMode .accessModes) }}
{{- fail (printf "blobs.folder.accessMode is %s, but the volume %s is %s. %s" $wanted.accessMode $name (join ", " .accessModes) $way) }}
{{- end }}
{{- if and $wanted.storageClass (ne $wanted.storageClass (default "" .storageClassName)) }}
{{- fail (printf "blobs.folder.storageClass is %s, but the volume %s is of %s. %s" $wanted.storageClass $name (default "none" .storageClassName) $way) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* `true` if pods on the network of each node report its addresses; else nothing. */}}
{{- define "capstan.readsNodeAddresses" -}}
{{- with .Values.instances }}
{{- if and .readNodeAddresses (has "Internet" (list .egress .widestEgress)) }}true{{ end }}
{{- end }}
{{- end }}

{{- define "capstan.internalTokenEnv" -}}
- name: CAPSTAN_INTERNAL_TOKEN
  valueFrom: { secretKeyRef: { name: {{ include "capstan.keysSecret" . }}, key: internalToken } }
{{- end }}

{{/* Token that authenticates the api to the operator's listener for container output; empty without this listener. */}}
{{- define "capstan.operatorTokenEnv" -}}
{{- if .Values.operator.logs.enabled }}
- name: CAPSTAN_OPERATOR_TOKEN
  valueFrom: { secretKeyRef: { name: {{ include "capstan.operatorLogsSecret" . }}, key: token } }
{{- if .Values.operator.terminals.enabled }}
- { name: CAPSTAN_TERMINALS, value: "on" }
{{- end }}
{{- end }}
{{- end }}

{{/* Variables of the trace exporter, for every process. */}}
{{- define "capstan.tracingEnv" -}}
{{- with .Values.tracing }}
{{- if .endpoint }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ .endpoint | quote }} }
- { name: OTEL_TRACES_SAMPLER_ARG, value: {{ divf .samplePercent 100 | quote }} }
{{- end }}
{{- end }}
{{- end }}

{{/* Writes a map as name=value,name=value. */}}
{{- define "capstan.pairs" -}}
{{- $pairs := list }}
{{- range $name, $value := . }}{{ $pairs = append $pairs (printf "%s=%s" $name $value) }}{{ end }}
{{- join "," $pairs }}
{{- end }}
