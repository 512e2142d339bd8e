import { setTimeout as pause } from 'node:timers/promises'
import { createProblemResponse } from '@capstan/contract/server-texts'
import { createClientReader } from '@capstan/http/client'
import type { ListenerLimits } from '@capstan/http/listener'
import type { ReplicaLookup } from '@capstan/http/replica-lookup'
import { collectProcessMetrics, createHopRetryCounter } from '@capstan/tracing/process-metrics'
import type { Tracer } from '@capstan/tracing/tracer'
import Fastify, { type FastifyBaseLogger } from 'fastify'
import { Registry } from 'prom-client'
import type { PagesConfig } from './config.ts'
import { closeHubSocket, createForwardingServer, type Traffic } from './forwarding.ts'
import type { PageSettings } from './index-page.ts'
import { ignoreRequestBodies, pagesPlugin } from './pages.ts'

/** Maximum age of the cached settings and link previews, in ms. */
const maxSettingsAgeMs = 5_000

/**
 * Returns a cached reader of settings and link previews. Concurrent callers share one request to the api. While the api is
 * unavailable, the reader returns the last known values.
 */
function createSettingsReader(config: PagesConfig, log: FastifyBaseLogger | undefined) {
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
    }, maxSettingsAgeMs).unref()
    return known
  }
  return () => {
    current ??= read()
    return current
  }
}

type PagesAppOptions = Readonly<{
  logger?: FastifyBaseLogger
  tracer?: Tracer | undefined
  /** Limits of the listener. By default, the production limits. */
  limits?: ListenerLimits
  /** Lookup of the addresses of all api and gateway replicas. Only tests set it. */
  replicas?: ReplicaLookup
}>

/** Time in ms over which the disconnections of all hub clients are distributed, so that the clients do not reconnect at once. */
const recycleMs = 3_000

/**
 * Builds the web process. It serves pages and static files and forwards all other requests. Node ports and port-forwarding
 * therefore need only the Service of the web process. An Ingress may also route /api, /assets and /hub directly to the other
 * processes.
 */
export async function buildPagesApp(config: PagesConfig, options: PagesAppOptions = {}) {
  const { logger: log, tracer, limits, replicas } = options
  const traffic: Traffic = { isStopping: false, sockets: new Map() }
  const readClient = createClientReader({ trustedProxies: config.trustedProxies })
  const metrics = new Registry()
  collectProcessMetrics(metrics)
  const onRetry = createHopRetryCounter(metrics)
  const app = Fastify({
    ...(log && { loggerInstance: log }),
    forceCloseConnections: 'idle',
    serverFactory: (handlePage) =>
      createForwardingServer(config, { log, tracer, traffic, limits, onRetry, replicas, readClient, handlePage }),
  })
  app.setNotFoundHandler(async (request, reply) => {
    const { status, headers, body } = createProblemResponse('route.not-found', request.headers['accept-language'])
    return reply.status(status).headers(headers).send(body)
  })
  // A proxy in front of this process ends HTTPS. Therefore, send this header although this process itself serves only
  // plain HTTP (RFC 6797).
  app.addHook('onRequest', async ({ raw }, reply) => {
    if (readClient(raw).protocol === 'https') reply.header('strict-transport-security', 'max-age=31536000')
    reply.header('x-content-type-options', 'nosniff')
  })
  ignoreRequestBodies(app)
  app.addHook('preClose', async () => {
    traffic.isStopping = true
  })
  app.get('/livez', async (_request, reply) => reply.type('text/plain').send('Healthy'))
  const readiness = () => ({ isReady: !traffic.isStopping, text: traffic.isStopping ? 'Unhealthy' : 'Healthy' })
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
   * Stops the process so that no request fails. The process first becomes unready, and stops listening after a delay.
   * Hub clients are disconnected and reconnect to another process. Connections to instances are ended after
   * `drainMs`.
   */
  const leave = async (): Promise<void> => {
    traffic.isStopping = true
    await pause(config.shutdownDelayMs)
    const hubs = [...traffic.sockets].filter(([, { kind }]) => kind === 'hub')
    const stepMs = Math.min(config.drainMs, recycleMs) / hubs.length
    const timers = hubs.map(([socket, forwarded], index) => setTimeout(() => closeHubSocket(socket, forwarded), index * stepMs))
    const drain = setTimeout(() => {
      for (const socket of traffic.sockets.keys()) socket.destroy()
    }, config.drainMs)
    await app.close()
    for (const timer of [drain, ...timers]) clearTimeout(timer)
  }
  return { app, leave, metrics, readiness }
}
