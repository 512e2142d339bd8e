import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https'
import { createSecureContext } from 'node:tls'
import { isDeepStrictEqual } from 'node:util'
import type { ApiAccess } from './access.ts'

export type Answer = IncomingMessage

export interface Outgoing {
  method: string
  /** From the API server's root on, with its query. */
  path: string
  headers: Record<string, string>
  body?: string | undefined
  /** For the whole answer, in milliseconds. */
  timeoutMs?: number
  signal?: AbortSignal
}

export interface Transport {
  /** Resolves when the head of the answer is there. Rejects if none comes. */
  send(outgoing: Outgoing): Promise<Answer>
  close(): void
}

/**
 * Connections to an API server, kept open. What proves the two ends to each other is prepared once, not for each request.
 * @param mostConnections at once; further requests wait for one that ends
 */
export function createTransport(access: ApiAccess, mostConnections: number): Transport {
  const secure = access.server.protocol === 'https:'
  const request = secure ? httpsRequest : httpRequest
  const basePath = access.server.pathname.replace(/\/$/, '')
  const host = access.server.hostname.replace(/^\[|\]$/g, '')
  const port = access.server.port || (secure ? 443 : 80)
  const plainAgent = new HttpAgent({ keepAlive: true, maxSockets: mostConnections })
  let prepared: { tls: RequestOptions; agent: HttpsAgent } | undefined

  function agentFor(tls: RequestOptions): HttpAgent {
    if (!secure) return plainAgent
    if (prepared && isSame(prepared.tls, tls)) return prepared.agent
    // Requests under way end on the connections they have.
    const agent = new HttpsAgent({
      keepAlive: true,
      maxSockets: mostConnections,
      secureContext: createSecureContext(tls),
      ...(tls.rejectUnauthorized === undefined ? {} : { rejectUnauthorized: tls.rejectUnauthorized }),
      ...(tls.servername === undefined ? {} : { servername: tls.servername }),
    })
    prepared = { tls, agent }
    return agent
  }

  return {
    async send({ method, path, headers, body, timeoutMs, signal }) {
      const { headers: credentials, agent: ownAgent, ...tls } = await access.requestOptions()
      const options: RequestOptions = {
        ...(ownAgent ? { ...tls, agent: ownAgent } : { agent: agentFor(tls) }),
        host,
        port,
        method,
        path: `${basePath}${path}`,
        headers: {
          ...(credentials as Record<string, string> | undefined),
          ...headers,
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
        },
        ...(signal === undefined ? {} : { signal }),
      }
      return new Promise((resolve, reject) => {
        const outgoing = request(options, resolve)
        outgoing.on('error', reject)
        if (timeoutMs !== undefined) {
          const timer = setTimeout(() => outgoing.destroy(new Error(`No whole answer within ${timeoutMs} ms`)), timeoutMs)
          outgoing.on('close', () => clearTimeout(timer))
        }
        outgoing.end(body)
      })
    },
    close() {
      plainAgent.destroy()
      prepared?.agent.destroy()
    },
  }
}

/** Mostly the very same values: certificates are compared byte by byte only where one was read anew. */
const isSame = (before: RequestOptions, now: RequestOptions): boolean => {
  const names = Object.keys(now) as (keyof RequestOptions)[]
  return (
    names.length === Object.keys(before).length &&
    names.every((name) => before[name] === now[name] || isDeepStrictEqual(before[name], now[name]))
  )
}

/** The whole of an answer. Rejects where the connection breaks before its end. */
export const readText = (answer: Answer): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    answer.setEncoding('utf8')
    answer.on('data', (piece: string) => {
      text += piece
    })
    answer.on('end', () => resolve(text))
    answer.on('error', reject)
    answer.on('close', () => reject(new Error('The answer broke off')))
  })

/**
 * Tells an answer piece by piece, until `heard` says that it is enough. Rejects where the connection breaks.
 * @returns whether it said so
 */
export async function readPieces(answer: Answer, heard: (piece: Uint8Array) => boolean): Promise<boolean> {
  for await (const piece of answer as AsyncIterable<Buffer>) if (heard(piece)) return true
  return false
}

/** Tells each line of an answer as soon as it is whole. Rejects where the connection breaks, and with what `tell` throws. */
export const readLines = (answer: Answer, tell: (line: string) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    let rest = ''
    answer.setEncoding('utf8')
    answer.on('data', (piece: string) => {
      const lines = (rest + piece).split('\n')
      rest = lines.pop() ?? ''
      try {
        for (const line of lines) if (line !== '') tell(line)
      } catch (error) {
        reject(error)
        answer.destroy()
      }
    })
    answer.on('end', resolve)
    answer.on('error', reject)
    answer.on('close', () => reject(new Error('The answer broke off')))
  })
