import process from 'node:process'
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
const { app, leave } = await buildPagesApp(config, { logger: log })
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    log.info({ signal }, 'Leaving')
    void leave().then(() => process.exit(0))
  })
}
await app.listen({ host: config.host, port: config.port })
