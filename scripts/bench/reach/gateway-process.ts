import type { AddressInfo, Server } from 'node:net'
import { createInProcessBus } from '@capstan/bus/in-process-bus'
import { buildGateway } from '@capstan/gateway/gateway'
import { createGatewayServer } from '@capstan/gateway/gateway-server'
import { openPorts } from '@capstan/gateway/reach/ports'
import { aFakeBackend } from '@capstan/gateway/testing/fake-backend'
import { quietLog } from '@capstan/gateway/testing/test-gateway'
import { answerOrders } from '../worker.ts'
import { type Certificate, domain, instanceIdOf, labelOf } from './place.ts'

export interface GatewayOrder {
  /** Whose certificate it shows. */
  readonly certificate: Certificate
  /** The same container stands behind so many instances. */
  readonly instances: number
  readonly speaks: 'http' | 'tcp'
  readonly containerPort: number
}

export interface StartedGateway {
  /** For WebSockets and host names. */
  readonly port: number
  readonly tlsPort: number
  /** Of each instance. */
  readonly plainPorts: readonly number[]
}

/** A gateway in a process of its own, with its limits as they are by default and every way open. */

const openPort = async (): Promise<Server> => {
  const [server] = (await openPorts([0], '127.0.0.1')).values()
  if (!server) throw new Error('No port was opened')
  return server
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port

const start = async ({ certificate, instances, speaks, containerPort }: GatewayOrder): Promise<StartedGateway> => {
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
