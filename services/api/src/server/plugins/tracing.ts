import type { StatementObserver } from '@capstan/db/observed'
import { isProbeUrl, traceparentOf } from '@capstan/tracing/http-server'
import type { Span, Tracer } from '@capstan/tracing/tracer'
import fastifyPlugin from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyRequest {
    span?: Span
  }
}

/**
 * Creates a span for each request, from its first byte to the end of the response. Register this plugin first, so that the span
 * covers all hooks.
 */
export const tracingPlugin = fastifyPlugin<{ tracer: Tracer }>(
  async (app, { tracer }) => {
    app.decorateRequest('span')
    app.addHook('onRequest', (request, _reply, done) => {
      if (isProbeUrl(request.url)) return done()
      const route = request.routeOptions.url ?? 'none'
      const attributes = { 'http.request.method': request.method, 'http.route': route, 'capstan.request_id': request.id }
      request.span = tracer.start(`${request.method} ${route}`, { kind: 'server', attributes, parent: traceparentOf(request) })
      request.span.run(done)
    })
    // Restore the context of the span, because events of the request body run in the async context of the connection.
    app.addHook('preValidation', (request, _reply, done) => (request.span ? request.span.run(done) : done()))
    app.addHook('onResponse', (request, reply, done) => {
      const { statusCode } = reply
      const failed = statusCode >= 500 && { error: new Error(`Answered ${statusCode}`) }
      request.span?.end({ attributes: { 'http.response.status_code': statusCode }, ...failed })
      done()
    })
  },
  { name: 'tracing' },
)

/**
 * Returns an observer that creates spans for SQL statements. A statement that several requests share belongs to the span of the
 * first request.
 */
export function createStatementTracer(tracer: Tracer): StatementObserver {
  return (text) => {
    if (!tracer.current()) return undefined
    const [operation = 'statement'] = text.trimStart().split(/\s/, 1)
    const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text.slice(0, 2_000) }
    const span = tracer.start(operation.toUpperCase(), { kind: 'client', attributes })
    return (error) => span.end(error === undefined ? {} : { error: new Error('The statement failed', { cause: error }) })
  }
}
