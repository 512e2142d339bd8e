import { expect, test } from 'vitest'
import { importCompose, importTree } from '../importers/import.ts'
import { parseCategory } from '../importers/names.ts'
import { isVariableName } from '../importers/parts.ts'
import { parseSheet } from '../importers/sheet.ts'
import { createTextTree } from '../testing/text-tree.ts'

const own = '{toString: 1, valueOf: 2}'

test.each([
  `mem_limit: ${own}`,
  `cpus: ${own}`,
  `deploy: {resources: {limits: {memory: ${own}}}}`,
  `healthcheck: {test: [${own}]}`,
  `healthcheck: {test: ${own}}`,
  `extends: ${own}`,
  `extends: {service: ${own}}`,
  `extends: {service: a, file: ${own}}`,
  `environment: [${own}]`,
  `ports: [{target: ${own}}]`,
  `volumes: [${own}]`,
  `depends_on: [${own}]`,
  `user: ${own}`,
  `command: [${own}]`,
])('a setting whose value has a member `toString` does not make the import throw: %s', (setting) => {
  const text = `services:\n  a: {image: x, ports: ["80:80"], ${setting}}\n`
  const override = `services:\n  a: {dns: [1], environment: [A], volumes: ["a:/b"], depends_on: [${own}]}\n`
  for (const files of [{ 'x/compose.yaml': text }, { 'x/compose.yaml': text, 'x/compose.override.yaml': override }]) {
    const read = importCompose(createTextTree(files), 'x/compose.yaml')
    expect(read.challenge !== undefined || read.findings.some(({ outcome, file }) => outcome === 'refused' && file !== '')).toBe(
      true,
    )
  }
})

test('one faulty compose file does not stop the import of the other challenges', () => {
  const good = 'name: A\ncategory: web\ndescription: d\nvalue: 100\ntype: standard\nflags: [flag]\n'
  const imported = importTree(
    createTextTree({
      'a/challenge.yml': good,
      'b/compose.yaml': `services:\n  a: {image: x, mem_limit: ${own}, extends: ${own}}\n`,
    }),
  )
  expect(imported.some(({ challenge }) => challenge?.title === 'A')).toBe(true)
})

test.each([
  ['x-capstan: [flags]\nservices: {a: {image: x, ports: ["80:80"]}}', 'x-capstan'],
  ['services: {a: {image: x, ports: ["80:80"], x-capstan: egress}}', 'services.a.x-capstan'],
])('x-capstan is refused with its field name if it is not a mapping: %s', (text, field) => {
  const { findings } = importCompose(createTextTree({ 'compose.yaml': text }), 'compose.yaml')
  expect(findings).toContainEqual(expect.objectContaining({ field, outcome: 'refused' }))
})

test('settings in x-capstan are reported as left out if the folder contains another descriptor, which has precedence', () => {
  const imported = importTree(
    createTextTree({
      'a/challenge.yml': 'name: A\ncategory: web\ndescription: d\nvalue: 100\ntype: standard\nflags: [flag]\n',
      'a/docker-compose.yml': 'x-capstan: {attempts: {limit: 5}}\nservices: {a: {image: x, ports: ["80:80"]}}\n',
    }),
  )
  expect(imported.flatMap(({ findings }) => findings)).toContainEqual(
    expect.objectContaining({ file: 'a/docker-compose.yml', outcome: 'left-out', why: expect.stringContaining('x-capstan') }),
  )
})

test('only the first document of a descriptor is imported, and the line of the second document is reported', () => {
  const text = (title: string) => `name: ${title}\ncategory: web\ndescription: d\nvalue: 100\ntype: standard\nflags: [flag]\n`
  const [read] = importTree(createTextTree({ 'a/challenge.yml': `${text('A')}---\n${text('B')}` }))
  expect(read?.challenge?.title).toBe('A')
  expect(read?.findings).toContainEqual(
    expect.objectContaining({ outcome: 'left-out', line: 8, why: expect.stringContaining('first document') }),
  )
})

test('CSV files, merged lists and extended compose files are read in linear time', () => {
  expect(parseSheet(`a${'"'.repeat(3_000_000)}`)).toHaveLength(1)
  const long = (count: number) => Array.from({ length: count }, (_, index) => index).join()
  const merged = importCompose(
    createTextTree({
      'compose.yaml': `services: {a: {image: x, ports: ["80:80"], dns: [${long(60_000)}]}}`,
      'compose.override.yaml': 'services: {a: {dns: [0]}}',
    }),
    'compose.yaml',
  )
  expect(merged.challenge).toBeDefined()
  const names = Array.from({ length: 2_000 }, (_, index) => `  s${index}: {extends: {file: big.yml, service: a}}`)
  const extended = importCompose(
    createTextTree({
      'compose.yaml': `services:\n${names.join('\n')}\n`,
      'big.yml': `services: {a: {image: x}}\nx-pad: [${long(50_000)}]\n`,
    }),
    'compose.yaml',
  )
  expect(extended.findings.some(({ outcome, field }) => outcome === 'refused' && field === 'services')).toBe(true)
})

test('names such as `constructor` and `__proto__` are not accepted as categories or variables', () => {
  expect(['constructor', '__proto__', 'toString'].map(parseCategory)).toEqual([undefined, undefined, undefined])
  expect(isVariableName('__proto__')).toBe(false)
})
