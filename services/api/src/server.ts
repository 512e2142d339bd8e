import process from 'node:process'
import { waitForDatabase } from '@capstan/db/wait-for-database'
import { openTracer } from '@capstan/tracing/tracer'
import { pino } from 'pino'
import { type ApiConfig, ConfigError, readConfig } from './config.ts'
import { createRuntime } from './instances/create-runtime.ts'
import { startApi } from './start-api.ts'

/** Everything may start at once: the database gets this long to come up. */
const databaseWaitMs = 60_000

/** Time in which load balancers learn that this process leaves, before it stops listening. */
const leaveNoticeMs = 3_000

const nextSignal = (): Promise<NodeJS.Signals> =>
  new Promise((resolve) => {
    // A second signal ends the process at once.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve)
  })

/** The api's process: configuration, signals, listening. */
const run = async (config: ApiConfig): Promise<void> => {
  const log = pino({ level: config.logLevel, base: { process: 'api' } })
  const tracer = await openTracer('capstan-api', config.tracing)
  const runtime = await createRuntime(config.instances, process.env, log, tracer)
  await waitForDatabase(config.databaseUrl, databaseWaitMs)
  const api = await startApi(config, { runtime, log, tracer })
  await api.app.listen({ host: config.host, port: config.port })

  const signal = await nextSignal()
  log.info({ signal }, 'Leaving')
  api.app.retire()
  await new Promise((resolve) => setTimeout(resolve, config.production ? leaveNoticeMs : 0))
  await api.close()
  await tracer?.close()
  log.info('Left')
}

try {
  await run(readConfig(process.env))
  process.exit(0)
} catch (error) {
  if (error instanceof ConfigError) console.error(error.message)
  else console.error(`The api could not start: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(1)
}
