{{- define "latchkey.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "latchkey.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "latchkey.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "latchkey.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "latchkey.image" -}}
{{- $repository := required "Set image.repository to the place of the image." .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" $repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- define "latchkey.secret" -}}
{{- required "Set existingSecret to a Secret with DATABASE_URL and LATCHKEY_ENCRYPTION_KEY." .Values.existingSecret -}}
{{- end -}}

{{/* The port that the container listens on. */}}
{{- define "latchkey.port" -}}
{{- .Values.config.PORT | default 3000 | int -}}
{{- end -}}

{{- define "latchkey.baseUrl" -}}
{{- required "Set config.BASE_URL to the public address, such as https://id.example.com." .Values.config.BASE_URL -}}
{{- end -}}

{{/* The host of BASE_URL, without a port. */}}
{{- define "latchkey.host" -}}
{{- regexReplaceAll ":[0-9]+$" (urlParse (include "latchkey.baseUrl" .)).host "" -}}
{{- end -}}
