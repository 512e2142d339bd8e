import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import { networkPolicies, pods, services } from '@capstan/kubernetes/built-in-kinds'
import { apiServerScope, endpointSlices } from '@capstan/kubernetes/cluster-addresses'
import type { KubeObject, Resource } from '@capstan/kubernetes/types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runLateralProbes } from '../../../operator/src/doctor/run-lateral-probes.ts'
import { formatDoctorReport } from '../../../operator/src/doctor/table.ts'
import {
  listLateralTargets,
  listNodeAddresses,
  listProbeTargets,
  listServiceDnsNames,
  platformPods,
} from '../../../operator/src/doctor/targets.ts'
import {
  createTestCluster,
  echoImage,
  probeImages,
  sendLineAndReadReply,
  type TestCluster,
  waitForValue,
} from '../../../operator/src/testing/cluster.ts'
import { renderChart } from './render.ts'

const run = promisify(execFile)

interface Deployment extends KubeObject {
  status?: { readyReplicas?: number; updatedReplicas?: number; replicas?: number; observedGeneration?: number }
}
const deployments: Resource<Deployment> = { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' }

let cluster: TestCluster
/** Namespace of the name servers. */
let platform: TestCluster

/** Waits until all replicas of a name server are ready and run with its latest specification. */
async function waitForServer(name: string): Promise<void> {
  await waitForValue(`${name} is ready`, async () => {
    const deployment = await platform.find(deployments, name)
    const { readyReplicas, updatedReplicas, replicas, observedGeneration } = deployment?.status ?? {}
    const isCurrent = observedGeneration === deployment?.metadata.generation
    return isCurrent && readyReplicas === 2 && updatedReplicas === 2 && replicas === 2 ? true : undefined
  })
}

beforeAll(async () => {
  cluster = await createTestCluster()
  platform = await createTestCluster()
  const { namespace } = platform
  const manifests = renderChart(
    {
      'instances.namespace': cluster.namespace,
      'instances.createNamespace': 'false',
      'instances.widestEgress': 'Dns',
      'image.repository': 'capstan',
      'image.tag': 'dev',
    },
    namespace,
  ).filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/component']?.startsWith('names'))
  const inNamespaces = manifests.map(({ metadata, ...manifest }) => ({ ...manifest, metadata: { namespace, ...metadata } }))
  const apply = run('kubectl', ['apply', '--filename', '-'])
  apply.child.stdin?.end(inNamespaces.map((manifest) => JSON.stringify(manifest)).join('\n---\n'))
  await apply
  await Promise.all(['cap-names', 'cap-names-forward'].map(waitForServer))
  await cluster.startOperator({
    environment: {
      CAPSTAN_PLATFORM_NAMESPACE: namespace,
      CAPSTAN_NAMES_SERVICE: 'cap-names',
      CAPSTAN_NAMES_FORWARD_SERVICE: 'cap-names-forward',
    },
  })
})
afterAll(async () => {
  await cluster?.close()
  await platform?.close()
})

type Further = NonNullable<ChallengeInstanceSpec['containers']>[number]
const echo = {
  image: echoImage,
  resources: { cpuTenths: 10, memoryMb: 128, storageMb: 64, pids: 64 },
  furtherPorts: [1337],
  profile: 'Restricted',
} as const

function further(name: string, changes: Partial<Further>): Further {
  return { ...echo, furtherPorts: [1337], egress: 'None', ...changes, name }
}

/** The page shares one network with the database and a second network with the bot. The bot has egress. */
const shop: Partial<ChallengeInstanceSpec> = {
  container: { name: 'page', networks: [{ name: 'front' }, { name: 'back' }] },
  containers: [
    further('db', { networks: [{ name: 'back', aliases: ['store'] }] }),
    further('bot', { networks: [{ name: 'front' }], egress: 'Dns' }),
  ],
}

/** Waits until an instance is ready. @returns the address of each container */
async function hostsOf(name: string): Promise<Record<string, string>> {
  const { status } = await cluster.waitForReason(name, 'Ready')
  return Object.fromEntries(status?.containers?.map((container) => [container.name, container.host ?? '']) ?? [])
}

function ask(host: string | undefined, line: string): Promise<string> {
  return sendLineAndReadReply(host ?? '', 1337, line)
}

const foreign = [
  'kubernetes.default.svc.cluster.local',
  'kube-dns.kube-system.svc.cluster.local',
  'cap-names',
  'example.org',
  'ci-names-db',
]

describe('the containers of an instance', () => {
  test('a container resolves the name of another container only if the containers share a network', async () => {
    await cluster.create(shop, { name: 'ci-names' })
    const { page, db, bot } = await hostsOf('ci-names')
    expect(await Promise.all(['db', 'store', 'bot'].map((name) => ask(page, `resolve ${name}`)))).toEqual([db, db, bot])
    expect(await ask(page, 'dial store 1337')).toBe('open')
    expect(await ask(db, 'resolve page')).toBe(page)
    expect(await ask(db, 'resolve bot')).toBe('none')
    expect(await Promise.all(foreign.map((name) => ask(page, `resolve ${name}`)))).toEqual(foreign.map(() => 'none'))
    expect(await ask(page, `reverse ${bot}`)).toBe('none')
  })

  test('a container with egress also resolves names of the cluster', async () => {
    const { page, bot } = await hostsOf('ci-names')
    expect(await ask(bot, 'resolve page')).toBe(page)
    expect(await ask(bot, 'resolve db')).toBe('none')
    expect(await ask(bot, 'resolve kubernetes.default.svc.cluster.local')).toMatch(/^[\d.]+$/)
  })

  test('resolve the new address of a replaced container', async () => {
    const { page, db } = await hostsOf('ci-names')
    await cluster.remove(pods, 'ci-names-db')
    await waitForValue('the page resolves the new address', async () => {
      const found = await ask(page, 'resolve db')
      return found !== db && /^[\d.]+$/.test(found) ? found : undefined
    })
  })

  test('can resolve names at any time while the name servers are replaced', async () => {
    const { page } = await hostsOf('ci-names')
    let isReplacing = true
    const outcomes: string[] = []
    const asking = (async () => {
      while (isReplacing) outcomes.push(await ask(page, 'dial db 1337'))
    })()
    try {
      await run('kubectl', ['rollout', 'restart', 'deployment/cap-names', '--namespace', platform.namespace])
      await waitForServer('cap-names')
      await waitForValue('the former servers have ended', async () => {
        const all = await platform.list(pods)
        const servers = all.filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === 'names')
        return servers.length === 2 ? true : undefined
      })
    } finally {
      isReplacing = false
      await asking
    }
    expect(outcomes.length).toBeGreaterThan(20)
    expect(outcomes.filter((outcome) => outcome !== 'open')).toEqual([])
  })
})

describe('the isolation probe in the containers of two challenges', () => {
  /** Runs the probe against the cluster and the name servers. */
  async function probe(egress: 'None' | 'Dns') {
    const { client, namespace } = cluster
    const addressOf = async (name: string, home: string) => (await client.get(services, home, name)).spec?.clusterIP ?? ''
    const [platformServices, platformPodList] = [await platform.list(services), await platform.list(platformPods)]
    const targets = listProbeTargets({
      services: platformServices,
      pods: platformPodList,
      endpointSlices: (await client.listPage(endpointSlices, apiServerScope, { limit: 10 })).items,
      apiServer: { host: await addressOf('kubernetes', 'default'), port: 443 },
    })
    return runLateralProbes({
      client,
      namespace,
      instanceSpec: {
        image: probeImages.user,
        egress,
        security: { profile: 'Restricted' },
        capture: { enabled: false },
      },
      inPod: false,
      plan: {
        egress,
        targets: listLateralTargets(targets, egress),
        nodeAddresses: listNodeAddresses(platformPodList),
        nameServer: { host: await addressOf('kube-dns', 'kube-system'), port: 53 },
        clusterNames: listServiceDnsNames(platformServices, platform.namespace),
      },
    })
  }

  test.concurrent.each(['None', 'Dns'] as const)('finds no escape from a container with egress %s', async (egress) => {
    const findings = await probe(egress)
    const table = formatDoctorReport(findings)
    console.log(table.split('\n').at(-1))
    expect(
      findings.filter(({ outcome }) => outcome === 'escaped' || outcome === 'broken'),
      table,
    ).toEqual([])
    expect(findings.filter(({ outcome }) => outcome === 'blocked').length).toBeGreaterThanOrEqual(200)
    // The probe also checks that permitted connections and names work. Without this check, blocked connections would prove nothing.
    expect(findings.filter(({ detail }) => detail.startsWith('they share a network'))).toHaveLength(2 * 2 * 8)
  })

  test('finds connections between challenges, networks and the cluster if a policy permits all connections', async () => {
    const { client, namespace } = cluster
    await client.create(networkPolicies, namespace, {
      apiVersion: networkPolicies.apiVersion,
      kind: networkPolicies.kind,
      metadata: { name: 'all', namespace },
      spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'], ingress: [{}], egress: [{}] },
    })
    try {
      const findings = await probe('None')
      const escapes = findings.filter(({ outcome }) => outcome === 'escaped').map(({ title }) => title)
      expect(escapes, formatDoctorReport(findings)).toEqual(
        expect.arrayContaining([
          'reach vault of challenge 1 from page of challenge 1',
          'reach db of challenge 2 by UDP from app of challenge 1',
          'reach page of challenge 1 from courier of challenge 2',
          'reach the API server from db of challenge 2',
          'query the name server by UDP from vault of challenge 1',
        ]),
      )
    } finally {
      await client.delete(networkPolicies, namespace, 'all')
    }
  })
})

test('an instance starts no pod while its name server is missing, and its status has the reason NamesMissing', async () => {
  const absent = await createTestCluster()
  try {
    await absent.startOperator({ environment: { CAPSTAN_NAMES_SERVICE: 'nothing' } })
    const { metadata } = await absent.create(shop)
    await absent.waitForReason(metadata.name, 'NamesMissing')
    expect(await absent.list(pods)).toEqual([])
  } finally {
    await absent.close()
  }
})
