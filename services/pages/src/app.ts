import { setTimeout as pause } from 'node:timers/promises'
import { problemAnswer } from '@capstan/contract/server-texts'
import { createClientReader } from '@capstan/http/client'
import type { ListenerLimits } from '@capstan/http/listener'
import { collectProcessMetrics, countHopRetries } from '@capstan/tracing/process-metrics'
import type { Tracer } from '@capstan/tracing/tracer'
import Fastify, { type FastifyBaseLogger } from 'fastify'
import { Registry } from 'prom-client'
import type { PagesConfig } from './config.ts'
import { createForwardingServer, sendAway, type Traffic } from './forwarding.ts'
import type { PageSettings } from './index-page.ts'
import { pagesPlugin, takeNoBodies } from './pages.ts'

/** How long the platform's title and description are kept before the api is asked again. */
const settingsMaxAgeMs = 5_000

/** Title and description from the api, asked once for all who wait; the last known ones while it does not answer. */
const createSettingsReader = (config: PagesConfig, log: FastifyBaseLogger | undefined) => {
  let known: PageSettings = { title: 'Capstan', description: '' }
  let current: Promise<PageSettings> | undefined

  const read = async (): Promise<PageSettings> => {
    try {
      const response = await fetch(new URL('/internal/page-settings', config.apiUrl), {
        headers: { authorization: `Bearer ${config.internalToken}` },
        signal: AbortSignal.timeout(2_000),
      })
      if (response.ok) known = (await response.json()) as PageSettings
    } catch (error) {
      log?.warn({ err: error }, 'Could not read the page settings, using the last known ones')
    }
    setTimeout(() => {
      current = undefined
    }, settingsMaxAgeMs).unref()
    return known
  }
  return () => {
    current ??= read()
    return current
  }
}

interface PagesAppOptions {
  readonly logger?: FastifyBaseLogger
  /** Absent: no traces. */
  readonly tracer?: Tracer | undefined
  /** Absent: as in production. */
  readonly limits?: ListenerLimits
}

/** Time over which clients of the hubs are sent away, so that they do not all connect again in one moment. */
const recycleMs = 3_000

/**
 * The web process: pages and static files, and everything else passed on, so that one Service is enough for node ports
 * and port-forwarding. An Ingress that routes /api, /assets and /hub by itself never gets here with them.
 */
export const buildPagesApp = async (config: PagesConfig, options: PagesAppOptions = {}) => {
  const { logger: log, tracer, limits } = options
  const traffic: Traffic = { isRetired: false, sockets: new Map() }
  const readClient = createClientReader({ trustedProxies: config.trustedProxies })
  const metrics = new Registry()
  collectProcessMetrics(metrics)
  const onRetry = countHopRetries(metrics)
  const app = Fastify({
    ...(log && { loggerInstance: log }),
    forceCloseConnections: 'idle',
    serverFactory: (handlePage) =>
      createForwardingServer(config, { log, tracer, traffic, limits, onRetry, readClient, handlePage }),
  })
  app.setNotFoundHandler(async (request, reply) => {
    const { status, headers, body } = problemAnswer('route.not-found', request.headers['accept-language'])
    return reply.status(status).headers(headers).send(body)
  })
  // In front of this process, for it speaks plain HTTP only (RFC 6797).
  app.addHook('onRequest', async ({ raw }, reply) => {
    if (readClient(raw).protocol === 'https') reply.header('strict-transport-security', 'max-age=31536000')
    reply.header('x-content-type-options', 'nosniff')
  })
  takeNoBodies(app)
  app.addHook('preClose', async () => {
    traffic.isRetired = true
  })
  app.get('/livez', async (_request, reply) => reply.type('text/plain').send('Healthy'))
  const readiness = () => ({ isReady: !traffic.isRetired, text: traffic.isRetired ? 'Unhealthy' : 'Healthy' })
  app.get('/readyz', async (_request, reply) => {
    const { isReady, text } = readiness()
    return reply
      .status(isReady ? 200 : 503)
      .type('text/plain')
      .send(text)
  })

  await app.register(async (pages) => {
    await pages.register(pagesPlugin, {
      folder: config.folder,
      readSettings: createSettingsReader(config, options.logger),
      repository: config.repositoryUrl,
    })
    pages.get('/*', async (request, reply) => (await pages.answerIndexPage(request, reply)) ?? reply.callNotFound())
  })
  /**
   * Leaves without a failed call: not ready at once, and deaf after a notice. Clients of the hubs are then sent away, and connect again
   * elsewhere. Connections to instances have until `drainMs`.
   */
  const leave = async (): Promise<void> => {
    traffic.isRetired = true
    await pause(config.shutdownDelayMs)
    const hubs = [...traffic.sockets].filter(([, { kind }]) => kind === 'hub')
    const stepMs = Math.min(config.drainMs, recycleMs) / hubs.length
    const timers = hubs.map(([socket, passage], index) => setTimeout(() => sendAway(socket, passage), index * stepMs))
    const drain = setTimeout(() => {
      for (const socket of traffic.sockets.keys()) socket.destroy()
    }, config.drainMs)
    await app.close()
    for (const timer of [drain, ...timers]) clearTimeout(timer)
  }
  return { app, leave, metrics, readiness }
}
