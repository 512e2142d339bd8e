import type { Socket } from 'node:net'
import { afterEach, expect, vi } from 'vitest'
import { catchRefusedUpgrade, openRawWebSocket, type RawClient } from './raw-client.ts'
import { startTcpServer, type TcpServer } from './tcp-server.ts'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './test-gateway.ts'

/** Id of the container that `start` creates. `otherId` is an id that the api does not know. */
export const id = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'
export const otherId = 'bbbbbbbb-bbbb-4ccc-8ddd-eeeeeeeeeeee'
export const waiting = { timeout: 120_000, interval: 5 }
export const megabyte = 1024 * 1024

/** For each test of a file, provides containers, clients and a gateway. Closes them after the test. */
export function provideProxyGateway() {
  let gateway: TestGateway | undefined
  const servers: TcpServer[] = []
  const clients: RawClient[] = []

  afterEach(async () => {
    for (const { socket } of clients.splice(0)) socket.terminate()
    await gateway?.close()
    gateway = undefined
    await Promise.all(servers.splice(0).map((server) => server.close()))
  })

  return {
    /** Starts a gateway and a container. `serve` defines the container's behavior. */
    async start(serve: (socket: Socket) => void, options: TestGatewayOptions & { kind?: 'team' | 'test' } = {}) {
      const server = await startTcpServer(serve)
      servers.push(server)
      gateway = await startTestGateway(options)
      gateway.backend.targets.set(id, server.target(options.kind))
      return { gateway, server, backend: gateway.backend }
    },
    async startServer(serve: (socket: Socket) => void): Promise<TcpServer> {
      const server = await startTcpServer(serve)
      servers.push(server)
      return server
    },
    async open(path = `/api/proxy/${id}`, headers: Record<string, string> = {}): Promise<RawClient> {
      if (!gateway) throw new Error('The gateway is not running')
      const client = await openRawWebSocket(gateway.webSocketOrigin + path, headers)
      clients.push(client)
      return client
    },
    /** Returns the status and the problem code of a refused upgrade. */
    async refused(path = `/api/proxy/${id}`): Promise<[number, string]> {
      if (!gateway) throw new Error('The gateway is not running')
      const refusal = await catchRefusedUpgrade(gateway.webSocketOrigin + path)
      return [refusal.status, (refusal.body as { code: string }).code]
    },
  }
}

export function echoReceivedBytes(socket: Socket) {
  return void socket.pipe(socket)
}

/** Returns a handler for a container that stores all received data. */
export function storeReceivedChunks(chunks: Buffer[]): (socket: Socket) => void {
  return (socket) => void socket.on('data', (chunk) => chunks.push(chunk))
}

export function concatReceivedBytes(client: RawClient) {
  return Buffer.concat(client.frames)
}

/** Waits until `look` has returned the same value 20 times in a row, and returns this value. */
export async function waitForStableValue(look: () => number): Promise<number> {
  let last = Number.NaN
  let same = 0
  await vi.waitFor(
    () => {
      const value = look()
      same = value === last ? same + 1 : 0
      last = value
      expect(same).toBeGreaterThanOrEqual(20)
    },
    { timeout: 120_000, interval: 20 },
  )
  return last
}
