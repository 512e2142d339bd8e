import { createServer, type Server } from 'node:net'
import { ListenerLimits } from '@capstan/contract/limits'

/**
 * Takes ports of this machine. Whoever connects before somebody listens to `connection` is disconnected.
 * @param connectionsMax of each; one more is closed without a word
 * @throws Error that names the port that cannot be had; then none is held
 */
export async function openPorts(
  ports: readonly number[],
  host: string,
  connectionsMax: number = ListenerLimits.connectionsMax,
): Promise<ReadonlyMap<number, Server>> {
  const servers = new Map<number, Server>()
  try {
    for (const port of ports) servers.set(port, await openPort(port, host, connectionsMax))
    return servers
  } catch (error) {
    await closePorts(servers)
    throw error
  }
}

export async function closePorts(servers: ReadonlyMap<number, Server>): Promise<void> {
  await Promise.all([...servers.values()].map((server) => new Promise((resolve) => server.close(resolve))))
}

function openPort(port: number, host: string, connectionsMax: number): Promise<Server> {
  const server = createServer({
    allowHalfOpen: true,
    pauseOnConnect: true,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  })
  server.maxConnections = connectionsMax
  server.on('connection', (socket) => {
    if (server.listenerCount('connection') === 1) socket.destroy()
  })
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(new Error(`Port ${port} cannot be listened on`, { cause })))
    server.listen(port, host, () => {
      server.removeAllListeners('error')
      // Of an accept, when descriptors run out: the next one may succeed.
      server.on('error', () => {})
      resolve(server)
    })
  })
}
