{{- define "slipway.name" -}}
{{- if contains "slipway" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-slipway" (.Release.Name | trunc 32 | trimSuffix "-") }}{{ end -}}
{{- end }}

{{/* Labels that select the pods of a component. Context: dict root, component. */}}
{{- define "slipway.selector" -}}
app.kubernetes.io/name: slipway
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "slipway.labels" -}}
{{ include "slipway.selector" . }}
app.kubernetes.io/part-of: slipway
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "slipway.metadata" -}}
name: {{ include "slipway.name" .root }}-{{ .component }}
namespace: {{ .root.Release.Namespace }}
labels: {{- include "slipway.labels" . | nindent 2 }}
{{- end }}

{{/* Context: dict root, repository, tag, digest. */}}
{{- define "slipway.image" -}}
{{- $image := .root.Values.image -}}
{{- with $image.registry }}{{ . | trimSuffix "/" }}/{{ end }}{{ .repository -}}
{{- if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $image.tag | default .root.Chart.AppVersion }}{{ end -}}
{{- end }}

{{- define "slipway.servicesImage" -}}
{{ include "slipway.image" (dict "root" . "repository" .Values.image.services.repository "digest" .Values.image.services.digest) }}
{{- end }}

{{/* What every pod has: no root, no token, no way to gain rights. */}}
{{- define "slipway.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "slipway.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* The pod of an agent that makes its children another user. The children have none of these. Context: list of capabilities. */}}
{{- define "slipway.agentPodSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsUser: 0
  runAsGroup: 0
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "slipway.agentContainerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL], add: {{ toJson . }} }
{{- end }}

{{- define "slipway.natsUrl" -}}
{{- if .Values.nats.enabled -}}
{{- $name := include "slipway.name" . -}}
{{- $urls := list -}}
{{- range $i := until (int .Values.nats.replicas) -}}
{{- $urls = append $urls (printf "nats://%s-nats-%d.%s-nats:4222" $name $i $name) -}}
{{- end -}}
{{ join "," $urls }}
{{- else -}}
{{ .Values.nats.url }}
{{- end -}}
{{- end }}

{{/* Whether the pods speak TLS; empty = no. */}}
{{- define "slipway.tls" -}}
{{- if or .Values.tls.certManager.enabled .Values.tls.existingSecret }}true{{ end -}}
{{- end }}

{{/* The Secret with the certificate of a server. Context: dict root, server. */}}
{{- define "slipway.tlsSecret" -}}
{{ .root.Values.tls.existingSecret | default (printf "%s-%s-tls" (include "slipway.name" .root) .server) }}
{{- end }}

{{/* The certificates of the authority, which every user of the pod may read. */}}
{{- define "slipway.authorityVolume" -}}
{{- if include "slipway.tls" . }}
- name: authority
  secret:
    secretName: {{ include "slipway.tlsSecret" (dict "root" . "server" (ternary "nats" "blobs" .Values.nats.enabled)) }}
    defaultMode: 0444
    items: [{ key: ca.crt, path: ca.pem }]
{{- end }}
{{- end }}

{{- define "slipway.authorityMount" -}}
{{- if include "slipway.tls" . }}
- { name: authority, mountPath: /etc/slipway, readOnly: true }
{{- end }}
{{- end }}

{{- define "slipway.natsAuthority" -}}
{{- if or .Values.tls.existingSecret (and .Values.nats.enabled (include "slipway.tls" .)) }}
- { name: NATS_CA, value: /etc/slipway/ca.pem }
{{- end }}
{{- end }}

{{- define "slipway.blobAuthority" -}}
{{- if and .Values.tuning.enabled (include "slipway.tls" .) }}
- { name: BLOB_CA, value: /etc/slipway/ca.pem }
{{- end }}
{{- end }}

{{/* One variable that is set where it has a value. Context: list name, value. */}}
{{- define "slipway.variable" -}}
{{- if index . 1 }}
- { name: {{ index . 0 }}, value: {{ index . 1 | toString | quote }} }
{{- end }}
{{- end }}

{{/* One variable of a role's Secret. Context: dict root, role, name. */}}
{{- define "slipway.secretVariable" }}
- name: {{ .name }}
  valueFrom: { secretKeyRef: { name: {{ include "slipway.name" .root }}-{{ .role }}, key: {{ .name }} } }
{{- end }}

{{/* Variables of every process. Context: dict root, drainSeconds, settings. */}}
{{- define "slipway.environment" -}}
- { name: SLIPWAY_ENV, value: {{ .root.Values.env | quote }} }
- { name: LOG_LEVEL, value: {{ .root.Values.logLevel | quote }} }
- { name: NATS_URL, value: {{ include "slipway.natsUrl" .root | quote }} }
- { name: NATS_CREDENTIALS_DIR, value: /run/slipway }
{{- include "slipway.natsAuthority" .root }}
- { name: OPS_HOST, value: 0.0.0.0 }
- { name: OPS_PORT, value: '9090' }
- { name: DRAIN_MS, value: {{ mul .drainSeconds 1000 | quote }} }
{{- range $name, $value := .settings }}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- end }}

{{- define "slipway.probes" -}}
startupProbe: { httpGet: { path: /livez, port: ops }, periodSeconds: 2, failureThreshold: 60, timeoutSeconds: 5 }
livenessProbe: { httpGet: { path: /livez, port: ops }, periodSeconds: 10, failureThreshold: 6, timeoutSeconds: 5 }
readinessProbe: { httpGet: { path: /readyz, port: ops }, periodSeconds: 5, failureThreshold: 1, timeoutSeconds: 4 }
{{- end }}

{{/* The credentials of a role; of its Secret nothing else is a file. Context: dict root, role, mode. */}}
{{- define "slipway.credentialsVolume" -}}
- name: credentials
  secret:
    secretName: {{ include "slipway.name" .root }}-{{ .role }}
    defaultMode: {{ .mode | default 0440 }}
    items:
      - { key: {{ .role }}.creds, path: {{ .role }}.creds }
      {{- if eq .role "keys" }}
      - { key: signing.json, path: signing.json }
      {{- end }}
{{- end }}

{{/* The address of a service's database. Context: dict root, role, variable. */}}
{{- define "slipway.databaseVariables" -}}
{{- $postgres := .root.Values.postgres -}}
{{- if eq $postgres.mode "urls" }}
- name: {{ .variable }}
  valueFrom: { secretKeyRef: { name: {{ $postgres.urls.secret }}, key: {{ .variable }} } }
{{- else }}
{{- include "slipway.secretVariable" (dict "root" .root "role" .role "name" "DATABASE_PASSWORD") }}
- name: {{ .variable }}
  value: {{ printf "postgres://slipway_%s:$(DATABASE_PASSWORD)@%s/slipway_%s_%s%s" .role (include "slipway.postgresServer" .root) .root.Values.env .role (include "slipway.postgresParameters" .root) | quote }}
{{- end }}
{{- end }}

{{- define "slipway.postgresServer" -}}
{{- if eq .Values.postgres.mode "cnpg" }}{{ include "slipway.name" . }}-postgres-rw:5432{{ else }}{{ .Values.postgres.admin.server }}{{ end -}}
{{- end }}

{{- define "slipway.postgresParameters" -}}
{{- with .Values.postgres.parameters }}?{{ . }}{{ end -}}
{{- end }}

{{/* Where pods go. Context: dict root, component, values. */}}
{{- define "slipway.placement" -}}
topologySpreadConstraints:
  {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector: { matchLabels: {{ include "slipway.selector" (dict "root" $.root "component" $.component) | fromYaml | toJson }} }
  {{- end }}
{{- with .values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - { name: {{ . }} }
  {{- end }}
{{- end }}
{{- end }}

{{- define "slipway.podMetadata" -}}
labels:
  {{- include "slipway.labels" . | nindent 2 }}
  {{- with .root.Values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .root.Values.podAnnotations }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/*
The Deployment of a service. Context: dict root, component, app, values, drainSeconds, environment (text), ports (dict of
name and number), volumes and mounts (lists), replicas (absent: an autoscaler's).
*/}}
{{- define "slipway.service" -}}
apiVersion: apps/v1
kind: Deployment
metadata: {{- include "slipway.metadata" . | nindent 2 }}
spec:
  {{- if hasKey . "replicas" }}
  replicas: {{ .replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  strategy:
    {{- if .recreate }}
    type: Recreate
    {{- else }}
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
    {{- end }}
  selector: { matchLabels: {{ include "slipway.selector" . | fromYaml | toJson }} }
  template:
    metadata: {{- include "slipway.podMetadata" . | nindent 6 }}
    spec:
      serviceAccountName: {{ include "slipway.name" .root }}-{{ .component }}
      {{- include "slipway.podSecurity" . | nindent 6 }}
      terminationGracePeriodSeconds: {{ add .drainSeconds 30 }}
      {{- include "slipway.placement" . | nindent 6 }}
      containers:
        - name: {{ .component }}
          image: {{ include "slipway.image" (dict "root" .root "repository" .root.Values.image.services.repository "tag" .values.tag "digest" (ternary "" .root.Values.image.services.digest (ne .values.tag ""))) }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          command: [node, apps/{{ .app }}/dist/main.js]
          env:
            {{- include "slipway.environment" (dict "root" .root "drainSeconds" .drainSeconds "settings" .values.settings) | nindent 12 }}
            {{- .environment | trim | nindent 12 }}
          {{- with .environmentFrom }}
          envFrom: [{ secretRef: { name: {{ . }} } }]
          {{- end }}
          ports:
            - { name: ops, containerPort: 9090 }
            {{- range $name, $number := .ports }}
            - { name: {{ $name }}, containerPort: {{ $number }} }
            {{- end }}
          {{- include "slipway.probes" . | nindent 10 }}
          resources: {{- toYaml .values.resources | nindent 12 }}
          securityContext: {{- include "slipway.containerSecurity" . | nindent 12 }}
          volumeMounts:
            - { name: credentials, mountPath: /run/slipway, readOnly: true }
            - { name: tmp, mountPath: /tmp }
            {{- include "slipway.authorityMount" .root | nindent 12 }}
            {{- range .mounts }}
            - {{ toJson . }}
            {{- end }}
      volumes:
        {{- include "slipway.credentialsVolume" (dict "root" .root "role" .component) | nindent 8 }}
        - { name: tmp, emptyDir: {} }
        {{- include "slipway.authorityVolume" .root | nindent 8 }}
        {{- range .volumes }}
        - {{ toJson . }}
        {{- end }}
{{- end }}
