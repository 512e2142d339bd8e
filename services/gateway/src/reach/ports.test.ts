import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { closePorts, openPorts } from './ports.ts'

test('a port accepts connections up to its maximum, and closes all further connections', async () => {
  const servers = await openPorts([0], '127.0.0.1', 2)
  const [server] = servers.values()
  if (!server) throw new Error('No port was opened')
  const accepted = new Set<{ destroy(): void }>()
  server.on('connection', (socket) => accepted.add(socket))
  const { port } = server.address() as AddressInfo
  const clients = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  for (const client of clients) await once(client, 'connect')
  await expect.poll(() => accepted.size).toBe(2)
  const late = connect(port, '127.0.0.1')
  late.on('error', () => {})
  await once(late, 'close')
  expect(accepted.size).toBe(2)
  for (const socket of [...clients, ...accepted]) socket.destroy()
  await closePorts(servers)
})
