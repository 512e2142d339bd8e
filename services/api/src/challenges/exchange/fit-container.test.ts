import { createDefaultChallenge } from '@capstan/challenge-files/challenge/challenge'
import { createRandomChooser } from '@capstan/challenge-files/testing/random'
import { defaultContainer } from '@capstan/contract/challenge-parts'
import { allChoices, listAllowedContainerChoices } from '@capstan/contract/container-definition'
import { findContainerListFaults } from '@capstan/contract/container-list-faults'
import type { ChallengeContainer } from '@capstan/contract/containers'
import { ContainerLimits } from '@capstan/contract/limits'
import { expect, test } from 'vitest'
import { removeUnsupportedSettings } from './fit-container.ts'

const page: ChallengeContainer = { ...defaultContainer, name: 'page' }
const db: ChallengeContainer = { ...defaultContainer, name: 'db', port: null }
const bot: ChallengeContainer = { ...db, name: 'bot' }

const eight = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8']

function inNetworks(container: ChallengeContainer, names: readonly string[]): ChallengeContainer {
  return { ...container, networks: names.map((name) => ({ name, aliases: [] })) }
}

/** Returns the containers that remain after an import, and the names of the settings that the import removes. */
function fitted(containers: ChallengeContainer[], choices = allChoices) {
  const challenge = { ...createDefaultChallenge('Shop', 'Web', 'StaticContainer'), attachment: null, flags: [], containers }
  const described = { challenge, images: [], name: 'shop', after: [] }
  const { described: after, findings } = removeUnsupportedSettings(
    { file: 'a', dialect: 'capstan', title: 'Shop', described, findings: [] },
    choices,
  )
  return { containers: after?.challenge.containers, left: findings.map(({ field }) => field) }
}

test.each<[string, ChallengeContainer[], ChallengeContainer[], string[]]>([
  ['a list without faults', [page, db, bot], [page, db, bot], []],
  ['a name that occurs twice', [page, db, { ...db, memoryMb: 99 }, bot], [page, db, bot], ['containers[2].name']],
  [
    'containers that wait for each other',
    [
      { ...page, dependsOn: [{ name: 'db', when: 'ready' }] },
      {
        ...db,
        dependsOn: [
          { name: 'page', when: 'ready' },
          { name: 'bot', when: 'ready' },
        ],
      },
      bot,
    ],
    [
      page,
      {
        ...db,
        dependsOn: [
          { name: 'page', when: 'ready' },
          { name: 'bot', when: 'ready' },
        ],
      },
      bot,
    ],
    ['containers[0].dependsOn.0.name'],
  ],
  [
    'an alias that is another container',
    [
      { ...page, networks: [{ name: 'back', aliases: ['db', 'www'] }] },
      { ...db, networks: [{ name: 'back', aliases: [] }] },
    ],
    [
      { ...page, networks: [{ name: 'back', aliases: ['www'] }] },
      { ...db, networks: [{ name: 'back', aliases: [] }] },
    ],
    ['containers[0].networks.0.aliases.0'],
  ],
  [
    'settings of the instance on an additional container',
    [page, { ...db, port: 81, capture: true, definition: { exposure: 'Proxy', plainPort: true } }],
    [page, db],
    ['containers[1].ports', 'containers[1].capture', 'containers[1].exposure', 'containers[1].plainPort'],
  ],
  [
    'variables that are too long together',
    [page, { ...db, definition: { environment: [{ name: 'A', value: 'a'.repeat(ContainerLimits.maxVariablesLength) }] } }],
    [page, db],
    ['containers[1].environment'],
  ],
  [
    'nine networks',
    [inNetworks(page, eight), inNetworks(db, ['n9', 'n1'])],
    [inNetworks(page, eight), inNetworks(db, ['n1'])],
    ['containers[1].networks.0.name'],
  ],
  [
    'eight networks, and the default one of a container that lists none',
    [inNetworks(page, eight), db, inNetworks(bot, ['n1'])],
    [inNetworks(page, eight), inNetworks(bot, ['n1'])],
    ['containers[1]'],
  ],
  [
    'eight networks, and a container whose only network is the ninth',
    [inNetworks(page, eight), inNetworks(db, ['n9'])],
    [inNetworks(page, eight)],
    ['containers[1].networks.0.name', 'containers[1]'],
  ],
  ['no entry', [{ ...page, port: null }, db], [page, db], ['containers[0].ports']],
])('an import removes the faulty parts of a list of containers: %s', (_, containers, retained, left) => {
  expect(fitted(containers)).toEqual({ containers: retained, left })
})

test('if the platform supports only one container, an import retains only the first container and reports every other container', () => {
  const front = { ...page, networks: [{ name: 'front', aliases: [] }], dependsOn: [{ name: 'db', when: 'ready' as const }] }
  expect(fitted([front, db, bot], { ...allChoices, maxContainers: 1 })).toEqual({
    containers: [page],
    left: ['containers[1]', 'containers[2]', 'containers[0].networks', 'containers[0].dependsOn'],
  })
})

/** Returns a list of containers with random faults. The same seed gives the same list. */
function faultyContainers(seed: number): ChallengeContainer[] {
  const { below, one, maybe } = createRandomChooser(seed)
  const several = <Each>(count: number, make: () => Each): Each[] => Array.from({ length: below(count + 1) }, make)
  const name = () => one(['main', 'page', 'db', 'bot', 'default'])
  const port = () => 79 + below(4)
  const ports = () => several(4, port)
  const container = (): ChallengeContainer =>
    ({
      ...defaultContainer,
      ...{ name: name(), port: one([null, port()]), capture: one([false, true, 'all'] as const) },
      ...{ receivesFlag: maybe(() => false), dependsOn: maybe(() => several(3, () => ({ name: name(), when: 'ready' }))) },
      networks: maybe(() => several(10, () => ({ name: one([name(), `n${below(20)}`]), aliases: several(3, name) }))),
      definition: {
        environment: several(3, () => ({ name: one(['A', 'B', 'FLAG']), value: 'a'.repeat(below(2) * 200_000) })),
        secrets: several(2, () => ({ name: one(['A', 'S']) })),
        flag: maybe(() => ({
          variables: several(3, () => one(['A', 'F'])),
          file: maybe(() => ({ path: one(['/proc/a', '/tmp', '/f']) })),
        })),
        writablePaths: several(3, () => ({ path: one(['/tmp', '/tmp/a', '/sys', '/a/../b']), sizeMb: 1 })),
        ...{ furtherPorts: ports(), offeredPorts: ports().map((each) => ({ port: each, speaks: 'tcp' })) },
        readiness: maybe(() => ({
          port: maybe(port),
          path: maybe(() => '/'),
          line: maybe(() => 'up'),
          command: maybe(() => ['true']),
        })),
        ...{ user: maybe(() => 0), egress: maybe(() => 'Internet'), security: maybe(() => 'Baseline') },
        ...{ exposure: maybe(() => 'NodePort'), plainPort: maybe(() => true), entryLabel: maybe(() => 'Page') },
      },
    }) as ChallengeContainer
  return several(10, container)
}

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])('an import removes all faults of random lists of containers (seed %i)', (seed) => {
  const narrow = listAllowedContainerChoices({
    egress: 'None',
    security: 'Restricted',
    exposure: 'Proxy',
    maxContainers: 1 + (seed % 8),
  })
  for (let round = 0; round < 30; round++) {
    const { containers = [] } = fitted(faultyContainers(seed * 1_000 + round), seed % 2 === 0 ? allChoices : narrow)
    expect(findContainerListFaults(containers, seed % 2 === 0 ? allChoices : narrow)).toEqual([])
  }
})
