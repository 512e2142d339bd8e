import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https'
import { createSecureContext } from 'node:tls'
import { isDeepStrictEqual } from 'node:util'
import type { ApiAccess } from './access.ts'

export type Answer = IncomingMessage

export interface Outgoing {
  method: string
  path: string
  headers: Record<string, string>
  body?: string | undefined
  /** Maximum time until the response is complete, in ms. */
  timeoutMs?: number
  signal?: AbortSignal
}

export interface Transport {
  /** Resolves with the status and headers of the response, before the body arrives. Rejects if no response arrives. */
  send(outgoing: Outgoing): Promise<Answer>
  close(): void
}

/**
 * Creates a transport with keep-alive connections to an API server. The transport prepares the TLS credentials only
 * once, and not for each request.
 * @param maxConnections maximum number of concurrent connections; more requests wait
 */
export function createTransport(access: ApiAccess, maxConnections: number): Transport {
  const secure = access.server.protocol === 'https:'
  const request = secure ? httpsRequest : httpRequest
  const basePath = access.server.pathname.replace(/\/$/, '')
  const host = access.server.hostname.replace(/^\[|\]$/g, '')
  const port = access.server.port || (secure ? 443 : 80)
  const plainAgent = new HttpAgent({ keepAlive: true, maxSockets: maxConnections })
  let prepared: { tls: RequestOptions; agent: HttpsAgent } | undefined

  function agentFor(tls: RequestOptions): HttpAgent {
    if (!secure) return plainAgent
    if (prepared && isSame(prepared.tls, tls)) return prepared.agent
    // Pending requests finish on the old connections.
    const agent = new HttpsAgent({
      keepAlive: true,
      maxSockets: maxConnections,
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
          const timer = setTimeout(
            () => outgoing.destroy(new Error(`The answer was not complete within ${timeoutMs} ms`)),
            timeoutMs,
          )
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

/**
 * True if the TLS options are equal. Usually both arguments are the same object. They differ after a certificate file
 * has changed.
 */
function isSame(before: RequestOptions, now: RequestOptions): boolean {
  const names = Object.keys(now) as (keyof RequestOptions)[]
  return (
    names.length === Object.keys(before).length &&
    names.every((name) => before[name] === now[name] || isDeepStrictEqual(before[name], now[name]))
  )
}

/** Returns the complete response body. Rejects if the connection breaks. */
export function readResponseText(answer: Answer): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    answer.setEncoding('utf8')
    answer.on('data', (piece: string) => {
      text += piece
    })
    answer.on('end', () => resolve(text))
    answer.on('error', reject)
    answer.on('close', () => reject(new Error('The connection broke during the answer')))
  })
}

/**
 * Passes a response body to `onPiece` piece by piece, until `onPiece` returns true. Rejects if the connection breaks.
 * @returns true if `onPiece` stopped it
 */
export async function readResponsePieces(answer: Answer, onPiece: (piece: Uint8Array) => boolean): Promise<boolean> {
  for await (const piece of answer as AsyncIterable<Buffer>) if (onPiece(piece)) return true
  return false
}

/** Passes each complete line of a response body to `onLine`. Rejects if the connection breaks or `onLine` throws. */
export function readResponseLines(answer: Answer, onLine: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let rest = ''
    answer.setEncoding('utf8')
    answer.on('data', (piece: string) => {
      const lines = (rest + piece).split('\n')
      rest = lines.pop() ?? ''
      try {
        for (const line of lines) if (line !== '') onLine(line)
      } catch (error) {
        reject(error)
        answer.destroy()
      }
    })
    answer.on('end', resolve)
    answer.on('error', reject)
    answer.on('close', () => reject(new Error('The connection broke during the answer')))
  })
}
