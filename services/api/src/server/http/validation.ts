import { looksLikeEmail } from '@capstan/contract/account-rules'
import { Problem, type ProblemText } from '@capstan/contract/problems'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formatsPlugin from 'ajv-formats'
import type { TSchema } from 'typebox'
import { normalizeInput } from './normalise.ts'

function isInstant(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T/.test(text) && !Number.isNaN(Date.parse(text))
}

function createAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({ allErrors: false, useDefaults: true, coerceTypes, strict: false, allowUnionTypes: true, verbose: true })
  formatsPlugin.default(ajv, ['uuid', 'int32', 'int64', 'double', 'password', 'binary'])
  ajv.addFormat('email', looksLikeEmail)
  ajv.addFormat('date-time', isInstant)
  return ajv
}

/** Values in a JSON body have types. Values in a query or path are texts, from which numbers and booleans are converted. */
const bodyAjv = createAjv(false)
const textAjv = createAjv(true)

/** Describes the first error, but does not quote the invalid value. */
function describe(error: ErrorObject): ProblemText {
  const { keyword, params } = error
  const path = error.instancePath.split('/').filter(Boolean).join('.')
  const field = keyword === 'required' ? [path, String(params.missingProperty)].filter(Boolean).join('.') : path
  switch (keyword) {
    case 'required':
      return { code: 'input.required', values: { field } }
    case 'minLength':
      return params.limit === 1
        ? { code: 'input.empty', values: { field } }
        : { code: 'input.short', values: { field, limit: Number(params.limit) } }
    case 'maxLength':
      return { code: 'input.long', values: { field, limit: Number(params.limit) } }
    case 'maxItems':
    case 'maxProperties':
      return { code: 'input.many', values: { field, limit: Number(params.limit) } }
    case 'minimum':
    case 'exclusiveMinimum':
      return { code: 'input.small', values: { field } }
    case 'maximum':
      return { code: 'input.large', values: { field } }
    case 'enum':
      return { code: 'input.choice', values: { field, choices: (params.allowedValues as unknown[]).join(', ') } }
    case 'type':
      return { code: 'input.type', values: { field } }
    default:
      return { code: 'input.invalid', values: { field } }
  }
}

export type InputPart = 'body' | 'query' | 'params'

/**
 * Creates a function that normalizes and validates one part of a request. It compiles the schema on the first call, since
 * compiling all schemas would take a third of the api's start time.
 * @returns the input in the form of the schema, with defaults
 * @throws Problem `request.invalid`, which names the first invalid field
 */
export function createValidator(part: InputPart, schema: TSchema): (input: unknown) => unknown {
  const ajv = part === 'body' ? bodyAjv : textAjv
  let compiled: ValidateFunction | undefined
  return (input) => {
    compiled ??= ajv.compile(schema)
    const validate = compiled
    const value = normalizeInput(schema, input)
    if (validate(value)) return value
    const error = validate.errors?.[0]
    throw new Problem('request.invalid', error ? { text: describe(error), detail: error.instancePath || '/' } : {})
  }
}
