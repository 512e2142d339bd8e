import { isStorableText } from '@capstan/contract/account-rules'
import { Problem } from '@capstan/contract/problems'
import type { TSchema } from 'typebox'

/**
 * Normalizes client input to the exact form of its schema before validation (docs/contract/http.md#requests). Field names and
 * enumerations are case-insensitive, and numeric strings count as numbers. A value above an `x-clamp` maximum is lowered to the
 * maximum, and a blank required string counts as missing.
 */

type LooseSchema = Readonly<{
  type?: string | readonly string[]
  properties?: Readonly<Record<string, LooseSchema>>
  items?: LooseSchema
  anyOf?: readonly LooseSchema[]
  enum?: readonly unknown[]
  minLength?: number
  maximum?: number
  'x-clamp'?: boolean
  patternProperties?: Readonly<Record<string, LooseSchema>>
}>

function admits(schema: LooseSchema, type: string): boolean {
  return Array.isArray(schema.type) ? schema.type.includes(type) : schema.type === type
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the alternative of an `anyOf` for this kind of value, or the schema itself if it has no `anyOf`. */
function alternativeFor(schema: LooseSchema, value: unknown): LooseSchema {
  if (!schema.anyOf) return schema
  const fits = (option: LooseSchema) =>
    Array.isArray(value)
      ? admits(option, 'array')
      : isRecord(value)
        ? admits(option, 'object')
        : option.type !== 'null' && !option.properties && !option.items
  return schema.anyOf.find(fits) ?? schema
}

function normaliseString(schema: LooseSchema, value: string, path: string): unknown {
  if (!isStorableText(value)) throw new Problem('request.invalid', { detail: path })
  if (schema.enum) {
    const lower = value.toLowerCase()
    return schema.enum.find((option) => typeof option === 'string' && option.toLowerCase() === lower) ?? value
  }
  const wantsNumber = admits(schema, 'integer') || admits(schema, 'number')
  if (wantsNumber && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value.trim())) return clamp(schema, Number(value))
  if (schema.minLength && value.trim() === '') return ''
  return value
}

function clamp(schema: LooseSchema, value: number): number {
  return schema['x-clamp'] && schema.maximum !== undefined ? Math.min(value, schema.maximum) : value
}

const spellings = new WeakMap<LooseSchema, ReadonlyMap<string, string>>()

/** Returns the property names of a schema, as a map from lower case to the exact name. The result is cached per schema. */
function spellingOf(schema: LooseSchema): ReadonlyMap<string, string> {
  const known = spellings.get(schema)
  if (known) return known
  const spelling = new Map(Object.keys(schema.properties ?? {}).map((name) => [name.toLowerCase(), name]))
  spellings.set(schema, spelling)
  return spelling
}

function normaliseRecord(schema: LooseSchema, value: Record<string, unknown>, path: string): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  const spelling = spellingOf(schema)
  const others = Object.values(schema.patternProperties ?? {})[0]
  for (const [key, member] of Object.entries(value)) {
    const name = spelling.get(key.toLowerCase())
    const memberSchema = name ? schema.properties?.[name] : others
    if (!memberSchema) continue
    if (!name && !isStorableText(key)) throw new Problem('request.invalid', { detail: path })
    result[name ?? key] = normaliseValue(memberSchema, member, `${path}/${name ?? key}`)
  }
  return result
}

function normaliseValue(given: LooseSchema, value: unknown, path: string): unknown {
  const schema = alternativeFor(given, value)
  if (typeof value === 'string') return normaliseString(schema, value, path)
  if (typeof value === 'number') return clamp(schema, value)
  if (Array.isArray(value) && schema.items)
    return value.map((item, index) => normaliseValue(schema.items ?? {}, item, `${path}/${index}`))
  if (isRecord(value) && (schema.properties || schema.patternProperties)) return normaliseRecord(schema, value, path)
  return value
}

/**
 * Normalizes a value. Unknown members are dropped.
 * @param schema TypeBox schema of the body, query or params
 * @param value parsed input of any shape. Validation later rejects invalid parts.
 * @throws Problem `request.invalid` for text that the database cannot store. No later code checks this.
 */
export function normalizeInput(schema: TSchema, value: unknown): unknown {
  return normaliseValue(schema as LooseSchema, value, '')
}
