import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { apiVersion, definitionName, group, kind, plural } from './definition.ts'
import { definitionFile } from './definition-file.ts'
import * as labels from './labels.ts'
import * as names from './names.ts'

const root = path.join(import.meta.dirname, '..', '..', '..')
const home = path.join('services', 'challenge-instance')

/** Returns the paths of the files in these folders, relative to the repository. Installed packages and built files are omitted. */
function filesBelow(folders: readonly string[], pattern: RegExp): string[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => path.join(folder, file))
      .filter((file) => pattern.test(file) && !/(^|\/)(node_modules|dist)\/|\.bundle\.mjs$/.test(file)),
  )
}
function read(file: string) {
  return readFileSync(path.join(root, file), 'utf8')
}

const sources = filesBelow(['services', 'operator', 'scripts', 'e2e', 'charts', 'web/src'], /\.(ts|tsx|mts|mjs)$/).filter(
  (file) => !file.startsWith(home),
)

/** Returns the string constants of a module whose values start with `prefix`. */
function constantsOf(module: object, prefix = ''): string[] {
  return Object.values(module).filter((value): value is string => typeof value === 'string' && value.startsWith(prefix))
}

test('labels, annotations, finalizer and kind are defined only in this package', () => {
  expect(sources.length).toBeGreaterThan(500)
  const typed = /capstan\.dev[/'"`]|\.capstan\.dev|['"`](challengeinstances|ChallengeInstance)['"`]/
  expect(sources.filter((file) => typed.test(read(file)))).toEqual([])
})

test('names of the api and the operator in the cluster are defined only in this package', () => {
  // The tracing package is an exception, because it contains the names of the processes that send traces.
  const product = sources.filter((file) => !/\.test\.ts$/.test(file) && !file.startsWith('services/tracing/'))
  const typed = new RegExp(`['"\`](${names.operatorName}|${names.apiName})['"\`]`)
  expect(product.filter((file) => typed.test(read(file)))).toEqual([])
})

test('each label and annotation is exported once', () => {
  const all = constantsOf(labels)
  expect(new Set(all).size).toBe(all.length)
})

test('the custom resource definition, the chart and the documents use only existing labels, annotations and finalizers', () => {
  const known = new Set([...constantsOf(labels, `${group}/`), names.reportingController, apiVersion])
  const files = ['crds', 'docs', 'charts/capstan/templates'].flatMap((folder) => filesBelow([folder], /\.(yaml|tpl|txt|md)$/))
  const unknown = files.flatMap((file) =>
    [...read(file).matchAll(/\bcapstan\.dev\/[\w-]+/g)].filter(([name]) => !known.has(name)).map(([name]) => `${file}: ${name}`),
  )
  expect(unknown).toEqual([])
})

test('the roles of the chart grant access only to ChallengeInstances and their subresources', () => {
  const templates = filesBelow(['charts/capstan/templates'], /\.yaml$/)
  const rules = templates.flatMap((file) => [
    ...read(file).matchAll(/apiGroups: \[([\w.]*capstan[\w.]*)\]\n\s+resources: \[([\w/, ]+)\]/g),
  ])
  expect(rules.length).toBeGreaterThan(0)
  for (const [, ruleGroup, resources = ''] of rules) {
    expect(ruleGroup).toBe(group)
    for (const resource of resources.split(', ')) expect([plural, `${plural}/status`, `${plural}/finalizers`]).toContain(resource)
  }
})

test('the custom resource definition has the same group, kind and plural as the code', () => {
  const { metadata, spec } = parse(readFileSync(definitionFile, 'utf8'))
  expect([metadata.name, spec.group, spec.names.kind, spec.names.plural]).toEqual([definitionName, group, kind, plural])
  expect(definitionName).toBe(`${plural}.${group}`)
})
