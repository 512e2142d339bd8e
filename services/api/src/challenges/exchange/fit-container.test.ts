import { createNewChallenge } from '@capstan/challenge-files/challenge/challenge'
import { defaultContainer } from '@capstan/contract/challenge-parts'
import { allChoices } from '@capstan/contract/container-definition'
import type { ChallengeContainer } from '@capstan/contract/containers'
import { ContainerLimits } from '@capstan/contract/limits'
import { expect, test } from 'vitest'
import { fitContainers } from './fit-container.ts'

const page: ChallengeContainer = { ...defaultContainer, name: 'page' }
const db: ChallengeContainer = { ...defaultContainer, name: 'db', port: null }
const bot: ChallengeContainer = { ...db, name: 'bot' }

/** Returns the containers that an import retains, and the fields of the settings that it omits. */
function fitted(containers: ChallengeContainer[], choices = allChoices) {
  const challenge = { ...createNewChallenge('Shop', 'Web', 'StaticContainer'), attachment: null, flags: [], containers }
  const plan = { challenge, images: [], name: 'shop', after: [] }
  const { plan: after, findings } = fitContainers({ file: 'a', dialect: 'capstan', title: 'Shop', plan, findings: [] }, choices)
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
