import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Operation } from '@capstan/contract/operation'
import { operations, ownOperations } from '@capstan/contract/operations'
import { Value } from 'typebox/value'

const everyCall = { ...operations, ...ownOperations }

type OperationId = keyof typeof everyCall

/** One call that a client made, as the contract reads it. */
export interface SeenCall {
  readonly operation: OperationId
  readonly params: Readonly<Record<string, string>>
  readonly body: unknown
  readonly files: readonly { readonly name: string; readonly content: Uint8Array; readonly hash: string }[]
}

/** Answers of the stand-in, by operation; calls without one are answered with an empty body. */
export type Answers = { readonly [Id in OperationId]?: (call: SeenCall) => unknown }

/** A stand-in for the platform that holds clients to the contract. */
export interface ContractSite extends AsyncDisposable {
  readonly baseUrl: string
  /** The calls so far, in order. */
  readonly calls: readonly SeenCall[]
  /** Calls that no operation allows, with the reason, in order. */
  readonly faults: readonly string[]
}

/**
 * Starts a site on a free port of 127.0.0.1 that knows every call of the contract, checks parameters and bodies by its schemas
 * (400 and a fault where they do not fit) and answers as told. For tests of clients; it keeps no state of its own.
 */
export async function startContractSite(answers: Answers): Promise<ContractSite> {
  const calls: SeenCall[] = []
  const faults: string[] = []
  const server = createServer(async (request, response) => {
    try {
      const call = await readCall(request)
      calls.push(call)
      const answer = answers[call.operation]?.(call)
      response.setHeader('content-type', 'application/json')
      response.end(answer === undefined ? '' : JSON.stringify(answer))
    } catch (error) {
      const title = error instanceof Error ? error.message : String(error)
      faults.push(title)
      response.writeHead(400).end(JSON.stringify({ title, status: 400 }))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    faults,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const known = (Object.entries(everyCall) as [OperationId, Operation][]).map(([id, operation]) => ({
  id,
  operation,
  pattern: new RegExp(`^${operation.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}))

async function readCall(request: IncomingMessage): Promise<SeenCall> {
  const url = new URL(request.url ?? '/', 'http://site')
  const what = `${request.method} ${url.pathname}`
  const match = known.find(({ operation, pattern }) => operation.method === request.method && pattern.test(url.pathname))
  if (!match) throw new Error(`${what} is no call of the contract`)
  const { id, operation, pattern } = match
  const params = { ...pattern.exec(url.pathname)?.groups }
  const query = Object.fromEntries(url.searchParams)
  if (operation.params && !Value.Check(operation.params, Value.Convert(operation.params, { ...params })))
    throw new Error(`${what}: wrong parameters`)
  if (operation.query && !Value.Check(operation.query, Value.Convert(operation.query, { ...query })))
    throw new Error(`${what}: wrong query`)

  const bytes = await buffer(request)
  if (operation.upload) {
    const files = await readFiles(request.headers['content-type'] ?? '', bytes, operation.upload.field)
    if (files.length === 0) throw new Error(`${what}: no file in field '${operation.upload.field}'`)
    return { operation: id, params, body: undefined, files }
  }
  const body: unknown = bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined
  if (operation.body && !Value.Check(operation.body, body))
    throw new Error(`${what}: ${[...Value.Errors(operation.body, body)].map((fault) => JSON.stringify(fault)).join('; ')}`)
  return { operation: id, params, body, files: [] }
}

async function readFiles(contentType: string, bytes: Uint8Array, field: string): Promise<SeenCall['files']> {
  const form = await new Response(Uint8Array.from(bytes), { headers: { 'content-type': contentType } }).formData()
  const files = form.getAll(field).filter((value) => typeof value !== 'string')
  return Promise.all(
    files.map(async (file) => {
      const content = await file.bytes()
      return { name: file.name, content, hash: createHash('sha256').update(content).digest('hex') }
    }),
  )
}
