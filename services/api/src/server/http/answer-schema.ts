import type { TSchema } from 'typebox'

/** Words that judge a value without changing how it is written. */
const judgements = new Set([
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

function withoutJudgements(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutJudgements)
  if (!isRecord(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([word]) => !judgements.has(word))
      .map(([word, value]) => [
        word,
        // Here stand names of members, which may be words of the language too.
        (word === 'properties' || word === 'patternProperties') && isRecord(value)
          ? mapValues(value, withoutJudgements)
          : withoutJudgements(value),
      ]),
  )
}

/**
 * The schema that writes and filters an answer: the same shape without bounds. Requests and answers share schemas, and what
 * was stored before a bound existed must still be readable.
 */
export function answerSchema(schema: TSchema): TSchema {
  return withoutJudgements(schema) as TSchema
}
