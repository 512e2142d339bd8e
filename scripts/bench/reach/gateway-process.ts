import type { AddressInfo, Server } from 'node:net'
import { createInProcessBus } from '@capstan/bus/in-process-bus'
import { buildGateway } from '@capstan/gateway/gateway'
import { createGatewayServer } from '@capstan/gateway/gateway-server'
import { openPorts } from '@capstan/gateway/reach/ports'
import { aFakeBackend } from '@capstan/gateway/testing/fake-backend'
import { quietLog } from '@capstan/gateway/testing/test-gateway'
import { answerOrders } from '../worker.ts'
import { type Certificate, domain, instanceIdOf, labelOf } from './place.ts'

export type GatewayOrder = Readonly<{
  /** Whose certificate it shows. */
  certificate: Certificate
  /** The same container stands behind so many instances. */
  instances: number
  speaks: 'http' | 'tcp'
  containerPort: number
}>

export type StartedGateway = Readonly<{
  /** For WebSockets and host names. */
  port: number
  tlsPort: number
  /** Of each instance. */
  plainPorts: readonly number[]
}>

/** A gateway in a process of its own, with its limits as they are by default and every way open. */

async function openPort(): Promise<Server> {
  const [server] = (await openPorts([0], '127.0.0.1')).values()
  if (!server) throw new Error('No port was opened')
  return server
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

async function start({ certificate, instances, speaks, containerPort }: GatewayOrder): Promise<StartedGateway> {
  const backend = aFakeBackend()
  const config = {
    internalToken: 'for this measurement',
    trustedProxies: false,
    publicOrigin: undefined,
    maxHubWaitingBytes: 262_144,
    ways: { domain, tls: certificate },
  }
  const gateway = buildGateway(config, { backend, bus: createInProcessBus(), log: quietLog })
  const plainPorts: number[] = []
  for (let instance = 0; instance < instances; instance += 1) {
    const server = await openPort()
    const where = { state: 'ready', host: '127.0.0.1', port: containerPort, kind: 'team' } as const
    const instanceId = instanceIdOf(instance)
    const route = { ...where, instanceId, speaks, isRaw: false, hasOwnCertificate: false }
    backend.targets.set(instanceId, where)
    backend.routes.set(labelOf(instance), route)
    backend.routes.set(portOf(server), route)
    gateway.attachPort(server, portOf(server))
    plainPorts.push(portOf(server))
  }
  const secure = await openPort()
  gateway.attachTls(secure)
  const { port } = await createGatewayServer(gateway).listen(0, '127.0.0.1')
  return { port, tlsPort: portOf(secure), plainPorts }
}

answerOrders(start)
