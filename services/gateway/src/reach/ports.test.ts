import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { closePorts, openPorts } from './ports.ts'

test('a port has a maximum of connections and closes further ones', async () => {
  const servers = await openPorts([0], '127.0.0.1', 2)
  const [server] = servers.values()
  if (!server) throw new Error('No port was opened')
  const held = new Set<{ destroy(): void }>()
  server.on('connection', (socket) => held.add(socket))
  const { port } = server.address() as AddressInfo
  const clients = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  for (const client of clients) await once(client, 'connect')
  await expect.poll(() => held.size).toBe(2)
  const late = connect(port, '127.0.0.1')
  late.on('error', () => {})
  await once(late, 'close')
  expect(held.size).toBe(2)
  for (const socket of [...clients, ...held]) socket.destroy()
  await closePorts(servers)
})
