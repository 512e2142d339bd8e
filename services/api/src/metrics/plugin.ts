import type { ServerResponse } from 'node:http'
import fastifyPlugin from 'fastify-plugin'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { countLiveInstances } from './repository.ts'

/** Figures of this process for Prometheus. Labels have few values: routes as patterns, never ids or names. */
export interface Metrics {
  readonly registry: Registry
  readonly submissions: Counter<'status'>
  readonly scoreboardRebuilds: Histogram
  /** Counts an answer once all of it has gone out, with the time until then. @param route its pattern @param send ends the answer */
  countAnswer(method: string, route: string, response: ServerResponse, send: () => void): void
}

declare module 'fastify' {
  interface FastifyInstance {
    metrics: Metrics
  }
}

/** One of method, route and status of the times of answers. */
interface AnswerSeries {
  readonly method: string
  readonly status: number
  observe(seconds: number): void
}

/** Times of answers that the histogram is told of in one go. */
const untoldMax = 500

const httpBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** What `/metrics` of the management port shows. Registered before all routes, so that every answer is measured. */
export const metricsPlugin = fastifyPlugin(
  async (app) => {
    const { db, bus, config } = app.deps
    const registry = new Registry()
    const registers = [registry]
    // Told after each answer, the histogram's code is cold each time, and costs some microseconds; told of many, a third of one.
    let untold = 0
    const untoldSeries: AnswerSeries[] = []
    const untoldSeconds = new Float64Array(untoldMax)
    const tell = (): void => {
      for (let place = 0; place < untold; place += 1) untoldSeries[place]?.observe(untoldSeconds[place] ?? 0)
      untold = 0
    }
    const requests = new Histogram({
      name: 'capstan_api_http_request_duration_seconds',
      help: 'Time from the request to the end of its answer',
      labelNames: ['method', 'route', 'status'],
      buckets: httpBuckets,
      registers,
      collect: tell,
    })
    new Gauge({
      name: 'capstan_api_bus_up',
      help: '1 while realtime messages reach the other processes, else 0',
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
        // A database that is away must not hide the other figures.
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
      help: 'Time to get a connection of the pool and an answer on it, measured when asked; grows when the pool is exhausted',
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
      help: 'Size of the pool of database connections',
      registers,
    }).set(config.databaseConnections)

    // Looked up by what is there already, instead of checking and joining labels: this runs for every answer.
    const seriesOfRoutes = new Map<string, AnswerSeries[]>()
    const seriesOf = (method: string, route: string, status: number): AnswerSeries => {
      const known = seriesOfRoutes.get(route) ?? []
      const found = known.find((each) => each.status === status && each.method === method)
      if (found) return found
      const series = requests.labels({ method, route, status })
      const made: AnswerSeries = { method, status, observe: (seconds) => series.observe(seconds) }
      seriesOfRoutes.set(route, [...known, made])
      return made
    }
    const observe = (method: string, route: string, status: number, elapsedMs: number): void => {
      untoldSeries[untold] = seriesOf(method, route, status)
      untoldSeconds[untold] = elapsedMs / 1_000
      untold += 1
      if (untold === untoldMax) tell()
    }
    app.decorate('metrics', {
      registry,
      countAnswer(method, route, response, send) {
        const startedAtMs = performance.now()
        send()
        const count = () => observe(method, route, response.statusCode, performance.now() - startedAtMs)
        if (response.socket?.writableLength === 0) count()
        else response.once('finish', count)
      },
      submissions: new Counter({
        name: 'capstan_api_submissions_total',
        help: 'Judged submissions by their stored status',
        labelNames: ['status'],
        registers,
      }),
      scoreboardRebuilds: new Histogram({
        name: 'capstan_api_scoreboard_rebuild_seconds',
        help: 'Time to build a scoreboard anew',
        buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
        registers,
      }),
    })
    app.addHook('onResponse', (request, reply, done) => {
      observe(request.method, request.routeOptions.url ?? 'none', reply.statusCode, reply.elapsedTime)
      done()
    })
  },
  { name: 'metrics' },
)
