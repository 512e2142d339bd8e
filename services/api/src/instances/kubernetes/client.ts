import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { type Tracer, traced } from '@capstan/tracing/tracer'
import type { KubernetesAccess } from './access.ts'

/** An answer of the API server other than success. */
export class KubernetesError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'KubernetesError'
    this.status = status
  }
}

export const isStatus = (error: unknown, status: number): boolean => error instanceof KubernetesError && error.status === status

export interface KubernetesClient {
  /** JSON (or a text as it stands) in, JSON out. @throws KubernetesError, or Error when no answer comes */
  send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object | string, contentType?: string): Promise<unknown>
  /** Lines of a watch, parsed, until the server ends it or `signal` does. @throws as `send`, and when the connection breaks */
  watch(path: string, signal: AbortSignal): AsyncIterable<unknown>
  close(): void
}

/** A request that takes longer has failed. */
const requestTimeoutMs = 15_000

const errorOf = (status: number, body: string): KubernetesError => {
  try {
    const { message } = JSON.parse(body) as { message?: unknown }
    return new KubernetesError(status, typeof message === 'string' ? message : `The API server answered ${status}`)
  } catch {
    return new KubernetesError(status, `The API server answered ${status}`)
  }
}

/** `challengeinstances` of the path of one or of all: the rest of it may hold the UUID of an instance. */
const collectionOf = (path: string): string => /\/namespaces\/[^/]+\/([a-z]+)/.exec(path)?.[1] ?? 'kubernetes'

/** The few verbs that the api needs of a Kubernetes API server, over connections that are kept. */
export const createKubernetesClient = (access: KubernetesAccess, tracer?: Tracer): KubernetesClient => {
  const isSecure = access.server.protocol === 'https:'
  const agent = new (isSecure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: 64 })
  const base = access.server.pathname.replace(/\/$/, '')

  const open = async (
    method: string,
    path: string,
    signal: AbortSignal,
    body?: string,
    contentType = 'application/json',
  ): Promise<IncomingMessage> => {
    const granted = await access.requestOptions()
    const options: RequestOptions = {
      agent,
      ...granted,
      host: access.server.hostname.replace(/^\[|\]$/g, ''),
      port: access.server.port || (isSecure ? 443 : 80),
      method,
      path: `${base}${path}`,
      signal,
      headers: {
        ...(granted.headers as Record<string, string> | undefined),
        accept: 'application/json',
        'user-agent': 'capstan-api',
        ...(body !== undefined && { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }),
      },
    }
    return new Promise((resolve, reject) => {
      const outgoing = (isSecure ? httpsRequest : httpRequest)(options, resolve)
      outgoing.once('error', reject)
      outgoing.end(body)
    })
  }

  return {
    send(method, path, body, contentType) {
      const work = async (): Promise<unknown> => {
        const content = typeof body === 'object' ? JSON.stringify(body) : body
        const response = await open(method, path, AbortSignal.timeout(requestTimeoutMs), content, contentType)
        const answer = await text(response)
        const status = response.statusCode ?? 0
        // The API server, or an admission webhook, may quote what it refuses.
        if (status < 200 || status > 299) throw errorOf(status, collectionOf(path) === 'secrets' ? '' : answer)
        return JSON.parse(answer)
      }
      // Outside of a request (the copy of what exists, the repair of what is missing) nobody asks where time went.
      return tracer?.current() ? traced(tracer, `${method} ${collectionOf(path)}`, { kind: 'client' }, work) : work()
    },
    async *watch(path, signal) {
      const response = await open('GET', path, signal)
      const status = response.statusCode ?? 0
      if (status !== 200) throw errorOf(status, await text(response))
      const lines = createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY })
      let broken: Error | undefined
      // A broken connection shows on the response, which readline does not pass on.
      response.on('error', (error) => {
        broken = error
        lines.close()
      })
      try {
        for await (const line of lines) if (line !== '') yield JSON.parse(line)
        if (broken) throw broken
      } finally {
        response.destroy()
      }
    },
    close: () => agent.destroy(),
  }
}
