import { SettingsError } from '@capstan/settings/read'
import { describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'

describe('the configuration', () => {
  it('needs only the platform’s namespace', () => {
    expect(readConfig({ CAPSTAN_PLATFORM_NAMESPACE: 'capstan', POD_NAME: 'operator-0' })).toEqual({
      instanceNamespace: 'capstan-instances',
      platformNamespace: 'capstan',
      identity: 'operator-0',
      healthPort: 8081,
      logs: { port: 8082, token: undefined, terminals: false },
      logLevel: 'info',
      workers: 8,
      names: { closed: undefined, forwarding: undefined },
      guards: { networkPolicy: undefined, quota: undefined, admissionPolicy: undefined, podSecurity: undefined },
      instances: {
        publicHost: undefined,
        proxySource: {
          namespace: 'capstan',
          labels: { 'app.kubernetes.io/name': 'capstan', 'app.kubernetes.io/component': 'gateway' },
        },
        dns: { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' }, cidrs: [] },
        names: 'off',
        egressDeniedCidrs: [],
        clusterCidrs: undefined,
        imagePullPolicy: 'IfNotPresent',
        requestPercent: { cpu: 10, memory: 50, storage: 10 },
        terminationGraceSeconds: 2,
        schedulingGraceSeconds: 10,
        nodeSelector: {},
        tolerations: [],
        capture: undefined,
      },
    })
  })

  it('reads lists of labels and networks', () => {
    const { instances } = readConfig({
      CAPSTAN_PLATFORM_NAMESPACE: 'capstan',
      CAPSTAN_NODE_SELECTOR: 'pool=arena, zone=a',
      CAPSTAN_EGRESS_DENIED_CIDRS: '203.0.113.0/24,2001:db8::/32',
    })
    expect(instances.nodeSelector).toEqual({ pool: 'arena', zone: 'a' })
    expect(instances.egressDeniedCidrs).toEqual(['203.0.113.0/24', '2001:db8::/32'])
  })

  it('reads the names of the objects that protect challenges', () => {
    const read = (podSecurity: string) =>
      readConfig({
        CAPSTAN_PLATFORM_NAMESPACE: 'capstan',
        CAPSTAN_GUARD_NETWORK_POLICY: 'default-deny',
        CAPSTAN_GUARD_QUOTA: 'instances',
        CAPSTAN_GUARD_ADMISSION_POLICY: 'ctf-cap-instances',
        CAPSTAN_GUARD_POD_SECURITY: podSecurity,
      }).guards
    expect(read('baseline')).toEqual({
      networkPolicy: 'default-deny',
      quota: 'instances',
      admissionPolicy: 'ctf-cap-instances',
      podSecurity: 'baseline',
    })
    expect(() => read('privileged')).toThrow('CAPSTAN_GUARD_POD_SECURITY must be one of baseline, restricted')
  })

  it('reads tolerations, and rejects a toleration that the API server would refuse', () => {
    const read = (tolerations: unknown) =>
      readConfig({
        CAPSTAN_PLATFORM_NAMESPACE: 'capstan',
        CAPSTAN_INSTANCE_TOLERATIONS: typeof tolerations === 'string' ? tolerations : JSON.stringify(tolerations),
      }).instances.tolerations
    const dedicated = { key: 'pool', operator: 'Equal', value: 'arena', effect: 'NoSchedule' }
    const brief = { key: 'spot', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }
    expect(read([dedicated, brief, { operator: 'Exists' }])).toEqual([dedicated, brief, { operator: 'Exists' }])
    expect(read('')).toEqual([])
    for (const wrong of [
      ...['pool=arena', dedicated, ['pool'], [{ ...dedicated, value: 1 }], [{ ...dedicated, efect: 'NoSchedule' }]],
      ...[[{ value: 'arena' }], [{ ...dedicated, operator: 'Exists' }], [{ ...dedicated, effect: 'Never' }]],
      [{ ...brief, effect: 'NoSchedule' }],
    ])
      expect(() => read(wrong)).toThrow('CAPSTAN_INSTANCE_TOLERATIONS must be a JSON array of Kubernetes tolerations')
  })

  it('reads a range of node ports', () => {
    const read = (range: string) =>
      readConfig({ CAPSTAN_PLATFORM_NAMESPACE: 'capstan', CAPSTAN_NODE_PORT_RANGE: range }).nodePortRange
    expect(read('30000-30000')).toEqual({ first: 30_000, last: 30_000 })
    for (const wrong of ['30000', '0-30000', '30000-70000', 'a-b']) expect(() => read(wrong)).toThrow('CAPSTAN_NODE_PORT_RANGE')
  })

  it('reports all invalid settings at once', () => {
    const read = () =>
      readConfig({
        CAPSTAN_HEALTH_PORT: '70000',
        CAPSTAN_IMAGE_PULL_POLICY: 'Sometimes',
        CAPSTAN_MEMORY_REQUEST_PERCENT: 'half',
        CAPSTAN_GATEWAY_LABELS: 'gateway',
        CAPSTAN_DNS_CIDRS: '10.0.0.1',
        CAPSTAN_NODE_PORT_RANGE: '30099-30000',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'collector',
        CAPSTAN_EGRESS_DENIED_CIDRS: '0.0.0.0/0',
      })
    expect(read).toThrow(SettingsError)
    for (const fault of [
      'CAPSTAN_PLATFORM_NAMESPACE is missing: it must be the name of a namespace, for example capstan',
      'CAPSTAN_HEALTH_PORT must be a whole number from 0 to 65535, for example 8082',
      'CAPSTAN_IMAGE_PULL_POLICY must be one of Always, IfNotPresent, Never, for example Always',
      'CAPSTAN_MEMORY_REQUEST_PERCENT must be a whole number of percent from 1 to 100, for example 75',
      'CAPSTAN_GATEWAY_LABELS must be labels name=value, separated by commas, for example app.kubernetes.io/component=gateway,',
      'CAPSTAN_NODE_PORT_RANGE must be two ports, the smaller one first, for example 30000-30099',
      'OTEL_EXPORTER_OTLP_ENDPOINT must be an address that begins with http:// or https://, for example http://collector:4318',
      'CAPSTAN_DNS_CIDRS must be networks like 192.0.2.0/24, separated by commas, for example 169.254.20.10/32',
      'CAPSTAN_EGRESS_DENIED_CIDRS must be networks like 192.0.2.0/24, separated by commas, for example 203.0.113.0/24,2001:db8::/32',
    ]) {
      expect(read).toThrow(fault)
    }
  })
})
