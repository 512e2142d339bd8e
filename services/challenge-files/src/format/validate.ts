import { isStorableText } from '@capstan/contract/account-rules'
import { type TSchema, Type } from 'typebox'
import type { TLocalizedValidationError } from 'typebox/error'
import { Value } from 'typebox/value'
import { isRecord } from '../record.ts'
import type { FieldPath } from '../yaml.ts'

export type FormatProblem = Readonly<{
  /** Path such as `container.ports[0].port`. Empty for the whole document. */
  path: string
  keys: FieldPath
  message: string
}>

/** @returns the text of a scalar as it is in the file, such as `0123` for the number 123, or undefined if it is unknown */
export type TextOf = (keys: FieldPath) => string | undefined

/** Keywords of JSON Schema that this module checks itself. The validator checks all other keywords. */
type Node = Readonly<{
  type?: unknown
  enum?: unknown
  const?: unknown
  anyOf?: readonly TSchema[]
  items?: TSchema
  properties?: Readonly<Record<string, TSchema>>
  required?: readonly string[]
  additionalProperties?: unknown
  patternProperties?: Readonly<Record<string, TSchema>>
}>

function takesText({ type, enum: values, const: only }: Node): boolean {
  return type === 'string' && values === undefined && only === undefined
}

function pathOf(keys: FieldPath): string {
  return keys.reduce<string>(
    (path, key) => (typeof key === 'number' ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`),
    '',
  )
}

function kindOf(value: unknown): string {
  return value === null ? 'empty or null' : typeof value === 'boolean' ? 'a boolean' : 'a number'
}

/** Creates a function that returns the faults of a value. Each fault is returned once, with the path of the field to change. */
function createWalk(textOf: TextOf) {
  const problem = (keys: FieldPath, message: string): FormatProblem => ({ path: pathOf(keys), keys, message })

  const ofValidator = (schema: TSchema, value: unknown, keys: FieldPath): FormatProblem[] => {
    const errors = Value.Errors(schema, value).filter(({ keyword }) => keyword !== 'additionalProperties')
    return errors.map((error) => {
      const below = error.instancePath.split('/').slice(1)
      return problem([...keys, ...below.map((key) => (/^\d+$/.test(key) ? Number(key) : key))], sentenceOf(error))
    })
  }

  /** Returns the fault if a number, boolean or null is used where text is expected, or undefined for other values. */
  const unquoted = (schema: TSchema, value: unknown, keys: FieldPath): FormatProblem[] | undefined => {
    if (value !== null && !['number', 'boolean', 'bigint'].includes(typeof value)) return undefined
    const text = textOf(keys) ?? String(value)
    if (value !== null && !Value.Check(schema, text)) return ofValidator(schema, text, keys)
    return [problem(keys, `This is ${kindOf(value)}, but must be text. Quote it: ${JSON.stringify(text)}.`)]
  }

  const ofFields = (schema: Node, value: Record<string, unknown>, keys: FieldPath): FormatProblem[] => {
    const { properties = {}, required = [], patternProperties = {} } = schema
    const patterns = Object.entries(patternProperties).map(([pattern, each]) => [Type.String({ pattern }), each] as const)
    const schemaOf = (key: string): TSchema | undefined =>
      Object.hasOwn(properties, key) ? properties[key] : patterns.find(([pattern]) => Value.Check(pattern, key))?.[1]
    const missing = required.filter((key) => !Object.hasOwn(value, key))
    const names = [...Object.keys(properties), ...Object.keys(value).filter((key) => !Object.hasOwn(properties, key))]
    return [
      ...(missing.length > 0 ? [problem(keys, `Missing: ${missing.join(', ')}.`)] : []),
      ...(schema.additionalProperties === false
        ? Object.keys(value).flatMap((key) => (schemaOf(key) ? [] : [problem([...keys, key], 'This field is unknown.')]))
        : []),
      ...names.flatMap((key) => {
        const each = Object.hasOwn(value, key) ? schemaOf(key) : undefined
        return each === undefined ? [] : faultsOf(each, value[key], [...keys, key])
      }),
    ]
  }

  const ofUnion = (branches: readonly TSchema[], value: unknown, keys: FieldPath): FormatProblem[] => {
    const nodes = branches as readonly Node[]
    const text = branches.find((branch) => takesText(branch as Node))
    const quoted = text && unquoted(text, value, keys)
    if (quoted) return quoted
    const objects = branches.filter((branch) => (branch as Node).type === 'object')
    if (isRecord(value) && objects.length > 0) {
      const shared = (branch: TSchema): number =>
        Object.keys(value).filter((key) => Object.hasOwn((branch as Node).properties ?? {}, key)).length
      const most = Math.max(...objects.map(shared))
      // If the value has no field of any schema in `anyOf`, it is unclear which schema the author meant.
      if (most > 0 || objects.length === 1) {
        const meant = objects.filter((branch) => shared(branch) === most).map((branch) => faultsOf(branch, value, keys))
        return meant.reduce((fewest, faults) => (faults.length < fewest.length ? faults : fewest))
      }
    }
    const type = Array.isArray(value) ? 'array' : typeof value
    const same = branches.find((branch) => (branch as Node).type === type)
    if (same && !isRecord(value)) return faultsOf(same, value, keys)
    const fields = nodes.flatMap(({ required = [] }) => required[0] ?? [])
    const choices = nodes.flatMap(({ type: kind, enum: values }) =>
      Array.isArray(values) ? values.map(String) : kind === 'object' || kind === undefined ? [] : [String(kind)],
    )
    return [
      problem(
        keys,
        choices.length > 0
          ? `It must be one of ${choices.join(', ')}${fields.length > 0 ? `, or have the field ${fields.join(' or ')}` : ''}.`
          : `It must have one of the fields ${fields.join(', ')}.`,
      ),
    ]
  }

  const walk = (schema: TSchema, value: unknown, keys: FieldPath): FormatProblem[] => {
    const node = schema as Node
    if (node.anyOf) return ofUnion(node.anyOf, value, keys)
    if (node.type === 'object' && isRecord(value) && (node.properties || node.patternProperties))
      return ofFields(node, value, keys)
    if (node.type === 'array' && Array.isArray(value) && node.items) {
      const { items } = node
      return value.flatMap((each, index) => faultsOf(items, each, [...keys, index]))
    }
    return (takesText(node) && unquoted(schema, value, keys)) || []
  }

  const faultsOf = (schema: TSchema, value: unknown, keys: FieldPath): FormatProblem[] => {
    if (Value.Check(schema, value)) return []
    const found = walk(schema, value, keys)
    // The checks above omit some rules, such as the number of items. If they find no fault, use the message of the validator.
    return found.length > 0 ? found : ofValidator(schema, value, keys)
  }
  return faultsOf
}

/** Returns the texts and keys of a value that the database cannot store. */
function unstorablePaths(value: unknown, keys: FieldPath = []): FieldPath[] {
  if (typeof value === 'string') return isStorableText(value) ? [] : [keys]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) =>
    isStorableText(key) ? unstorablePaths(each, [...keys, Array.isArray(value) ? Number(key) : key]) : [keys],
  )
}

/**
 * Returns each fault of a value once. The result is empty if the value matches the schema, and the database can store all of its
 * texts.
 */
export function findSchemaFaults(schema: TSchema, value: unknown, textOf: TextOf = () => undefined): FormatProblem[] {
  const faults = createWalk(textOf)(schema, value, [])
  if (faults.length > 0) return faults
  const message = 'The text contains a NUL character or half of a character, which cannot be stored.'
  return unstorablePaths(value).map((keys) => ({ path: pathOf(keys), keys, message }))
}

/** Returns a sentence for authors about a fault. The message of the validator describes the fault in terms of the schema. */
function sentenceOf(error: TLocalizedValidationError): string {
  switch (error.keyword) {
    case 'boolean':
      return 'This field is unknown.'
    case 'enum':
      return `It must be one of ${error.params.allowedValues.join(', ')}.`
    case 'required':
      return `Missing: ${error.params.requiredProperties.join(', ')}.`
    default:
      return `It ${error.message}.`
  }
}
