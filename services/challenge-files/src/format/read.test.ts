import { readFileSync } from 'node:fs'
import { Value } from 'typebox/value'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { createTextTree } from '../testing/text-tree.ts'
import { jsonSchemaText } from './json-schema.ts'
import { readCapstanFile, readChallenge } from './read.ts'

const page = readFileSync(new URL('../../../../docs/challenges-as-code.md', import.meta.url), 'utf8')
const examples = page
  .split('```yaml\n')
  .slice(1)
  .map((part) => part.slice(0, part.indexOf('```')))
  // The page of the docs also shows a compose file, which is no example of `capstan.yaml`.
  .filter((text) => text.includes('apiVersion: capstan'))
/** Files that the examples refer to. */
const beside = Object.fromEntries(['server.py', 'Dockerfile', 'README.md', 'game.md', 'poster.png'].map((name) => [name, '']))

it.each(examples)('the example %# of the docs is a valid file', (text) => {
  const { findings } = readCapstanFile(createTextTree({ ...beside, 'capstan.yaml': text }), 'capstan.yaml')
  expect(findings).toEqual([])
})

it('the docs contain six examples of games and challenges', () => {
  const kinds = examples.map((text) => readCapstanFile(createTextTree({ ...beside, 'capstan.yaml': text }), 'capstan.yaml').kind)
  expect(kinds).toEqual(['Game', 'Challenge', 'Challenge', 'Challenge', 'Challenge', 'Challenge'])
})

it('the published JSON schema accepts the examples of the docs', () => {
  const schema = JSON.parse(jsonSchemaText())
  expect(schema.then.properties.title.description).toBe('Title for players.')
  for (const text of examples) expect(Value.Check(schema, parse(text))).toBe(true)
  expect(Value.Check(schema, { apiVersion: 'capstan/v1', kind: 'Game', name: 'a', title: 'A', flags: [] })).toBe(false)
  expect(Value.Check(schema, { apiVersion: 'capstan/v1', kind: 'Challenge', name: 'a', title: 'A' })).toBe(false)
})

it('the faults of a game file are reported', () => {
  const text = [
    'apiVersion: capstan/v1',
    'kind: Game',
    'name: a',
    'title: A',
    'starts: 2026-10-02T10:00:00Z',
    'ends: 2026-10-01T10:00:00Z',
  ]
  const { findings } = readCapstanFile(createTextTree({ 'capstan.yaml': text.join('\n') }), 'capstan.yaml')
  expect(findings).toMatchObject([{ line: 6, field: 'ends', why: 'The game must end after it starts.' }])
})

it('a deadline is accepted only if it is after the release', () => {
  const read = (deadline: string) => {
    const head = ['apiVersion: capstan/v1', 'kind: Challenge', 'name: a', 'title: A', 'category: Web', 'description: A']
    const text = [...head, 'flags: [{ text: "flag{a}" }]', 'release: 2026-10-01T10:00:00Z', `deadline: ${deadline}`]
    return readChallenge(createTextTree({ 'capstan.yaml': text.join('\n') }), 'capstan.yaml').findings
  }
  expect(read('2026-10-01T12:00:00+02:00')).toMatchObject([
    { line: 9, field: 'deadline', outcome: 'refused', why: 'The deadline must be after the release.' },
  ])
  expect(read('2026-10-01T10:00:01Z')).toEqual([])
})

it('unknown fields, invalid values and missing fields are reported', () => {
  const text = ['apiVersion: capstan/v1', 'kind: Challenge', 'name: a', 'title: A', 'category: Webb', 'flgs: []', 'flags: []']
  const { findings } = readChallenge(createTextTree({ 'capstan.yaml': text.join('\n') }), 'capstan.yaml')
  expect(findings).toMatchObject([
    { field: '', why: 'Missing: description.' },
    { line: 6, field: 'flgs', why: 'This field is unknown.' },
    { line: 5, field: 'category', why: expect.stringMatching(/^It must be one of Misc, Crypto, Pwn, .*, OSINT\.$/) },
  ])
})

it('a container needs either an image or a folder to build', () => {
  const text = [
    ...['apiVersion: capstan/v1', 'kind: Challenge', 'name: a', 'title: A', 'category: Web', "description: ''", 'flags: []'],
    ...['container:', '  ports: [{ port: 80 }]'],
  ].join('\n')
  const { challenge, findings } = readChallenge(createTextTree({ 'capstan.yaml': text }), 'capstan.yaml')
  expect(challenge).toBeUndefined()
  expect(findings).toEqual([
    {
      file: 'capstan.yaml',
      line: 8,
      field: 'container',
      outcome: 'refused',
      why: 'Name either an image or a folder to build, not both.',
    },
  ])
})

it('a Dockerfile must be in the folder to build', () => {
  const text = (dockerfile: string) =>
    [
      ...['apiVersion: capstan/v1', 'kind: Challenge', 'name: a', 'title: A', 'category: Web', "description: ''", 'flags: []'],
      `container: { build: { context: image, dockerfile: ${dockerfile} }, ports: [{ port: 80 }] }`,
    ].join('\n')
  const findingsOf = (dockerfile: string) =>
    readChallenge(createTextTree({ 'a/capstan.yaml': text(dockerfile), 'a/image/other.Dockerfile': '' }), 'a/capstan.yaml')
      .findings
  expect(findingsOf('other.Dockerfile')).toEqual([])
  expect(findingsOf('Dockerfile')).toMatchObject([
    { field: 'container.build.dockerfile', why: expect.stringContaining('does not exist') },
  ])
  expect(findingsOf('../../../etc/passwd')).toMatchObject([{ why: expect.stringContaining('outside of the folder') }])
})
