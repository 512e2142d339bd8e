import { parse } from 'yaml'

/** Parts of a CustomResourceDefinition that the generator reads. */
type Definition = Readonly<{
  metadata: { readonly name: string }
  spec: Readonly<{
    group: string
    names: Readonly<{ kind: string; plural: string }>
    versions: readonly [Readonly<{ name: string; schema: { readonly openAPIV3Schema: Schema } }>]
  }>
}>

type Schema = Readonly<{
  description?: string
  type: 'object' | 'array' | 'string' | 'integer' | 'boolean'
  enum?: readonly string[]
  required?: readonly string[]
  properties?: Readonly<Record<string, Schema>>
  items?: Schema
  default?: unknown
}>

/**
 * Generates TypeScript types from a CustomResourceDefinition with one version. A member with a default is never optional, because
 * the API server fills it in.
 */
export function generateTypesOfCrd(file: string, yaml: string): string {
  const { metadata, spec } = parse(yaml) as Definition
  const { group, names, versions } = spec
  const [version] = versions
  const { spec: wanted, status } = version.schema.openAPIV3Schema.properties ?? {}
  if (!wanted || !status) throw new Error(`${file} needs a spec and a status`)
  return `// Generated from ${file} by scripts/generate.ts. Do not edit.

/** Name of the definition. */
export const definitionName = ${quoted(metadata.name)}
export const group = ${quoted(group)}
export const apiVersion = ${quoted(`${group}/${version.name}`)}
export const kind = ${quoted(names.kind)}
export const plural = ${quoted(names.plural)}

${commentOf(wanted, '')}export interface ${names.kind}Spec ${typeOf(wanted, '')}

${commentOf(status, '')}export interface ${names.kind}Status ${typeOf(status, '')}
`
}

function quoted(text: string): string {
  return `'${text}'`
}

function commentOf({ description }: Schema, indent: string): string {
  return description === undefined ? '' : `${indent}/** ${description.trim()} */\n`
}

function typeOf(schema: Schema, indent: string): string {
  switch (schema.type) {
    case 'object':
      return objectOf(schema, indent)
    case 'array': {
      if (!schema.items) throw new Error('A list has no items')
      const items = typeOf(schema.items, indent)
      return schema.items.enum ? `(${items})[]` : `${items}[]`
    }
    case 'integer':
      return 'number'
    case 'string':
      return schema.enum ? schema.enum.map(quoted).join(' | ') : 'string'
    case 'boolean':
      return 'boolean'
  }
}

function objectOf({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `
  const members = Object.entries(properties).map(([name, schema]) => {
    const isThere = required.includes(name) || schema.default !== undefined
    return `${commentOf(schema, inner)}${inner}${name}${isThere ? '' : '?'}: ${typeOf(schema, inner)}\n`
  })
  return `{\n${members.join('')}${indent}}`
}
