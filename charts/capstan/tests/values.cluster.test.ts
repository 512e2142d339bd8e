import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { environmentOfDeployment, findManifest, type Manifest, renderChart, renderChartOnCluster, type Values } from './render.ts'

const run = promisify(execFile)
const definitions = path.join(import.meta.dirname, 'definitions')
/** Namespace for which the chart is rendered. The objects are only applied as dry runs. */
const namespace = `capstan-rendering-${randomBytes(4).toString('hex')}`
const arena = `${namespace}-arena`

function kubectl(args: string[], input?: string): Promise<{ stdout: string }> {
  const running = run('kubectl', args, { maxBuffer: 32 * 1024 * 1024 })
  running.child.stdin?.end(input)
  return running
}

beforeAll(async () => {
  await kubectl(['apply', '--server-side', '--force-conflicts', '--filename', definitions])
  await kubectl(['wait', '--for=condition=Established', '--timeout=30s', '--filename', definitions])
  await kubectl(['create', 'namespace', namespace])
  await kubectl(['create', 'namespace', arena])
  // Create the doctor's service account, because the API server refuses a pod without its service account, even in a dry run.
  await kubectl(['create', 'serviceaccount', 'cap-doctor', '--namespace', namespace])
})
afterAll(async () => {
  await kubectl(['delete', 'namespace', namespace, arena, '--wait=false'])
  await kubectl(['delete', '--wait=false', '--filename', definitions])
})

const clusterWide = /^(Namespace|ClusterRole|ClusterRoleBinding|CustomResourceDefinition|ValidatingAdmissionPolicy(Binding)?)$/
function place(manifest: Manifest): Manifest {
  return clusterWide.test(manifest.kind) ? manifest : { ...manifest, metadata: { namespace, ...manifest.metadata } }
}

function podOf(manifests: Manifest[], name: string) {
  return findManifest(manifests, 'Deployment', `cap-${name}`)?.spec.template.spec
}
function peersOf(manifests: Manifest[], name: string) {
  return findManifest(manifests, 'NetworkPolicy', `cap-${name}`)?.spec.ingress.flatMap(({ from }: { from: object[] }) => from)
}

interface Variant {
  name: string
  values: Values
  expected(manifests: Manifest[]): void
}

const variants: Variant[] = [
  { name: 'the defaults', values: {}, expected: (manifests) => expect(manifests.length).toBeGreaterThan(40) },
  {
    name: 'replicas of each process, with disruption budgets',
    values: { 'api.replicas': '2', 'gateway.replicas': '3', 'operator.replicas': '2', 'web.replicas': '2' },
    expected(manifests) {
      for (const [name, replicas] of Object.entries({ api: 2, gateway: 3, operator: 2, web: 2 })) {
        expect(findManifest(manifests, 'Deployment', `cap-${name}`)?.spec.replicas).toBe(replicas)
        expect(findManifest(manifests, 'PodDisruptionBudget', `cap-${name}`)?.spec.maxUnavailable).toBe(1)
      }
    },
  },
  {
    name: 'replicas by load instead of a number',
    values: { 'api.autoscaling.enabled': 'true', 'api.autoscaling.maxReplicas': '9', 'gateway.autoscaling.enabled': 'true' },
    expected(manifests) {
      expect(findManifest(manifests, 'HorizontalPodAutoscaler', 'cap-api')?.spec).toMatchObject({
        scaleTargetRef: { kind: 'Deployment', name: 'cap-api' },
        minReplicas: 2,
        maxReplicas: 9,
      })
      expect(findManifest(manifests, 'HorizontalPodAutoscaler', 'cap-web')).toBeUndefined()
      expect(findManifest(manifests, 'Deployment', 'cap-api')?.spec).not.toHaveProperty('replicas')
      expect(findManifest(manifests, 'PodDisruptionBudget', 'cap-api')).toBeDefined()
    },
  },
  {
    name: 'where pods run and how replicas spread',
    values: {
      'scheduling.nodeSelector.pool': 'platform',
      'scheduling.tolerations[0].key': 'platform',
      'scheduling.tolerations[0].operator': 'Exists',
      'scheduling.topologySpread[0].maxSkew': '2',
      'scheduling.topologySpread[0].topologyKey': 'topology.kubernetes.io/zone',
      'scheduling.topologySpread[0].whenUnsatisfiable': 'DoNotSchedule',
      'scheduling.priorityClassName': 'system-cluster-critical',
      'capture.enabled': 'true',
    },
    expected(manifests) {
      expect(podOf(manifests, 'gateway')).toMatchObject({
        nodeSelector: { pool: 'platform' },
        tolerations: [{ key: 'platform', operator: 'Exists' }],
        priorityClassName: 'system-cluster-critical',
        topologySpreadConstraints: [
          {
            maxSkew: 2,
            topologyKey: 'topology.kubernetes.io/zone',
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: { matchLabels: { 'app.kubernetes.io/component': 'gateway' } },
          },
        ],
      })
      const alone = [
        findManifest(manifests, 'StatefulSet', 'cap-postgresql')?.spec.template.spec,
        podOf(manifests, 'redis'),
        findManifest(manifests, 'Pod', 'cap-doctor')?.spec,
        findManifest(manifests, 'Job', 'cap-uninstall')?.spec.template.spec,
      ]
      for (const pod of alone) {
        expect(pod).toMatchObject({
          nodeSelector: { pool: 'platform' },
          tolerations: [{ key: 'platform', operator: 'Exists' }],
          priorityClassName: 'system-cluster-critical',
        })
      }
    },
  },
  {
    name: 'an Ingress with TLS',
    values: {
      'ingress.enabled': 'true',
      'ingress.host': 'ctf.example.org',
      'ingress.tlsSecret': 'tls',
      'ingress.className': 'nginx',
      publicOrigin: 'https://ctf.example.org',
    },
    expected(manifests) {
      expect(findManifest(manifests, 'Ingress', 'cap')?.spec).toMatchObject({
        ingressClassName: 'nginx',
        tls: [{ secretName: 'tls', hosts: ['ctf.example.org'] }],
      })
      expect(environmentOfDeployment(findManifest(manifests, 'Deployment', 'cap-api')).CAPSTAN_PUBLIC_ORIGIN).toBe(
        'https://ctf.example.org',
      )
    },
  },
  {
    name: 'a route of the Gateway API',
    values: {
      'httpRoute.enabled': 'true',
      'httpRoute.parentRefs[0].name': 'edge',
      'httpRoute.parentRefs[0].namespace': 'infra',
      'httpRoute.hostnames[0]': 'ctf.example.org',
    },
    expected(manifests) {
      const { spec } = findManifest(manifests, 'HTTPRoute', 'cap') as Manifest
      expect(spec).toMatchObject({ parentRefs: [{ name: 'edge', namespace: 'infra' }], hostnames: ['ctf.example.org'] })
      const targets = spec.rules.map((rule: { matches: { path: { value: string } }[]; backendRefs: { name: string }[] }) => [
        rule.matches[0]?.path.value,
        rule.backendRefs[0]?.name,
      ])
      expect(Object.fromEntries(targets)).toEqual({
        '/': 'cap-web',
        '/api': 'cap-api',
        '/api/proxy': 'cap-gateway',
        '/assets': 'cap-api',
        '/favicon.webp': 'cap-api',
        '/hub': 'cap-gateway',
      })
      for (const cidr of ['0.0.0.0/0', '::/0']) expect(peersOf(manifests, 'gateway')).toContainEqual({ ipBlock: { cidr } })
      expect(environmentOfDeployment(findManifest(manifests, 'Deployment', 'cap-gateway')).CAPSTAN_PUBLIC_ORIGIN).toBe(
        'https://ctf.example.org',
      )
    },
  },
  {
    name: 'existing Secrets, and PostgreSQL, Redis and S3 elsewhere',
    values: {
      'admin.existingSecret': 'my-admin',
      'secrets.existingSecret': 'my-keys',
      'operator.logs.existingSecret': 'my-logs',
      'postgresql.enabled': 'false',
      'externalDatabase.existingSecret': 'my-db',
      'redis.enabled': 'false',
      'externalRedis.existingSecret': 'my-redis',
      'blobs.kind': 's3',
      'blobs.s3.bucket': 'files',
      'blobs.s3.endpoint': 'https://s3.example.org',
      'blobs.s3.existingSecret': 'my-s3',
      'smtp.existingSecret': 'my-smtp',
      'smtp.from': 'ctf@example.org',
      publicOrigin: 'https://ctf.example.org',
      'captcha.provider': 'CloudflareTurnstile',
      'captcha.existingSecret': 'my-captcha',
    },
    expected(manifests) {
      const from = (name: string, key: string) => ({ secretKeyRef: { name, key } })
      expect(environmentOfDeployment(findManifest(manifests, 'Deployment', 'cap-api'))).toMatchObject({
        CAPSTAN_ADMIN_PASSWORD: from('my-admin', 'password'),
        CAPSTAN_SECRET_KEY: from('my-keys', 'secretKey'),
        CAPSTAN_INTERNAL_TOKEN: from('my-keys', 'internalToken'),
        CAPSTAN_OPERATOR_TOKEN: from('my-logs', 'token'),
        DATABASE_URL: from('my-db', 'url'),
        REDIS_URL: from('my-redis', 'url'),
        CAPSTAN_S3_ENDPOINT: 'https://s3.example.org',
        CAPSTAN_S3_SECRET_ACCESS_KEY: from('my-s3', 'secretAccessKey'),
        CAPSTAN_SMTP_URL: from('my-smtp', 'url'),
        CAPSTAN_CAPTCHA_SECRET_KEY: from('my-captcha', 'secretKey'),
      })
      const made = manifests.filter(({ kind }) => ['Secret', 'StatefulSet', 'PersistentVolumeClaim'].includes(kind))
      expect(made).toEqual([])
      expect(findManifest(manifests, 'Deployment', 'cap-api')?.spec.strategy.type).toBe('RollingUpdate')
    },
  },
  {
    name: 'monitoring',
    values: {
      'monitoring.serviceMonitor.enabled': 'true',
      'monitoring.serviceMonitor.labels.release': 'prometheus',
      'monitoring.alerts.enabled': 'true',
      'monitoring.dashboard.enabled': 'true',
    },
    expected(manifests) {
      const monitor = findManifest(manifests, 'ServiceMonitor', 'cap')
      expect(monitor?.metadata.labels).toMatchObject({ release: 'prometheus' })
      const selected = monitor?.spec.selector.matchExpressions[0].values
      expect(selected).toEqual(['api', 'gateway', 'web', 'operator'])
      expect(monitor?.spec.endpoints).toEqual([{ port: 'health', path: '/metrics', interval: '30s' }])
      const services = ['api', 'gateway', 'web-health', 'operator'].map((name) =>
        findManifest(manifests, 'Service', `cap-${name}`),
      )
      for (const service of services) {
        expect(selected).toContain(service?.metadata.labels?.['app.kubernetes.io/component'])
        expect(service?.spec.ports.at(-1)).toEqual({ name: 'health', port: 8081, targetPort: 'health' })
      }
      const rules = findManifest(manifests, 'PrometheusRule', 'cap')?.spec.groups[0].rules
      for (const rule of rules) expect(Object.keys(rule.annotations)).toEqual(['summary', 'description'])
      const dashboard = findManifest(manifests, 'ConfigMap', 'cap-dashboard')
      expect(JSON.parse(dashboard?.data?.['capstan.json'] ?? '').panels.length).toBeGreaterThan(15)
      const prometheus = {
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: [arena] }],
        },
      }
      for (const name of ['api', 'gateway', 'operator', 'web']) expect(peersOf(manifests, name)).toContainEqual(prometheus)
    },
  },
  {
    name: 'traces',
    values: { 'tracing.endpoint': 'http://collector.observability:4318', 'tracing.samplePercent': '5' },
    expected(manifests) {
      for (const name of ['api', 'gateway', 'operator', 'web']) {
        expect(environmentOfDeployment(findManifest(manifests, 'Deployment', `cap-${name}`))).toMatchObject({
          OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.observability:4318',
          OTEL_TRACES_SAMPLER_ARG: '0.05',
        })
      }
    },
  },
  {
    name: 'metrics for one namespace alone',
    values: {
      'networkPolicy.metricsFrom[0].namespaceSelector.matchLabels.name': 'monitoring',
      'operator.logs.enabled': 'false',
    },
    expected: (manifests) =>
      expect(peersOf(manifests, 'operator')).toEqual([{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }]),
  },
  {
    name: 'no network policies for the platform, which never opens the instances',
    values: { 'networkPolicy.enabled': 'false' },
    expected: (manifests) =>
      expect(manifests.filter(({ kind }) => kind === 'NetworkPolicy').map(({ metadata }) => metadata.name)).toEqual([
        'default-deny',
      ]),
  },
  {
    name: 'node ports under a public host',
    values: {
      'instances.exposure': 'NodePort',
      'instances.publicHost': 'play.example.org',
      'instances.nodePortRange': '30100-30199',
      'web.service.type': 'NodePort',
      'web.service.nodePort': '30080',
      'web.service.externalTrafficPolicy': 'Local',
    },
    expected(manifests) {
      expect(findManifest(manifests, 'Service', 'cap-web')?.spec).toMatchObject({
        externalTrafficPolicy: 'Local',
        ports: [{ nodePort: 30_080 }],
      })
      for (const name of ['api', 'operator'])
        expect(environmentOfDeployment(findManifest(manifests, 'Deployment', `cap-${name}`)).CAPSTAN_INSTANCE_PUBLIC_HOST).toBe(
          'play.example.org',
        )
      expect(environmentOfDeployment(findManifest(manifests, 'Deployment', 'cap-api')).CAPSTAN_INSTANCE_EXPOSURE).toBe('NodePort')
      expect(environmentOfDeployment(findManifest(manifests, 'Deployment', 'cap-operator')).CAPSTAN_NODE_PORT_RANGE).toBe(
        '30100-30199',
      )
    },
  },
  {
    name: 'every way to instances, on ports of the nodes',
    values: {
      'instances.domain': 'play.example.net',
      'instances.certificateSecret': 'play-tls',
      // The API server assigns low port numbers last, so these ports are probably free.
      'instances.tlsPort': '30001',
      'instances.ports': '30002-30009',
      'instances.web.by': 'HTTPRoute',
      'instances.web.parentRefs[0].name': 'edge',
      'instances.service.type': 'NodePort',
      'instances.service.externalTrafficPolicy': 'Local',
    },
    expected(manifests) {
      const { spec } = findManifest(manifests, 'Service', 'cap-instances') as Manifest
      expect(spec).toMatchObject({ type: 'NodePort', externalTrafficPolicy: 'Local' })
      expect(spec.ports.map(({ port, nodePort }: { port: number; nodePort: number }) => [port, nodePort])).toEqual([
        [30_001, 30_001],
        ...Array.from({ length: 8 }, (_, at) => [30_002 + at, 30_002 + at]),
      ])
    },
  },
  {
    name: 'every way to instances, at a load balancer, and an Ingress for browsers',
    values: {
      'instances.domain': 'play.example.net',
      'instances.certificateSecret': 'play-tls',
      'instances.tlsPort': '1337',
      'instances.ports': '31000-31099',
      'instances.web.by': 'Ingress',
      'instances.service.loadBalancerClass': 'example.org/outer',
      'instances.service.allocateNodePorts': 'false',
    },
    expected(manifests) {
      expect(findManifest(manifests, 'Service', 'cap-instances')?.spec).toMatchObject({
        type: 'LoadBalancer',
        loadBalancerClass: 'example.org/outer',
        allocateLoadBalancerNodePorts: false,
      })
      expect(findManifest(manifests, 'Service', 'cap-instances')?.spec.ports).toHaveLength(101)
    },
  },
  {
    name: 'resources',
    values: {
      'api.resources.limits.memory': '1Gi',
      'gateway.resources.requests.cpu': '1',
      'postgresql.resources.limits.memory': '4Gi',
    },
    expected(manifests) {
      expect(podOf(manifests, 'api').containers[0].resources.limits.memory).toBe('1Gi')
      expect(podOf(manifests, 'gateway').containers[0].resources.requests.cpu).toBe(1)
      expect(
        findManifest(manifests, 'StatefulSet', 'cap-postgresql')?.spec.template.spec.containers[0].resources.limits.memory,
      ).toBe('4Gi')
    },
  },
  {
    name: 'credentials for registries, of the platform and of challenges',
    values: { 'image.pullSecrets[0].name': 'ours', 'instances.pullSecrets[0]': 'one', 'instances.pullSecrets[1]': 'two' },
    expected(manifests) {
      for (const name of ['api', 'gateway', 'operator', 'redis', 'web'])
        expect(podOf(manifests, name).imagePullSecrets).toEqual([{ name: 'ours' }])
      const database = findManifest(manifests, 'StatefulSet', 'cap-postgresql')
      expect(database?.spec.template.spec.imagePullSecrets).toEqual([{ name: 'ours' }])
      expect(environmentOfDeployment(findManifest(manifests, 'Deployment', 'cap-api')).CAPSTAN_IMAGE_PULL_SECRETS).toBe('one,two')
    },
  },
  {
    name: 'a runtime class and the strict profile',
    values: { 'instances.runtimeClassName': 'gvisor', 'instances.security': 'Restricted', 'instances.egress': 'Internet' },
    expected(manifests) {
      expect(environmentOfDeployment(findManifest(manifests, 'Deployment', 'cap-api'))).toMatchObject({
        CAPSTAN_INSTANCE_RUNTIME_CLASS: 'gvisor',
        CAPSTAN_INSTANCE_SECURITY: 'Restricted',
        CAPSTAN_INSTANCE_EGRESS: 'Internet',
      })
      expect(findManifest(manifests, 'Namespace', arena)?.metadata.labels).toMatchObject({
        'pod-security.kubernetes.io/enforce': 'restricted',
      })
    },
  },
  {
    name: 'quotas, nodes, reserved shares and name servers of challenges',
    values: {
      'instances.quota.pods': '60',
      'instances.quota.memory': '32Gi',
      'instances.nodeSelector.pool': 'arena',
      'instances.tolerations[0].key': 'arena',
      'instances.tolerations[0].operator': 'Exists',
      'instances.requestPercent.cpu': '25',
      'instances.dns.cidrs[0]': '169.254.20.10/32',
      'instances.egressDeniedCidrs[0]': '203.0.113.0/24',
      'instances.imagePullPolicy': 'Always',
      'instances.schedulingGraceSeconds': '120',
    },
    expected(manifests) {
      expect(findManifest(manifests, 'ResourceQuota', 'instances')?.spec.hard).toEqual({ pods: '60', 'limits.memory': '32Gi' })
      expect(environmentOfDeployment(findManifest(manifests, 'Deployment', 'cap-operator'))).toMatchObject({
        CAPSTAN_NODE_SELECTOR: 'pool=arena',
        CAPSTAN_INSTANCE_TOLERATIONS: '[{"key":"arena","operator":"Exists"}]',
        CAPSTAN_CPU_REQUEST_PERCENT: '25',
        CAPSTAN_DNS_LABELS: 'k8s-app=kube-dns',
        CAPSTAN_DNS_CIDRS: '169.254.20.10/32',
        CAPSTAN_EGRESS_DENIED_CIDRS: '203.0.113.0/24',
        CAPSTAN_IMAGE_PULL_POLICY: 'Always',
        CAPSTAN_SCHEDULING_GRACE_SECONDS: '120',
      })
    },
  },
  {
    name: 'a namespace for challenges that somebody else made',
    values: { 'instances.createNamespace': 'false' },
    expected(manifests) {
      for (const [kind, name] of [
        ['NetworkPolicy', 'default-deny'],
        ['ResourceQuota', 'instances'],
        ['LimitRange', 'instances'],
      ] as const)
        expect(findManifest(manifests, kind, name)?.metadata.namespace).toBe(arena)
    },
  },
  {
    name: 'captures',
    values: { 'capture.enabled': 'true' },
    expected: (manifests) =>
      expect(environmentOfDeployment(findManifest(manifests, 'Deployment', 'cap-operator'))).toHaveProperty(
        'CAPSTAN_CAPTURE_IMAGE',
      ),
  },
]

describe.each(variants)('the Helm chart in this configuration: $name', ({ values, expected }) => {
  const set = { ...values, 'instances.namespace': arena }

  test('renders the expected objects', () => expected(renderChart(set)))

  test('is accepted by the API server', async () => {
    const list = { apiVersion: 'v1', kind: 'List', items: renderChart(set, namespace).map(place) }
    const { stdout } = await kubectl(['apply', '--dry-run=server', '--filename', '-'], JSON.stringify(list))
    expect(stdout).toContain('deployment.apps/cap-api')
  })
})

test.each<[string, string]>([
  ['accessMode', 'ReadWriteMany'],
  ['storageClass', 'faster'],
])('a different %s is refused with a readable message if the volume for files exists', async (setting, value) => {
  const spec = { accessModes: ['ReadWriteOnce'], storageClassName: 'plain', resources: { requests: { storage: '1Gi' } } }
  const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'cap-blobs', namespace }, spec }
  await kubectl(['apply', '--filename', '-'], JSON.stringify(claim))

  expect(() => renderChartOnCluster({}, namespace)).not.toThrow()
  expect(() => renderChartOnCluster({ [`blobs.folder.${setting}`]: value }, namespace)).toThrow(
    new RegExp(`blobs.folder.${setting} is ${value}, but the volume cap-blobs is .*Another volume for files`),
  )
})
