import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { plainAddress } from '@capstan/contract/addresses'
import { problemAnswer } from '@capstan/contract/server-texts'
import { traceRequest } from '@capstan/tracing/http-server'
import type { Tracer } from '@capstan/tracing/tracer'
import Fastify, { type FastifyBaseLogger } from 'fastify'
import { createProxyServer } from 'httpxy'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { PagesConfig } from './config.ts'
import type { PageSettings } from './index-page.ts'
import { pagesPlugin } from './pages.ts'

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

/** Which process answers an address. Longer prefixes first. */
const upstreamOf = (url: string): 'api' | 'gateway' | 'pages' => {
  if (/^\/(hub|api\/proxy)(\/|\?|$)/i.test(url)) return 'gateway'
  return /^\/(api|assets|healthz|favicon\.webp)(\/|\?|$)/i.test(url) ? 'api' : 'pages'
}

interface PagesAppOptions {
  readonly logger?: FastifyBaseLogger
  /** Absent: no traces. */
  readonly tracer?: Tracer | undefined
}

/** Sockets that are passed on, and whether this process is about to leave. */
interface Traffic {
  isRetired: boolean
  readonly sockets: Set<Socket>
}

/** Adds the address of whoever is connected: what the header said before came from there, and may be made up. */
const addForwardedFor = ({ headers, socket }: IncomingMessage): void => {
  headers['x-forwarded-for'] = [headers['x-forwarded-for'] ?? [], plainAddress(socket.remoteAddress ?? '')].flat().join(', ')
}

/**
 * An HTTP server that passes calls and sockets on, with the client's own Host and its address in X-Forwarded-For, and gives
 * everything else to `handlePage`.
 */
const createForwardingServer = (
  config: PagesConfig,
  { logger: log, tracer }: PagesAppOptions,
  traffic: Traffic,
  handlePage: (request: IncomingMessage, response: ServerResponse) => void,
) => {
  const proxy = createProxyServer({ xfwd: true })
  proxy.on('error', (error, request, target) => {
    log?.warn({ err: error }, 'Could not pass a request on')
    if (!target || !('writeHead' in target) || target.headersSent) {
      target?.destroy()
      return
    }
    const { status, headers, body } = problemAnswer('server.unavailable', request?.headers['accept-language'])
    target.writeHead(status, { ...headers, 'retry-after': '5' })
    target.end(JSON.stringify(body))
  })
  proxy.on('proxyRes', (answer) => {
    if (traffic.isRetired) answer.headers.connection = 'close'
  })
  const targets = { api: config.apiUrl, gateway: config.gatewayUrl, pages: undefined }
  const server = createServer((request, response) => {
    // Whoever keeps connections open comes again on a new one, which goes to another process.
    if (traffic.isRetired) response.shouldKeepAlive = false
    const upstream = upstreamOf(request.url ?? '/')
    const target = targets[upstream]
    traceRequest(tracer, `${request.method} ${upstream}`, request, response, () => {
      if (!target) return handlePage(request, response)
      const traceparent = tracer?.current()?.traceparent
      if (traceparent) request.headers.traceparent = traceparent
      addForwardedFor(request)
      void proxy.web(request, response, { target })
    })
  })
  server.on('upgrade', (request, socket, head) => {
    const target = targets[upstreamOf(request.url ?? '/')]
    if (!target || !(socket instanceof Socket)) return void socket.destroy()
    traffic.sockets.add(socket)
    socket.once('close', () => traffic.sockets.delete(socket))
    addForwardedFor(request)
    void proxy.ws(request, socket, { target }, head)
  })
  return server
}

/**
 * The web process: pages and static files, and everything else passed on, so that one Service is enough for node ports
 * and port-forwarding. An Ingress that routes /api, /assets and /hub by itself never gets here with them.
 */
export const buildPagesApp = async (config: PagesConfig, options: PagesAppOptions = {}) => {
  const traffic: Traffic = { isRetired: false, sockets: new Set() }
  const app = Fastify({
    ...(options.logger && { loggerInstance: options.logger }),
    forceCloseConnections: 'idle',
    serverFactory: (handlePage) => createForwardingServer(config, options, traffic, handlePage),
  })
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })
  app.setNotFoundHandler(async (request, reply) => {
    const { status, headers, body } = problemAnswer('route.not-found', request.headers['accept-language'])
    return reply.status(status).headers(headers).send(body)
  })
  // In front of this process, for it speaks plain HTTP only (RFC 6797; behaviour §1).
  app.addHook('onRequest', async ({ headers }, reply) => {
    if (String(headers['x-forwarded-proto']).split(',')[0] === 'https')
      reply.header('strict-transport-security', 'max-age=31536000')
  })
  app.addHook('preClose', async () => {
    traffic.isRetired = true
  })
  app.get('/livez', async (_request, reply) => reply.type('text/plain').send('Healthy'))
  app.get('/readyz', async (_request, reply) =>
    reply
      .status(traffic.isRetired ? 503 : 200)
      .type('text/plain')
      .send(traffic.isRetired ? 'Unhealthy' : 'Healthy'),
  )
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.metrics()))

  await app.register(async (pages) => {
    await pages.register(pagesPlugin, { folder: config.folder, readSettings: createSettingsReader(config, options.logger) })
    pages.get('/*', async (request, reply) => (await pages.answerIndexPage(request, reply)) ?? reply.callNotFound())
  })
  /** Leaves without a failed call: not ready at once, deaf after a notice, gone when the sockets have ended or their time is over. */
  const leave = async (): Promise<void> => {
    traffic.isRetired = true
    await pause(config.shutdownDelayMs)
    const timer = setTimeout(() => {
      for (const socket of traffic.sockets) socket.destroy()
    }, config.drainMs)
    await app.close()
    clearTimeout(timer)
  }
  return { app, leave }
}
