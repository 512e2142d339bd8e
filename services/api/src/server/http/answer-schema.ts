import type { TSchema } from 'typebox'

/** JSON Schema keywords that restrict a value without changing how it is serialized. */
const restrictions = new Set([
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'propertyNames',
])

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function mapValues(record: Record<string, unknown>, change: (value: unknown) => unknown) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}

function withoutRestrictions(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutRestrictions)
  if (!isRecord(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([word]) => !restrictions.has(word))
      .map(([word, value]) => [
        word,
        // The keys at this level are names of properties, which may equal a keyword.
        (word === 'properties' || word === 'patternProperties') && isRecord(value)
          ? mapValues(value, withoutRestrictions)
          : withoutRestrictions(value),
      ]),
  )
}

/**
 * Returns the schema that serializes and filters a response: the given schema without its limits. Requests and responses share
 * schemas, but stored values may be older than a limit.
 */
export function toResponseSchema(schema: TSchema): TSchema {
  return withoutRestrictions(schema) as TSchema
}
