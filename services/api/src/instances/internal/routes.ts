import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { liveCheckGameId } from '@capstan/contract/events'
import type { GameNotice } from '@capstan/contract/games'
import {
  clientAuthorizationHeader,
  clientProtocolHeader,
  type ProxyConnectionReport,
  ProxyConnectionReports,
} from '@capstan/contract/gateway-backend'
import { BodyLimits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { FastifyInstance } from 'fastify'
import { createValidator } from '../../server/http/validation.ts'
import { createGatewayBackend } from './gateway-backend.ts'

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

type InternalOptions = Readonly<{
  /** Reads data from the database that the web process inserts into the index page. */
  readIndexPage: () => Promise<unknown>
}>

/**
 * Registers the internal routes for the platform's other processes, which send the shared secret. Other callers get 404.
 * Contract: `@capstan/contract/gateway-backend`.
 */
export async function registerInternalRoutes(app: FastifyInstance, { readIndexPage }: InternalOptions) {
  const backend = createGatewayBackend(app)
  const expected = digest(`Bearer ${app.deps.config.internalToken}`)
  const readReports = createValidator('body', ProxyConnectionReports)

  app.addHook('onRequest', async (request) => {
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) throw new Problem('route.not-found')
  })
  const json = (value: unknown) => JSON.stringify(value)
  const jsonType = 'application/json; charset=utf-8'

  app.get('/internal/session', async (request, reply) => {
    const { cookie = '', [clientProtocolHeader]: protocol, [clientAuthorizationHeader]: authorization } = request.headers
    const question = {
      cookie,
      protocol: protocol === 'https' ? 'https' : 'http',
      ...(typeof authorization === 'string' && { authorization }),
    } as const
    return reply.type(jsonType).send(json(await backend.session(question)))
  })
  app.get<{ Params: { id: string } }>('/internal/games/:id', async (request, reply) => {
    const id = Number(request.params.id)
    const isId = Number.isInteger(id) && id > 0 && id <= 2_147_483_647
    return reply.type(jsonType).send(json(isId && (await backend.gameExists(id))))
  })
  app.get<{ Params: { id: string } }>('/internal/proxy/:id', async (request, reply) =>
    reply.type(jsonType).send(json(await backend.proxyTarget(request.params.id))),
  )
  app.get<{ Params: { label: string } }>('/internal/labels/:label', async (request, reply) =>
    reply.type(jsonType).send(json(await backend.route({ label: request.params.label }))),
  )
  app.get<{ Params: { port: string } }>('/internal/ports/:port', async (request, reply) => {
    const port = Number(request.params.port)
    const isPort = Number.isInteger(port) && port > 0 && port <= 65_535
    return reply.type(jsonType).send(json(isPort ? await backend.route({ port }) : { state: 'unknown' }))
  })
  const bodyBounds = BodyLimits.bulk
  app.post('/internal/proxy-connections', { bodyLimit: bodyBounds.maxBytes, config: { bodyBounds } }, async (request, reply) => {
    await backend.reportConnections(readReports(request.body) as ProxyConnectionReport[])
    return reply.status(204).send()
  })
  /** Publishes a random value to all listeners of the installation check, and returns the value. */
  app.post('/internal/live-check', async (_request, reply) => {
    const word = randomUUID()
    const { bus, clock } = app.deps
    const payload: GameNotice = { id: 0, type: 'Normal', values: [word], time: clock.now().toISOString() }
    bus.publish({ kind: 'notice', gameId: liveCheckGameId, payload })
    return reply.type(jsonType).send(json({ word }))
  })
  app.get('/internal/page-settings', async (_request, reply) => reply.type(jsonType).send(json(await readIndexPage())))
}
