{{/* Name of the admission policy of the instances' namespace, and of its binding. */}}
{{- define "capstan.admissionPolicy" -}}
{{ printf "%s-%s-instances" .Release.Namespace (include "capstan.name" .) }}
{{- end }}

{{/* Variables with the names of the objects that protect challenges, the guards. The operator raises an alarm while a guard is missing
or changed, and the doctor checks the guards first. */}}
{{- define "capstan.guardsEnv" -}}
- { name: CAPSTAN_GUARD_NETWORK_POLICY, value: default-deny }
- { name: CAPSTAN_GUARD_QUOTA, value: instances }
{{- if .Values.instances.admissionPolicy }}
- { name: CAPSTAN_GUARD_ADMISSION_POLICY, value: {{ include "capstan.admissionPolicy" . }} }
{{- end }}
{{- if and .Values.instances.createNamespace (not .Values.capture.enabled) }}
- { name: CAPSTAN_GUARD_POD_SECURITY, value: {{ lower .Values.instances.security }} }
{{- end }}
{{- end }}

{{/* Rights to read the guards in the instances' namespace, except network policies. */}}
{{- define "capstan.guardsRules" -}}
- apiGroups: [""]
  resources: [resourcequotas]
  resourceNames: [instances]
  verbs: [get]
{{- if and .Values.instances.createNamespace (not .Values.capture.enabled) }}
- apiGroups: [""]
  resources: [namespaces]
  resourceNames: [{{ include "capstan.instancesNamespace" . }}]
  verbs: [get]
{{- end }}
{{- end }}
