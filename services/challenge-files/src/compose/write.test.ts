import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import type { ChallengeFile, NamedContainerRule } from '../format/challenge.ts'
import { importCompose } from '../importers/import.ts'
import { createTextTree } from '../testing/text-tree.ts'
import { formatComposeFile } from './write.ts'

function exported(containers: NamedContainerRule[]): string {
  const challenge = {
    apiVersion: 'capstan/v1',
    kind: 'Challenge',
    title: 'A',
    category: 'Web',
    flags: [{ template: 'flag{[TEAM_HASH]}' }],
  }
  return formatComposeFile({ ...challenge, containers } as ChallengeFile) ?? ''
}
function variablesOf(text: string) {
  const { services } = parse(text) as { services: Record<string, { environment?: unknown }> }
  return Object.fromEntries(Object.entries(services).map(([name, { environment }]) => [name, environment]))
}
const local = `\${FLAG:-local-flag}`

test('a container without a flag variable gets the flag in FLAG if players can connect to it, or if `receivesFlag` is set', () => {
  const text = exported([
    { name: 'page', image: 'a', ports: [{ port: 80 }] },
    { name: 'office', image: 'a', ports: [{ port: 81 }], receivesFlag: false },
    { name: 'db', image: 'a' },
    { name: 'bot', image: 'a', receivesFlag: true },
    { name: 'own', image: 'a', ports: [{ port: 82 }], flag: { environment: ['SECRET', 'FLAG'] } },
    { name: 'fixed', image: 'a', ports: [{ port: 83 }], environment: { FLAG: 'flag{decoy}' } },
  ])
  expect(variablesOf(text)).toEqual({
    page: { FLAG: local },
    bot: { FLAG: local },
    own: { SECRET: local, FLAG: local },
    fixed: { FLAG: 'flag{decoy}' },
  })
})

test('after an export and an import, a container names a flag variable only if its author named the variable', () => {
  const text = exported([
    { name: 'page', image: 'a', ports: [{ port: 80 }] },
    { name: 'bot', image: 'a', receivesFlag: true },
    { name: 'own', image: 'a', ports: [{ port: 82 }], flag: { environment: 'FLAG' } },
  ])
  const { challenge } = importCompose(createTextTree({ 'compose.yaml': text }), 'compose.yaml')
  expect(challenge?.containers?.map(({ name, flag }) => [name, flag])).toEqual([
    ['page', undefined],
    ['bot', undefined],
    ['own', { environment: 'FLAG' }],
  ])
})

const wrong = [null, 7, true, 'text', [], [7], [null], {}, { a: 7 }, [[]], [{ a: null }]]

test.each(['flags', 'containers', 'container', 'score', 'attachment', 'unlock', 'hints', 'title', 'flagTemplate'])(
  'an import ignores or refuses a value of the wrong type for %s in x-capstan, and does not throw',
  (field) => {
    for (const value of wrong)
      for (const place of ['file', 'service'] as const) {
        const own = { [field]: value }
        const service = { image: 'a', ports: ['80'], ...(place === 'service' && { 'x-capstan': own }) }
        const text = stringify({ ...(place === 'file' && { 'x-capstan': own }), services: { page: service } })
        const read = importCompose(createTextTree({ 'compose.yaml': text }), 'compose.yaml')
        expect(read.challenge !== undefined || read.findings.some(({ outcome }) => outcome === 'refused'), text).toBe(true)
      }
  },
)

test.each([
  'build',
  'flag',
  'environment',
  'ports',
  'networks',
  'dependsOn',
  'readiness',
  'resources',
  'writablePaths',
  'name',
  'image',
])('an import ignores or refuses a value of the wrong type for %s in x-capstan of a service, and does not throw', (field) => {
  for (const value of wrong) {
    const text = stringify({
      services: {
        page: { image: 'a', ports: ['80'], 'x-capstan': { [field]: value } },
        db: { build: '.', 'x-capstan': { [field]: value } },
      },
    })
    const read = importCompose(
      createTextTree({ 'compose.yaml': text, Dockerfile: 'FROM a\nCOPY . /\nCMD ["socaz"]\n' }),
      'compose.yaml',
    )
    expect(read.challenge !== undefined || read.findings.some(({ outcome }) => outcome === 'refused'), text).toBe(true)
  }
})
