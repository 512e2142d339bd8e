import process from 'node:process'
import { openTracer } from '@capstan/tracing/tracer'
import { pino } from 'pino'
import { buildPagesApp } from './app.ts'
import { readConfig } from './config.ts'

const config = (() => {
  try {
    return readConfig(process.env)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  }
})()
const log = pino({ level: config.logLevel })
const tracer = await openTracer('capstan-web', config.tracing)
const { app, leave } = await buildPagesApp(config, { logger: log, tracer })
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    log.info({ signal }, 'Leaving')
    void leave()
      .then(() => tracer?.close())
      .then(() => process.exit(0))
  })
}
await app.listen({ host: config.host, port: config.port })
