import { ErrorMessage } from '@capstan/contract/common'
import type { Operation } from '@capstan/contract/operation'
import type { TSchema } from 'typebox'

/** Part of an OpenAPI 3.1 document. */
type Json = Record<string, unknown>

const refusals: Readonly<Record<number, string>> = {
  400: 'Refused: invalid input or a rule of the platform.',
  401: 'No session.',
  403: 'Role or ownership not sufficient; also every call of a banned user.',
  404: 'No such object.',
  418: 'The container does not accept connections.',
  429: 'Rate limit.',
  500: 'Unexpected failure; possible on every call.',
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Creates a collector of the schemas that have a title. The collector stores each schema under its title. In the document, a
 * reference replaces the schema.
 */
function createCollector() {
  const components: Record<string, Json> = {}
  const collect = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(collect)
    if (!isRecord(schema)) return schema
    const { title } = schema
    if (typeof title !== 'string') return membersOf(schema)
    // Put a default next to the reference (OpenAPI 3.1), because it may differ between uses of a shared schema.
    const { default: byDefault, title: _title, ...shared } = schema
    if (!components[title]) {
      components[title] = {}
      components[title] = membersOf(shared)
    }
    return { $ref: `#/components/schemas/${title}`, ...(byDefault !== undefined && { default: byDefault }) }
  }
  const membersOf = (schema: Json): Json =>
    Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, collect(value)]))
  return { components, collect: (schema: TSchema) => collect(JSON.parse(JSON.stringify(schema))) as Json }
}

type Collector = ReturnType<typeof createCollector>

function describeParameters(operation: Operation, { collect }: Collector): Json[] {
  const from = (place: 'path' | 'query', schema: TSchema | undefined): Json[] => {
    const { properties = {}, required = [] } = (schema ?? {}) as { properties?: Record<string, TSchema>; required?: string[] }
    return Object.entries(properties).map(([name, property]) => ({
      name,
      in: place,
      ...((place === 'path' || required.includes(name)) && { required: true }),
      schema: collect(property),
    }))
  }
  return [...from('path', operation.params), ...from('query', operation.query)]
}

function describeBody(operation: Operation, { collect }: Collector): Json | undefined {
  if (operation.body) return { required: true, content: { 'application/json': { schema: collect(operation.body) } } }
  if (!operation.upload) return undefined
  const { field, maxBytes, many } = operation.upload
  const file = { type: 'string', format: 'binary' }
  const schema = { type: 'object', required: [field], properties: { [field]: many ? { type: 'array', items: file } : file } }
  return { required: true, ...(maxBytes && { 'x-max-bytes': maxBytes }), content: { 'multipart/form-data': { schema } } }
}

function describeSuccess(operation: Operation, { collect }: Collector): Json {
  if (operation.download)
    return { description: 'A file.', content: { [operation.download]: { schema: { type: 'string', format: 'binary' } } } }
  if (!operation.response) return { description: 'Empty body.' }
  return { description: 'OK', content: { 'application/json': { schema: collect(operation.response) } } }
}

function describeOperation(id: string, operation: Operation, collector: Collector): Json {
  const body = describeBody(operation, collector)
  const parameters = describeParameters(operation, collector)
  const errors = operation.errors.map((status) => [
    status,
    { description: refusals[status] ?? 'Refused.', content: { 'application/json': { schema: collector.collect(ErrorMessage) } } },
  ])
  return {
    operationId: id,
    tags: [operation.tag],
    ...(operation.summary && { summary: operation.summary }),
    ...(operation.description && { description: operation.description }),
    'x-access': operation.access,
    ...(operation.rateLimit && { 'x-rate-limit': operation.rateLimit }),
    security: operation.access === 'anonymous' ? [] : [{ session: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: { 200: describeSuccess(operation, collector), ...Object.fromEntries(errors) },
  }
}

/**
 * Returns the description (OpenAPI 3.1) of an API with these operations.
 * @param operations map from id to operation
 */
export function describeApi(operations: Readonly<Record<string, Operation>>, sessionCookie: string): Json {
  const collector = createCollector()
  const paths: Record<string, Json> = {}
  for (const [id, operation] of Object.entries(operations)) {
    paths[operation.path] ??= {}
    Object.assign(paths[operation.path] ?? {}, { [operation.method.toLowerCase()]: describeOperation(id, operation, collector) })
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Capstan', version: '1.0.0', description: 'Every HTTP call of the platform.' },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: collector.components,
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: sessionCookie } },
    },
  }
}
