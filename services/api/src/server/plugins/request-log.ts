import fastifyPlugin from 'fastify-plugin'

/** An answer that takes longer is worth a line. */
const slowMs = 1_000

/**
 * One line for each request that went wrong or took long; all others at level debug. What is usual is counted in `/metrics`, and
 * whoever stands in front (Ingress) keeps the access log: two lines for each of thousands of polling clients would say nothing.
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
