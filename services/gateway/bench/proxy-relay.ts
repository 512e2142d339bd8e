import { type AddressInfo, connect, createServer } from 'node:net'
import { createInProcessBus } from '@capstan/bus/in-process-bus'
import { buildGateway } from '../src/gateway.ts'
import { createGatewayServer } from '../src/gateway-server.ts'
import { aFakeBackend } from '../src/testing/fake-backend.ts'
import { quietLog } from '../src/testing/test-gateway.ts'

export type RelayRequest =
  | { readonly kind: 'gateway'; readonly containerPort: number; readonly instanceId: string }
  | { readonly kind: 'node'; readonly containerPort: number }

export interface RelayStarted {
  readonly port: number
}

async function startGateway(containerPort: number, instanceId: string): Promise<number> {
  const backend = aFakeBackend()
  backend.targets.set(instanceId, { state: 'ready', host: '127.0.0.1', port: containerPort, kind: 'team' })
  const config = {
    internalToken: 'for this measurement',
    trustedProxies: false,
    publicOrigin: undefined,
    hubWaitingMaxBytes: 262_144,
  }
  const server = createGatewayServer(buildGateway(config, { backend, bus: createInProcessBus(), log: quietLog }))
  return (await server.listen(0, '127.0.0.1')).port
}

/** What Node can do at best: two sockets piped into each other. */
async function startPlainRelay(containerPort: number): Promise<number> {
  const server = createServer({ noDelay: true }, (client) => {
    const container = connect({ port: containerPort, host: '127.0.0.1', noDelay: true })
    for (const socket of [client, container]) socket.on('error', () => {})
    client.pipe(container)
    container.pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

process.once('message', async (request: RelayRequest) => {
  const port =
    request.kind === 'gateway'
      ? await startGateway(request.containerPort, request.instanceId)
      : await startPlainRelay(request.containerPort)
  const started: RelayStarted = { port }
  process.send?.(started)
})
process.on('disconnect', () => process.exit(0))
