{{/* Spec of the pod in which the doctor runs. */}}
{{- define "capstan.doctorPod" -}}
restartPolicy: Never
serviceAccountName: {{ include "capstan.name" . }}-doctor
enableServiceLinks: false
securityContext: {{- include "capstan.podSecurity" . | nindent 2 }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- include "capstan.placement" . }}
containers:
  - name: doctor
    image: {{ include "capstan.image" (dict "root" . "component" "operator") }}
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    command: [node, operator/src/doctor/main.ts]
    securityContext: {{- include "capstan.containerSecurity" . | nindent 6 }}
    resources:
      requests: { cpu: 50m, memory: 96Mi }
      limits: { memory: 256Mi }
    env:
      - { name: CAPSTAN_DOCTOR_IMAGE, value: {{ include "capstan.image" (dict "root" . "component" (ternary "isolation-probe-root" "isolation-probe" (eq .Values.instances.security "Baseline"))) }} }
      - { name: CAPSTAN_DOCTOR_PROCESSES, value: {{ .Values.doctor.processes | quote }} }
      - { name: CAPSTAN_RELEASE, value: {{ .Release.Name }} }
      - { name: CAPSTAN_PLATFORM_NAMESPACE, value: {{ .Release.Namespace }} }
      - { name: CAPSTAN_INSTANCE_NAMESPACE, value: {{ include "capstan.instancesNamespace" . }} }
      - { name: CAPSTAN_INSTANCE_EGRESS, value: {{ .Values.instances.egress }} }
      - { name: CAPSTAN_INSTANCE_SECURITY, value: {{ .Values.instances.security }} }
      {{- include "capstan.guardsEnv" . | nindent 6 }}
      {{- if .Values.capture.enabled }}
      - { name: CAPSTAN_DOCTOR_CAPTURE, value: "on" }
      {{- end }}
      {{- with .Values.instances.runtimeClassName }}
      - { name: CAPSTAN_INSTANCE_RUNTIME_CLASS, value: {{ . | quote }} }
      {{- end }}
      {{- with .Values.instances.pullSecrets }}
      - { name: CAPSTAN_IMAGE_PULL_SECRETS, value: {{ join "," . | quote }} }
      {{- end }}
{{- end }}
