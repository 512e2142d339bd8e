import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { renderChart } from './render.ts'

/** For each Helm value: a setting to test, and the text that the rendered objects must then contain. */
type Reach = Readonly<Record<string, readonly [value: string, shows: string]>>

const bundled: Reach = {
  'image.repository': ['registry.example/own', '"image":"registry.example/own/web:'],
  'image.pullPolicy': ['Always', '"imagePullPolicy":"Always"'],
  trustedProxies: ['192.0.2.7', '"CAPSTAN_TRUSTED_PROXIES","value":"192.0.2.7"'],
  connectionsPerAddress: ['4711', '"CAPSTAN_CONNECTIONS_PER_ADDRESS","value":"4711"'],
  logLevel: ['warn', '"CAPSTAN_LOG_LEVEL","value":"warn"'],
  rateLimits: ['false', '"CAPSTAN_RATE_LIMITS","value":"off"'],
  'api.autoscaling.enabled': ['true', '"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"cap-api"}'],
  'api.autoscaling.minReplicas': ['3', '"minReplicas":3,'],
  'api.autoscaling.maxReplicas': ['13', '"maxReplicas":13,'],
  'api.autoscaling.targetCpuPercent': ['61', '"averageUtilization":61'],
  'api.resources.requests.cpu': ['101m', '"cpu":"101m"'],
  'api.resources.requests.memory': ['101Mi', '"memory":"101Mi"'],
  'api.resources.limits.memory': ['201Mi', '"memory":"201Mi"'],
  'api.databaseConnections': ['17', '"CAPSTAN_DATABASE_CONNECTIONS","value":"17"'],
  'api.connectionLog.days': ['19', '"CAPSTAN_CONNECTION_LOG_DAYS","value":"19"'],
  'api.connectionLog.rowsPerInstance': ['123456', '"CAPSTAN_CONNECTION_LOG_ROWS_PER_INSTANCE","value":"123456"'],
  'api.signInSecrets': [
    'providers',
    '"CAPSTAN_SIGN_IN_SECRETS","valueFrom":{"secretKeyRef":{"name":"providers","key":"secrets"}}',
  ],
  'api.outgoing.allowed[0]': ['10.9.8.0/24', '"CAPSTAN_OUTGOING_ALLOWED","value":"10.9.8.0/24"'],
  'api.outgoing.blocked[0]': ['203.0.113.9', '"CAPSTAN_OUTGOING_BLOCKED","value":"203.0.113.9"'],
  'api.outgoing.authoritiesConfigMap': [
    'campus-ca',
    '"CAPSTAN_OUTGOING_CA","valueFrom":{"configMapKeyRef":{"name":"campus-ca","key":"ca.crt"}}',
  ],
  'api.outgoing.proxy': ['http://proxy.internal:3128', '"CAPSTAN_OUTGOING_PROXY","value":"http://proxy.internal:3128"'],
  'api.outgoing.http': ['true', '"CAPSTAN_OUTGOING_HTTP","value":"on"'],
  'gateway.limits.hubSockets': ['1000000', '"CAPSTAN_HUB_SOCKETS_MAX","value":"1000000"'],
  'gateway.limits.hubSocketsPerUser': ['41', '"CAPSTAN_HUB_SOCKETS_PER_USER","value":"41"'],
  'gateway.limits.hubSocketsPerAddress': ['42', '"CAPSTAN_HUB_SOCKETS_PER_ADDRESS","value":"42"'],
  'gateway.limits.hubAttemptsPerAddressMinute': ['43', '"CAPSTAN_HUB_ATTEMPTS_PER_ADDRESS_MINUTE","value":"43"'],
  'gateway.limits.proxyConnections': ['44', '"CAPSTAN_PROXY_CONNECTIONS_MAX","value":"44"'],
  'gateway.limits.proxyAttemptsPerInstanceMinute': ['45', '"CAPSTAN_PROXY_ATTEMPTS_PER_INSTANCE_MINUTE","value":"45"'],
  'gateway.limits.proxyAttemptsPerAddressMinute': ['46', '"CAPSTAN_PROXY_ATTEMPTS_PER_ADDRESS_MINUTE","value":"46"'],
  'gateway.limits.instanceConnections': ['47', '"CAPSTAN_INSTANCE_CONNECTIONS_MAX","value":"47"'],
  'gateway.limits.instanceConnectionsPerAddress': ['48', '"CAPSTAN_INSTANCE_CONNECTIONS_PER_ADDRESS","value":"48"'],
  'gateway.autoscaling.enabled': ['true', '"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"cap-gateway"}'],
  'gateway.autoscaling.minReplicas': ['4', '"minReplicas":4,'],
  'gateway.autoscaling.maxReplicas': ['14', '"maxReplicas":14,'],
  'gateway.autoscaling.targetCpuPercent': ['62', '"averageUtilization":62'],
  'gateway.resources.requests.cpu': ['102m', '"cpu":"102m"'],
  'gateway.resources.requests.memory': ['102Mi', '"memory":"102Mi"'],
  'gateway.resources.limits.memory': ['202Mi', '"memory":"202Mi"'],
  'gateway.drainSeconds': ['1700', '"CAPSTAN_DRAIN_MS","value":"1700000"'],
  'operator.resources.requests.cpu': ['103m', '"cpu":"103m"'],
  'operator.resources.requests.memory': ['103Mi', '"memory":"103Mi"'],
  'operator.resources.limits.memory': ['203Mi', '"memory":"203Mi"'],
  'operator.terminals.enabled': ['true', '"resources":["pods/exec"]'],
  'web.autoscaling.enabled': ['true', '"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"cap-web"}'],
  'web.autoscaling.minReplicas': ['5', '"minReplicas":5,'],
  'web.autoscaling.maxReplicas': ['15', '"maxReplicas":15,'],
  'web.autoscaling.targetCpuPercent': ['63', '"averageUtilization":63'],
  'web.resources.requests.cpu': ['104m', '"cpu":"104m"'],
  'web.resources.requests.memory': ['104Mi', '"memory":"104Mi"'],
  'web.resources.limits.memory': ['204Mi', '"memory":"204Mi"'],
  'web.service.port': ['8088', '"port":8088'],
  'web.service.annotations.edge': ['service', '"edge":"service"'],
  'api.extraEnv[0].name': ['ONE_MORE_API', '"name":"ONE_MORE_API"'],
  'gateway.extraEnv[0].name': ['ONE_MORE_GATEWAY', '"name":"ONE_MORE_GATEWAY"'],
  'operator.extraEnv[0].name': ['ONE_MORE_OPERATOR', '"name":"ONE_MORE_OPERATOR"'],
  'names.replicas': ['5', '"replicas":5'],
  'names.resources.requests.cpu': ['107m', '"cpu":"107m"'],
  'names.resources.requests.memory': ['107Mi', '"memory":"107Mi"'],
  'names.resources.limits.memory': ['207Mi', '"memory":"207Mi"'],
  'web.extraEnv[0].name': ['ONE_MORE_WEB', '"name":"ONE_MORE_WEB"'],
  'ingress.enabled': ['true', '"kind":"Ingress"'],
  'ingress.host': ['ctf.example.org', '"host":"ctf.example.org"'],
  'ingress.annotations.edge': ['ingress', '"edge":"ingress"'],
  'httpRoute.enabled': ['true', '"kind":"HTTPRoute"'],
  'httpRoute.parentRefs[0].name': ['edge', '"parentRefs":[{"name":"edge"}]'],
  'httpRoute.annotations.edge': ['route', '"edge":"route"'],
  'podDisruptionBudget.maxUnavailable': ['2', '"maxUnavailable":2'],
  'monitoring.serviceMonitor.enabled': ['true', '"kind":"ServiceMonitor"'],
  'monitoring.serviceMonitor.interval': ['17s', '"interval":"17s"'],
  'monitoring.alerts.enabled': ['true', '"kind":"PrometheusRule"'],
  'monitoring.alerts.labels.team': ['harbour', '"team":"harbour"'],
  'monitoring.dashboard.enabled': ['true', '"capstan.json"'],
  'monitoring.dashboard.labels.grafana_dashboard': ['yes please', '"grafana_dashboard":"yes please"'],
  'postgresql.existingSecret': ['rows', '"name":"rows","key":"password"'],
  'postgresql.image': ['postgres:17.1', '"image":"postgres:17.1"'],
  'postgresql.storage': ['17Gi', '"storage":"17Gi"'],
  'postgresql.storageClass': ['rows', '"storageClassName":"rows"'],
  'postgresql.resources.requests.cpu': ['105m', '"cpu":"105m"'],
  'postgresql.resources.requests.memory': ['105Mi', '"memory":"105Mi"'],
  'postgresql.resources.limits.memory': ['205Mi', '"memory":"205Mi"'],
  'redis.existingSecret': ['bus', '"name":"bus","key":"url"'],
  'redis.image': ['valkey/valkey:8.1', '"image":"valkey/valkey:8.1"'],
  'redis.resources.requests.cpu': ['106m', '"cpu":"106m"'],
  'redis.resources.requests.memory': ['106Mi', '"memory":"106Mi"'],
  'redis.resources.limits.memory': ['206Mi', '"memory":"206Mi"'],
  'blobs.folder.size': ['18Gi', '"storage":"18Gi"'],
  'blobs.folder.accessMode': ['ReadWriteMany', '"accessModes":["ReadWriteMany"]'],
  'blobs.folder.storageClass': ['files', '"storageClassName":"files"'],
  'captcha.provider': ['GoogleRecaptcha', '"CAPSTAN_CAPTCHA_PROVIDER","value":"GoogleRecaptcha"'],
  'captcha.difficulty': ['21', '"CAPSTAN_CAPTCHA_DIFFICULTY","value":"21"'],
  'captcha.siteKey': ['site', '"CAPSTAN_CAPTCHA_SITE_KEY","value":"site"'],
  'captcha.existingSecret': ['captcha', '"name":"captcha","key":"secretKey"'],
  'instances.widestEgress': ['Dns', '"CAPSTAN_INSTANCE_WIDEST_EGRESS","value":"Dns"'],
  'instances.readyTimeoutMs': ['17000', '"CAPSTAN_INSTANCE_READY_TIMEOUT_MS","value":"17000"'],
  'instances.flagEnvironmentNames[0]': ['THE_FLAG', '"CAPSTAN_FLAG_ENVIRONMENT_NAMES","value":"THE_FLAG"'],
  'instances.requestPercent.memory': ['51', '"CAPSTAN_MEMORY_REQUEST_PERCENT","value":"51"'],
  'instances.requestPercent.storage': ['11', '"CAPSTAN_STORAGE_REQUEST_PERCENT","value":"11"'],
  'instances.dns.namespace': ['names', '"CAPSTAN_DNS_NAMESPACE","value":"names"'],
  'instances.dns.labels.k8s-app': ['coredns', '"CAPSTAN_DNS_LABELS","value":"k8s-app=coredns"'],
  'instances.quota.cpu': ['40', '"limits.cpu":"40"'],
  'capture.enabled': ['true', '"CAPSTAN_CAPTURE","value":"on"'],
  'capture.resources.cpuMillis': ['517', '"CAPSTAN_CAPTURE_CPU_MILLIS","value":"517"'],
  'capture.limits.segmentSeconds': ['19', '"CAPSTAN_CAPTURE_SEGMENT_SECONDS","value":"19"'],
  'capture.limits.podMb': ['117', '"CAPSTAN_CAPTURE_STORED_MB","value":"117"'],
  'doctor.processes': ['1234', '"CAPSTAN_DOCTOR_PROCESSES","value":"1234"'],
}

const elsewhere: Reach = {
  'blobs.kind': ['s3', '"CAPSTAN_BLOBS","value":"s3"'],
  'blobs.s3.bucket': ['files', '"CAPSTAN_S3_BUCKET","value":"files"'],
  'blobs.s3.region': ['eu-north-7', '"CAPSTAN_S3_REGION","value":"eu-north-7"'],
  'blobs.s3.pathStyle': ['false', '"CAPSTAN_S3_PATH_STYLE","value":"off"'],
  'blobs.s3.existingSecret': ['s3', '"name":"s3","key":"secretAccessKey"'],
}

function read(file: string): string {
  return readFileSync(path.join(import.meta.dirname, file), 'utf8')
}

/** Returns the paths of all values that are not objects. */
function leavesOf(values: object, prefix = ''): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 0
      ? leavesOf(value, `${prefix}${name}.`)
      : [prefix + name],
  )
}

test.each([bundled, elsewhere])('every value appears in a rendered object if it is set', (reach) => {
  const manifests = JSON.stringify(renderChart(Object.fromEntries(Object.entries(reach).map(([name, [value]]) => [name, value]))))
  const missing = Object.entries(reach).filter(([, [, shows]]) => !manifests.includes(shows))
  expect(missing).toEqual([])
})

test('Helm renders no objects for a disabled feature', () => {
  const kinds = (values: Record<string, string>) => renderChart(values).map(({ kind }) => kind)
  expect(kinds({ 'podDisruptionBudget.enabled': 'false', 'api.replicas': '2' })).not.toContain('PodDisruptionBudget')
  expect(kinds({ 'instances.createNamespace': 'false' })).not.toContain('Namespace')
  expect(kinds({ 'crds.install': 'false' })).not.toContain('CustomResourceDefinition')
  expect(
    JSON.stringify(renderChart({ 'crds.keep': 'false' }).find(({ kind }) => kind === 'CustomResourceDefinition')),
  ).not.toContain('resource-policy')
})

test('every value of the Helm chart occurs in a test', () => {
  const tests = ['reach', 'rendering', 'values', 'ways', 'node-addresses']
    .map((name) => read(`${name}.cluster.test.ts`))
    .join('\n')
  const values = parse(read('../values.yaml')) as object
  expect(leavesOf(values).filter((name) => !tests.includes(name))).toEqual([])
})
