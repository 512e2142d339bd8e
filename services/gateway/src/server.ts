import { createRedisRateLimitStore } from '@capstan/bus/rate-limit-redis'
import { createRedisBus } from '@capstan/bus/redis-bus'
import { createRedisSeatCounter } from '@capstan/bus/redis-seats'
import { startManagementServer } from '@capstan/http/management'
import { waitForTermination } from '@capstan/http/termination'
import { readSettingsOrExit } from '@capstan/settings/read'
import { openTracer } from '@capstan/tracing/open-tracer'
import { collectProcessMetrics, createHopRetryCounter } from '@capstan/tracing/process-metrics'
import { logUncaughtErrors, safeLogging } from '@capstan/tracing/serialize-error'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { type GatewayProcessConfig, readCertificate, readConfig } from './config.ts'
import { buildGateway } from './gateway.ts'
import { createGatewayServer } from './gateway-server.ts'
import { createHttpBackend } from './http-backend.ts'
import { watchCertificate } from './reach/certificate-watch.ts'
import { closePorts, openPorts } from './reach/ports.ts'
import type { Certificate } from './reach/tls-endpoint.ts'

/**
 * Interval of the checks for a renewed certificate, in ms. This interval is shorter than the delay with which the
 * kubelet updates a changed Secret.
 */
const certificateEveryMs = 10_000

/**
 * Runs the gateway process: reads the configuration, listens and handles signals.
 * @param certificateNow reads the current certificate of instances
 */
async function run(config: GatewayProcessConfig, certificateNow: () => Certificate): Promise<void> {
  const log = pino({ ...safeLogging, level: config.logLevel, base: { process: 'gateway' } })
  logUncaughtErrors(log)
  const registry = new Registry()
  collectProcessMetrics(registry)
  const bus = createRedisBus({ url: config.redisUrl, log })
  const seats = createRedisSeatCounter({ url: config.redisUrl, log })
  const rateLimits = createRedisRateLimitStore(config.redisUrl, { log })
  const tracer = await openTracer('capstan-gateway', config.tracing)
  const backend = createHttpBackend({
    apiUrl: config.apiUrl,
    internalToken: config.internalToken,
    onRetry: createHopRetryCounter(registry),
    tracer,
  })
  const ways = await openPorts([...(config.tlsPort === undefined ? [] : [config.tlsPort]), ...config.instancePorts], config.host)
  const parts = buildGateway(config, { backend, bus, seats, rateLimits, log, registry, tracer })
  for (const [port, server] of ways) {
    if (port === config.tlsPort) parts.attachTls(server)
    else parts.attachPort(server, port)
  }
  const stopWatching = config.ways?.tls
    ? watchCertificate({
        current: config.ways.tls,
        read: certificateNow,
        everyMs: certificateEveryMs,
        onRenewed: (certificate) => parts.renewCertificate(certificate),
        log,
      })
    : undefined
  const gateway = createGatewayServer(parts)
  const { address, port } = await gateway.listen(config.port, config.host)
  log.info({ address, port }, 'Listening')
  const { host, managementPort } = config
  const management = await startManagementServer({ host, port: managementPort, registry, readiness: gateway.readiness, log })

  const signal = await waitForTermination()
  log.info({ signal }, 'Stopping')
  gateway.retire()
  await new Promise((resolve) => setTimeout(resolve, config.shutdownDelayMs))
  const closed = closePorts(ways)
  await gateway.close({ drainMs: config.drainMs })
  await closed
  stopWatching?.()
  await management?.close()
  await Promise.all([bus.close(), seats.close(), rateLimits.close()])
  await tracer?.close()
  log.info({}, 'Stopped')
}

const environment = process.env
await run(
  readSettingsOrExit(() => readConfig(environment)),
  () => readCertificate(environment),
)
// Exit explicitly, because an open handle, such as a pending call, could keep the process alive.
process.exit(0)
