import fastifyPlugin from 'fastify-plugin'

/** Minimum duration of a request that is logged as slow, in ms. */
const slowMs = 1_000

/**
 * Logs failed and slow requests at level info, and all other requests at level debug. `/metrics` counts normal requests, and the
 * Ingress writes the access log.
 */
export const requestLogPlugin = fastifyPlugin(
  async (app) => {
    const isDebugging = app.log.level === 'debug' || app.log.level === 'trace'
    app.addHook('onResponse', (request, reply, done) => {
      const { statusCode, elapsedTime } = reply
      const isWorthALine = statusCode >= 500 || elapsedTime >= slowMs
      if (isWorthALine || isDebugging) {
        const route = request.routeOptions.url ?? 'none'
        const fields = { method: request.method, route, status: statusCode, durationMs: Math.round(elapsedTime) }
        request.log[isWorthALine ? 'info' : 'debug'](fields, 'Answered')
      }
      done()
    })
  },
  { name: 'request-log' },
)
