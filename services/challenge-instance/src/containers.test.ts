import { expect, test } from 'vitest'
import type { ChallengeInstance } from './challenge-instance.ts'
import { containersOf, objectNameOf } from './containers.ts'

const resources = { cpuTenths: 5, memoryMb: 64, storageMb: 128, pids: 256 }

function anInstance(spec: Partial<ChallengeInstance['spec']> = {}): ChallengeInstance {
  return {
    metadata: { name: 'ci-1', uid: 'uid-1', resourceVersion: '1', creationTimestamp: '2026-05-01T12:00:00Z' },
    spec: {
      gameId: 1,
      challengeId: 2,
      image: 'page:1',
      port: 80,
      resources,
      expiresAt: '2026-05-01T14:00:00Z',
      exposure: 'NodePort',
      egress: 'Dns',
      security: { profile: 'Restricted', runtimeClassName: 'gvisor' },
      capture: { enabled: true, maxSegmentMb: 8, maxSegmentSeconds: 30, maxStoredMb: 128 },
      imagePullSecrets: ['of-the-entry'],
      flag: { secretName: 'ci-1', environmentNames: ['FLAG'] },
      ...spec,
    },
  }
}

const database = {
  name: 'db',
  image: 'db:1',
  resources: { ...resources, memoryMb: 256 },
  flag: { environmentNames: [], file: { path: '/flag', mode: '0400', owner: 1 } },
  networks: [{ name: 'back', aliases: ['store'] }, { name: 'front' }],
  dependsOn: [{ name: 'page', when: 'Started' as const }],
  user: 7,
  furtherPorts: [5432],
  egress: 'None' as const,
  profile: 'Baseline' as const,
}

test('an instance with one container is returned unchanged, as the only item of the list', () => {
  const instance = anInstance({ container: { name: 'page', networks: [{ name: 'front' }] } })
  const [only, ...others] = containersOf(instance)
  expect(only).toBe(instance)
  expect(others).toEqual([])
})

test('the entry container has the settings of the instance, and is in the default network by default', () => {
  const { containers: _containers, ...spec } = anInstance({ container: { name: 'page', user: 3 } }).spec
  expect(containersOf(anInstance({ ...spec, containers: [database] }))[0]).toEqual({
    ...anInstance(),
    spec,
    place: { name: 'page', isEntry: true, networks: [{ name: 'default', aliases: [] }], dependsOn: [], names: { page: 'page' } },
  })
})

test('an additional container has separate settings and the data of its instance, but no settings of the entry container', () => {
  const [, further] = containersOf(anInstance({ container: { name: 'page', user: 3 }, containers: [database] }))
  expect(further?.spec).toEqual({
    gameId: 1,
    challengeId: 2,
    image: 'db:1',
    resources: database.resources,
    flag: { secretName: 'ci-1', ...database.flag },
    container: { user: 7, furtherPorts: [5432] },
    expiresAt: '2026-05-01T14:00:00Z',
    exposure: 'Proxy',
    egress: 'None',
    security: { profile: 'Baseline', runtimeClassName: 'gvisor' },
    capture: { enabled: false, maxSegmentMb: 8, maxSegmentSeconds: 30, maxStoredMb: 128 },
  })
  expect(further?.place).toEqual({
    name: 'db',
    isEntry: false,
    networks: [
      { name: 'back', aliases: ['store'] },
      { name: 'front', aliases: [] },
    ],
    dependsOn: database.dependsOn,
    names: { db: 'db', store: 'db' },
  })
})

test('an object’s name is the name of the instance, followed by the name of the container if it is not the entry container', () => {
  const several = containersOf(anInstance({ container: { name: 'page' }, containers: [database] }))
  expect(several.map(objectNameOf)).toEqual(['ci-1', 'ci-1-db'])
  expect(containersOf(anInstance()).map(objectNameOf)).toEqual(['ci-1'])
})

test('a container can resolve the names and aliases of the containers in its networks, and no other names', () => {
  const front = [{ name: 'front' }]
  const several = containersOf(
    anInstance({
      container: { name: 'page', networks: [...front, { name: 'back' }] },
      containers: [database, { ...database, name: 'bot', networks: [{ name: 'front', aliases: ['visitor'] }] }],
    }),
  )
  expect(several.map(({ place }) => place?.names)).toEqual([
    { page: 'page', store: 'db', db: 'db', visitor: 'bot', bot: 'bot' },
    { page: 'page', store: 'db', db: 'db', visitor: 'bot', bot: 'bot' },
    { page: 'page', db: 'db', visitor: 'bot', bot: 'bot' },
  ])
})
