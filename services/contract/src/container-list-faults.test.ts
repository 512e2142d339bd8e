import { describe, expect, it, test } from 'vitest'
import { defaultContainer } from './challenge-parts.ts'
import { allChoices } from './container-definition.ts'
import { findContainerListFaults } from './container-list-faults.ts'
import type { ChallengeContainer } from './containers.ts'
import { ContainerLimits } from './limits.ts'

type Parts = Partial<ChallengeContainer>

/** Returns containers with the names page, db and bot. Only the first container has an entry port. */
function list(...parts: Parts[]): ChallengeContainer[] {
  const names = ['page', 'db', 'bot']
  return parts.map((each, index) => ({
    ...defaultContainer,
    ...(index > 0 && { port: null }),
    name: names[index] ?? `c${index}`,
    ...each,
  }))
}

function faultsOf(containers: readonly ChallengeContainer[], choices = allChoices) {
  return findContainerListFaults(containers, choices).map(({ at, fault }) => `${at} ${fault}`)
}

test('a page with its database and a bot has no faults', () => {
  const containers = list(
    {
      networks: [
        { name: 'front', aliases: ['www'] },
        { name: 'back', aliases: [] },
      ],
      dependsOn: [{ name: 'db', when: 'ready' }],
    },
    { networks: [{ name: 'back', aliases: ['www'] }], receivesFlag: true },
    {
      networks: [{ name: 'front', aliases: [] }],
      definition: { furtherPorts: [81], offeredPorts: [{ port: 81, speaks: 'http' }] },
    },
  )
  expect(faultsOf(containers)).toEqual([])
})

describe('a faulty list of containers', () => {
  it.each<[string, ChallengeContainer[], string[]]>([
    ['a name that occurs twice', list({}, { name: 'page', networks: [{ name: 'back', aliases: [] }] }), ['/1/name twice']],
    [
      'a network that occurs twice',
      list({
        networks: [
          { name: 'back', aliases: [] },
          { name: 'back', aliases: [] },
        ],
      }),
      ['/0/networks/1/name twice'],
    ],
    [
      'an alias that is a container of the network',
      list({ networks: [{ name: 'default', aliases: ['db'] }] }, {}),
      ['/0/networks/0/aliases/0 twice'],
    ],
    [
      'an alias that two containers of a network share',
      list({ networks: [{ name: 'back', aliases: ['store'] }] }, { networks: [{ name: 'back', aliases: ['store'] }] }),
      ['/1/networks/0/aliases/0 twice'],
    ],
    [
      'more networks than a challenge may have',
      list(
        { networks: Array.from({ length: ContainerLimits.maxNetworks }, (_, index) => ({ name: `n${index}`, aliases: [] })) },
        {},
      ),
      ['/1/networks/0/name many'],
    ],
    [
      'a dependency that is not in the list',
      list({ dependsOn: [{ name: 'cache', when: 'started' }] }),
      ['/0/dependsOn/0/name unknown'],
    ],
    [
      'a dependency that occurs twice',
      list(
        {
          dependsOn: [
            { name: 'db', when: 'started' },
            { name: 'db', when: 'ready' },
          ],
        },
        {},
      ),
      ['/0/dependsOn/1/name twice'],
    ],
    ['a container that waits for itself', list({ dependsOn: [{ name: 'page', when: 'ready' }] }), ['/0/dependsOn/0/name cycle']],
    [
      'containers that wait for each other, but not with one that waits for them',
      list(
        { dependsOn: [{ name: 'db', when: 'ready' }] },
        { dependsOn: [{ name: 'page', when: 'started' }] },
        { dependsOn: [{ name: 'db', when: 'ready' }] },
      ),
      ['/0/dependsOn/0/name cycle', '/1/dependsOn/0/name cycle'],
    ],
    ['no entry', list({ port: null }), ['/0/port entryMissing']],
    [
      'settings of the instance on a further container',
      list({}, { port: 81, capture: true, definition: { exposure: 'Proxy', plainPort: true } }),
      ['/1/port entryOnly', '/1/capture entryOnly', '/1/definition/exposure entryOnly', '/1/definition/plainPort entryOnly'],
    ],
    [
      'a port that two containers publish',
      list({ port: 80 }, { definition: { furtherPorts: [80], offeredPorts: [{ port: 80, speaks: 'tcp' }] } }),
      ['/1/definition/offeredPorts/0/port twice'],
    ],
    [
      'more published ports than an instance may have',
      list(
        {},
        ...[0, 1].map((index) => {
          const furtherPorts = Array.from({ length: 8 }, (_, port) => 100 + 8 * index + port)
          return { definition: { furtherPorts, offeredPorts: furtherPorts.map((port) => ({ port, speaks: 'tcp' as const })) } }
        }),
      ),
      ['/2/definition/offeredPorts/7/port many'],
    ],
    [
      'variables that are too long together',
      list({}, { definition: { environment: [{ name: 'A', value: 'a'.repeat(ContainerLimits.maxVariablesLength) }] } }),
      ['/1/definition/environment many'],
    ],
    [
      'a path of readiness on a container without a port',
      list({}, { definition: { readiness: { path: '/' } } }),
      ['/1/definition/readiness/path unknownPort'],
    ],
    [
      'a fault of one definition',
      list({}, { definition: { environment: [{ name: 'TEAM_ID', value: '' }] } }),
      ['/1/definition/environment/0/name reserved'],
    ],
  ])('a list of containers is refused if it contains %s', (_what, containers, faults) => {
    expect(faultsOf(containers)).toEqual(faults)
  })
})

test('a runtime that supports only one container refuses additional containers, networks, dependencies and `receivesFlag`', () => {
  const networks = [{ name: 'back', aliases: [] }]
  const containers = list({ networks, dependsOn: [{ name: 'db', when: 'ready' }], receivesFlag: false }, {})
  expect(faultsOf(containers, { ...allChoices, maxContainers: 1 })).toEqual([
    '/1 many',
    '/0/networks choice',
    '/0/dependsOn choice',
    '/0/receivesFlag choice',
  ])
})

test('a single container may have longer environment variables than several containers together', () => {
  const environment = [{ name: 'A', value: 'a'.repeat(ContainerLimits.maxVariablesLength) }]
  expect(faultsOf(list({ definition: { environment } }))).toEqual([])
})
