import {
  clientAuthorizationHeader,
  clientProtocolHeader,
  DoorTarget,
  internalPaths,
  ProxyTarget,
  SessionIdentity,
} from '@capstan/contract/gateway-backend'
import { type Span, type Tracer, traced } from '@capstan/tracing/tracer'
import { type Static, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Backend } from './backend.ts'

export interface HttpBackendOptions {
  /** Origin of the api inside the cluster, `http://capstan-api:8080`. */
  readonly apiUrl: string
  /** Shared with the api; sent as a bearer token. */
  readonly internalToken: string
  readonly timeoutMs?: number
  /** Absent: no traces. */
  readonly tracer?: Tracer | undefined
}

interface Call {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Present: POST. */
  readonly body?: unknown
}

/** Of the platform's `fetch`: an end of the connection, before it was open or without an answer. */
const lostConnectionCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

const isLostConnection = (error: unknown): boolean => {
  const { cause } = error as { cause?: { code?: unknown } }
  return typeof cause?.code === 'string' && lostConnectionCodes.has(cause.code)
}

const GameExists = Type.Boolean()

/** Asks the api over HTTP under `/internal`. Every failure, also an answer of another shape, rejects with an Error that names the question. */
export function createHttpBackend(options: HttpBackendOptions): Backend {
  const { apiUrl, internalToken, timeoutMs = 5_000, tracer } = options

  async function send(call: Call, span: Span | undefined): Promise<Response> {
    const isQuestion = call.body === undefined
    const init: RequestInit = {
      headers: {
        ...call.headers,
        ...(span && { traceparent: span.traceparent }),
        accept: 'application/json',
        authorization: `Bearer ${internalToken}`,
      },
      ...(!isQuestion && { method: 'POST', body: JSON.stringify(call.body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    }
    const attempt = () => fetch(new URL(call.path, apiUrl), init)
    const response = await attempt().catch((error: unknown) => {
      // An api process that shuts down may close a connection while a request is on its way. It is sent once more, to another one.
      if (!isQuestion || !isLostConnection(error)) throw error
      return attempt()
    })
    if (response.ok) return response
    await response.body?.cancel()
    throw new Error(`Status ${response.status}`)
  }

  /** `question` is what an error names: never the path, for the UUID of a container, or its label, is the permission to reach it. */
  async function ask<Schema extends TSchema>(question: string, schema: Schema, call: Call): Promise<Static<Schema>> {
    try {
      return await traced(tracer, `Ask ${question}`, { kind: 'client' }, async (span) => {
        const response = await send(call, span)
        return Value.Parse(schema, await response.json())
      })
    } catch (cause) {
      throw new Error(`The api did not tell ${question}`, { cause })
    }
  }

  return {
    session({ cookie, protocol, authorization }) {
      const headers = {
        cookie,
        [clientProtocolHeader]: protocol,
        ...(authorization !== undefined && { [clientAuthorizationHeader]: authorization }),
      }
      return ask('whose session it is', SessionIdentity, { path: internalPaths.session, headers })
    },
    gameExists: (gameId) => ask('whether a game exists', GameExists, { path: internalPaths.game(gameId) }),
    proxyTarget: (instanceId) => ask('where a container listens', ProxyTarget, { path: internalPaths.proxyTarget(instanceId) }),
    door: (door) => ask('what is behind a door', DoorTarget, { path: internalPaths.door(door) }),
    async reportConnections(reports) {
      try {
        const headers = { 'content-type': 'application/json' }
        await traced(tracer, 'Report proxied connections', { kind: 'client' }, async (span) => {
          const response = await send({ path: internalPaths.proxyConnections, headers, body: reports }, span)
          await response.body?.cancel()
        })
      } catch (cause) {
        throw new Error('The api did not take the rows of proxied connections', { cause })
      }
    },
  }
}
