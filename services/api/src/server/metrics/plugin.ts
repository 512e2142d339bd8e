import fastifyPlugin from 'fastify-plugin'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { countLiveInstances } from './repository.ts'

/** Prometheus metrics of this process. Labels have few values: route patterns, never ids or names. */
export type Metrics = Readonly<{
  registry: Registry
  submissions: Counter<'status'>
  scoreboardRebuilds: Histogram
}>

declare module 'fastify' {
  interface FastifyInstance {
    metrics: Metrics
  }
}

/** Metrics for `/metrics` of the management port. Register this plugin before all routes, so that it measures every response. */
export const metricsPlugin = fastifyPlugin(
  async (app) => {
    const { db, bus, config } = app.deps
    const registry = new Registry()
    const registers = [registry]
    const answerTimes = new Histogram({
      name: 'capstan_api_http_request_duration_seconds',
      help: 'Time from the request to the end of the response',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    })
    new Gauge({
      name: 'capstan_api_bus_up',
      help: '1 if realtime messages reach other processes, else 0',
      registers,
      collect() {
        this.set(bus.health().state === 'up' ? 1 : 0)
      },
    })
    new Gauge({
      name: 'capstan_api_instances',
      help: 'Live instances of the whole platform by status, test instances included',
      labelNames: ['status'],
      registers,
      async collect() {
        // Ignore the error, because an unavailable database must not hide the other metrics.
        const totals = await db
          .ping()
          .then(() => countLiveInstances(db))
          .catch(() => undefined)
        this.reset()
        for (const [status, total] of totals ?? []) this.set({ status }, total)
      },
    })
    new Gauge({
      name: 'capstan_api_database_round_trip_seconds',
      help: 'Time to get a pooled connection and a response on it, measured at each scrape; grows when the pool is exhausted',
      registers,
      async collect() {
        const startedAtMs = performance.now()
        const hasAnswered = await db.ping().then(
          () => true,
          () => false,
        )
        this.set(hasAnswered ? (performance.now() - startedAtMs) / 1_000 : Number.NaN)
      },
    })
    new Gauge({
      name: 'capstan_api_database_connections_max',
      help: 'Maximum number of database connections',
      registers,
    }).set(config.databaseConnections)

    app.decorate('metrics', {
      registry,
      submissions: new Counter({
        name: 'capstan_api_submissions_total',
        help: 'Judged submissions by stored status',
        labelNames: ['status'],
        registers,
      }),
      scoreboardRebuilds: new Histogram({
        name: 'capstan_api_scoreboard_rebuild_seconds',
        help: 'Time to rebuild a scoreboard',
        buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
        registers,
      }),
    })
    app.addHook('onResponse', (request, reply, done) => {
      const labels = { method: request.method, route: request.routeOptions.url ?? 'none', status: reply.statusCode }
      answerTimes.observe(labels, reply.elapsedTime / 1_000)
      done()
    })
  },
  { name: 'metrics' },
)
