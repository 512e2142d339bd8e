import { connect, type Socket } from 'node:net'
import type { RouteTarget } from '@capstan/contract/gateway-backend'
import type { GatewayLimits } from '@capstan/contract/limits'
import { afterEach, describe, expect, it } from 'vitest'
import { catchRefusedUpgrade, openRawWebSocket } from '../testing/raw-client.ts'
import {
  createReadyRouteTarget,
  instanceId,
  label,
  otherInstanceId,
  provideReachGateway,
  sendHttpRequest,
  sendTextAndReadResponse,
} from '../testing/reach-world.ts'

const { start, startInstance } = provideReachGateway()
const open: Socket[] = []
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy()
})

/** Opens a connection to a plain port and waits until it is admitted. */
async function enter(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  open.push(socket)
  socket.write('hello')
  await new Promise((resolve, reject) => {
    socket.once('data', resolve)
    socket.once('close', () => reject(new Error('It was refused')))
  })
  return socket
}

const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmine'

/** Starts an instance to which clients can connect by every method. All clients in these tests have the same address. */
async function startInstanceAtPort(
  limits: Partial<{ [Name in keyof typeof GatewayLimits]: number }>,
  more: Partial<Extract<RouteTarget, { state: 'ready' }>> = {},
) {
  const instance = await startInstance((socket) => {
    socket.on('data', (bytes) => socket.write(String(bytes).startsWith('GET') ? answer : bytes))
    socket.on('end', () => socket.end())
  })
  const world = await start({ config: { limits } })
  world.backend.routes.set(label, createReadyRouteTarget(instance.port))
  world.backend.routes.set(world.rawPort, createReadyRouteTarget(instance.port, more))
  world.backend.targets.set(instanceId, instance.target())
  const tunnel = `${world.gateway.webSocketOrigin}/api/proxy/${instanceId}`
  return { ...world, instance, tunnel }
}

describe('connections to a port by clients that are not players', () => {
  it('a client that is not a player may use one eighth of the allowed connection attempts at a port', async () => {
    const { gateway, rawPort, tunnel } = await startInstanceAtPort({ proxyAttemptsPerInstanceMinute: 24 })
    const heard: string[] = []
    for (let attempt = 0; attempt < 30; attempt += 1) heard.push(await sendTextAndReadResponse(rawPort, 'hello', 'hello'))
    expect(heard.filter((text) => text === 'hello')).toHaveLength(3)
    // Attempts at the port do not count toward the limits for the host name and the tunnel.
    expect((await sendHttpRequest(gateway.port)).text).toBe('mine')
    const { socket } = await openRawWebSocket(tunnel)
    socket.terminate()
  })

  it('a client that is not a player may use eight connections through a port', async () => {
    const { gateway, rawPort, tunnel } = await startInstanceAtPort({
      proxyAttemptsPerInstanceMinute: 1_000_000,
      proxyAttemptsPerAddressMinute: 1_000_000,
    })
    for (let count = 0; count < 7; count += 1) await enter(rawPort)
    const last = await enter(rawPort)
    expect(await sendTextAndReadResponse(rawPort, 'hello')).toBe('')
    expect((await sendHttpRequest(gateway.port)).text).toBe('mine')
    const { socket } = await openRawWebSocket(tunnel)
    socket.terminate()
    last.destroy()
    await expect.poll(() => sendTextAndReadResponse(rawPort, 'hello', 'hello')).toBe('hello')
  })

  it('a client that is not a player may use one eighth of the gateway’s connections', async () => {
    const { gateway, backend, instance, rawPort } = await startInstanceAtPort({ proxyConnections: 8 })
    await enter(rawPort)
    backend.routes.set(rawPort, createReadyRouteTarget(instance.port, { instanceId: otherInstanceId }))
    expect(await sendTextAndReadResponse(rawPort, 'hello')).toBe('')
    expect((await sendHttpRequest(gateway.port)).text).toBe('mine')
  })

  it('an attempt to connect to a port counts toward the limit of attempts per client address', async () => {
    const { rawPort, tunnel } = await startInstanceAtPort({ proxyAttemptsPerAddressMinute: 2 })
    for (let attempt = 0; attempt < 2; attempt += 1) await sendTextAndReadResponse(rawPort, 'hello', 'hello')
    expect(await sendTextAndReadResponse(rawPort, 'hello')).toBe('')
    expect((await catchRefusedUpgrade(tunnel)).status).toBe(429)
  })
})

describe('connections of players to a port of their instance', () => {
  it('players at the plain port of their instance can use the complete limits, regardless of strangers', async () => {
    const limits = { proxyAttemptsPerInstanceMinute: 8, instanceConnections: 8, instanceConnectionsPerAddress: 8 }
    const { backend, instance, rawPort } = await startInstanceAtPort(limits, { playerAddresses: ['192.0.2.1'] })
    await enter(rawPort)
    expect(await sendTextAndReadResponse(rawPort, 'hello')).toBe('')
    // This client's address belongs to a player of the other instance.
    backend.routes.set(
      rawPort,
      createReadyRouteTarget(instance.port, { instanceId: otherInstanceId, playerAddresses: ['127.0.0.1'] }),
    )
    for (let count = 0; count < 8; count += 1) await enter(rawPort)
    expect(await sendTextAndReadResponse(rawPort, 'hello')).toBe('')
  })
})
