import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import {
  clientAuthorizationHeader,
  clientProtocolHeader,
  internalPaths,
  ProxyTarget,
  RouteTarget,
  SessionIdentity,
} from '@capstan/contract/gateway-backend'
import { hopIdleMs } from '@capstan/contract/limits'
import { createProofHeaders } from '@capstan/http/client'
import { ignoreSocketErrors } from '@capstan/http/guard'
import { HopAgent } from '@capstan/http/hop-agent'
import { createReplicaLookup } from '@capstan/http/replica-lookup'
import { runInSpan, type Span, type Tracer } from '@capstan/tracing/tracer'
import { type Static, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Backend } from './backend.ts'

export type HttpBackendOptions = Readonly<{
  apiUrl: string
  /** Secret shared with the api, sent as a bearer token. */
  internalToken: string
  timeoutMs?: number
  /** Called when a connection to one replica of the api failed and a connection to another replica succeeded. */
  onRetry?: () => void
  /** Tracer of calls. If absent, tracing is off. */
  tracer?: Tracer | undefined
}>

type Call = Readonly<{
  path: string
  headers?: Readonly<Record<string, string>>
  /** Body of a POST. If absent, the call is a GET. */
  body?: unknown
}>

const lostConnectionCodes = ['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE', 'ETIMEDOUT']

/** True if the connection could not be opened, or ended before a response. */
function isLostConnection(error: unknown): boolean {
  return lostConnectionCodes.includes((error as NodeJS.ErrnoException).code ?? '')
}

const GameExists = Type.Boolean()

/**
 * Creates the client for the HTTP calls of the api under `/internal`. If a call fails or its response is invalid, its
 * promise rejects with an Error that names the call.
 */
export function createHttpBackend(options: HttpBackendOptions): Backend {
  const { apiUrl, internalToken, timeoutMs = 5_000, onRetry = () => {}, tracer } = options
  // Use at most half of the timeout for a connection attempt, so that there is time for a second attempt. If all replicas were
  // replaced, the second attempt looks up new addresses.
  const hop = { replicas: createReplicaLookup(), onRetry, connectMs: timeoutMs / 2 }
  const agent = new HopAgent({ ...hop, keepAlive: true, timeout: hopIdleMs })
  const unpooledAgent = new HopAgent(hop)
  const proof = createProofHeaders(internalToken)

  async function attempt(call: Call, span: Span | undefined, signal: AbortSignal, by: HopAgent): Promise<string> {
    const method = call.body === undefined ? 'GET' : 'POST'
    const headers = {
      ...call.headers,
      ...proof,
      ...(span && { traceparent: span.traceparent }),
      accept: 'application/json',
      authorization: `Bearer ${internalToken}`,
    }
    const outgoing = request(new URL(call.path, apiUrl), { agent: by, method, headers, signal })
    ignoreSocketErrors(outgoing)
    outgoing.end(call.body === undefined ? undefined : JSON.stringify(call.body))
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    const { statusCode = 0 } = answer
    const body = await text(answer)
    if (statusCode < 200 || statusCode > 299) throw new Error(`Status ${statusCode}`)
    return body
  }

  async function send(call: Call, span: Span | undefined): Promise<string> {
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      return await attempt(call, span, signal, agent)
    } catch (error) {
      // Retry the call once on a new connection, because the process behind the first connection may have stopped.
      if (call.body !== undefined || !isLostConnection(error)) throw error
      return attempt(call, span, signal, unpooledAgent)
    }
  }

  /** Calls the api. Error messages must not contain the path, because the path may give access to a container. */
  async function ask<Schema extends TSchema>(question: string, schema: Schema, call: Call): Promise<Static<Schema>> {
    try {
      return await runInSpan(tracer, `Ask ${question}`, { kind: 'client' }, async (span) => {
        return Value.Parse(schema, JSON.parse(await send(call, span)))
      })
    } catch (cause) {
      throw new Error(`Could not ask the api ${question}`, { cause })
    }
  }

  return {
    session({ cookie, protocol, authorization }) {
      const headers = {
        cookie,
        [clientProtocolHeader]: protocol,
        ...(authorization !== undefined && { [clientAuthorizationHeader]: authorization }),
      }
      return ask('for the user of a session', SessionIdentity, { path: internalPaths.session, headers })
    },
    gameExists: (gameId) => ask('whether a game exists', GameExists, { path: internalPaths.game(gameId) }),
    proxyTarget: (instanceId) => ask('where a container listens', ProxyTarget, { path: internalPaths.proxyTarget(instanceId) }),
    route: (route) => ask('for an instance by label or port', RouteTarget, { path: internalPaths.route(route) }),
    async reportConnections(reports) {
      try {
        const headers = { 'content-type': 'application/json' }
        await runInSpan(tracer, 'Report proxied connections', { kind: 'client' }, async (span) => {
          await send({ path: internalPaths.proxyConnections, headers, body: reports }, span)
        })
      } catch (cause) {
        throw new Error('The api did not store the rows of proxied connections', { cause })
      }
    },
  }
}
