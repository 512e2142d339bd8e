import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { answerOrders } from '../worker.ts'
import { hostOf } from './place.ts'

/** Connections that are opened through a gateway, used once, and then left alone. Each order replaces those of the one before. */
export type IdleOrder = Readonly<{
  way: 'tcp' | 'tls' | 'http'
  count: number
  /** Of instance 0, 1, …; by `tls` and `http` one port for all. */
  ports: readonly number[]
  instances: number
}>

/** Loopback addresses that they come from, so that no limit of an address is met. */
const addresses = 16
const atOnce = 50

let open: Socket[] = []

function connectTo({ way, ports, instances }: IdleOrder, index: number): Socket {
  const instance = index % instances
  const to = {
    host: '127.0.0.1',
    port: ports[instance % ports.length] ?? 0,
    localAddress: `127.0.0.${1 + (Math.floor(index / instances) % addresses)}`,
  }
  if (way === 'tls') return connectTls({ ...to, servername: hostOf(instance), rejectUnauthorized: false })
  return connect(to)
}

async function openOne(order: IdleOrder, index: number): Promise<void> {
  const socket = connectTo(order, index)
  open.push(socket)
  socket.write(order.way === 'http' ? `GET / HTTP/1.1\r\nHost: ${hostOf(index % order.instances)}\r\n\r\n` : 'hello\n')
  const closed = once(socket, 'close').then(() => {
    throw new Error(`Connection ${index} by ${order.way} was closed`)
  })
  closed.catch(() => undefined)
  const [answer] = (await Promise.race([once(socket, 'data'), closed])) as [Buffer]
  const text = answer.toString('latin1')
  if (order.way === 'http' ? !text.startsWith('HTTP/1.1 200') : text !== 'hello\n')
    throw new Error(`Connection ${index} by ${order.way} got another answer: ${text.slice(0, 200)}`)
  socket.on('error', () => {})
}

/** @returns how many of them are still open */
async function run(order: IdleOrder): Promise<number> {
  for (const socket of open) socket.destroy()
  open = []
  for (let first = 0; first < order.count; first += atOnce) {
    const batch = Array.from({ length: Math.min(atOnce, order.count - first) }, (_, index) => openOne(order, first + index))
    await Promise.all(batch)
  }
  return open.filter(({ destroyed }) => !destroyed).length
}

answerOrders(run)
