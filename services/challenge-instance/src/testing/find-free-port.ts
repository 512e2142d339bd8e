import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

const host = '127.0.0.1'

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false))
    probe.listen(port, host, () => probe.close(() => resolve(true)))
  })
}

/** Claims a port until this process ends. The claim is a UDP socket, so a TCP server can listen on the port. */
async function claim(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  try {
    socket.bind({ port, address: host, exclusive: true })
    await once(socket, 'listening')
  } catch {
    socket.close()
    return false
  }
  socket.unref()
  return true
}

/**
 * Returns a free port that no other test gets. A server can start, stop and restart on it, because it is outside of the ephemeral
 * port range and of the ports of instances.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 15_000)
    if ((await claim(port)) && (await isFree(port))) return port
  }
}
