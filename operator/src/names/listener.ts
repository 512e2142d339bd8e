import { createSocket, type Socket } from 'node:dgram'
import type { EventEmitter } from 'node:events'
import { createServer, type Server } from 'node:net'
import type { Resolver } from './resolver.ts'
import { readTcpMessages, writeTcpMessage } from './tcp-messages.ts'

/** Maximum number of concurrent TCP connections: for all clients together, and for the containers of one team. */
const maxConnections = 256
export const maxConnectionsPerTeam = 16

/** Time after which an idle TCP connection is closed, in ms. */
const idleMs = 5_000

export interface Listener {
  /** Port on which the server listens for UDP and TCP. */
  port: number
  close(): void
}

/** Returns an IPv4 address without the IPv6 prefix that a dual-stack socket adds. */
function plain(address: string): string {
  return address.replace(/^::ffff:/, '')
}

/** Listens on UDP and TCP for IPv4. If the node supports IPv6, also listens for IPv6. */
export async function startDnsListener(port: number, resolver: Resolver): Promise<Listener> {
  const server = await listenTcp(port, resolver)
  const address = server.address()
  const bound = typeof address === 'object' && address ? address : { port, family: 'IPv4' }
  const socket = await listenUdp(bound.port, bound.family === 'IPv6' ? 'udp6' : 'udp4', resolver)
  return {
    port: bound.port,
    close() {
      socket.close()
      server.close()
    },
  }
}

function listenUdp(port: number, type: 'udp4' | 'udp6', resolver: Resolver): Promise<Socket> {
  const socket = createSocket(type)
  socket.on('message', (message, { address, port: source }) => {
    const sent = resolver.resolve(message, plain(address), 'udp').then((answer) => {
      if (answer) socket.send(answer, source, address, () => undefined)
    })
    // Ignore errors. They occur if the querying container no longer exists, or if its source port cannot receive messages.
    sent.catch(() => undefined)
  })
  return whenOpen(socket, (done) => socket.bind(port, done))
}

function listenTcp(port: number, resolver: Resolver): Promise<Server> {
  const open = new Map<string, number>()
  const server = createServer((connection) => {
    const address = plain(connection.remoteAddress ?? '')
    connection.on('error', () => connection.destroy())
    const owner = resolver.ownerOf(address)
    const others = open.get(owner) ?? 0
    if (others >= maxConnectionsPerTeam) return void connection.destroy()
    open.set(owner, others + 1)
    connection.once('close', () => {
      const left = (open.get(owner) ?? 1) - 1
      if (left > 0) open.set(owner, left)
      else open.delete(owner)
    })
    connection.setTimeout(idleMs, () => connection.destroy())
    readTcpMessages(connection, async (message) => {
      const answer = await resolver.resolve(message, address, 'tcp')
      // Close the connection if a message gets no answer. Otherwise one client could occupy this process with queries above its limit,
      // or with messages that are no queries.
      if (answer === undefined) connection.destroy()
      // Wait until the client has read the DNS response. Otherwise the responses for a client that reads nothing would
      // fill the memory.
      else await writeTcpMessage(connection, answer)
    })
  })
  server.maxConnections = maxConnections
  return whenOpen(server, (done) => server.listen(port, done))
}

/** Opens a socket. Rejects if an error occurs before the socket is open. Later errors are ignored. */
function whenOpen<Opened extends EventEmitter>(opened: Opened, open: (done: () => void) => unknown): Promise<Opened> {
  return new Promise((resolve, reject) => {
    opened.once('error', reject)
    open(() => {
      opened.off('error', reject)
      opened.on('error', () => undefined)
      resolve(opened)
    })
  })
}
