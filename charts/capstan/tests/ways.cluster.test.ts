import { describe, expect, test } from 'vitest'
import { environmentOfDeployment, findManifest, renderChart, renderChartNotes, type Values } from './render.ts'

const domain = { 'instances.domain': 'play.example.net' }
const tls = { 'instances.certificateSecret': 'play-tls', 'instances.tlsPort': '443' }
const ports = { 'instances.ports': '31000-31002' }
const byGateway = { ...domain, ...tls, 'instances.web.by': 'Gateway' }

/** Returns the settings of a process that describe how clients connect to instances. */
function settingsOf(values: Values, name: 'api' | 'gateway') {
  return Object.fromEntries(
    Object.entries(environmentOfDeployment(findManifest(renderChart(values), 'Deployment', `cap-${name}`)))
      .filter(([variable]) => variable.startsWith('CAPSTAN_INSTANCES_'))
      .map(([variable, value]) => [variable.replace('CAPSTAN_INSTANCES_', ''), value]),
  )
}

/** Returns the ports of the gateway that the chart's network policy opens to all clients. */
function openPorts(values: Values) {
  return findManifest(renderChart(values), 'NetworkPolicy', 'cap-gateway')
    ?.spec.ingress.filter(({ from }: { from: { ipBlock?: { cidr: string } }[] }) =>
      from.some(({ ipBlock }) => ipBlock?.cidr === '0.0.0.0/0'),
    )
    .flatMap((rule: { ports: object[] }) => rule.ports)
}

describe('the default values', () => {
  const manifests = renderChart()

  test('players reach instances only by WebSocket', () => {
    expect([settingsOf({}, 'api'), settingsOf({}, 'gateway')]).toEqual([{}, {}])
    expect(findManifest(manifests, 'Service', 'cap-instances')).toBeUndefined()
    expect(openPorts({})).toEqual([])
    expect(findManifest(manifests, 'Deployment', 'cap-gateway')?.spec.template.spec.volumes).toEqual([
      { name: 'tmp', emptyDir: {} },
    ])
  })
})

describe('a gateway that ends TLS itself', () => {
  test('listens on an unprivileged port, to which the Service maps the public port', () => {
    expect(settingsOf(byGateway, 'gateway')).toEqual({
      DOMAIN: 'play.example.net',
      TLS_PORT: '8443',
      CERTIFICATE_FILE: '/etc/capstan/instances/tls.crt',
      KEY_FILE: '/etc/capstan/instances/tls.key',
    })
    expect(settingsOf({ ...byGateway, 'instances.tlsPort': '1337' }, 'api')).toEqual({
      DOMAIN: 'play.example.net',
      WEB: 'https',
      WEB_PORT: '1337',
      TLS_PORT: '1337',
    })
    expect(findManifest(renderChart(byGateway), 'Service', 'cap-instances')?.spec).toMatchObject({
      type: 'LoadBalancer',
      ports: [{ name: 'tls', port: 443, targetPort: 'tls' }],
    })
    expect(openPorts(byGateway)).toEqual([{ port: 8443 }])
  })

  test('the gateway mounts the Secret of its certificate as a folder, so that it can read renewed certificates', () => {
    const pod = findManifest(renderChart(byGateway), 'Deployment', 'cap-gateway')?.spec.template.spec
    expect(pod.volumes).toContainEqual({ name: 'certificate', secret: { secretName: 'play-tls', defaultMode: 0o440 } })
    expect(pod.containers[0].volumeMounts).toContainEqual({
      name: 'certificate',
      mountPath: '/etc/capstan/instances',
      readOnly: true,
    })
    expect(pod.securityContext.fsGroup).toBe(10_001)
  })
})

describe('raw ports of instances', () => {
  test('raw ports have the same numbers for players, the Service and the gateway', () => {
    const values = { ...domain, ...ports, 'instances.service.annotations.edge': 'outer' }
    expect([settingsOf(values, 'api'), settingsOf(values, 'gateway')]).toEqual([
      { DOMAIN: 'play.example.net', WEB: 'off', PORTS: '31000-31002' },
      { DOMAIN: 'play.example.net', PORTS: '31000-31002' },
    ])
    const service = findManifest(renderChart(values), 'Service', 'cap-instances')
    expect(service?.metadata.annotations).toEqual({ edge: 'outer' })
    expect(service?.spec.ports).toEqual([31_000, 31_001, 31_002].map((port) => ({ name: `tcp-${port}`, port, targetPort: port })))
    expect(openPorts(values)).toEqual([{ port: 31_000, endPort: 31_002 }])
  })

  test('the range of raw ports can have only one port', () => {
    const one = findManifest(renderChart({ ...domain, 'instances.ports': '31000-31000' }), 'Service', 'cap-instances')
    expect(one?.spec.ports).toHaveLength(1)
  })
})

describe('host names of instances', () => {
  const ingress = { ...domain, 'instances.web.by': 'Ingress' }

  test('host names are routed by an Ingress to the gateways, with the certificate of the Secret', () => {
    const values = {
      ...ingress,
      'instances.certificateSecret': 'play-tls',
      'instances.web.className': 'nginx',
      'instances.web.annotations.cert-manager\\.io/cluster-issuer': 'dns',
    }
    const object = findManifest(renderChart(values), 'Ingress', 'cap-instances')
    expect(object?.metadata.annotations).toEqual({ 'cert-manager.io/cluster-issuer': 'dns' })
    expect(object?.spec).toMatchObject({
      ingressClassName: 'nginx',
      tls: [{ secretName: 'play-tls', hosts: ['*.play.example.net'] }],
      rules: [
        {
          host: '*.play.example.net',
          http: { paths: [{ path: '/', backend: { service: { name: 'cap-gateway', port: { name: 'http' } } } }] },
        },
      ],
    })
    expect(settingsOf(values, 'api')).toEqual({ DOMAIN: 'play.example.net', WEB: 'https' })
    expect(settingsOf(values, 'gateway')).toEqual({ DOMAIN: 'play.example.net' })
    expect(openPorts(values)).toEqual([{ port: 8080 }])
  })

  test('host names are routed by an HTTPRoute to the gateways', () => {
    const values = {
      ...domain,
      'instances.web.by': 'HTTPRoute',
      'instances.web.parentRefs[0].name': 'edge',
      'instances.web.scheme': 'http',
      'instances.web.port': '8088',
    }
    expect(findManifest(renderChart(values), 'HTTPRoute', 'cap-instances')?.spec).toEqual({
      parentRefs: [{ name: 'edge' }],
      hostnames: ['*.play.example.net'],
      rules: [{ backendRefs: [{ name: 'cap-gateway', port: 80 }], timeouts: { request: '0s' } }],
    })
    expect(settingsOf(values, 'api')).toEqual({ DOMAIN: 'play.example.net', WEB: 'http', WEB_PORT: '8088' })
  })

  test('host names can be routed by another proxy, which may connect to the gateways', () => {
    const values = { ...domain, 'instances.web.by': 'Other' }
    expect(renderChart(values).some(({ kind }) => kind === 'Ingress' || kind === 'HTTPRoute')).toBe(false)
    expect(settingsOf(values, 'api')).toEqual({ DOMAIN: 'play.example.net', WEB: 'https' })
    expect(openPorts(values)).toEqual([{ port: 8080 }])
  })
})

describe('invalid values', () => {
  const site = { publicOrigin: 'https://ctf.example.net' }
  const route = { 'httpRoute.enabled': 'true', 'httpRoute.parentRefs[0].name': 'edge' }

  test.each<[Values, RegExp]>([
    [ports, /instances.domain is needed with instances.ports/],
    [tls, /instances.domain is needed with instances.certificateSecret/],
    [{ 'instances.tlsPort': '443' }, /instances.domain is needed with instances.tlsPort/],
    [{ 'instances.web.by': 'Ingress' }, /instances.domain is needed with instances.web.by/],
    [domain, /instances.domain has no effect/],
    [{ ...byGateway, 'instances.domain': '203.0.113.7' }, /instances.domain 203.0.113.7 is an address/],
    [{ ...byGateway, 'instances.exposure': 'NodePort', ...site }, /instances.exposure=NodePort contradict each other/],
    [{ ...domain, 'instances.tlsPort': '443' }, /instances.certificateSecret is needed with instances.tlsPort/],
    [{ ...domain, ...ports, 'instances.certificateSecret': 'play-tls' }, /without either the certificate is unused/],
    [{ ...domain, ...ports, 'instances.web.by': 'Gateway' }, /instances.tlsPort is needed with instances.web.by=Gateway/],
    [{ ...byGateway, 'instances.web.scheme': 'http' }, /that port speaks TLS/],
    [{ ...byGateway, 'instances.web.port': '8443' }, /browsers connect to instances.tlsPort/],
    [
      { ...domain, 'instances.web.by': 'Ingress', 'instances.web.scheme': 'http', 'instances.certificateSecret': 'play-tls' },
      /with a certificate browsers use https/,
    ],
    [{ ...domain, 'instances.web.by': 'HTTPRoute' }, /instances.web.parentRefs is needed/],
    [{ ...byGateway, 'instances.web.parentRefs[0].name': 'edge' }, /instances.web.parentRefs is for/],
    [{ ...byGateway, 'instances.web.className': 'nginx' }, /instances.web.className is for/],
    [{ ...byGateway, 'instances.web.annotations.edge': 'outer' }, /instances.web.annotations are for/],
    [{ ...domain, ...ports, 'instances.web.port': '8443' }, /instances.web.port needs instances.web.by/],
    [{ ...domain, 'instances.ports': '31002-31000' }, /instances.ports 31002-31000 must be/],
    [{ ...domain, 'instances.ports': '30000-32048' }, /at most 2048/],
    [{ ...domain, 'instances.ports': '1000-1030' }, /from 1024 to 65535/],
    [{ ...domain, 'instances.ports': '65000-70000' }, /from 1024 to 65535/],
    [{ ...domain, 'instances.ports': '8000-8100' }, /must not contain 8080/],
    [{ ...byGateway, ...ports, 'instances.tlsPort': '31001' }, /instances.tlsPort 31001 must not be one of/],
    [
      {
        ...domain,
        ...ports,
        'instances.service.type': 'NodePort',
        'web.service.type': 'NodePort',
        'web.service.nodePort': '31000',
      },
      /web.service.nodePort 31000 must not be one of/,
    ],
    [
      {
        ...byGateway,
        'instances.tlsPort': '30000',
        'instances.service.type': 'NodePort',
        'web.service.type': 'NodePort',
        'web.service.nodePort': '30000',
      },
      /web.service.nodePort 30000 must not be instances.tlsPort/,
    ],
    [
      { ...byGateway, 'instances.service.type': 'NodePort', 'instances.service.loadBalancerClass': 'outer' },
      /instances.service.loadBalancerClass is for/,
    ],
    [
      { ...byGateway, 'instances.service.type': 'NodePort', 'instances.service.allocateNodePorts': 'false' },
      /type NodePort needs node ports/,
    ],
    [{ ...byGateway, publicOrigin: 'https://play.example.net' }, /could set cookies for the platform/],
    [{ ...byGateway, publicOrigin: 'https://example.net:8443' }, /could set cookies for the platform/],
    [{ ...byGateway, 'ingress.enabled': 'true', 'ingress.host': 'ctf.play.example.net' }, /could set cookies for the platform/],
    [{ ...byGateway, ...route, 'httpRoute.hostnames[0]': '*.example.net' }, /could set cookies for the platform/],
  ])('are refused with a message if they contradict each other: %o', (values, sentence) => {
    expect(() => renderChart(values)).toThrow(sentence)
  })

  test.each<[string, Values]>([
    ['a domain in capitals', { ...byGateway, 'instances.domain': 'Play.example.net' }],
    ['a domain with a star', { ...byGateway, 'instances.domain': '*.example.net' }],
    ['a domain that is a word', { ...byGateway, 'instances.domain': 'localhost' }],
    ['a Service of a type that players cannot reach', { ...byGateway, 'instances.service.type': 'ClusterIP' }],
    ['an unknown route for browsers', { ...byGateway, 'instances.web.by': 'Magic' }],
  ])('are refused: %s', (_what, values) => {
    expect(() => renderChart(values)).toThrow()
  })
})

describe('the notes', () => {
  const local = { 'instances.service.externalTrafficPolicy': 'Local' }

  test('list the required DNS records', () => {
    const notes = renderChartNotes({ ...byGateway, ...ports, ...local })
    expect(notes).toContain('*.play.example.net and play.example.net to the address that this command prints')
    expect(notes).toContain('get service cap-instances')
    const routed = renderChartNotes({
      ...domain,
      ...ports,
      ...local,
      'instances.web.by': 'Ingress',
      'instances.service.type': 'NodePort',
    })
    expect(routed).toContain('*.play.example.net to your Ingress controller')
    expect(routed).toContain(' play.example.net to the nodes')
    expect(routed).toContain('WARNING: no proxy is trusted')
  })

  test('warn if the domain is on the same site as the platform, or if gateways do not see client addresses', () => {
    const warnings = (values: Values) => {
      const notes = renderChartNotes(values)
      return [notes.includes('appear to belong to one site'), notes.includes('gateways see the address of a node')]
    }
    expect([
      warnings({}),
      warnings({ ...byGateway, publicOrigin: 'https://ctf.example.net' }),
      warnings({ ...byGateway, ...local, publicOrigin: 'https://ctf.example.org' }),
    ]).toEqual([
      [false, false],
      [true, true],
      [false, false],
    ])
  })
})
