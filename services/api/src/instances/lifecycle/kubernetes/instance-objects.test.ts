import { instanceIdLabel } from '@capstan/challenge-instance/labels'
import { deriveFormerInstanceName } from '@capstan/challenge-instance/names'
import { describe, expect, test } from 'vitest'
import type { InstanceSpec } from '../runtime.ts'
import { anAdditionalContainer, anEntryContainer, anInstanceSpec } from '../testing/instance-spec.ts'
import { aKubernetesSettings } from '../testing/kubernetes-settings.ts'
import {
  desiredInstance,
  desiredSecret,
  type ReadInstance,
  toObservedCapture,
  toObservedContainers,
  toObservedInstance,
} from './instance-objects.ts'

const id = '00000000-0000-4000-8000-000000000001'
const since = '2026-01-01T00:00:00Z'
const address = { host: '10.0.0.9', port: 80 }

function anObject(status: 'True' | 'False', reason: string, at?: typeof address): ReadInstance {
  return {
    metadata: {
      name: deriveFormerInstanceName(id),
      uid: 'uid-1',
      resourceVersion: '1',
      creationTimestamp: since,
      labels: { [instanceIdLabel]: id },
    },
    spec: { expiresAt: '2030-01-01T00:00:00.000Z' },
    status: {
      conditions: [{ type: 'Ready', status, reason, message: 'So it is.', lastTransitionTime: since }],
      ...(at && { address: at }),
    },
  }
}
function stateOf(...[status, reason, at]: Parameters<typeof anObject>) {
  return toObservedInstance(anObject(status, reason, at))?.state
}

test.each([
  ['is ready at its address', stateOf('True', 'Ready', address), { kind: 'ready', ...address }],
  [
    'retains its address while its pod exists but does not answer',
    stateOf('False', 'Restarting', address),
    { kind: 'pending', reason: 'Restarting', message: 'So it is.', address },
  ],
  [
    'retains its address while it crashes repeatedly in its pod',
    stateOf('False', 'CrashLooping', address),
    { kind: 'failed', reason: 'CrashLooping', message: 'So it is.', address },
  ],
  [
    'has no address while its pod is replaced',
    stateOf('False', 'Restarting'),
    { kind: 'pending', reason: 'Restarting', message: 'So it is.' },
  ],
  ['is not ready without an address', stateOf('True', 'Ready'), { kind: 'pending', reason: 'Ready', message: 'So it is.' }],
])('an instance %s', (_name, state, expected) => {
  expect(state).toEqual(expected)
})

test('the only container of an instance has the state of the instance, with the detail for organizers', () => {
  const object = anObject('False', 'CrashLooping')
  const detail = { type: 'Reachable', status: 'False', reason: 'CrashLooping', lastTransitionTime: since } as const
  const status = {
    conditions: [...(object.status?.conditions ?? []), { ...detail, message: 'The container stopped (exit code 3)' }],
    restarts: 4,
  }
  const [container, ...others] = toObservedContainers({ ...object, status })
  expect(container).toEqual({
    ...{ name: 'challenge', isReady: false, reason: 'CrashLooping', message: 'The container stopped (exit code 3)' },
    ...{ restarts: 4, lastExit: undefined, since: new Date(since), limits: undefined },
  })
  expect(others).toEqual([])
})

test("each of several containers has the state from the object's status, or the reason Starting if there is no status", () => {
  const db = { name: 'db', image: 'db:1', egress: 'None', profile: 'Restricted', resources: { ...small, pids: 64 } } as const
  const object = anObject('False', 'CrashLooping')
  const resources = { cpuTenths: 2, memoryMb: 128, storageMb: 256, pids: 64 }
  const several = { ...object, spec: { ...object.spec, container: { name: 'page' }, containers: [db], resources } }
  const { status: _status, ...unknown } = several
  expect(toObservedContainers(unknown).map(({ name, reason }) => [name, reason])).toEqual([
    ['page', 'Starting'],
    ['db', 'Starting'],
  ])
  const page = { name: 'page', ready: true, reason: 'Ready', message: 'Fine.', restarts: 0, lastTransitionTime: since }
  const crashed = { ...page, name: 'db', ready: false, reason: 'CrashLooping', restarts: 2, lastExit: 'exit code 3' }
  expect(toObservedContainers({ ...several, status: { containers: [page, crashed] } })).toEqual([
    {
      ...{ name: 'page', isReady: true, reason: 'Ready', message: 'Fine.' },
      restarts: 0,
      lastExit: undefined,
      since: new Date(since),
      limits: { cpuMillicores: 200, memoryBytes: 134_217_728 },
    },
    {
      ...{ name: 'db', isReady: false, reason: 'CrashLooping', message: 'Fine.', restarts: 2 },
      ...{ lastExit: 'exit code 3', since: new Date(since), limits: { cpuMillicores: 100, memoryBytes: 67_108_864 } },
    },
  ])
})

const small = { cpuTenths: 1, memoryMb: 64, storageMb: 256 }
const aSpec = anInstanceSpec({ id, flag: undefined, containers: [anEntryContainer({ port: 80 })] })

test('the object lists the gateway addresses, and has no such list if only WebSockets are offered', () => {
  const settings = aKubernetesSettings('play')
  const ways = [
    { way: 'tcp', address: 'play.example.org:31007' },
    { way: 'websocket', address: '/api/proxy/some-id' },
  ] as const
  const further = { way: 'http', address: 'https://*-8080.play.example.org/', port: 8080 } as const
  expect(desiredInstance({ ...aSpec, ways: [...ways, further] }, settings).spec.ways).toEqual([
    { way: 'Tcp', address: 'play.example.org:31007' },
    { ...further, way: 'Http' },
  ])
  expect(desiredInstance(aSpec, settings).spec).not.toHaveProperty('ways')
  const direct = desiredInstance({ ...aSpec, ways }, { ...settings, exposure: 'NodePort' })
  expect(direct.spec).not.toHaveProperty('ways')
})

const page = anEntryContainer({
  ...{ name: 'page', port: 80, networks: [{ name: 'front', aliases: [] }] },
  dependsOn: [{ name: 'db', when: 'ready' }],
})
const db = anAdditionalContainer('db', {
  ...{ image: 'db:1', cpuTenths: 2, memoryMb: 128, storageMb: 64, receivesFlag: true },
  networks: [{ name: 'front', aliases: ['store'] }],
  definition: { user: 7, furtherPorts: [5432], flag: { variables: ['SECRET'] } },
  secrets: { PASSWORD: 'hidden' },
})
const bot = anAdditionalContainer('bot', { image: 'bot:1' })
const aSpecOfThree: InstanceSpec = { ...aSpec, containers: [page, db, bot] }

test('the object lists additional containers, and only those that get the flag have flag variables and files', () => {
  const { spec } = desiredInstance({ ...aSpecOfThree, flag: 'flag{x}' }, aKubernetesSettings('play'))
  expect(spec.container).toEqual({ name: 'page', networks: [{ name: 'front' }], dependsOn: [{ name: 'db', when: 'Ready' }] })
  expect(spec.flag?.environmentNames).toEqual(['FLAG'])
  expect(spec.containers).toEqual([
    {
      name: 'db',
      image: 'db:1',
      resources: { cpuTenths: 2, memoryMb: 128, storageMb: 64, pids: 64 },
      flag: { environmentNames: ['SECRET'] },
      networks: [{ name: 'front', aliases: ['store'] }],
      secretEnvironment: ['PASSWORD'],
      user: 7,
      furtherPorts: [5432],
      egress: 'None',
      profile: 'Baseline',
    },
    {
      name: 'bot',
      image: 'bot:1',
      resources: { cpuTenths: 1, memoryMb: 64, storageMb: 64, pids: 64 },
      egress: 'None',
      profile: 'Baseline',
    },
  ])
})

describe('the recording of an instance with additional containers', () => {
  const tcp = { speaks: 'tcp', isRaw: false, hasOwnCertificate: false } as const
  const containers: InstanceSpec['containers'] = [
    { ...page, definition: { furtherPorts: [8080], offeredPorts: [{ port: 8080, ...tcp }] } },
    { ...db, definition: { furtherPorts: [81, 9000], offeredPorts: [{ port: 81, ...tcp }] } },
    bot,
  ]
  const captureOf = (capture: InstanceSpec['capture']) =>
    desiredInstance({ ...aSpec, capture, containers }, aKubernetesSettings('play')).spec.capture

  test('the recording settings list the containers with ports for players, and these ports', () => {
    expect(captureOf(true).containers).toEqual([
      { name: 'page', ports: [80, 8080] },
      { name: 'db', ports: [81] },
    ])
  })

  test('the recording settings list all containers if the traffic between them is recorded', () => {
    expect(captureOf('all').containers).toEqual([{ name: 'page' }, { name: 'db' }, { name: 'bot' }])
  })

  test('no containers to record are listed if recording is off or there is only one container', () => {
    expect(captureOf(false)).toMatchObject({ enabled: false })
    expect(captureOf(false)).not.toHaveProperty('containers')
    const single = desiredInstance({ ...aSpec, capture: 'all' }, aKubernetesSettings('play')).spec.capture
    expect(single).toMatchObject({ enabled: true })
    expect(single).not.toHaveProperty('containers')
  })
})

describe('the recorders of an instance', () => {
  const address = { host: '10.0.0.7', port: 19_100 }
  const condition = (type: string, status: 'True' | 'False', reason: string) => ({
    ...{ type, status, reason, message: 'So.', lastTransitionTime: '' },
  })
  const recordersWith = (status: NonNullable<ReadInstance['status']>, isEnding = false) => {
    const { metadata, spec } = desiredInstance({ ...aSpecOfThree, capture: 'all' }, aKubernetesSettings('play'))
    const identity = {
      uid: 'uid-1',
      resourceVersion: '1',
      creationTimestamp: since,
      ...(isEnding && { deletionTimestamp: since }),
    }
    return toObservedCapture({ metadata: { ...metadata, ...identity }, spec, status })?.recorders
  }
  const db = {
    name: 'db',
    ready: true,
    reason: 'Ready',
    message: '',
    restarts: 0,
    lastTransitionTime: '',
    captureAddress: address,
  }
  const { captureAddress: _, ...bot } = { ...db, name: 'bot' }

  test('a recorder is listed if the state of its container has an address', () => {
    const unhealthy = condition('CaptureHealthy', 'False', 'CaptureFailed')
    expect(recordersWith({ conditions: [unhealthy], containers: [db, bot] })).toEqual([{ container: 'db', ...address }])
  })

  test('during a deletion, no recorders are listed until the operator reports the end of the instance', () => {
    const states = [condition('Ready', 'True', 'Ready'), condition('Ready', 'False', 'Ending')]
    expect(states.map((ready) => recordersWith({ conditions: [ready], containers: [db] }, true))).toEqual([
      [],
      [{ container: 'db', ...address }],
    ])
  })

  test('an unhealthy recorder is listed only during the deletion of its instance', () => {
    const health = (status: 'True' | 'False') => ({
      conditions: [condition('CaptureHealthy', status, 'CaptureStarting')],
      captureAddress: address,
    })
    expect([recordersWith(health('False')), recordersWith(health('True')), recordersWith(health('False'), true)]).toEqual([
      [],
      [address],
      [address],
    ])
  })
})

describe('the state of an instance with additional containers', () => {
  const aStatus = (
    ready: boolean,
    hosts: Readonly<Record<string, string | undefined>> | undefined,
  ): NonNullable<ReadInstance['status']> => ({
    conditions: [
      {
        type: 'Ready',
        status: ready ? 'True' : 'False',
        reason: ready ? 'Ready' : 'Restarting',
        message: 'So.',
        lastTransitionTime: '',
      },
    ],
    address: { host: '10.0.0.1', port: 80 },
    ...(hosts && {
      containers: Object.entries(hosts).map(([name, host]) => ({
        ...{ name, ready, reason: 'Ready', message: '', restarts: 0, lastTransitionTime: '' },
        ...(host !== undefined && { host }),
      })),
    }),
  })
  const stateWith = (status: ReturnType<typeof aStatus>) => {
    const { metadata, spec } = desiredInstance(aSpecOfThree, aKubernetesSettings('play'))
    const identity = { uid: 'uid-1', resourceVersion: '1', creationTimestamp: since }
    return toObservedInstance({ metadata: { ...metadata, ...identity }, spec, status })?.state
  }
  const db = { 'db:5432': { host: '10.0.0.2', port: 5432 } }

  test('the state contains the address of each port of additional containers', () => {
    const hosts = { page: '10.0.0.1', db: '10.0.0.2', bot: '10.0.0.3' }
    expect(stateWith(aStatus(true, hosts))).toEqual({ kind: 'ready', host: '10.0.0.1', port: 80, furtherPlaces: db })
  })

  test('the state omits additional containers without an address', () => {
    const hosts = { page: '10.0.0.1', db: undefined, bot: '10.0.0.3' }
    expect(stateWith(aStatus(false, hosts))).toMatchObject({
      ...{ kind: 'pending', reason: 'Restarting' },
      address: { host: '10.0.0.1', port: 80 },
      furtherPlaces: {},
    })
  })

  test('the state is pending while an operator of an earlier version has started only the first container', () => {
    expect(stateWith(aStatus(true, undefined))).toMatchObject({ kind: 'pending', furtherPlaces: {} })
  })
})

test('the Secret contains the variables of additional containers under the names of the containers', () => {
  const containers = [{ ...page, secrets: { KEY: 'own' } }, db, bot] as const
  const secret = desiredSecret({ ...aSpec, containers }, aKubernetesSettings('play'))
  expect(secret).toMatchObject({ stringData: { 'variable.KEY': 'own', 'container.db.variable.PASSWORD': 'hidden' } })
})

test('the first container does not get the flag if only other containers receive it', () => {
  const containers = [{ ...page, receivesFlag: false }, db, bot] as const
  const { spec } = desiredInstance({ ...aSpec, flag: 'flag{x}', containers }, aKubernetesSettings('play'))
  expect(spec).not.toHaveProperty('flag')
})
