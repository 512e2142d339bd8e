import { type Static, type TObject, type TOptional, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox'
import { InputLimits, notNegative, PageLimits } from './limits.ts'
import { phonePattern } from './phone.ts'

/** Annotations that every JSON schema may have, regardless of its type. */
export type SchemaOptions = Readonly<Record<string, unknown>>

/** Returns the schema of a string from a fixed list, with `type` and `enum`, as OpenAPI clients expect. */
export function stringEnum<const Values extends readonly string[]>(
  values: Values,
  options: SchemaOptions = {},
): TUnsafe<Values[number]> & { enum: Values } {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: values, ...options }) as TUnsafe<Values[number]> & { enum: Values }
}

function nullableOf<Value>(type: string) {
  return (options: SchemaOptions = {}): TUnsafe<Value | null> => Type.Unsafe<Value | null>({ type: [type, 'null'], ...options })
}

export const nullableString = nullableOf<string>('string')
export const nullableInteger = nullableOf<number>('integer')
export const nullableNumber = nullableOf<number>('number')
export const nullableBoolean = nullableOf<boolean>('boolean')

export function nullableArray<Item extends TSchema>(items: Item, options: SchemaOptions = {}): TUnsafe<Static<Item>[] | null> {
  return Type.Unsafe<Static<Item>[] | null>({ type: ['array', 'null'], items, ...options })
}

export function nullable<Schema extends TSchema>(schema: Schema, options: SchemaOptions = {}): TUnsafe<Static<Schema> | null> {
  return Type.Unsafe<Static<Schema> | null>({ anyOf: [schema, { type: 'null' }], ...options })
}

/** Returns the fields of an object as optional fields. */
export function optionalFields<Fields extends TProperties>(fields: Fields): { [Name in keyof Fields]: TOptional<Fields[Name]> } {
  const optional = Object.entries(fields).map(([name, field]) => [name, Type.Optional(field)])
  return Object.fromEntries(optional) as { [Name in keyof Fields]: TOptional<Fields[Name]> }
}

/** Returns the schema with additional annotations, such as a description or a default. */
export function withSchemaOptions<Schema extends TSchema>(schema: Schema, options: SchemaOptions): TUnsafe<Static<Schema>> {
  return Type.Unsafe<Static<Schema>>({ ...schema, ...options })
}

/**
 * Annotation of a field that the reference platform does not have. Clients of the reference platform neither send nor expect the
 * field.
 */
export const additive = { 'x-additive': true } as const

/** Returns the schema of a response field that contains a time in ms since 1970 or null. */
export function nullableInstantMs(options: SchemaOptions = {}) {
  return nullableInteger({ format: 'int64', ...options })
}

/** Returns the schema for a time that a client sends in ms since 1970. 0 clears the stored time, and null retains it. */
export function instantMsInputSchema(options: SchemaOptions = {}) {
  return nullableInteger({ format: 'int64', ...notNegative, maximum: InputLimits.maxInstantMs, ...options })
}

/** Numeric id, as a parameter of a URL path. */
export const Id = Type.Integer({ format: 'int32', minimum: InputLimits.minId, maximum: InputLimits.maxInt32 })

/** UUID of a user or instance, as a parameter of a URL path. */
export const Uuid = Type.String({ format: 'uuid', maxLength: InputLimits.uuidLength })

/** SHA-256 of a stored file, as a parameter of a URL path. */
export const Sha256Hex = Type.String({ pattern: '^[0-9a-f]{64}$', maxLength: InputLimits.sha256HexLength })

/** Returns the schema for a time that a client sends in the format of ISO 8601. */
export function instantInputSchema(options: SchemaOptions = {}) {
  return Type.String({ format: 'date-time', maxLength: InputLimits.maxInstantLength, ...options })
}

export function phoneInputSchema() {
  return nullableString({
    maxLength: InputLimits.maxPhoneLength,
    pattern: phonePattern.source,
    description: 'Empty clears it.',
  })
}

/**
 * Parameters for paging through a list: `count` items are returned, starting after the first `skip` items. A `count` above the
 * maximum is reduced to the maximum (`x-clamp`).
 */
export const Pages = {
  count: (byDefault: number = PageLimits.default) =>
    Type.Integer({ format: 'int32', default: byDefault, ...notNegative, maximum: PageLimits.max, 'x-clamp': true }),
  skip: Type.Integer({ format: 'int32', default: 0, ...notNegative, maximum: InputLimits.maxInt32 }),
} as const

/** Type of an object schema. Its `properties` contain the schema of each property. */
export type ObjectSchema = TObject<Record<string, TSchema | TOptional<TSchema>>>
