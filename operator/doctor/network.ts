import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { type Attempt, Blocked, Skipped } from './attempts.ts'
import type { Orders } from './orders.ts'

/** A dropped packet has no answer: how long one is waited for, in milliseconds. */
const patienceMs = 3000

/** Connects. Resolves if the other side accepted. */
export const dial = (host: string, port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: patienceMs })
    socket.once('connect', () => {
      socket.destroy()
      resolve(`connected to ${host}:${port}`)
    })
    socket.once('timeout', () => socket.destroy(new Blocked('no answer')))
    socket.once('error', reject)
  })

/** A look-up of kubernetes.default.svc.cluster.local, as RFC 1035 writes it. */
const question = Buffer.concat([
  Buffer.from([0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
  ...['kubernetes', 'default', 'svc', 'cluster', 'local'].map((label) =>
    Buffer.from(`${String.fromCharCode(label.length)}${label}`),
  ),
  Buffer.from([0, 0, 1, 0, 1]),
])

const askByUdp = (host: string, port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
    const timer = setTimeout(() => fail(new Blocked('no answer')), patienceMs)
    function fail(error: Error) {
      clearTimeout(timer)
      socket.close()
      reject(error)
    }
    socket.once('error', fail)
    socket.once('message', (answer) => {
      clearTimeout(timer)
      socket.close()
      resolve(`an answer of ${answer.length} bytes`)
    })
    socket.send(question, port, host, (error) => error && fail(error))
  })

/** Paths to the name server: open with an egress that includes it. */
function nameServer({ nameServer: server, egress }: Orders): Attempt[] {
  const unlessAllowed = (ask: (host: string, port: number) => Promise<string>) => async () => {
    if (egress !== 'None') throw new Skipped(`egress ${egress} includes the name server`)
    if (server === undefined) throw new Skipped('no name server is known')
    return ask(server.host, server.port)
  }
  return [
    { title: 'ask the name server by UDP', control: 'network policy', run: unlessAllowed(askByUdp) },
    { title: 'ask the name server by TCP', control: 'network policy', run: unlessAllowed(dial) },
    {
      title: 'look up the API server by name',
      control: 'network policy',
      run: unlessAllowed(async () => (await lookup('kubernetes.default.svc.cluster.local')).address),
    },
  ]
}

export const networkAttempts = (orders: Orders): Attempt[] => [
  ...orders.targets.map(
    ({ what, host, port }): Attempt => ({ title: `reach ${what}`, control: 'network policy', run: () => dial(host, port) }),
  ),
  ...nameServer(orders),
  {
    title: 'have the node’s network',
    control: 'own namespaces',
    async run() {
      const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address) ?? [])
      const shared = orders.nodeAddresses.filter((address) => own.includes(address))
      if (shared.length === 0) throw new Blocked('other addresses')
      return `the address ${shared[0]} is ours`
    },
  },
]
