// Gateway in a separate process, for one instance. There are no limits per client, and a stand-in replaces the api.
import type { AddressInfo, Server } from 'node:net'
import { createInProcessBus } from '@capstan/bus/in-process-bus'
import { buildGateway } from '@capstan/gateway/gateway'
import { createGatewayServer } from '@capstan/gateway/gateway-server'
import { openPorts } from '@capstan/gateway/reach/ports'
import { createFakeBackend } from '@capstan/gateway/testing/fake-backend'
import { quietLog } from '@capstan/gateway/testing/test-gateway'
import { runAsWorker } from '../process.ts'
import { domain, type GatewayOrder, type GatewayPorts, instanceId, label } from './gateway.ts'

const unlimited = 1_000_000
const limits = {
  proxyConnections: unlimited,
  instanceConnections: unlimited,
  instanceConnectionsPerAddress: unlimited,
  proxyAttemptsPerInstanceMinute: unlimited,
  proxyAttemptsPerAddressMinute: unlimited,
}

async function openPort(): Promise<readonly [Server, number]> {
  const [server] = (await openPorts([0], '127.0.0.1')).values()
  if (!server) throw new Error('No port was opened')
  return [server, (server.address() as AddressInfo).port]
}

async function start({ tls, speaks, containerPort }: GatewayOrder): Promise<GatewayPorts> {
  const backend = createFakeBackend()
  const settings = { internalToken: 'bench', trustedProxies: false, publicOrigin: undefined, maxHubWaitingBytes: 262_144 }
  const config = { ...settings, limits, connectionsPerAddress: unlimited, ways: { domain, tls } }
  const gateway = buildGateway(config, { backend, bus: createInProcessBus(), log: quietLog })
  const [plain, plainPort] = await openPort()
  const [secure, tlsPort] = await openPort()
  // The clients count as players, because strangers get only a few connections to a plain port.
  const playerAddresses = ['127.0.0.1']
  const target = { state: 'ready', host: '127.0.0.1', port: containerPort, kind: 'team', playerAddresses } as const
  const route = { ...target, instanceId, speaks, isRaw: false, hasOwnCertificate: false }
  backend.targets.set(instanceId, target)
  backend.routes.set(label, route).set(plainPort, route)
  gateway.attachPort(plain, plainPort)
  gateway.attachTls(secure)
  const { port } = await createGatewayServer(gateway).listen(0, '127.0.0.1')
  return { port, tlsPort, plainPort }
}

runAsWorker(start)
