import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { type Attempt, Blocked, Skipped } from './attempts.ts'
import type { NetworkTask } from './task.ts'

/** Time after which a request counts as blocked, in ms. Network policies drop packets, so a blocked request gets no response. */
const answerTimeoutMs = 3000

/** Opens a TCP connection. Resolves if the server accepted the connection. */
export function openConnectionTo(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: answerTimeoutMs })
    socket.once('connect', () => {
      socket.destroy()
      resolve(`connected to ${host}:${port}`)
    })
    socket.once('timeout', () => socket.destroy(new Blocked('no answer')))
    socket.once('error', reject)
  })
}

/** A DNS query (RFC 1035) for the address of kubernetes.default.svc.cluster.local. */
const dnsQuery = Buffer.concat([
  Buffer.from([0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
  ...['kubernetes', 'default', 'svc', 'cluster', 'local'].map((label) =>
    Buffer.from(`${String.fromCharCode(label.length)}${label}`),
  ),
  Buffer.from([0, 0, 1, 0, 1]),
])

/** Echoes UDP messages that arrive at `port`. */
export function echoUdpMessages(port: number): void {
  const socket = createSocket('udp4')
  socket.on('message', (message, { address, port: source }) => socket.send(message, source, address))
  socket.bind(port)
}

/** Sends a DNS query. Resolves when a response arrives, even if the response contains no address. */
export async function sendDnsQuery(host: string, port: number): Promise<string> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const timer = setTimeout(() => reject(new Blocked('no answer')), answerTimeoutMs)
  socket.on('error', reject)
  socket.once('message', (answer) => resolve(`a response of ${answer.length} bytes`))
  socket.send(dnsQuery, port, host, (error) => error && reject(error))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    socket.close()
  }
}

/**
 * Returns attempts to reach the DNS server of the cluster. If the egress of the challenge permits this server, the
 * attempts are skipped.
 */
function nameServerAttempts({ nameServer: server, egress }: NetworkTask): Attempt[] {
  const unlessAllowed = (query: (host: string, port: number) => Promise<string>) => async () => {
    if (egress !== 'None') throw new Skipped(`egress ${egress} includes the name server`)
    if (server === undefined) throw new Skipped('no name server is known')
    return query(server.host, server.port)
  }
  return [
    { title: 'query the name server by UDP', control: 'network policy', run: unlessAllowed(sendDnsQuery) },
    { title: 'query the name server by TCP', control: 'network policy', run: unlessAllowed(openConnectionTo) },
    {
      title: 'look up the API server by name',
      control: 'network policy',
      run: unlessAllowed(async () => (await lookup('kubernetes.default.svc.cluster.local')).address),
    },
  ]
}

export function listNetworkAttempts(task: NetworkTask): Attempt[] {
  return [
    ...task.targets.map(
      ({ what, host, port }): Attempt => ({
        title: `reach ${what}`,
        control: 'network policy',
        run: () => openConnectionTo(host, port),
      }),
    ),
    ...nameServerAttempts(task),
    {
      title: 'use the node’s network',
      control: 'own namespaces',
      async run() {
        const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address) ?? [])
        const shared = task.nodeAddresses.filter((address) => own.includes(address))
        if (shared.length === 0) throw new Blocked('other addresses')
        return `has the node’s address ${shared[0]}`
      },
    },
  ]
}
