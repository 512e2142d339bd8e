import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import { containersOf } from '@capstan/challenge-instance/containers'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import { containerLabel, instanceLabel, networkLabel } from '@capstan/challenge-instance/labels'
import type { Pod } from '@capstan/kubernetes/built-in-kinds'
import { findCondition } from '@capstan/kubernetes/conditions'
import { describe, expect, it, test } from 'vitest'
import { aMoment, aMomentPlusSeconds, anInstance, aPod, captureSettings, someSettings } from '../testing/builders.ts'
import { listUnmetDependencies } from './dependencies.ts'
import { desiredObjects } from './desired/index.ts'
import { desiredNetworks } from './desired/networks.ts'
import type { ContainerSpec } from './desired/pod.ts'
import { deriveStatus, isStatusOfNormalStart } from './observe.ts'
import type { View } from './view.ts'

type Further = NonNullable<ChallengeInstanceSpec['containers']>[number]

const resources = { cpuTenths: 5, memoryMb: 64, storageMb: 128, pids: 256 }

function further(name: string, changes: Partial<Further> = {}): Further {
  return { name, image: `registry.example/${name}:1`, resources, egress: 'None', profile: 'Restricted', ...changes }
}

/**
 * Returns an instance with a page, its database and a bot. The page shares one network with the database and another network with
 * the bot.
 */
function aShop(spec: Partial<ChallengeInstanceSpec> = {}, status?: ChallengeInstance['status']): ChallengeInstance {
  return anInstance(
    {
      container: { name: 'page', networks: [{ name: 'front' }, { name: 'back' }], dependsOn: [{ name: 'db', when: 'Ready' }] },
      flag: { secretName: 'ci-1', environmentNames: ['FLAG'] },
      containers: [
        further('db', {
          networks: [{ name: 'back', aliases: ['store'] }],
          secretEnvironment: ['PASSWORD'],
          readiness: { command: ['sh', '-c', 'echo $FLAG'] },
        }),
        further('bot', { networks: [{ name: 'front' }], dependsOn: [{ name: 'page', when: 'Started' }], furtherPorts: [9000] }),
      ],
      ...spec,
    },
    status === undefined ? {} : { status },
  )
}

const names = { closed: { address: '10.96.0.7', source: { namespace: 'platform', labels: {} }, port: 53 } }

function objectsOf(instance: ChallengeInstance, changes: Parameters<typeof someSettings>[0] = {}) {
  return containersOf(instance).map((container) => desiredObjects(container, someSettings(changes), 0))
}

function challengeOf(objects: ReturnType<typeof objectsOf>, index: number): ContainerSpec | undefined {
  const spec = objects[index]?.pod.spec as { containers: ContainerSpec[] } | undefined
  return spec?.containers.at(-1)
}

const capture = { enabled: true, maxSegmentMb: 8, maxSegmentSeconds: 30, maxStoredMb: 128 }
const recording = { capture: captureSettings }

/**
 * Returns the ports that each recorder records, by the name of its pod. The ports are undefined if the recorder records all
 * traffic.
 */
function recordedPortsOf(instance: ChallengeInstance): Record<string, string | undefined> {
  const pods = objectsOf(instance, recording).map(({ pod }) => pod)
  const recorders = pods.flatMap(({ metadata, spec }) =>
    (spec as { containers: ContainerSpec[] }).containers
      .filter(({ name }) => name === 'capture')
      .map(({ env }) => [metadata.name, env?.find(({ name }) => name === 'CAPTURE_PORTS')?.value] as const),
  )
  return Object.fromEntries(recorders)
}

describe('the recorders of an instance with three containers', () => {
  it('a recorder records only the listed ports of the listed containers', () => {
    const containers = [
      { name: 'page', ports: [1337, 8080] },
      { name: 'bot', ports: [9000] },
    ]
    expect(recordedPortsOf(aShop({ capture: { ...capture, containers } }))).toEqual({ 'ci-1': '1337,8080', 'ci-1-bot': '9000' })
  })

  it('record all traffic of containers without listed ports', () => {
    const containers = [{ name: 'page' }, { name: 'db' }, { name: 'bot' }]
    expect(recordedPortsOf(aShop({ capture: { ...capture, containers } }))).toEqual({
      'ci-1': undefined,
      'ci-1-db': undefined,
      'ci-1-bot': undefined,
    })
  })

  it('the recorder of the entry container records all traffic if the instance object lists no containers', () => {
    expect(recordedPortsOf(aShop({ capture }))).toEqual({ 'ci-1': undefined })
  })

  it('a recorder accepts no connections from other containers of the instance', () => {
    const shop = aShop({ capture: { ...capture, containers: [{ name: 'db' }] } })
    for (const { spec } of desiredNetworks(containersOf(shop), someSettings(recording)))
      expect(spec).toMatchObject({ ingress: [{ ports: [{ port: 1, endPort: 19_099 }, { port: 19_101 }, { protocol: 'UDP' }] }] })
  })
})

describe('an instance with three containers', () => {
  it('has a pod and a policy for each container, and each pod has labels for the container’s networks', () => {
    const objects = objectsOf(aShop())
    expect(objects.map(({ pod, networkPolicy }) => [pod.metadata.name, networkPolicy.metadata.name])).toEqual([
      ['ci-1', 'ci-1'],
      ['ci-1-db', 'ci-1-db'],
      ['ci-1-bot', 'ci-1-bot'],
    ])
    expect(objects[0]?.pod.metadata.labels).toMatchObject({
      [instanceLabel]: 'ci-1',
      [containerLabel]: 'page',
      [networkLabel('front')]: 'true',
      [networkLabel('back')]: 'true',
    })
    expect(objects[1]?.pod.metadata.labels).not.toHaveProperty([networkLabel('front')])
    expect(objects.map(({ pod }) => (pod.spec as { hostname: string }).hostname)).toEqual(['page', 'db', 'bot'])
  })

  it('has a policy for each pod, and only one node-port service, which selects the pod of the entry container', () => {
    const objects = objectsOf(aShop({ exposure: 'NodePort' }))
    const matchLabels = { [instanceLabel]: 'ci-1', [containerLabel]: 'db' }
    expect(objects[1]?.networkPolicy.spec).toMatchObject({ podSelector: { matchLabels } })
    expect(objects[0]?.service?.spec).toMatchObject({ selector: { [instanceLabel]: 'ci-1', [containerLabel]: 'page' } })
    expect(objects.slice(1).map(({ service }) => service)).toEqual([undefined, undefined])
  })

  it('has a policy for each network with several containers, and none for other networks', () => {
    const [back, front, ...others] = desiredNetworks(containersOf(aShop()), someSettings())
    expect([back?.metadata.name, front?.metadata.name, others]).toEqual(['ci-1.back', 'ci-1.front', []])
    const matchLabels = { [instanceLabel]: 'ci-1', [networkLabel('back')]: 'true' }
    const ports = [
      { protocol: 'TCP', port: 1, endPort: 65_535 },
      { protocol: 'UDP', port: 1, endPort: 65_535 },
    ]
    expect(back?.spec).toEqual({
      podSelector: { matchLabels },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: [{ podSelector: { matchLabels } }], ports }],
      egress: [{ to: [{ podSelector: { matchLabels } }], ports }],
    })
    const alone = aShop({ containers: [further('db', { networks: [{ name: 'other' }] })] })
    expect(desiredNetworks(containersOf(alone), someSettings())).toEqual([])
  })

  it('does not open the port of the recorder to other containers', () => {
    const capture = { enabled: true, maxSegmentMb: 8, maxSegmentSeconds: 30, maxStoredMb: 128 }
    const [back] = desiredNetworks(containersOf(aShop({ capture })), someSettings({ capture: captureSettings }))
    const ports = [
      { protocol: 'TCP', port: 1, endPort: 19_099 },
      { protocol: 'TCP', port: 19_101, endPort: 65_535 },
      { protocol: 'UDP', port: 1, endPort: 65_535 },
    ]
    expect(back?.spec).toMatchObject({ ingress: [{ ports }], egress: [{ ports }] })
    const recorded = objectsOf(aShop({ capture }), { capture: captureSettings })
    expect(recorded.map(({ pod }) => (pod.spec as { containers: object[] }).containers.length)).toEqual([2, 1, 1])
  })

  it('an instance passes the flag only to the containers that ask for it', () => {
    const objects = objectsOf(aShop())
    const variables = [0, 1, 2].map((index) => challengeOf(objects, index)?.env?.map(({ name }) => name))
    expect(variables).toEqual([['TEAM_ID', 'FLAG'], ['PASSWORD', 'TEAM_ID'], ['TEAM_ID']])
  })

  it('gets the secret environment variables of an additional container from keys that contain the container’s name', () => {
    expect(challengeOf(objectsOf(aShop()), 1)?.env?.[0]).toEqual({
      name: 'PASSWORD',
      valueFrom: { secretKeyRef: { name: 'ci-1', key: 'container.db.variable.PASSWORD' } },
    })
  })

  it('has a readiness probe for an additional container if it has a readiness command or a port, and otherwise no probe', () => {
    const objects = objectsOf(aShop())
    expect(challengeOf(objects, 1)?.readinessProbe).toMatchObject({ exec: { command: ['sh', '-c', 'echo $$FLAG'] } })
    expect(challengeOf(objects, 2)?.readinessProbe).toMatchObject({ tcpSocket: { port: 9000 } })
    expect(challengeOf(objectsOf(aShop({ containers: [further('bot')] })), 1)).not.toHaveProperty('readinessProbe')
  })

  it('an instance accepts the gateway only on the ports that its containers list', () => {
    const [page, db, bot] = objectsOf(aShop()).map(({ networkPolicy }) => networkPolicy.spec as { ingress?: object[] })
    expect(page?.ingress?.[0]).toMatchObject({ ports: [{ port: 1337, protocol: 'TCP' }] })
    expect(db).not.toHaveProperty('ingress')
    expect(bot?.ingress?.[0]).toMatchObject({ ports: [{ port: 9000, protocol: 'TCP' }] })
  })
})

describe('a dependency', () => {
  const running = aPod({ state: { running: { startedAt: aMomentPlusSeconds(0) } } })
  const isMet = (when: 'Started' | 'Ready', pod: Pod | undefined) =>
    listUnmetDependencies([{ name: 'db', when }], () => pod).length === 0

  it('a dependency with the condition Started is met once the other container runs', () => {
    expect([undefined, aPod(), running, aPod({ ready: true })].map((pod) => isMet('Started', pod))).toEqual([
      false,
      false,
      true,
      true,
    ])
  })

  it('a dependency with the condition Ready is met only while the other container is ready', () => {
    expect([running, aPod({ ready: true }), aPod({ ready: true, beingDeleted: true })].map((pod) => isMet('Ready', pod))).toEqual(
      [false, true, false],
    )
  })
})

/** Returns the status of the shop if its page, database and bot have these pods. */
function look(pods: readonly (Pod | undefined)[], instance = aShop(), seconds = 1, operator = someSettings()) {
  const now = new Date(aMoment.getTime() + seconds * 1000)
  const containers = containersOf(instance)
  const podOf = (name: string) => pods[containers.findIndex(({ place }) => place?.name === name)]
  const flagSecret = { metadata: { ...anInstance().metadata, labels: { [instanceLabel]: 'ci-1' } } }
  const [entry, ...others] = containers.map(
    (container, index): View => ({
      instance: container,
      children: { pod: pods[index], service: undefined, networkPolicy: undefined, flagSecret },
      refusal: undefined,
      unmet: listUnmetDependencies(container.place?.dependsOn ?? [], podOf),
      settings: operator,
      now,
    }),
  )
  return deriveStatus(entry as View, others)
}

describe('the status of several containers', () => {
  const ready = aPod({ ready: true })
  const running = aPod({ state: { running: { startedAt: aMomentPlusSeconds(0) } } })
  const failed = aPod({ state: { waiting: { reason: 'ErrImagePull', message: 'not found' } } })

  it('reports Ready when all containers are ready, and shows the address of each container', () => {
    const status = look([ready, ready, ready])
    expect(findCondition(status.conditions, 'Ready')?.status).toBe('True')
    expect(findCondition(status.conditions, 'Reachable')).toMatchObject({ status: 'True', reason: 'AllReady' })
    expect(status.address).toEqual({ host: '10.1.2.3', port: 1337 })
    expect(status.containers?.map(({ name, ready, host }) => [name, ready, host])).toEqual([
      ['page', true, '10.1.2.3'],
      ['db', true, '10.1.2.3'],
      ['bot', true, '10.1.2.3'],
    ])
  })

  it('has no address until all containers are ready, and retains the address while a container restarts', () => {
    expect(look([ready, ready, running]).address).toBeUndefined()
    const started = aShop({}, { startedAt: aMomentPlusSeconds(0) })
    expect(look([ready, running, ready], started).address).toEqual({ host: '10.1.2.3', port: 1337 })
  })

  it('has the reason of the container with the most severe problem, and names this container in the detail', () => {
    const status = look([ready, failed, running])
    expect(findCondition(status.conditions, 'Ready')?.reason).toBe('ImagePullFailed')
    expect(findCondition(status.conditions, 'Reachable')?.message).toBe('db: ErrImagePull: not found')
    expect(status.containers?.map(({ reason }) => reason)).toEqual(['Ready', 'ImagePullFailed', 'Starting'])
  })

  it('names, for each waiting container, the container that it waits for', () => {
    const { containers } = look([undefined, running, undefined])
    expect(containers?.map(({ reason, message }) => [reason, message])).toEqual([
      ['WaitingForDependency', 'The container db is not ready yet'],
      ['Starting', 'The container is not ready yet'],
      ['WaitingForDependency', 'The container page is not started yet'],
    ])
  })

  it('the condition Ready shows the reason of the failed container, not of dependent containers', () => {
    const status = look([undefined, failed, undefined])
    expect(status.containers?.map(({ reason, message }) => [reason, message])).toEqual([
      ['DependencyFailed', 'db: ImagePullFailed'],
      ['ImagePullFailed', 'ErrImagePull: not found'],
      ['DependencyFailed', 'page: DependencyFailed'],
    ])
    expect(findCondition(status.conditions, 'Ready')?.reason).toBe('ImagePullFailed')
  })

  it('shows that a container repeatedly used too much memory', () => {
    const killed = {
      terminated: { exitCode: 137, reason: 'OOMKilled', startedAt: aMomentPlusSeconds(0), finishedAt: aMomentPlusSeconds(1) },
    }
    const pod = aPod({ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: killed, restartCount: 3 })
    const status = look([ready, pod, ready])
    expect(findCondition(status.conditions, 'Ready')?.reason).toBe('OutOfMemory')
    expect(status.containers?.[1]).toMatchObject({
      ready: false,
      restarts: 3,
      lastExit: 'The container stopped (it used more memory than its limit)',
    })
    expect(status.restarts).toBe(3)
  })

  it('the status shows for each container when its state last changed', () => {
    const first = look([ready, ready, running], aShop(), 1)
    const second = look([ready, ready, ready], aShop({}, first), 5)
    expect(second.containers?.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([
      aMomentPlusSeconds(1),
      aMomentPlusSeconds(1),
      aMomentPlusSeconds(5),
    ])
  })

  it('shows the address of each working recorder and, during the deletion, of each recorder that has recordings', () => {
    const recorded = aPod({ ready: true, capture: running.status?.containerStatuses?.[0]?.state ?? {} })
    const broken = aPod({ ready: true, capture: { waiting: { reason: 'CrashLoopBackOff' } } })
    const crashed = structuredClone(broken)
    for (const status of crashed.status?.containerStatuses ?? []) status.restartCount = 1
    const shop = aShop({ capture: { ...capture, containers: [{ name: 'page', ports: [1337] }, { name: 'db' }] } })
    const addressesOf = (db: Pod, instance = shop) => {
      const status = look([recorded, db, ready], instance, 1, someSettings(recording))
      expect(status.captureAddress).toBeUndefined()
      const addresses = (status.containers ?? []).map(({ captureAddress }) => captureAddress)
      return [findCondition(status.conditions, 'CaptureHealthy')?.reason, ...addresses]
    }
    const address = { host: '10.1.2.3', port: 19_100 }
    expect(addressesOf(recorded)).toEqual(['Capturing', address, address, undefined])
    expect(addressesOf(broken)).toEqual(['CaptureFailed', address, undefined, undefined])
    const leaving = { ...shop, metadata: { ...shop.metadata, deletionTimestamp: aMomentPlusSeconds(0) } }
    expect(addressesOf(crashed, leaving)).toEqual(['CaptureFailed', address, address, undefined])
    expect(addressesOf(broken, leaving)).toEqual(['CaptureFailed', address, undefined, undefined])
  })

  it('the status is written with a delay if containers only wait for each other', () => {
    const pods = [undefined, running, undefined]
    expect(isStatusOfNormalStart(aShop(), pods, look(pods), new Date(aMoment.getTime() + 1000))).toBe(true)
  })
})

test('an instance with only one container has no list of containers in its status', () => {
  const only = { pod: aPod({ ready: true }), service: undefined, networkPolicy: undefined, flagSecret: undefined }
  const view = { instance: anInstance(), children: only, refusal: undefined, unmet: [], settings: someSettings(), now: aMoment }
  expect(deriveStatus(view)).not.toHaveProperty('containers')
})

test('a container uses the name server only if the container shares a network with another container', () => {
  const alone = aShop({ containers: [further('db', { networks: [{ name: 'own', aliases: ['store'] }] })] })
  const serverOf = (pod: { spec?: unknown }) =>
    (pod.spec as { dnsConfig: { nameservers: string[]; options?: object[] } }).dnsConfig
  expect(objectsOf(alone, { names }).map(({ pod }) => serverOf(pod).nameservers)).toEqual([['127.0.0.1'], ['127.0.0.1']])
  const shared = objectsOf(aShop(), { names }).map(({ pod }) => serverOf(pod))
  const options = [
    { name: 'timeout', value: '4' },
    { name: 'attempts', value: '4' },
    { name: 'ndots', value: '1' },
  ]
  expect(shared).toEqual(Array.from({ length: 3 }, () => ({ nameservers: ['10.96.0.7'], options })))
})
