import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { apiName } from '@capstan/challenge-instance/names'
import { waitForDatabase } from '@capstan/db/wait-for-database'
import { waitForTermination } from '@capstan/http/termination'
import { readSettingsOrExit } from '@capstan/settings/read'
import { openTracer } from '@capstan/tracing/open-tracer'
import { logUncaughtErrors, safeLogging, serializeError } from '@capstan/tracing/serialize-error'
import { pino } from 'pino'
import { createConfiguredRuntime } from './instances/lifecycle/create-runtime.ts'
import { type ApiConfig, readConfig } from './server/config.ts'
import { startApi } from './start-api.ts'

/** Maximum time for which a starting api waits for the database. The api waits, because both may start at the same time. */
const databaseWaitMs = 60_000

async function run(config: ApiConfig): Promise<void> {
  const log = pino({ ...safeLogging, level: config.logLevel, base: { process: 'api' } })
  logUncaughtErrors(log)
  const tracer = await openTracer(apiName, config.tracing)
  const runtime = await createConfiguredRuntime(config.instances, process.env, log, tracer)
  await waitForDatabase(config.databaseUrl, databaseWaitMs)
  const api = await startApi(config, { runtime, log, tracer })
  await api.app.listen({ host: config.host, port: config.port })
  const management = await api.startManagement()

  const signal = await waitForTermination()
  log.info({ signal }, 'Stopping')
  api.app.retire()
  // During this pause, load balancers remove this process, and clients close their idle connections to it.
  if (config.production) await pause(config.shutdownDelayMs)
  await api.close()
  await management?.close()
  await tracer?.close()
  log.info('Stopped')
}

const config = readSettingsOrExit(() => readConfig(process.env))
try {
  await run(config)
  process.exit(0)
} catch (error) {
  console.error(`The api could not start: ${serializeError(error).message}`)
  process.exit(1)
}
