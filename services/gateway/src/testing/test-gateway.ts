import { createInProcessBus } from '@capstan/bus/in-process-bus'
import type { MessageBus } from '@capstan/bus/message-bus'
import type { RateLimitStore } from '@capstan/bus/rate-limit-store'
import type { Seats } from '@capstan/bus/seats'
import type { ListenerLimits } from '@capstan/http/listener'
import { buildGateway, type Gateway, type GatewayConfig, type GatewayTimings } from '../gateway.ts'
import { createGatewayServer } from '../gateway-server.ts'
import type { GatewayLogger } from '../log.ts'
import { createFakeBackend, type FakeBackend } from './fake-backend.ts'

export const quietLog: GatewayLogger = { debug() {}, info() {}, warn() {}, error() {} }

export const testSecret = 'a secret for tests only'

export type TestGateway = Readonly<{
  backend: FakeBackend
  bus: MessageBus
  gateway: Gateway
  port: number
  /** Origin for HTTP, such as `http://127.0.0.1:8080`. */
  origin: string
  /** Origin for WebSockets, such as `ws://127.0.0.1:8080`. */
  webSocketOrigin: string
  /** Stops the gateway as a crash would: every socket ends at once. The bus remains open. */
  crash(): Promise<void>
  close(options?: { drainMs?: number }): Promise<void>
}>

export type TestGatewayOptions = Readonly<{
  backend?: FakeBackend
  bus?: MessageBus
  /**
   * Counts of proxied connections. By default, each gateway has separate counts. A test that passes this object must close it.
   */
  seats?: Seats
  rateLimits?: RateLimitStore
  timings?: Partial<GatewayTimings>
  config?: Partial<GatewayConfig>
  limits?: ListenerLimits
  /** Port on which the gateway listens. By default, a free port. */
  port?: number
}>

/** Starts a complete gateway on the loopback address. */
export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const backend = options.backend ?? createFakeBackend()
  const bus = options.bus ?? createInProcessBus()
  const config: GatewayConfig = {
    internalToken: testSecret,
    trustedProxies: false,
    publicOrigin: undefined,
    maxHubWaitingBytes: 256 * 1024,
    ...options.config,
  }
  const timings = { gatherReportsMs: 5, sweepMs: 20, recycleMs: 50, ...options.timings }
  const gateway = buildGateway(config, {
    ...{ backend, bus, log: quietLog, timings },
    ...(options.seats && { seats: options.seats }),
    ...(options.rateLimits && { rateLimits: options.rateLimits }),
    ...(options.limits && { listener: options.limits }),
  })
  const server = createGatewayServer(gateway, options.limits)
  const sockets = new Set<{ destroy(): void }>()
  server.server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const { port } = await server.listen(options.port ?? 0, '127.0.0.1')

  const close = ({ drainMs = 0 } = {}) => server.close({ drainMs })
  return {
    backend,
    bus,
    gateway,
    port,
    origin: `http://127.0.0.1:${port}`,
    webSocketOrigin: `ws://127.0.0.1:${port}`,
    async crash() {
      for (const socket of sockets) socket.destroy()
      await close()
    },
    close,
  }
}
