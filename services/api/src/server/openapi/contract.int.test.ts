import { readFileSync } from 'node:fs'
import { operations } from '@capstan/contract/operations'
import { phonePattern } from '@capstan/contract/phone'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'

type Json = Record<string, unknown>
interface Document {
  paths: Record<string, Record<string, Json>>
  components: { schemas: Record<string, Json>; parameters?: Record<string, Json>; responses?: Record<string, Json> }
}

/** Path of the reference platform's OpenAPI document. The repository does not contain this document. */
const referenceFile = process.env.CAPSTAN_CONTRACT
const methods = ['get', 'post', 'put', 'delete'] as const

let context: TestApp
let emitted: Document
beforeAll(async () => {
  context = await startTestApp()
  emitted = (await context.app.inject('/api/openapi.json')).json()
})
afterAll(() => context.close())

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Keywords that do not change which values are valid. */
const annotations = new Set([
  'description',
  'title',
  'examples',
  'x-inferred',
  'x-inferred-values',
  'propertyNames',
  'readOnly',
  'contentEncoding',
  'summary',
])

/** True if a field or query parameter is marked as an addition to the API of the reference platform. */
function isAdditive(member: unknown): boolean {
  return isRecord(member) && member['x-additive'] === true
}

/**
 * Returns a schema in a form that can be compared. References are replaced by their targets, additive fields are omitted, and
 * equivalent schemas are written in the same way.
 */
function normalised(schema: unknown, document: Document): unknown {
  if (Array.isArray(schema)) return schema.map((item) => normalised(item, document))
  if (!isRecord(schema)) return schema
  if (typeof schema.$ref === 'string') {
    const [, , kind, name] = schema.$ref.split('/') as [string, string, 'schemas' | 'parameters' | 'responses', string]
    const { $ref: _, ...rest } = schema
    return { ...(normalised(document.components[kind]?.[name], document) as Json), ...(normalised(rest, document) as Json) }
  }
  const result: Json = {}
  for (const [key, value] of Object.entries(schema)) {
    if (annotations.has(key)) continue
    if (key === 'properties')
      result.properties = Object.fromEntries(
        Object.entries(value as Json)
          .filter(([, member]) => !isAdditive(member))
          .map(([name, member]) => [name, normalised(member, document)]),
      )
    else if (key === 'required' && Array.isArray(value))
      result.required = value.filter((name) => !isAdditive((schema.properties as Json | undefined)?.[name])).sort()
    else if (key === 'patternProperties') result.additionalProperties = normalised(Object.values(value as Json)[0], document)
    else result[key] = normalised(value, document)
  }
  if (result.const !== undefined) {
    delete result.type
    delete result.format
  }
  if (Array.isArray(result.anyOf) && result.anyOf.length === 2 && (result.anyOf[1] as Json).type === 'null') {
    const { anyOf, ...rest } = result
    const [either] = anyOf as [Json]
    if (typeof either.type === 'string') return { ...either, ...rest, type: [either.type, 'null'] }
  }
  if (Array.isArray(result.required) && result.required.length === 0) delete result.required
  return result
}

/**
 * Keywords of limits that our schemas may have although the schemas of the reference platform lack them. Normal clients never
 * exceed these limits.
 */
const bounds = ['maxLength', 'minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties'] as const
/**
 * Pattern of phone numbers in the API description of the reference platform. Matching this pattern takes quadratic time, so our
 * schema has another pattern that accepts the same numbers.
 */
const patternOfReference = '^$|^\\+?[0-9 ().\\-]*[0-9][0-9 ().\\-]*((ext\\.?|x) ?[0-9]+)?$'

/** Removes limits from `ours` that `theirs` does not have. */
function loosened(ours: unknown, theirs: unknown): unknown {
  if (Array.isArray(ours)) return ours.map((item, index) => loosened(item, Array.isArray(theirs) ? theirs[index] : undefined))
  if (!isRecord(ours) || !isRecord(theirs)) return ours
  const result: Json = {}
  for (const [key, value] of Object.entries(ours)) {
    if (!(key in theirs) && (bounds as readonly string[]).includes(key)) continue
    result[key] = loosened(value, theirs[key])
  }
  if (result.pattern === phonePattern.source && theirs.pattern === patternOfReference) result.pattern = patternOfReference
  return result
}

function parametersOf(path: Json, call: Json, document: Document) {
  return [...((path.parameters as Json[]) ?? []), ...((call.parameters as Json[]) ?? [])]
    .filter((parameter) => !isAdditive(parameter.schema))
    .map((parameter) => normalised(parameter, document) as { name: string; in: string; required?: boolean; schema: Json })
    .map(({ name, in: place, required, schema }) => ({
      name,
      place,
      required: required === true,
      type: schema.type ?? 'enum',
      enum: schema.enum,
      ...(place === 'query' && schema.maximum !== undefined && { maximum: schema.maximum }),
      default: schema.default,
    }))
    .sort((a, b) => `${a.place}${a.name}`.localeCompare(`${b.place}${b.name}`))
}

function contentOf(part: unknown, document: Document) {
  const { content } = (normalised(part, document) ?? {}) as { content?: Record<string, { schema: Json }> }
  return Object.fromEntries(Object.entries(content ?? {}).map(([type, { schema }]) => [type, schema]))
}

test('the api registers a route for every operation', () => {
  const served = new Set(context.app.registeredOperations.map(({ method, path }) => `${method} ${path}`))
  // The gateway serves the operations with the tag Proxy.
  const missing = Object.values(operations).filter(({ tag, method, path }) => tag !== 'Proxy' && !served.has(`${method} ${path}`))
  expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([])
})

test('the api registers no operation twice', () => {
  const served = context.app.registeredOperations.map(({ method, path }) => `${method} ${path}`)
  expect(served.length).toBe(new Set(served).size)
})

test('serves the page that shows the API description', async () => {
  const page = await context.app.inject('/api/docs')
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
})

describe.skipIf(!referenceFile)('comparison of the API description with the reference (CAPSTAN_CONTRACT)', () => {
  const reference: Document = referenceFile
    ? JSON.parse(readFileSync(referenceFile, 'utf8'))
    : { paths: {}, components: { schemas: {} } }
  const calls = Object.entries(reference.paths).flatMap(([path, item]) =>
    methods.filter((method) => item[method]).map((method) => ({ path, method })),
  )

  test('the API descriptions of this platform and of the reference platform list the same calls', () => {
    const names = (document: Document) =>
      Object.entries(document.paths)
        .flatMap(([path, item]) => methods.filter((method) => item[method]).map((method) => `${method} ${path}`))
        .sort()
    expect(names(emitted)).toEqual(names(reference))
  })

  test.each(calls)('the API description and the reference describe $method $path in the same way', ({ path, method }) => {
    const theirs = reference.paths[path]?.[method] as Json
    const ours = emitted.paths[path]?.[method] as Json
    expect(ours['x-access']).toBe(theirs['x-access'])
    expect(ours['x-rate-limit']).toBe(theirs['x-rate-limit'])
    const wantedParameters = parametersOf(reference.paths[path] ?? {}, theirs, reference)
    expect(loosened(parametersOf(emitted.paths[path] ?? {}, ours, emitted), wantedParameters)).toEqual(wantedParameters)
    const wantedBody = contentOf(theirs.requestBody, reference)
    expect(loosened(contentOf(ours.requestBody, emitted), wantedBody)).toEqual(wantedBody)
    const responses = (call: Json) => Object.keys(call.responses as Json)
    expect(
      responses(ours)
        .filter((status) => status >= '400')
        .sort(),
    ).toEqual(
      responses(theirs)
        .filter((status) => status >= '400')
        .sort(),
    )
    const wantedAnswer = contentOf((theirs.responses as Json)['200'], reference)
    expect(loosened(contentOf((ours.responses as Json)['200'], emitted), wantedAnswer)).toEqual(wantedAnswer)
  })
})
