import process from 'node:process'
import { startManagementServer } from '@capstan/http/management'
import { waitForTermination } from '@capstan/http/termination'
import { readSettingsOrExit } from '@capstan/settings/read'
import { openTracer } from '@capstan/tracing/open-tracer'
import { logUncaughtErrors, safeLogging } from '@capstan/tracing/serialize-error'
import { pino } from 'pino'
import { buildPagesApp } from './app.ts'
import { readConfig } from './config.ts'

const config = readSettingsOrExit(() => readConfig(process.env))
const log = pino({ ...safeLogging, level: config.logLevel })
logUncaughtErrors(log)
const tracer = await openTracer('capstan-web', config.tracing)
const { app, leave, metrics, readiness } = await buildPagesApp(config, { logger: log, tracer })
const { host, port, managementPort } = config
await app.listen({ host, port })
const management = await startManagementServer({ host, port: managementPort, registry: metrics, readiness, log })

const signal = await waitForTermination()
log.info({ signal }, 'Stopping')
await leave()
await management?.close()
await tracer?.close()
process.exit(0)
