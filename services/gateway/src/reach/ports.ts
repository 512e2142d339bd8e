import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { ListenerLimits } from '@capstan/contract/limits'
import { Guard, ignoreSocketErrors } from '@capstan/http/guard'

/**
 * Opens ports of this machine. Disconnects clients that connect before the caller has added a `connection` listener.
 * @param maxConnections limit per port; further connections are closed
 * @throws Error that names the port that cannot be opened. The ports that were already open are then closed
 */
export async function openPorts(
  ports: readonly number[],
  host: string,
  maxConnections: number = ListenerLimits.maxConnections,
): Promise<ReadonlyMap<number, Server>> {
  const servers = new Map<number, Server>()
  try {
    for (const port of ports) servers.set(port, await openPort(port, host, maxConnections))
    return servers
  } catch (error) {
    await closePorts(servers)
    throw error
  }
}

export async function closePorts(servers: ReadonlyMap<number, Server>): Promise<void> {
  await Promise.all([...servers.values()].map((server) => new Promise((resolve) => server.close(resolve))))
}

async function openPort(port: number, host: string, maxConnections: number): Promise<Server> {
  const server = createServer({
    allowHalfOpen: true,
    pauseOnConnect: true,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  })
  server.maxConnections = maxConnections
  new Guard(undefined).on(server, 'connection', (socket: Socket) => {
    ignoreSocketErrors(socket)
    if (server.listenerCount('connection') === 1) socket.destroy()
  })
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new Error(`Cannot listen on port ${port}`, { cause })
  }
  // Ignore failures to accept a connection. They occur if the process has no free file descriptor, and later connections may
  // succeed.
  ignoreSocketErrors(server)
  return server
}
