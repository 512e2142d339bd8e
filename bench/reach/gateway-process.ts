// Gateway in its own process, with its default limits and a backend of plain values.
import type { AddressInfo, Server } from 'node:net'
import { createInProcessBus } from '@capstan/bus/in-process-bus'
import { buildGateway } from '@capstan/gateway/gateway'
import { createGatewayServer } from '@capstan/gateway/gateway-server'
import { openPorts } from '@capstan/gateway/reach/ports'
import { aFakeBackend } from '@capstan/gateway/testing/fake-backend'
import { quietLog } from '@capstan/gateway/testing/test-gateway'
import { answerOrders } from '../process.ts'
import { domain, type GatewayOrder, instanceIdOf, labelOf, type StartedGateway } from './gateway.ts'

const openPort = async (): Promise<readonly [Server, number]> => {
  const [server] = (await openPorts([0], '127.0.0.1')).values()
  if (!server) throw new Error('No port was opened')
  return [server, (server.address() as AddressInfo).port]
}

const start = async ({ tls, instances, speaks, containerPort }: GatewayOrder): Promise<StartedGateway> => {
  const backend = aFakeBackend()
  const ways = { domain, tls }
  const config = { internalToken: 'bench', trustedProxies: false, publicOrigin: undefined, maxHubWaitingBytes: 262_144, ways }
  const gateway = buildGateway(config, { backend, bus: createInProcessBus(), log: quietLog })
  const plainPorts: number[] = []
  for (let instance = 0; instance < instances; instance += 1) {
    const [server, plainPort] = await openPort()
    const where = { state: 'ready', host: '127.0.0.1', port: containerPort, kind: 'team' } as const
    const instanceId = instanceIdOf(instance)
    const route = { ...where, instanceId, speaks, isRaw: false, hasOwnCertificate: false }
    backend.targets.set(instanceId, where)
    backend.routes.set(labelOf(instance), route)
    backend.routes.set(plainPort, route)
    gateway.attachPort(server, plainPort)
    plainPorts.push(plainPort)
  }
  const [secure, tlsPort] = await openPort()
  gateway.attachTls(secure)
  const { port } = await createGatewayServer(gateway).listen(0, '127.0.0.1')
  return { port, tlsPort, plainPorts }
}

answerOrders(start)
