import { readFileSync } from 'node:fs'
import { operations, ownOperations } from '@capstan/contract/operations'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formatsPlugin from 'ajv-formats'
import { getHashSalt } from '../../games/editing/edit-routes.ts'
import { describeApi } from '../../server/openapi/describe.ts'
import { plainCookieName } from '../../server/sessions/session-cookie.ts'
import type { CallInput } from './requests.ts'

type Json = Record<string, unknown>

/**
 * Path of the contract document, which is not part of the repository. If the variable is not set, the api's own description is
 * used.
 */
const referenceFile = process.env.CAPSTAN_CONTRACT

const documents: readonly Json[] = [
  referenceFile ? (JSON.parse(readFileSync(referenceFile, 'utf8')) as Json) : describeApi(operations, plainCookieName),
  describeApi({ ...ownOperations, getHashSalt }, plainCookieName),
]

const ownDocument = 1

const ajv = new Ajv2020({ strict: false, allErrors: true, allowUnionTypes: true })
formatsPlugin.default(ajv, ['uuid', 'date-time', 'email', 'int32', 'int64', 'double'])
for (const format of ['password', 'binary']) ajv.addFormat(format, true)
documents.forEach((document, index) => void ajv.addSchema(document, `document-${index}`))

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

type Parameter = Readonly<{
  name: string
  in: 'path' | 'query'
  required?: boolean
  schema: Json
}>

/** Node of an OpenAPI document. The method `at` returns a descendant of the node. */
class Place {
  readonly document: number
  readonly path: readonly string[]
  constructor(document: number, path: readonly string[]) {
    this.document = document
    this.path = path
  }
  get value(): unknown {
    return this.path.reduce<unknown>((value, name) => (value as Json | undefined)?.[name], documents[this.document])
  }
  at(...names: string[]): Place {
    return names.reduce<Place>((place, name) => new Place(place.document, [...place.path, name]).resolved(), this)
  }
  resolved(): Place {
    const reference = (this.value as { $ref?: string } | undefined)?.$ref
    return reference ? new Place(this.document, reference.slice(2).split('/')) : this
  }
  /** Validates a value by the schema in this node. @returns the faults */
  faults(value: unknown): string[] {
    const validate = ajv.compile({
      $ref: `document-${this.document}#/${this.path.map(escapePointer).map(encodeURIComponent).join('/')}`,
    })
    validate(value)
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`)
  }
}

/**
 * Returns the members of the schema that are missing in the value, at any depth. Optional members may be missing if the call is not
 * part of the contract, or if the schema marks them with `x-additive`.
 */
function missingMembers(schema: Place, value: unknown, where = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => missingMembers(schema.at('items'), item, `${where}/${index}`))
  const { properties, required = [] } = (schema.value ?? {}) as {
    properties?: Record<string, Json>
    required?: readonly string[]
  }
  if (!isRecord(value) || !properties) return []
  return Object.entries(properties).flatMap(([name, property]) => {
    if (Object.hasOwn(value, name)) return missingMembers(schema.at('properties', name), value[name], `${where}/${name}`)
    const mayBeAbsent = !required.includes(name) && (schema.document === ownDocument || property['x-additive'] === true)
    return mayBeAbsent ? [] : [`${where}/${name}`]
  })
}

export type DocumentedCall = Readonly<{
  id: string
  access: string
  refusals: readonly number[]
  requestFaults(input: CallInput): string[]
  /** Returns the faults of a response. If `complete` is true, every documented member must be present. */
  responseFaults(
    answer: { statusCode: number; headers: Record<string, unknown>; body: string },
    options?: { complete?: boolean },
  ): string[]
}>

function describeCall(path: Place, method: string): DocumentedCall {
  const call = path.at(method)
  const {
    operationId,
    responses,
    'x-access': access,
  } = call.value as { operationId: string; responses: Json; 'x-access': string }

  const parameters = [path, call].flatMap((place) =>
    ((place.value as { parameters?: unknown[] }).parameters ?? []).map((_, index) => place.at('parameters', String(index))),
  )
  const parameterFaults = (place: Place, input: CallInput): string[] => {
    const { name, in: where, required } = place.value as Parameter
    const given = (where === 'path' ? input.params : input.query)?.[name]
    if (given === undefined) return required ? [`${name} is missing`] : []
    return place
      .at('schema')
      .faults(given)
      .map((fault) => `${name}: ${fault}`)
  }
  const bodyFaults = (input: CallInput): string[] => {
    const { content } = (call.at('requestBody').value ?? {}) as { content?: Json }
    if (input.file) {
      const { properties } = (call.at('requestBody', 'content', 'multipart/form-data', 'schema').value ?? {}) as Json
      return isRecord(properties) && input.file.field in properties ? [] : [`there is no part ${input.file.field}`]
    }
    if (!content) return input.body === undefined ? [] : ['the call takes no body']
    return call.at('requestBody', 'content', 'application/json', 'schema').faults(input.body)
  }

  return {
    id: operationId,
    access,
    refusals: Object.keys(responses)
      .map(Number)
      .filter((status) => status >= 400),
    requestFaults: (input) => [
      ...parameters.flatMap((place) => parameterFaults(place, input)),
      ...Object.keys(input.query ?? {})
        .filter((name) => !parameters.some(({ value }) => (value as Parameter).name === name))
        .map((name) => `there is no parameter ${name}`),
      ...bodyFaults(input),
    ],
    responseFaults({ statusCode, headers, body }, { complete = false } = {}) {
      const response = call.at('responses', String(statusCode))
      if (response.value === undefined) return [`status ${statusCode} is not documented: ${body.slice(0, 200)}`]
      const { content = {}, headers: named = {} } = response.value as { content?: Json; headers?: Json }
      const missing = Object.keys(named).filter((name) => headers[name.toLowerCase()] === undefined)
      const faults = missing.map((name) => `the header ${name} is missing`)
      const [type] = Object.keys(content)
      if (!type) return body === '' ? faults : [...faults, `the body should be empty: ${body.slice(0, 100)}`]
      const sent = String(headers['content-type']).split(';')[0] ?? ''
      const types = Object.keys(content)
      if (!types.includes(sent) && !types.includes('*/*')) return [...faults, `the content type is ${sent}`]
      if (sent !== 'application/json') return faults
      const schema = response.at('content', 'application/json', 'schema')
      const value: unknown = JSON.parse(body)
      return [
        ...faults,
        ...schema.faults(value),
        ...(complete ? missingMembers(schema, value).map((name) => `${name} is left out`) : []),
      ]
    },
  }
}

const methods = ['get', 'put', 'post', 'delete']

/** All calls of the contract and our additional calls, by operation id. */
export const documentedCalls: ReadonlyMap<string, DocumentedCall> = new Map(
  documents.flatMap((document, index) =>
    Object.entries(document.paths as Record<string, Json>).flatMap(([path, item]) =>
      methods
        .filter((method) => item[method])
        .map((method) => describeCall(new Place(index, ['paths', path]), method))
        .map((call) => [call.id, call] as const),
    ),
  ),
)
