import type { Socket } from 'node:net'
import { createInProcessSeatCounter } from '@capstan/bus/seats'
import { describe, expect, it, vi } from 'vitest'
import { concatReceivedBytes, echoReceivedBytes, id, otherId, provideProxyGateway, waiting } from '../testing/proxy-world.ts'

const { start, startServer, open, refused } = provideProxyGateway()

/** Returns a handler that sends this text on each connection to the container. */
function says(text: string) {
  return (socket: Socket) => void socket.write(text)
}

describe('a container that was replaced', () => {
  it('the gateway connects to a replaced container only at its new address', async () => {
    const { backend, server } = await start(says('mine'))
    const old = await open()
    await vi.waitFor(() => expect(concatReceivedBytes(old).toString()).toBe('mine'), waiting)
    const moved = await startServer(says('mine again'))
    // Another team's container now has the old address.
    server.serve(says('a secret of others'))
    backend.targets.set(otherId, server.target())
    backend.targets.set(id, moved.target())
    const before = server.sockets.length
    const clients = await Promise.all(Array.from({ length: 20 }, () => open()))
    for (const client of clients)
      await vi.waitFor(() => expect(concatReceivedBytes(client).toString()).toBe('mine again'), waiting)
    expect(server.sockets).toHaveLength(before)
  })

  it('a container that was replaced is not dialed while it has no address', async () => {
    const { backend, server, gateway } = await start(says('mine'))
    await open()
    server.serve(says('a secret of others'))
    backend.targets.set(id, { state: 'unreachable', kind: 'team' })
    const before = server.sockets.length
    expect(await refused()).toEqual([418, 'proxy.unreachable'])
    expect(server.sockets).toHaveLength(before)
    // A GET request only checks that the container exists.
    expect((await fetch(`${gateway.origin}/api/proxy/${id}`)).status).toBe(204)
  })

  it('a container that was replaced loses connections to its old address, and retains connections to its new address', async () => {
    const { backend, server, gateway } = await start(echoReceivedBytes)
    const old = await open()
    const moved = await startServer(echoReceivedBytes)
    backend.targets.set(id, moved.target())
    const fresh = await open()
    gateway.bus.publish({ kind: 'instance-moved', instanceId: id, from: { host: '127.0.0.1', port: server.port } })
    expect(await old.closed).toBe(1005)
    fresh.socket.send('still here')
    await vi.waitFor(() => expect(concatReceivedBytes(fresh).toString()).toBe('still here'), waiting)
  })

  it('a container that was replaced loses connections to its old address even if the message about the move was lost', async () => {
    const { backend } = await start(echoReceivedBytes, { timings: { recheckMs: 30 } })
    const old = await open()
    const moved = await startServer(echoReceivedBytes)
    backend.targets.set(id, moved.target())
    expect(await old.closed).toBe(1005)
  })

  it('a container that was replaced retains its connections while the api does not respond', async () => {
    const { backend } = await start(echoReceivedBytes, { timings: { recheckMs: 30 } })
    const client = await open()
    backend.isAway = true
    const asked = backend.asked.proxyTarget
    await vi.waitFor(() => expect(backend.asked.proxyTarget).toBeGreaterThan(asked + 1), waiting)
    client.socket.send('still here')
    await vi.waitFor(() => expect(concatReceivedBytes(client).toString()).toBe('still here'), waiting)
  })

  it('the address of a container is looked up again if the container moves while a connection opens', async () => {
    const own = createInProcessSeatCounter()
    const arrived = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    const seats = {
      ...own,
      async take(name: string, limit: number) {
        const seat = await own.take(name, limit)
        arrived.resolve()
        await go.promise
        return seat
      },
    }
    const { backend, server, gateway } = await start(says('a secret of others'), { seats })
    const client = open()
    await arrived.promise
    const moved = await startServer(says('mine'))
    backend.targets.set(id, moved.target())
    const heard = new Promise<void>((resolve) => gateway.bus.subscribe(() => resolve()))
    gateway.bus.publish({ kind: 'instance-moved', instanceId: id, from: { host: '127.0.0.1', port: server.port } })
    await heard
    go.resolve()
    const opened = await client
    await vi.waitFor(() => expect(concatReceivedBytes(opened).toString()).toBe('mine'), waiting)
    expect(server.sockets).toHaveLength(0)
  })
})

it('the gateway calls the api once for an unknown container, even if many clients connect at once', async () => {
  const { backend } = await start(echoReceivedBytes, { timings: { missMs: 60_000 } })
  const answers = await Promise.all(Array.from({ length: 50 }, () => refused(`/api/proxy/${otherId}`)))
  expect(new Set(answers.map(String))).toEqual(new Set(['404,instance.unknown']))
  expect(backend.asked.proxyTarget).toBe(1)
})
