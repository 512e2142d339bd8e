import { createServer, Agent as HttpAgent, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { ApiAccess } from '@capstan/kubernetes/access'

export type Fault =
  /** The connection breaks, and the request never arrives. */
  | 'lost'
  /** The API server executes the request, but its response never arrives. */
  | 'answer lost'
  | 'late'
  /** The API server executes the request twice, and the operator receives the second response. */
  | 'doubled'
  | 'cut'
  /** The proxy responds with this status and does not forward the request. */
  | 409
  | 410
  | 429
  | 500

export interface ProxiedRequest {
  method: string
  path: string
  isWatch: boolean
  /** True if the request changes an object other than the Lease. */
  isWrite: boolean
}

export interface FaultProxy {
  access: ApiAccess
  /** Returns the number of writes that the API server executed. */
  writes(): number
  /**
   * Ends the open watches.
   * @returns the number of ended watches
   */
  cutWatches(): number
  close(): Promise<void>
}

const reasons = { 409: 'Conflict', 410: 'Expired', 429: 'TooManyRequests', 500: 'InternalError' } as const

const lateMs = 400
const cutAfterMs = 250

/**
 * Starts a proxy between an operator and its API server. `decide` selects a fault, or no fault, for each request.
 * @param answered called for each request, after the API server executed the request and before the operator receives
 * the response
 */
export async function startFaultProxy(
  access: ApiAccess,
  decide: (request: ProxiedRequest) => Fault | undefined,
  answered: (request: ProxiedRequest) => Promise<void> | void = () => undefined,
): Promise<FaultProxy> {
  const secure = access.server.protocol === 'https:'
  const agent = secure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  const watches = new Set<ServerResponse>()
  let writes = 0

  async function forward(incoming: IncomingMessage, body: Buffer, onOpen: (abort: () => void) => void): Promise<IncomingMessage> {
    const granted = await access.requestOptions()
    const { host: _, connection: __, ...headers } = incoming.headers
    return new Promise((resolve, reject) => {
      const outgoing = (secure ? httpsRequest : httpRequest)(
        {
          agent,
          ...granted,
          host: access.server.hostname,
          port: access.server.port || (secure ? 443 : 80),
          method: incoming.method,
          path: incoming.url,
          headers: { ...headers, ...(granted.headers as Record<string, string> | undefined) },
        },
        resolve,
      )
      onOpen(() => outgoing.destroy())
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  }

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = describe(incoming)
    const body = await readAll(incoming)
    const fault = decide(request)
    if (fault === 'lost') return void outgoing.destroy()
    if (typeof fault === 'number') return refuse(outgoing, fault)
    if (fault === 'late') await new Promise((resolve) => setTimeout(resolve, lateMs))
    const onOpen = (abort: () => void) => void outgoing.on('close', abort)
    const rounds = fault === 'doubled' ? 2 : 1
    for (let round = 1; round <= rounds; round += 1) {
      const answer = await forward(incoming, body, onOpen)
      if (request.isWatch) {
        outgoing.writeHead(answer.statusCode ?? 502, { 'content-type': answer.headers['content-type'] ?? '' })
        outgoing.flushHeaders()
        answer.on('error', () => outgoing.destroy())
        answer.pipe(outgoing)
        watches.add(outgoing)
        outgoing.on('close', () => watches.delete(outgoing))
        if (fault === 'cut') setTimeout(() => outgoing.destroy(), cutAfterMs)
        return
      }
      const bytes = await readAll(answer)
      if (request.isWrite && (answer.statusCode ?? 500) < 300) writes += 1
      if (round < rounds) continue
      await answered(request)
      if (fault === 'answer lost') return void outgoing.destroy()
      const { 'content-type': type = 'application/json', 'retry-after': retryAfter } = answer.headers
      outgoing.writeHead(answer.statusCode ?? 502, {
        'content-type': type,
        ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
      })
      outgoing.end(bytes)
    }
  }

  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    access: { server: new URL(`http://127.0.0.1:${port}`), requestOptions: async () => ({}) },
    writes: () => writes,
    cutWatches() {
      const open = [...watches]
      for (const watch of open) watch.destroy()
      return open.length
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      agent.destroy()
    },
  }
}

function describe({ method = 'GET', url: path = '/' }: IncomingMessage): ProxiedRequest {
  return {
    method,
    path,
    isWatch: path.includes('watch=true'),
    isWrite: method !== 'GET' && !path.includes('/leases'),
  }
}

function refuse(outgoing: ServerResponse, code: keyof typeof reasons): void {
  outgoing.writeHead(code, { 'content-type': 'application/json', ...(code === 429 ? { 'retry-after': '1' } : {}) })
  outgoing.end(
    JSON.stringify({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code,
      reason: reasons[code],
      message: 'a fault of the test',
    }),
  )
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
