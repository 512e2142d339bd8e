import { definitionName } from '@capstan/challenge-instance/definition'
import { Limits } from '@capstan/contract/limits'
import { describe, expect, test } from 'vitest'
import {
  environmentOfDeployment,
  environmentOfPod,
  findManifest,
  type Manifest,
  renderChart,
  renderChartNotes,
  type Values,
} from './render.ts'

const processes = ['api', 'gateway', 'operator', 'web']
function componentOf({ podSelector }: { podSelector: { matchLabels: Record<string, string> } }) {
  return podSelector.matchLabels['app.kubernetes.io/component']
}

describe('the chart with default values', () => {
  const manifests = renderChart()

  test.each(processes)('%s satisfies the restricted Pod Security standard', (name) => {
    const pod = findManifest(manifests, 'Deployment', `cap-${name}`)?.spec.template.spec
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    expect(pod.containers[0].securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(pod.containers[0].resources.limits.memory).toBeTruthy()
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
      expect(pod.containers[0][probe].httpGet.path).toMatch(/^\/(readyz|livez|healthz)$/)
  })

  test('no process restarts while the database is down, and migrations may delay the start of the api for an hour', () => {
    const probesOf = (name: string) => findManifest(manifests, 'Deployment', `cap-${name}`)?.spec.template.spec.containers[0]
    for (const name of ['api', 'gateway', 'web']) expect(probesOf(name).livenessProbe.httpGet.path).toBe('/livez')
    expect(probesOf('api').startupProbe).toMatchObject({ periodSeconds: 1, failureThreshold: 3600 })
    expect(probesOf('web').startupProbe).toMatchObject({ periodSeconds: 1, failureThreshold: 120 })
  })

  test('the temporary folder of the api has room for the maximum number of imported archives', () => {
    const pod = findManifest(manifests, 'Deployment', 'cap-api')?.spec.template.spec
    const sizeLimit = /^(\d+)Mi$/.exec(pod.volumes.find(({ name }: { name: string }) => name === 'tmp').emptyDir.sizeLimit)?.[1]
    const archivesMb = (Limits.maxPendingImports * Limits.maxImportBytes) / 1024 ** 2
    expect(Number(sizeLimit)).toBeGreaterThan(archivesMb)
    expect(Number(sizeLimit)).toBeLessThan(archivesMb * 1.1)
  })

  test.each(['api', 'gateway', 'web'])(
    '%s answers probes and metrics on a port that clients outside the cluster cannot reach',
    (name) => {
      const routed = renderChart({
        'ingress.enabled': 'true',
        'ingress.host': 'ctf.example.org',
        'web.service.type': 'LoadBalancer',
        'monitoring.serviceMonitor.enabled': 'true',
      })
      for (const objects of [manifests, routed]) {
        const deployment = findManifest(objects, 'Deployment', `cap-${name}`)
        expect(environmentOfDeployment(deployment).CAPSTAN_MANAGEMENT_PORT).toBe('8081')
        const [container] = deployment?.spec.template.spec.containers ?? []
        expect(container.ports).toContainEqual({ name: 'health', containerPort: 8081 })
        for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
          expect(container[probe].httpGet.port).toBe('health')
        // Policies let clients outside the cluster connect only to the port of the service, and not to the port of the probes.
        const rules: { ports: { port: number }[]; from: { ipBlock?: object }[] }[] = findManifest(
          objects,
          'NetworkPolicy',
          `cap-${name}`,
        )?.spec.ingress
        for (const { ports, from } of rules) if (from.some(({ ipBlock }) => ipBlock)) expect(ports).toEqual([{ port: 8080 }])
      }
      expect(findManifest(routed, 'Service', 'cap-web')?.spec.ports.map((port: { name: string }) => port.name)).toEqual(['http'])
    },
  )

  test('the chart trusts only the proxies that its values list', () => {
    const trustedBy = (objects: Manifest[], name: string) =>
      environmentOfDeployment(findManifest(objects, 'Deployment', `cap-${name}`)).CAPSTAN_TRUSTED_PROXIES
    const configured = renderChart({ trustedProxies: '10.244.0.0/16' })
    for (const name of ['api', 'gateway', 'web'])
      expect([trustedBy(manifests, name), trustedBy(configured, name)]).toEqual(['', '10.244.0.0/16'])
    const ingress = { 'ingress.enabled': 'true', 'ingress.host': 'ctf.example.org' }
    const isWarned = (values: Record<string, string>) => renderChartNotes(values).includes('WARNING: no proxy is trusted')
    expect([{}, ingress, { ...ingress, trustedProxies: '10.244.0.0/16' }].map(isWarned)).toEqual([false, true, false])
  })

  test.each(processes)('%s is not restarted while other processes are unavailable', (name) => {
    const { startupProbe, livenessProbe } =
      findManifest(manifests, 'Deployment', `cap-${name}`)?.spec.template.spec.containers[0] ?? {}
    expect(startupProbe.httpGet).toEqual(livenessProbe.httpGet)
  })

  test('the api remains ready during a restart of PostgreSQL', () => {
    const { readinessProbe } = findManifest(manifests, 'Deployment', 'cap-api')?.spec.template.spec.containers[0] ?? {}
    expect(readinessProbe.periodSeconds * (readinessProbe.failureThreshold - 1)).toBeGreaterThan(15)
  })

  test('PostgreSQL has an hour to initialize its volume at the first start', () => {
    const { startupProbe, livenessProbe } =
      findManifest(manifests, 'StatefulSet', 'cap-postgresql')?.spec.template.spec.containers[0] ?? {}
    // Both probes must test only whether the port is open. PostgreSQL opens its port after initdb, even while it recovers.
    expect(startupProbe.tcpSocket).toEqual(livenessProbe.tcpSocket)
    expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBe(3600)
  })

  test('Redis reads its password from a Secret, and its probes connect like clients', () => {
    const [container] = findManifest(manifests, 'Deployment', 'cap-redis')?.spec.template.spec.containers ?? []
    const password = Buffer.from(findManifest(manifests, 'Secret', 'cap-redis')?.data?.password ?? '', 'base64').toString()
    expect(password).toMatch(/^[A-Za-z0-9]{32}$/)
    expect(JSON.stringify(container)).not.toContain(password)
    expect(container.command.join(' ')).toContain('--protected-mode no')
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
      expect(container[probe].exec.command.join(' ')).toContain('redis-cli -h "$POD_IP" ping')
    for (const name of ['api', 'gateway'])
      expect(environmentOfDeployment(findManifest(manifests, 'Deployment', `cap-${name}`)).REDIS_URL).toEqual({
        secretKeyRef: { name: 'cap-redis', key: 'url' },
      })
    const url = Buffer.from(findManifest(manifests, 'Secret', 'cap-redis')?.data?.url ?? '', 'base64').toString()
    expect(url).toBe(`redis://:${password}@cap-redis:6379`)
    expect(findManifest(manifests, 'NetworkPolicy', 'cap-redis')?.spec.ingress[0].from.map(componentOf)).toEqual([
      'api',
      'gateway',
    ])
  })

  test.each(['gateway', 'web'])('a %s may serve its open connections for an hour after its successor has started', (name) => {
    const spec = findManifest(manifests, 'Deployment', `cap-${name}`)?.spec
    expect(environmentOfDeployment(findManifest(manifests, 'Deployment', `cap-${name}`)).CAPSTAN_DRAIN_MS).toBe('3600000')
    expect(spec.template.spec.terminationGracePeriodSeconds).toBe(3625)
    expect(spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 })
  })

  test('gateway and web have no service account token', () => {
    for (const name of ['gateway', 'web'])
      expect(findManifest(manifests, 'Deployment', `cap-${name}`)?.spec.template.spec.automountServiceAccountToken).toBe(false)
  })

  test('challenge pods have a dedicated namespace that denies all traffic', () => {
    expect(findManifest(manifests, 'Namespace', 'cap-instances')?.metadata.labels).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'baseline',
    })
    expect(findManifest(manifests, 'NetworkPolicy', 'default-deny')).toMatchObject({
      metadata: { namespace: 'cap-instances' },
      spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] },
    })
  })

  test('only the operator may create pods in the namespace of challenges', () => {
    const policy = findManifest(manifests, 'ValidatingAdmissionPolicy', 'ctf-cap-instances')
    expect(policy?.spec.validations).toContainEqual({
      expression: "!variables.isNew || (request.userInfo.username == 'system:serviceaccount:ctf:cap-operator')",
      message: 'only the Capstan operator may create pods in this namespace',
    })
  })

  test('uninstalling retains the CRD and all objects with data or keys', () => {
    const retained = manifests
      .filter(({ metadata }) => metadata.annotations?.['helm.sh/resource-policy'] === 'keep')
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect(retained.sort()).toEqual([
      `CustomResourceDefinition ${definitionName}`,
      'PersistentVolumeClaim cap-blobs',
      'Secret cap-admin',
      'Secret cap-database',
      'Secret cap-keys',
    ])
  })

  test('the environment of the api contains no plain-text secrets', () => {
    for (const name of ['DATABASE_URL', 'CAPSTAN_ADMIN_PASSWORD', 'CAPSTAN_SECRET_KEY', 'CAPSTAN_INTERNAL_TOKEN']) {
      expect(environmentOfDeployment(findManifest(manifests, 'Deployment', 'cap-api'))[name]).toHaveProperty('secretKeyRef')
    }
  })

  const logs = (objects: Manifest[]) => {
    const { CAPSTAN_OPERATOR_URL: url, CAPSTAN_OPERATOR_TOKEN: token } = environmentOfDeployment(
      findManifest(objects, 'Deployment', 'cap-api'),
    )
    const operator = findManifest(objects, 'Deployment', 'cap-operator')
    return {
      api: [url, token],
      operator: environmentOfDeployment(operator).CAPSTAN_OPERATOR_TOKEN,
      ports: operator?.spec.template.spec.containers[0].ports.map(({ name }: { name: string }) => name),
      service: findManifest(objects, 'Service', 'cap-operator-logs')?.spec.ports,
      rules: findManifest(objects, 'NetworkPolicy', 'cap-operator')?.spec.ingress,
      secret: findManifest(objects, 'Secret', 'cap-operator-logs')?.data,
    }
  }

  test('only the api may read the output of containers from the operator, with a shared token', () => {
    const token = { secretKeyRef: { name: 'cap-operator-logs', key: 'token' } }
    const rendered = logs(manifests)
    expect(rendered).toMatchObject({
      api: ['http://cap-operator-logs:8082', token],
      operator: token,
      ports: ['health', 'logs'],
      service: [{ port: 8082, targetPort: 'logs' }],
      rules: [{ ports: [{ port: 8082 }] }],
    })
    expect(rendered.rules[0].from.map(componentOf)).toEqual(['api'])
    expect(Buffer.from(rendered.secret?.token ?? '', 'base64').toString()).toMatch(/^[A-Za-z0-9]{48}$/)
  })

  test('a token from an existing Secret replaces the token that the chart generates', () => {
    const token = { secretKeyRef: { name: 'mine', key: 'token' } }
    expect(logs(renderChart({ 'operator.logs.existingSecret': 'mine' }))).toMatchObject({
      api: ['http://cap-operator-logs:8082', token],
      operator: token,
      secret: undefined,
    })
  })

  const eventVerbs = (objects: Manifest[]) =>
    (
      findManifest(objects, 'Role', 'cap-operator') as Manifest & { rules: { resources: string[]; verbs: string[] }[] }
    ).rules.find(({ resources }) => resources.includes('events'))?.verbs

  test('the operator may list events only if it serves the output of containers', () => {
    expect(eventVerbs(manifests)).toEqual(['create', 'list'])
    expect(eventVerbs(renderChart({ 'operator.logs.enabled': 'false' }))).toEqual(['create'])
  })

  const terminals = (objects: Manifest[]) => {
    const roles = objects.filter(({ kind }) => /Role$/.test(kind)) as (Manifest & {
      rules: { resources: string[]; verbs: string[] }[]
    })[]
    return {
      rights: roles.flatMap(({ metadata, rules }) =>
        rules
          .filter(({ resources }) => resources.includes('pods/exec') || resources.includes('*'))
          .map(({ verbs }) => [metadata.name, ...verbs]),
      ),
      variables: ['cap-api', 'cap-operator', 'cap-gateway', 'cap-web'].map(
        (name) => environmentOfDeployment(findManifest(objects, 'Deployment', name)).CAPSTAN_TERMINALS,
      ),
    }
  }

  test('terminals are off by default, and no process may run commands in pods', () => {
    expect(terminals(manifests)).toEqual({ rights: [], variables: [undefined, undefined, undefined, undefined] })
  })

  test('only the operator may run commands in pods if terminals are on', () => {
    expect(terminals(renderChart({ 'operator.terminals.enabled': 'true' }))).toEqual({
      rights: [['cap-operator', 'get', 'create']],
      variables: ['on', 'on', undefined, undefined],
    })
  })

  test('the operator accepts no connections from the api if the logs of containers are disabled', () => {
    expect(logs(renderChart({ 'operator.logs.enabled': 'false' }))).toEqual({
      api: [undefined, undefined],
      operator: undefined,
      ports: ['health'],
      service: undefined,
      rules: [],
      secret: undefined,
    })
  })

  test('no process sends traces', () => {
    for (const name of processes)
      expect(Object.keys(environmentOfDeployment(findManifest(manifests, 'Deployment', `cap-${name}`))).join()).not.toContain(
        'OTEL_',
      )
  })

  test('by default, the chart creates neither an Ingress nor a disruption budget for a single replica', () => {
    expect(manifests.filter(({ kind }) => kind === 'Ingress')).toEqual([])
    const budgets = manifests.filter(({ kind }) => kind === 'PodDisruptionBudget').map(({ metadata }) => metadata.name)
    expect(budgets.sort()).toEqual(['cap-gateway', 'cap-names', 'cap-web'])
  })

  const s3 = { 'blobs.kind': 's3', 'blobs.s3.bucket': 'b', 'blobs.s3.existingSecret': 's3' }
  const shared = { 'blobs.folder.accessMode': 'ReadWriteMany' }
  test.each<[string, Values, number, string]>([
    ['a volume of one node', {}, 1, 'blobs.kind=s3'],
    ['a shared volume', shared, 2, ''],
    ['S3', s3, 2, ''],
    ['S3 and one api on purpose', { ...s3, 'api.replicas': '1' }, 1, 'set api.replicas=2'],
    ['a shared volume and three api processes on purpose', { ...shared, 'api.replicas': '3' }, 3, ''],
  ])('the storage of files determines the number of api replicas and the notes: %s', (_name, values, apis, hint) => {
    const objects = renderChart(values)
    const replicasOf = (name: string) => findManifest(objects, 'Deployment', `cap-${name}`)?.spec.replicas
    expect(['api', 'gateway', 'web'].map(replicasOf)).toEqual([apis, 2, 2])
    expect(findManifest(objects, 'PodDisruptionBudget', 'cap-api') !== undefined).toBe(apis > 1)
    const note = /NOTE: one api runs[\s\S]*?\n\n/.exec(renderChartNotes(values))?.[0] ?? ''
    expect(note !== '').toBe(apis === 1)
    expect(note).toContain(hint)
  })

  test.each(['gateway', 'web'])('the Helm notes recommend a second replica if the %s has only one replica', (name) => {
    expect(renderChartNotes({ [`${name}.replicas`]: '1' })).toContain(`Set ${name}.replicas=2`)
    expect(renderChartNotes({})).not.toContain(`Set ${name}.replicas=2`)
  })

  test('web and gateway connect directly to the addresses of all replicas', () => {
    for (const name of ['api', 'gateway'])
      expect(findManifest(manifests, 'Service', `cap-${name}-replicas`)?.spec).toMatchObject({
        clusterIP: 'None',
        ports: [{ name: 'http', port: 8080, targetPort: 'http' }],
      })
    expect(environmentOfDeployment(findManifest(manifests, 'Deployment', 'cap-web'))).toMatchObject({
      CAPSTAN_API_URL: 'http://cap-api-replicas:8080',
      CAPSTAN_GATEWAY_URL: 'http://cap-gateway-replicas:8080',
    })
    expect(environmentOfDeployment(findManifest(manifests, 'Deployment', 'cap-gateway')).CAPSTAN_API_URL).toBe(
      'http://cap-api-replicas:8080',
    )
  })
})

describe('helm test', () => {
  const doctor = (values?: Record<string, string>) => {
    const pod = findManifest(renderChart(values), 'Pod', 'cap-doctor')
    return { pod, env: pod && environmentOfPod(pod.spec) }
  }

  test('runs the doctor with the settings of challenge pods', () => {
    const { pod, env } = doctor({ 'instances.security': 'Restricted', 'instances.egress': 'Dns', 'capture.enabled': 'true' })
    expect(pod?.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'test' })
    expect(env).toMatchObject({
      CAPSTAN_DOCTOR_IMAGE: 'registry.example/ctf/isolation-probe:0.1.0',
      CAPSTAN_INSTANCE_SECURITY: 'Restricted',
      CAPSTAN_INSTANCE_EGRESS: 'Dns',
      CAPSTAN_DOCTOR_CAPTURE: 'on',
    })
  })

  test('runs its probes as root if challenges may run as root', () => {
    expect(doctor({ 'instances.security': 'Baseline' }).env?.CAPSTAN_DOCTOR_IMAGE).toBe(
      'registry.example/ctf/isolation-probe-root:0.1.0',
    )
  })

  test('the doctor is also available as a job that needs no helm', () => {
    const manifests = renderChart()
    const job = findManifest(manifests, 'CronJob', 'cap-doctor')
    expect(job?.spec.suspend).toBe(true)
    expect(job?.spec.jobTemplate.spec.template.spec).toEqual(findManifest(manifests, 'Pod', 'cap-doctor')?.spec)
  })

  test('`helm test` first runs a pod that sends a live message through the api', () => {
    const manifests = renderChart()
    const pod = findManifest(manifests, 'Pod', 'cap-live-check')
    expect(pod?.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'test', 'helm.sh/hook-weight': '-1' })
    expect(environmentOfPod(pod?.spec)).toMatchObject({
      CAPSTAN_API_URL: 'http://cap-api',
      CAPSTAN_SITE_URL: 'http://cap-web:80',
      CAPSTAN_INTERNAL_TOKEN: { secretKeyRef: { name: 'cap-keys', key: 'internalToken' } },
    })
    expect(findManifest(manifests, 'NetworkPolicy', 'cap-api')?.spec.ingress[0].from.map(componentOf)).toContain('live-check')
  })

  test('omits the doctor if it is disabled', () => {
    const manifests = renderChart({ 'doctor.enabled': 'false' })
    expect(manifests.filter(({ metadata }) => metadata.name === 'cap-doctor')).toEqual([])
  })
})

describe('values', () => {
  test('an Ingress routes hubs and proxy to the gateway, calls and files to the api, and all other paths to web', () => {
    const ingress = findManifest(
      renderChart({ 'ingress.enabled': 'true', 'ingress.host': 'ctf.example.org', 'ingress.tlsSecret': 'tls' }),
      'Ingress',
      'cap',
    )
    const paths = Object.fromEntries(
      ingress?.spec.rules[0].http.paths.map((entry: { path: string; backend: { service: { name: string } } }) => [
        entry.path,
        entry.backend.service.name,
      ]),
    )
    expect(paths).toEqual({
      '/': 'cap-web',
      '/api': 'cap-api',
      '/api/proxy': 'cap-gateway',
      '/assets': 'cap-api',
      '/favicon.webp': 'cap-api',
      '/hub': 'cap-gateway',
    })
    expect(ingress?.spec.tls).toEqual([{ secretName: 'tls', hosts: ['ctf.example.org'] }])
  })

  describe('the public address', () => {
    const ingress = { 'ingress.enabled': 'true', 'ingress.host': 'ctf.example.org' }
    const route = { 'httpRoute.enabled': 'true', 'httpRoute.parentRefs[0].name': 'edge' }
    const mail = { 'smtp.existingSecret': 'smtp', 'smtp.from': 'ctf@example.org' }

    test.each([
      ['publicOrigin if it is set', { ...ingress, publicOrigin: 'https://play.example.org' }, 'https://play.example.org'],
      ['the host of an Ingress', ingress, 'http://ctf.example.org'],
      ['the host of an Ingress with TLS', { ...ingress, 'ingress.tlsSecret': 'tls', ...mail }, 'https://ctf.example.org'],
      ['the host of a route', { ...route, 'httpRoute.hostnames[0]': 'ctf.example.org', ...mail }, 'https://ctf.example.org'],
      ['unknown if there is no host', {}, undefined],
      [
        'unknown if there are several hosts',
        { ...route, 'httpRoute.hostnames[0]': 'a.example', 'httpRoute.hostnames[1]': 'b.example' },
        undefined,
      ],
      ['unknown if the host is a wildcard', { ...route, 'httpRoute.hostnames[0]': '*.example.org' }, undefined],
    ])('its value in api and gateway is %s', (_what, values, origin) => {
      const manifests = renderChart(values)
      for (const name of ['api', 'gateway'])
        expect(environmentOfDeployment(findManifest(manifests, 'Deployment', `cap-${name}`)).CAPSTAN_PUBLIC_ORIGIN).toBe(origin)
    })

    test('publicOrigin is required if mail is configured', () => {
      expect(() => renderChart(mail)).toThrow(/publicOrigin is needed with smtp.existingSecret/)
    })
  })

  describe('images', () => {
    const digest = `sha256:${'5e'.repeat(32)}`
    const imageOf = (values: Record<string, string>, name: string) =>
      findManifest(renderChart(values), 'Deployment', `cap-${name}`)?.spec.template.spec.containers[0].image

    test('images without a repository are refused, and the error explains how to push images', () => {
      expect(() => renderChart({ 'image.repository': '' })).toThrow(/image.repository is needed.*scripts\/images.mjs/)
    })

    test('images are referenced by digest if one is set, and otherwise by tag', () => {
      const values = {
        'image.tag': '1.2.3',
        'image.digests.api': digest,
        'image.digests.capture': digest,
        'capture.enabled': 'true',
      }
      expect(imageOf(values, 'api')).toBe(`registry.example/ctf/api@${digest}`)
      expect(imageOf(values, 'web')).toBe('registry.example/ctf/web:1.2.3')
      const policy = findManifest(renderChart(values), 'ValidatingAdmissionPolicy', 'ctf-cap-instances')
      expect(JSON.stringify(policy?.spec)).toContain(`c.image == 'registry.example/ctf/capture@${digest}'`)
    })

    test.each([
      ['a digest of an image that does not exist', { 'image.digests.apo': digest }],
      ['an invalid digest', { 'image.digests.api': 'latest' }],
    ])('%s is refused', (_what, values) => {
      expect(() => renderChart(values as unknown as Record<string, string>)).toThrow()
    })
  })

  describe('the drain time', () => {
    const webOf = (values: Record<string, string>) => {
      const deployment = findManifest(renderChart({ 'web.drainSeconds': '600', ...values }), 'Deployment', 'cap-web')
      return [environmentOfDeployment(deployment).CAPSTAN_DRAIN_MS, deployment?.spec.template.spec.terminationGracePeriodSeconds]
    }
    const ingress = { 'ingress.enabled': 'true', 'ingress.host': 'ctf.example.org' }
    const route = { 'httpRoute.enabled': 'true', 'httpRoute.parentRefs[0].name': 'edge' }

    test.each([
      ['an Ingress', ingress, ['20000', 45]],
      ['a route', route, ['20000', 45]],
      ['an Ingress and a shorter drain time', { ...ingress, 'web.drainSeconds': '5' }, ['5000', 30]],
      ['an Ingress and a node port of the web process', { ...ingress, 'web.service.type': 'NodePort' }, ['600000', 625]],
      ['default values', {}, ['600000', 625]],
    ])('the drain time of the web process depends on how players connect: %s', (_what, values, expected) => {
      expect(webOf(values as Record<string, string>)).toEqual(expected)
    })

    test('the drain time of the gateway is the configured value', () => {
      const deployment = findManifest(renderChart({ 'gateway.drainSeconds': '0' }), 'Deployment', 'cap-gateway')
      expect(environmentOfDeployment(deployment).CAPSTAN_DRAIN_MS).toBe('0')
      expect(deployment?.spec.template.spec.terminationGracePeriodSeconds).toBe(25)
    })
  })

  describe('node ports of instances', () => {
    const ports = { 'instances.exposure': 'NodePort' }
    const ingress = { 'ingress.enabled': 'true', 'ingress.host': 'ctf.example.org' }
    const route = {
      'httpRoute.enabled': 'true',
      'httpRoute.parentRefs[0].name': 'edge',
      'httpRoute.hostnames[0]': 'ctf.example.org',
    }
    const same = { 'instances.publicHost': 'ctf.example.org' }

    test.each([
      ['an Ingress', { ...ports, ...ingress, ...same }],
      ['an Ingress in another spelling', { ...ports, ...ingress, 'instances.publicHost': 'CTF.Example.org.' }],
      ['a route', { ...ports, ...route, ...same }],
      ['the public address', { ...ports, publicOrigin: 'https://ctf.example.org:8443', ...same }],
    ])('node ports are refused if instances share the host of %s', (_what, values) => {
      expect(() => renderChart(values as Record<string, string>)).toThrow(/instances.publicHost is the host of the site/)
    })

    test('node ports of instances are refused if the site also has a node port', () => {
      expect(() => renderChart({ ...ports, 'web.service.type': 'NodePort' })).toThrow(/would share the address of a node/)
    })

    test.each([
      ['on a separate host', { ...ports, ...ingress, 'instances.publicHost': 'play.example.net' }],
      ['on the address of a node, with the site on a host', { ...ports, ...ingress }],
      ['on the host of the site if the values allow it', { ...ports, ...ingress, ...same, 'instances.allowSiteHost': 'true' }],
      ['through the platform on any host', { ...ingress, ...same }],
    ])('the chart accepts instances %s', (_what, values) => {
      expect(() => renderChart(values as Record<string, string>)).not.toThrow()
    })

    test.each([
      ['node ports on the host of the site', { ...ports, ...ingress, ...same, 'instances.allowSiteHost': 'true' }, true],
      ['node ports, and the host of the site is unknown', { ...ports, 'instances.publicHost': 'play.example.net' }, true],
      ['node ports on a separate host', { ...ports, ...ingress, 'instances.publicHost': 'play.example.net' }, false],
      ['no node ports', {}, false],
    ])('the notes warn if instances can receive the cookies of the site: %s', (_what, values, isWarned) => {
      expect(renderChartNotes(values as Record<string, string>).includes('WARNING: browsers send the cookies')).toBe(isWarned)
    })
  })

  test('a Service of the type ClusterIP has no policy for outside traffic', () => {
    const service = findManifest(renderChart({ 'web.service.externalTrafficPolicy': 'Local' }), 'Service', 'cap-web')
    expect(service?.spec).not.toHaveProperty('externalTrafficPolicy')
  })

  test('the bundled Redis can read its password from an existing Secret', () => {
    const manifests = renderChart({ 'redis.existingSecret': 'bus' })
    expect(findManifest(manifests, 'Secret', 'cap-redis')).toBeUndefined()
    const from = (key: string) => ({ secretKeyRef: { name: 'bus', key } })
    expect(environmentOfDeployment(findManifest(manifests, 'Deployment', 'cap-redis')).REDISCLI_AUTH).toEqual(from('password'))
    expect(environmentOfDeployment(findManifest(manifests, 'Deployment', 'cap-gateway')).REDIS_URL).toEqual(from('url'))
  })

  test('the bundled PostgreSQL can read its password from an existing Secret', () => {
    const manifests = renderChart({ 'postgresql.existingSecret': 'rows' })
    expect(findManifest(manifests, 'Secret', 'cap-database')).toBeUndefined()
    expect(environmentOfDeployment(findManifest(manifests, 'Deployment', 'cap-api')).DATABASE_URL).toEqual({
      secretKeyRef: { name: 'rows', key: 'url' },
    })
  })

  test.each([
    ['two replicas', { 'api.replicas': '2' }, true],
    ['replicas by load', { 'api.autoscaling.enabled': 'true' }, true],
    [
      'replicas by load in S3',
      { 'api.autoscaling.enabled': 'true', 'blobs.kind': 's3', 'blobs.s3.bucket': 'b', 'blobs.s3.existingSecret': 's3' },
      false,
    ],
    ['one replica', {}, false],
  ])('the notes warn if several api replicas cannot share files: %s', (_what, values, isWarned) => {
    expect(renderChartNotes(values).includes('WARNING: several api replicas')).toBe(isWarned)
  })

  test('a disruption budget protects several replicas', () => {
    expect(
      findManifest(renderChart({ 'gateway.replicas': '2' }), 'PodDisruptionBudget', 'cap-gateway')?.spec.maxUnavailable,
    ).toBe(1)
  })

  test('external PostgreSQL and Redis are configured by Secrets and replace the bundled servers', () => {
    const manifests = renderChart({
      'postgresql.enabled': 'false',
      'externalDatabase.existingSecret': 'db',
      'redis.enabled': 'false',
      'externalRedis.existingSecret': 'cache',
    })
    expect(findManifest(manifests, 'StatefulSet', 'cap-postgresql')).toBeUndefined()
    expect(environmentOfDeployment(findManifest(manifests, 'Deployment', 'cap-api'))).toMatchObject({
      DATABASE_URL: { secretKeyRef: { name: 'db', key: 'url' } },
      REDIS_URL: { secretKeyRef: { name: 'cache', key: 'url' } },
    })
  })

  test('S3 replaces the volume for files', () => {
    const manifests = renderChart({ 'blobs.kind': 's3', 'blobs.s3.bucket': 'b', 'blobs.s3.existingSecret': 's3' })
    expect(findManifest(manifests, 'PersistentVolumeClaim', 'cap-blobs')).toBeUndefined()
    expect(environmentOfDeployment(findManifest(manifests, 'Deployment', 'cap-api'))).toMatchObject({
      CAPSTAN_BLOBS: 's3',
      CAPSTAN_S3_BUCKET: 'b',
    })
  })

  describe('traffic captures', () => {
    const expressions = (manifests: Manifest[]): string[] =>
      findManifest(manifests, 'ValidatingAdmissionPolicy', 'ctf-cap-instances')?.spec.validations.map(
        ({ expression }: { expression: string }) => expression,
      )

    test('captures are disabled by default: the operator has no recorder image, and no pod may add a capability', () => {
      const manifests = renderChart()
      expect(environmentOfDeployment(findManifest(manifests, 'Deployment', 'cap-api')).CAPSTAN_CAPTURE).toBe('off')
      expect(environmentOfDeployment(findManifest(manifests, 'Deployment', 'cap-operator'))).not.toHaveProperty(
        'CAPSTAN_CAPTURE_IMAGE',
      )
      expect(expressions(manifests)).toContain(
        '!variables.isNew || (variables.recorders.size() == 0 && variables.all.all(c, !has(c.securityContext.capabilities.add)))',
      )
      expect(expressions(manifests).join()).not.toContain('NET_RAW')
    })

    test('enabled captures are configured in api and operator, and only the api of this release may fetch recordings', () => {
      const manifests = renderChart({
        'capture.enabled': 'true',
        'capture.limits.segmentMb': '2',
        'capture.limits.instanceMb': '300',
        'capture.resources.memoryMb': '48',
        'image.tag': 't',
      })
      expect(environmentOfDeployment(findManifest(manifests, 'Deployment', 'cap-api'))).toMatchObject({
        CAPSTAN_CAPTURE: 'on',
        CAPSTAN_CAPTURE_SEGMENT_MB: '2',
        CAPSTAN_CAPTURE_SEGMENT_SECONDS: '30',
        CAPSTAN_CAPTURE_STORED_MB: '128',
        CAPSTAN_CAPTURE_INSTANCE_MB: '300',
      })
      expect(environmentOfDeployment(findManifest(manifests, 'Deployment', 'cap-operator'))).toMatchObject({
        CAPSTAN_CAPTURE_IMAGE: 'registry.example/ctf/capture:t',
        CAPSTAN_CAPTURE_MEMORY_MB: '48',
        CAPSTAN_CAPTURE_CPU_MILLIS: '500',
        CAPSTAN_CAPTURE_DRAIN_SECONDS: '60',
        CAPSTAN_COLLECTOR_LABELS: 'app.kubernetes.io/component=api,app.kubernetes.io/instance=cap',
      })
    })

    test('allow NET_RAW only for pods with the configured recorder image', () => {
      const manifests = renderChart({ 'capture.enabled': 'true', 'capture.image': 'registry.example/rec:1' })
      expect(findManifest(manifests, 'Namespace', 'cap-instances')?.metadata.labels).toMatchObject({
        'pod-security.kubernetes.io/enforce': 'privileged',
      })
      const [allowed, ...others] = expressions(manifests).filter((expression) => expression.includes('NET_RAW'))
      expect(others).toEqual([])
      expect(allowed).toContain("variables.recorders.all(c, c.image == 'registry.example/rec:1')")
      expect(allowed).toContain(
        "variables.all.all(c, !has(c.securityContext.capabilities.add) || (c.name == 'capture' && c.securityContext.capabilities.add == ['NET_RAW']))",
      )
    })

    test('the uninstall job ends every recorded instance before helm deletes the operator', () => {
      expect(renderChart().some(({ kind }) => kind === 'Job')).toBe(false)
      const hook = findManifest(renderChart({ 'capture.enabled': 'true', 'capture.drainSeconds': '90' }), 'Job', 'cap-uninstall')
      expect(hook?.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-delete' })
      expect(hook?.spec.activeDeadlineSeconds).toBe(150)
      expect(hook?.spec.template.spec).toMatchObject({ serviceAccountName: 'cap-operator' })
      expect(environmentOfDeployment(hook)).toMatchObject({
        CAPSTAN_INSTANCE_NAMESPACE: 'cap-instances',
        CAPSTAN_CAPTURE_DRAIN_SECONDS: '90',
      })
    })

    test('the uninstall job ends every instance, even without recording, if the namespace does not belong to the release', () => {
      const commandOf = (values: Record<string, string>) =>
        findManifest(renderChart(values), 'Job', 'cap-uninstall')?.spec.template.spec.containers[0].command
      const command = ['node', 'operator/src/uninstall/main.ts']
      expect(commandOf({ 'capture.enabled': 'true' })).toEqual(command)
      expect(commandOf({ 'instances.createNamespace': 'false' })).toEqual([...command, '--all'])
    })

    test('the admission policy denies root to challenges with the profile Restricted, although Pod Security must permit root for recorders', () => {
      const values = { 'capture.enabled': 'true', 'instances.security': 'Restricted' }
      expect(expressions(renderChart(values)).some((expression) => expression.includes('runAsNonRoot'))).toBe(true)
    })
  })

  test.each<[Values, RegExp]>([
    [
      { 'api.autoscaling.enabled': 'true', 'api.autoscaling.minReplicas': '7' },
      /api.autoscaling.minReplicas 7 is more than maxReplicas 6/,
    ],
    [{ 'externalDatabase.existingSecret': 'my-db' }, /externalDatabase.existingSecret and postgresql.enabled=true contradict/],
    [
      { 'operator.terminals.enabled': 'true', 'operator.logs.enabled': 'false' },
      /operator.terminals.enabled=true and operator.logs.enabled=false contradict/,
    ],
    [{ 'externalRedis.existingSecret': 'my-redis' }, /externalRedis.existingSecret and redis.enabled=true contradict/],
    [{ 'blobs.s3.bucket': 'files', 'blobs.s3.existingSecret': 'my-s3' }, /blobs.s3.bucket and blobs.kind=folder contradict/],
    [{ 'instances.namespace': 'ctf', 'instances.createNamespace': 'false' }, /instances.namespace ctf is the namespace of the/],
    [{ 'instances.nodePortRange': '30099-30000' }, /instances.nodePortRange 30099-30000 must be two ports/],
  ])('values that contradict each other are refused with a message: %o', (values, sentence) => {
    expect(() => renderChart(values)).toThrow(sentence)
  })

  test.each([
    ['a missing external database', { 'postgresql.enabled': 'false' }],
    ['an Ingress without a host', { 'ingress.enabled': 'true' }],
    ['captures without the admission policy', { 'capture.enabled': 'true', 'instances.admissionPolicy': 'false' }],
    ['a limit of captures that does not exist', { 'capture.limits.segmentKb': '1' }],
    ['more than all traces', { 'tracing.endpoint': 'http://collector:4318', 'tracing.samplePercent': '101' }],
    ['a range of node ports without an end', { 'instances.nodePortRange': '30000' }],
    ['a toleration that does not exist', { 'instances.tolerations[0].taint': 'arena' }],
    ['an unknown exposure', { 'instances.exposure': 'Everywhere' }],
    ['a value that does not exist', { 'api.replica': '2' }],
  ])('%s is refused', (_what, values) => {
    expect(() => renderChart(values as unknown as Record<string, string>)).toThrow()
  })
})
