import { createRedisBus } from '@capstan/bus/redis-bus'
import { openTracer } from '@capstan/tracing/tracer'
import { pino } from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { ConfigError, type GatewayProcessConfig, readConfig } from './config.ts'
import { buildGateway } from './gateway.ts'
import { createGatewayServer } from './gateway-server.ts'
import { createHttpBackend } from './http-backend.ts'

/** The gateway's process: configuration, signals, listening. */
async function run(config: GatewayProcessConfig): Promise<void> {
  const log = pino({ level: config.logLevel, base: { process: 'gateway' } })
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const bus = createRedisBus({ url: config.redisUrl, log })
  const tracer = await openTracer('capstan-gateway', config.tracing)
  const backend = createHttpBackend({ apiUrl: config.apiUrl, internalToken: config.internalToken, tracer })
  const gateway = createGatewayServer(buildGateway(config, { backend, bus, log, registry, tracer }))
  const { address, port } = await gateway.listen(config.port, config.host)
  log.info({ address, port }, 'Listening')

  const signal = await nextSignal()
  log.info({ signal }, 'Leaving')
  // A second signal ends the process at once, as it would without us.
  gateway.retire()
  await new Promise((resolve) => setTimeout(resolve, config.shutdownDelayMs))
  await gateway.close({ drainMs: config.drainMs })
  await bus.close()
  await tracer?.close()
  log.info({}, 'Left')
}

function nextSignal(): Promise<NodeJS.Signals> {
  const signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT']
  return new Promise((resolve) => {
    const handle = (signal: NodeJS.Signals) => {
      for (const name of signals) process.off(name, handle)
      resolve(signal)
    }
    for (const name of signals) process.on(name, handle)
  })
}

try {
  await run(readConfig(process.env))
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
