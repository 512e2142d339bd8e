import { describe, expect, test } from 'vitest'
import { ProxyConnectionReports } from './gateway-backend.ts'
import { BodyLimits } from './limits.ts'
import type { Operation } from './operation.ts'
import { operations, ownOperations } from './operations.ts'

type Json = Record<string, unknown>
function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

/** Returns the places in a schema that accept data of unlimited size. */
function unboundedPlaces(schema: unknown, place: string): string[] {
  if (!isRecord(schema)) return [`${place} is no schema`]
  if ('enum' in schema || 'const' in schema) return []
  if (Array.isArray(schema.anyOf)) return schema.anyOf.flatMap((option, index) => unboundedPlaces(option, `${place}|${index}`))
  return [schema.type].flat().flatMap((type): string[] => {
    switch (type) {
      case 'boolean':
      case 'null':
        return []
      case 'string':
        return isNumber(schema.maxLength) ? [] : [`${place}: a text of any length`]
      case 'integer':
      case 'number': {
        const isBounded =
          isNumber(schema.minimum ?? schema.exclusiveMinimum) && isNumber(schema.maximum ?? schema.exclusiveMaximum)
        return isBounded ? [] : [`${place}: a number of any size`]
      }
      case 'array':
        return [
          ...(isNumber(schema.maxItems) ? [] : [`${place}: a list of any length`]),
          ...unboundedPlaces(schema.items, `${place}[]`),
        ]
      case 'object':
        return unboundedMembers(schema, place)
      default:
        return [`${place}: anything`]
    }
  })
}

function unboundedMembers(schema: Json, place: string): string[] {
  const named = Object.entries((schema.properties ?? {}) as Json).flatMap(([name, member]) =>
    unboundedPlaces(member, `${place}.${name}`),
  )
  if (!isRecord(schema.patternProperties)) return named
  const names = isRecord(schema.propertyNames) ? unboundedPlaces({ type: 'string', ...schema.propertyNames }, `${place}{}`) : ['']
  return [
    ...named,
    ...(isNumber(schema.maxProperties) ? [] : [`${place}: any number of members`]),
    ...(names.length === 0 ? [] : [`${place}: member names of any length`]),
    ...Object.values(schema.patternProperties).flatMap((member) => unboundedPlaces(member, `${place}{}`)),
  ]
}

const calls: [string, Operation][] = Object.entries({ ...operations, ...ownOperations })

describe('input', () => {
  test.each(calls)('every input of the call %s is bounded', (_name, { params, query, body }) => {
    const faults = Object.entries({ params, query, body }).flatMap(([part, schema]) =>
      schema === undefined ? [] : unboundedPlaces(schema, part),
    )
    expect(faults).toEqual([])
  })

  test('reports of the gateway are bounded', () => {
    expect(unboundedPlaces(ProxyConnectionReports, 'body')).toEqual([])
  })

  test('the check reports each place of a schema that has no limit', () => {
    const open = {
      type: 'object',
      properties: {
        text: { type: ['string', 'null'] },
        half: { type: 'integer', minimum: 0 },
        list: { type: 'array', items: { type: 'string', maxLength: 1 } },
        record: { type: 'object', patternProperties: { '^.*$': { type: 'boolean' } } },
        either: { anyOf: [{ type: 'null' }, { type: 'number', maximum: 1 }] },
        anything: {},
      },
    }
    expect(unboundedPlaces(open, 'body')).toEqual([
      'body.text: a text of any length',
      'body.half: a number of any size',
      'body.list: a list of any length',
      'body.record: any number of members',
      'body.record: member names of any length',
      'body.either|1: a number of any size',
      'body.anything: anything',
    ])
  })
})

test('only calls of organizers and admins accept larger bodies than the default', () => {
  const large = calls.filter(([, { bodyBounds }]) => bodyBounds && bodyBounds.maxBytes > BodyLimits.default.maxBytes)
  expect(large.filter(([, { access }]) => access !== 'admin').map(([name]) => name)).toEqual([])
})
