{{/* Port for TLS in a gateway's pod. Players use instances.tlsPort, which may be a port that requires root. */}}
{{- define "capstan.tlsTargetPort" -}}8443{{- end }}

{{/* First and last port of instances.ports: {first: 31000, last: 31099}. Call it only if the value is set. */}}
{{- define "capstan.instancePorts" -}}
{{- $bounds := .Values.instances.ports | splitList "-" }}
first: {{ first $bounds | int }}
last: {{ last $bounds | int }}
{{- end }}

{{/* `true` if browsers reach instances through an HTTP proxy in front of the gateways; else nothing. */}}
{{- define "capstan.isWebRouted" -}}
{{- if has .Values.instances.web.by (list "Ingress" "HTTPRoute" "Other") }}true{{ end }}
{{- end }}

{{/* `true` if there is a Service for the gateways' TLS and plain ports; else nothing. */}}
{{- define "capstan.hasInstancePorts" -}}
{{- if or .Values.instances.tlsPort .Values.instances.ports }}true{{ end }}
{{- end }}

{{/*
Hosts of the site that appear to have the same registered name as instances.domain: the last two labels are equal. The chart does not
know the public suffix list.
*/}}
{{- define "capstan.sitesOfInstances" -}}
{{- $parts := splitList "." .Values.instances.domain }}
{{- if ge (len $parts) 2 }}
{{- $registered := slice $parts (sub (len $parts) 2 | int) | join "." }}
{{- $hosts := list }}
{{- range include "capstan.siteHosts" . | splitList "\n" | compact }}
{{- if or (eq . $registered) (hasSuffix (printf ".%s" $registered) .) }}{{ $hosts = append $hosts . }}{{ end }}
{{- end }}
{{- $hosts | uniq | join ", " }}
{{- end }}
{{- end }}

{{/* Fails with a sentence if the values that determine how players reach instances contradict each other. */}}
{{- define "capstan.refuseWays" -}}
{{- with .Values.instances }}
{{- if .domain }}
{{- if regexMatch "\\.[0-9]+$" .domain }}
{{- fail (printf "instances.domain %s is an address, which has no names below it. Set the domain whose names lead to it" .domain) }}
{{- end }}
{{- if ne .exposure "Proxy" }}
{{- fail "instances.domain and instances.exposure=NodePort contradict each other: with a domain players connect through the gateways, with node ports directly. Leave one of them out" }}
{{- end }}
{{- if and (eq .web.by "None") (not .tlsPort) (not .ports) }}
{{- fail "instances.domain has no effect: set instances.web.by, instances.tlsPort or instances.ports, too" }}
{{- end }}
{{- $domain := .domain }}
{{- range include "capstan.siteHosts" $ | splitList "\n" | compact }}
{{- $host := trimPrefix "*." . }}
{{- if or (eq $host $domain) (hasSuffix (printf ".%s" $domain) $host) (hasSuffix (printf ".%s" $host) $domain) }}
{{- fail (printf "instances.domain %s and the host of the site, %s, are equal, or one is a parent of the other: pages of instances could set cookies for the platform. Give instances another domain, preferably with a separate registered name" $domain .) }}
{{- end }}
{{- end }}
{{- else }}
{{- range $name, $isSet := dict "certificateSecret" .certificateSecret "tlsPort" .tlsPort "ports" .ports "web.by" (ne .web.by "None") }}
{{- if $isSet }}{{ fail (printf "instances.domain is needed with instances.%s: below it every instance has a name" $name) }}{{ end }}
{{- end }}
{{- end }}
{{- if and .tlsPort (not .certificateSecret) }}
{{- fail "instances.certificateSecret is needed with instances.tlsPort: a Secret with a certificate for every name below instances.domain" }}
{{- end }}
{{- if and .certificateSecret (not .tlsPort) (ne .web.by "Ingress") }}
{{- fail "instances.certificateSecret is for instances.tlsPort, or for instances.web.by=Ingress: without either the certificate is unused" }}
{{- end }}
{{- if .ports }}
{{- $ports := include "capstan.instancePorts" $ | fromYaml }}
{{- $first := int $ports.first }}
{{- $last := int $ports.last }}
{{- if or (lt $first 1024) (gt $last 65535) (lt $last $first) (ge (sub $last $first) 2048) }}
{{- fail (printf "instances.ports %s must be a port, or the first and the last of at most 2048, from 1024 to 65535" .ports) }}
{{- end }}
{{- range $port := list 8080 8081 (include "capstan.tlsTargetPort" $ | int) }}
{{- if and (ge $port $first) (le $port $last) }}
{{- fail (printf "instances.ports %s must not contain %d: a gateway uses the ports 8080, 8081 and 8443 itself" $.Values.instances.ports $port) }}
{{- end }}
{{- end }}
{{- if and (ge (int .tlsPort) $first) (le (int .tlsPort) $last) }}
{{- fail (printf "instances.tlsPort %d must not be one of instances.ports %s" (int .tlsPort) .ports) }}
{{- end }}
{{- $nodePort := int $.Values.web.service.nodePort }}
{{- if and (eq .service.type "NodePort") (eq $.Values.web.service.type "NodePort") (ge $nodePort $first) (le $nodePort $last) }}
{{- fail (printf "web.service.nodePort %d must not be one of instances.ports %s: with instances.service.type=NodePort those are the nodes' ports, too" $nodePort .ports) }}
{{- end }}
{{- end }}
{{- if and .tlsPort (eq .service.type "NodePort") (eq $.Values.web.service.type "NodePort") (eq (int .tlsPort) (int $.Values.web.service.nodePort)) }}
{{- fail (printf "web.service.nodePort %d must not be instances.tlsPort: with instances.service.type=NodePort that is the nodes' port, too" (int .tlsPort)) }}
{{- end }}
{{- if and (eq .service.type "NodePort") .service.loadBalancerClass }}
{{- fail "instances.service.loadBalancerClass is for instances.service.type=LoadBalancer" }}
{{- end }}
{{- if and (eq .service.type "NodePort") (not .service.allocateNodePorts) }}
{{- fail "instances.service.allocateNodePorts=false is for instances.service.type=LoadBalancer: type NodePort needs node ports" }}
{{- end }}
{{- if eq .web.by "Gateway" }}
{{- if not .tlsPort }}{{ fail "instances.tlsPort is needed with instances.web.by=Gateway: browsers connect to it" }}{{ end }}
{{- if ne .web.scheme "https" }}{{ fail "instances.web.scheme=http and instances.web.by=Gateway contradict each other: that port speaks TLS" }}{{ end }}
{{- if .web.port }}{{ fail "instances.web.port is not for instances.web.by=Gateway: browsers connect to instances.tlsPort" }}{{ end }}
{{- end }}
{{- if and (eq .web.by "Ingress") (eq .web.scheme "http") .certificateSecret (not .tlsPort) }}
{{- fail "instances.web.scheme=http and instances.certificateSecret contradict each other: with a certificate browsers use https" }}
{{- end }}
{{- if and (eq .web.by "HTTPRoute") (not .web.parentRefs) }}{{ fail "instances.web.parentRefs is needed with instances.web.by=HTTPRoute" }}{{ end }}
{{- if and (ne .web.by "HTTPRoute") .web.parentRefs }}{{ fail "instances.web.parentRefs is for instances.web.by=HTTPRoute" }}{{ end }}
{{- if and (ne .web.by "Ingress") .web.className }}{{ fail "instances.web.className is for instances.web.by=Ingress" }}{{ end }}
{{- if and .web.annotations (not (has .web.by (list "Ingress" "HTTPRoute"))) }}
{{- fail "instances.web.annotations are for instances.web.by=Ingress or HTTPRoute" }}
{{- end }}
{{- if and .web.port (eq .web.by "None") }}{{ fail "instances.web.port needs instances.web.by, which is None" }}{{ end }}
{{- end }}
{{- end }}

{{/* Variables from which the api determines the addresses of instances for players. */}}
{{- define "capstan.waysApiEnv" -}}
{{- with .Values.instances }}
{{- if .domain }}
- { name: CAPSTAN_INSTANCES_DOMAIN, value: {{ .domain | quote }} }
- { name: CAPSTAN_INSTANCES_WEB, value: {{ ternary "off" .web.scheme (eq .web.by "None") | quote }} }
{{- with ternary .tlsPort .web.port (eq .web.by "Gateway") }}
- { name: CAPSTAN_INSTANCES_WEB_PORT, value: {{ . | int | quote }} }
{{- end }}
{{- with .tlsPort }}
- { name: CAPSTAN_INSTANCES_TLS_PORT, value: {{ . | int | quote }} }
{{- end }}
{{- with .ports }}
- { name: CAPSTAN_INSTANCES_PORTS, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Variables with the ports on which a gateway accepts connections to instances. */}}
{{- define "capstan.waysGatewayEnv" -}}
{{- with .Values.instances }}
{{- if .domain }}
- { name: CAPSTAN_INSTANCES_DOMAIN, value: {{ .domain | quote }} }
{{- if .tlsPort }}
- { name: CAPSTAN_INSTANCES_TLS_PORT, value: {{ include "capstan.tlsTargetPort" $ | quote }} }
- { name: CAPSTAN_INSTANCES_CERTIFICATE_FILE, value: /etc/capstan/instances/tls.crt }
- { name: CAPSTAN_INSTANCES_KEY_FILE, value: /etc/capstan/instances/tls.key }
{{- end }}
{{- with .ports }}
- { name: CAPSTAN_INSTANCES_PORTS, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- end }}
{{- end }}
