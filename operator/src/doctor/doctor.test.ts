import { describe, expect, it } from 'vitest'
import { type Attempt, Blocked, type Finding, runProbeAttempt, Skipped } from '../../isolation-probe/attempts.ts'
import { listAddressesNearHosts } from '../../isolation-probe/names.ts'
import { listGuards } from '../guards/guards.ts'
import { checkGuards } from './check-guards.ts'
import { readDoctorConfig } from './config.ts'
import { formatDoctorReport, isEveryAttemptBlockedOrSkipped } from './table.ts'
import {
  checkAllNodesReportedAddresses,
  listCidrsToDeny,
  listLateralTargets,
  listNodeAddresses,
  listProbeTargets,
  listServiceDnsNames,
  type PlatformPod,
} from './targets.ts'

const metadata = { name: 'cap-api', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-05-01T12:00:00Z' }
function finding(outcome: Finding['outcome'], title = 'leave'): Finding {
  return {
    title,
    control: 'capabilities',
    outcome,
    detail: 'seen',
  }
}

const results: [string, Attempt['run'], Finding['outcome']][] = [
  ['a successful attempt means escaped', async () => 'got it', 'escaped'],
  ['a blocking system error means blocked', () => Promise.reject(Object.assign(new Error('no'), { code: 'EPERM' })), 'blocked'],
  ['the error Blocked means blocked', () => Promise.reject(new Blocked('no answer')), 'blocked'],
  ['the error Skipped means skipped', () => Promise.reject(new Skipped('allowed')), 'skipped'],
  ['any other error means broken', () => Promise.reject(new TypeError('x is not a function')), 'broken'],
]

it.each(results)('the outcome of an attempt: %s', async (_name, run, outcome) => {
  const attempt: Attempt = { title: 'leave', control: 'capabilities', run }
  expect((await runProbeAttempt(attempt)).outcome).toBe(outcome)
})

describe('the report of the program `doctor`', () => {
  it('lists successful attempts last and counts all outcomes', () => {
    const table = formatDoctorReport([finding('escaped', 'mount'), finding('blocked'), finding('skipped')]).split('\n')
    expect(table).toEqual([
      'result   attempt  what protects  seen',
      'skipped  leave    capabilities   seen',
      'blocked  leave    capabilities   seen',
      'ESCAPED  mount    capabilities   seen',
      '3 attempts: 1 blocked, 1 allowed or absent here, 1 escaped',
    ])
  })

  it.each([
    ['all blocked', [finding('blocked'), finding('skipped')], true],
    ['an escape', [finding('blocked'), finding('escaped')], false],
    ['an attempt that could not be made', [finding('blocked'), finding('broken')], false],
    ['no attempt', [], false],
  ])('counts as healthy after %s: %s', (_name, findings, healthy) => {
    expect(isEveryAttemptBlockedOrSkipped(findings)).toBe(healthy)
  })
})

it('the targets of the probe cover services, node ports, pods, API server, nodes and metadata addresses of clouds', () => {
  const pod: PlatformPod = {
    metadata,
    spec: { containers: [{ ports: [{ containerPort: 8080 }] }] },
    status: { podIP: '10.1.1.2', hostIP: '192.0.2.1' },
  }
  const targets = listProbeTargets({
    services: [
      { metadata, spec: { clusterIP: '10.2.0.7', ports: [{ port: 80, nodePort: 30_080 }] } },
      { metadata, spec: { clusterIP: 'None', ports: [{ port: 5432 }] } },
    ],
    pods: [pod],
    endpointSlices: [{ metadata, endpoints: [{ addresses: ['192.0.2.9'] }], ports: [{ port: 6443 }] }],
    apiServer: { host: '10.2.0.1', port: 443 },
  })
  expect(targets.map(({ host, port }) => `${host}:${port}`)).toEqual([
    ...['10.2.0.7:80', '192.0.2.1:30080', '10.1.1.2:8080', '10.2.0.1:443', '192.0.2.9:6443'],
    ...['192.0.2.1:10250', '192.0.2.1:10255', '192.0.2.1:10256', '192.0.2.1:2379', '192.0.2.1:22', '192.0.2.1:6443'],
    ...['169.254.169.254:80', 'fd00:ec2::254:80', '168.63.129.16:80', '168.63.129.16:32526'],
  ])
  expect(listNodeAddresses([pod, pod])).toEqual(['192.0.2.1'])
})

it('the targets of instances with several containers include everything except the DNS port of their name server', () => {
  const services = ['names', 'names-forward', 'api'].map((component) => ({
    metadata: { ...metadata, name: `cap-${component}`, labels: { 'app.kubernetes.io/component': component } },
    spec: { clusterIP: '10.2.0.7', ports: [{ port: 53 }, { port: 8081 }] },
  }))
  const targets = listProbeTargets({ services, pods: [], endpointSlices: [], apiServer: { host: '10.2.0.1', port: 443 } })
  const omitted = (egress: 'None' | 'Dns' | 'Internet') => {
    const tried = listLateralTargets(targets, egress)
    return targets.filter((target) => !tried.includes(target)).map(({ what, port }) => `${what}:${port}`)
  }
  expect(omitted('None')).toEqual(['service cap-names:53'])
  expect(omitted('Dns')).toEqual(['service cap-names-forward:53'])
  expect(omitted('Internet')).toEqual(['service cap-names-forward:53'])
  expect(listServiceDnsNames(services.slice(2), 'ctf')).toEqual([
    'kubernetes.default.svc.cluster.local',
    'kube-dns.kube-system.svc.cluster.local',
    'cap-api.ctf.svc.cluster.local',
  ])
})

describe('addresses of nodes that Kubernetes does not list', () => {
  const first = { name: 'report', ready: false, restartCount: 0 }
  const reporter = (name: string, message?: string): PlatformPod => ({
    metadata: { ...metadata, name, labels: { 'app.kubernetes.io/component': 'node-addresses' } },
    status: {
      hostIP: '192.0.2.1',
      initContainerStatuses: [message === undefined ? first : { ...first, state: { terminated: { exitCode: 0, message } } }],
    },
  })
  const slices = [{ metadata, endpoints: [{ addresses: ['192.0.2.1'] }], ports: [{ port: 16_443 }] }]
  const pods = [reporter('one', 'begin\n203.0.113.9\nend\n'), reporter('two', 'begin\n192.0.2.1\n2001:db8::9\nend\n')]
  const targets = listProbeTargets({ services: [], pods, endpointSlices: slices, apiServer: { host: '10.2.0.1', port: 443 } })

  it('the probe tests all usual node ports at addresses that Kubernetes does not list', () => {
    const tried = targets.filter(({ host }) => host === '203.0.113.9' || host === '2001:db8::9')
    expect([...new Set(tried.map(({ port }) => port))]).toEqual([10_250, 10_255, 10_256, 2379, 22, 6443, 16_443])
    expect(tried).toHaveLength(14)
  })

  it('if a challenge can reach an unlisted address, the report lists the address as a network to deny', () => {
    const reached = targets.filter(({ host, port }) => host.includes('9') && port === 16_443)
    const findings = reached.map(({ what }) => finding('escaped', `reach ${what}`))
    expect(listCidrsToDeny(findings, targets)).toEqual(expect.arrayContaining(['2001:db8::9/128', '203.0.113.9/32']))
    expect(listCidrsToDeny([finding('blocked', `reach ${reached[0]?.what}`)], targets)).toEqual([])
  })

  it.each<[string, PlatformPod[], string[]]>([
    ['every node has reported', pods, ['blocked']],
    ['a node has not reported', [...pods, reporter('three')], ['broken']],
    ['a report lacks its end', [...pods, reporter('three', 'begin\n203.0.113.10\n')], ['broken']],
    ['a report lacks its beginning', [...pods, reporter('three', '3.0.113.10\nend\n')], ['broken']],
    ['no pod reports', [], ['skipped']],
  ])('lead to this finding with egress Internet, and to none with another egress: %s', (_name, given, outcomes) => {
    expect(checkAllNodesReportedAddresses(given, 'Internet').map(({ outcome }) => outcome)).toEqual(outcomes)
    expect(checkAllNodesReportedAddresses(given, 'Dns')).toEqual([])
  })
})

it('an instance of the isolation probe has the settings of a challenge instance', () => {
  const config = readDoctorConfig({
    CAPSTAN_DOCTOR_IMAGE: 'capstan/isolation-probe-root:1',
    CAPSTAN_RELEASE: 'cap',
    CAPSTAN_PLATFORM_NAMESPACE: 'ctf',
    CAPSTAN_INSTANCE_NAMESPACE: 'arena',
    CAPSTAN_INSTANCE_EGRESS: 'Dns',
    CAPSTAN_INSTANCE_SECURITY: 'Baseline',
    CAPSTAN_INSTANCE_RUNTIME_CLASS: 'gvisor',
    CAPSTAN_IMAGE_PULL_SECRETS: 'one,two',
    KUBERNETES_SERVICE_HOST: '10.2.0.1',
  })
  expect(config.instanceSpec).toEqual({
    image: 'capstan/isolation-probe-root:1',
    egress: 'Dns',
    security: { profile: 'Baseline', runtimeClassName: 'gvisor' },
    capture: { enabled: false },
    imagePullSecrets: ['one', 'two'],
  })
  expect(() => readDoctorConfig({})).toThrow('CAPSTAN_INSTANCE_NAMESPACE is missing')
})

it('the isolation probe tries every address of at most twelve networks, each address once', () => {
  const around = listAddressesNearHosts(['10.244.0.7', '10.244.0.9', '10.96.0.1', 'fd00::1', 'node-1.example.org'])
  expect(around).toHaveLength(512)
  expect(around).toEqual(expect.arrayContaining(['10.244.0.0', '10.244.0.255', '10.96.0.10']))
  expect(listAddressesNearHosts(Array.from({ length: 50 }, (_, index) => `10.0.${index}.1`))).toHaveLength(12 * 256)
})

describe('the guards of challenges', () => {
  const guards = listGuards(
    { networkPolicy: 'default-deny', quota: 'instances', admissionPolicy: undefined, podSecurity: undefined },
    'arena',
  )
  const policy = { metadata, spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] } }

  it('guards are checked, and the doctor fails if a guard is missing or cannot be read', async () => {
    const findings = await checkGuards(guards, async ({ kind }) => {
      if (kind === 'NetworkPolicy') return undefined
      throw new Error('resourcequotas is forbidden')
    })
    expect(findings).toEqual([
      {
        title: 'run without the NetworkPolicy default-deny',
        control: 'network policy',
        outcome: 'escaped',
        detail: 'it does not exist',
      },
      {
        title: 'run without the ResourceQuota instances',
        control: 'quota',
        outcome: 'broken',
        detail: 'resourcequotas is forbidden',
      },
    ])
    expect(isEveryAttemptBlockedOrSkipped(findings)).toBe(false)
  })

  it('a finding has the outcome `blocked` if the object that protects challenges exists', async () => {
    const quota = { metadata, spec: { hard: { pods: '5' } } }
    const findings = await checkGuards(guards, async ({ kind }) => (kind === 'NetworkPolicy' ? policy : quota))
    expect(findings.map(({ outcome, detail }) => [outcome, detail])).toEqual([
      ['blocked', 'in place'],
      ['blocked', 'in place'],
    ])
    expect(isEveryAttemptBlockedOrSkipped(findings)).toBe(true)
  })
})
