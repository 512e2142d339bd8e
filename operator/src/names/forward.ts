import { createSocket } from 'node:dgram'
import { connect, isIPv6 } from 'node:net'
import type { Forward } from './resolver.ts'
import { addLengthPrefix, readTcpMessages } from './tcp-messages.ts'

/** Maximum time until the cluster's DNS server responds, in ms. */
const answerMs = 4_000

/** Maximum number of forwarded queries that wait for a response. Additional queries are dropped. */
const maxWaiting = 1024

const maxMessageBytes = 65_535

export interface Upstream {
  host: string
  port: number
}

/**
 * Creates a function that forwards the queries of containers to the cluster's DNS server. Each query uses a separate
 * socket, so that each container receives only the responses to its own queries.
 */
export function createDnsForwarder(upstream: Upstream): Forward {
  let waiting = 0
  return async (message, transport) => {
    if (waiting >= maxWaiting) return undefined
    waiting += 1
    try {
      return await (transport === 'udp' ? askByUdp(message, upstream) : askByTcp(message, upstream))
    } finally {
      waiting -= 1
    }
  }
}

function askByUdp(message: Buffer, { host, port }: Upstream): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
    const finish = (answer?: Buffer) => {
      clearTimeout(timer)
      socket.close()
      resolve(answer)
    }
    const timer = setTimeout(finish, answerMs)
    socket.once('error', () => finish())
    socket.once('message', (answer) => finish(answer))
    // Connect the UDP socket, so that it receives packets only from `host`. Node also calls this callback if an error
    // occurs, for example if the lookup of the host name fails.
    socket.connect(port, host, (error?: Error) => (error ? finish() : socket.send(message)))
  })
}

function askByTcp(message: Buffer, { host, port }: Upstream): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const connection = connect({ host, port, timeout: answerMs })
    const finish = (answer?: Buffer) => {
      resolve(answer)
      connection.destroy()
    }
    connection.once('connect', () => connection.write(addLengthPrefix(message)))
    connection.once('timeout', () => finish())
    connection.on('error', () => finish())
    connection.once('close', () => finish())
    readTcpMessages(connection, async (answer) => finish(answer), maxMessageBytes)
  })
}
