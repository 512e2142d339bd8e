import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { labelAlphabet, labelLength } from '@capstan/contract/reach'
import { afterEach, expect, it, vi } from 'vitest'
import { aCertificate, domain, hostOf } from '../testing/reach-world.ts'
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts'
import { closePorts, openPorts } from './ports.ts'

/**
 * Number of places. A place is a server with a fixed address. Several instances use the address one after another, because
 * instances in a cluster also reuse pod addresses.
 */
const placeCount = 40
/**
 * Numbers of instances and connections in the first round. The second round has the smaller numbers in `less`. If the memory still
 * grows in the second round, there is a leak.
 */
const sizes = { instances: 200, connections: 500 }
const less = { instances: 80, connections: 150 }
const atOnce = 50
const waiting = { timeout: 120_000, interval: 10 }
const unlimited = 1_000_000

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

/** Returns a generator of reproducible random numbers (mulberry32). */
function numbersFrom(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

function collectGarbage(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

interface Place {
  readonly server: Server
  /** Name of the instance that currently uses the server. */
  name: string
}

async function startPlace(): Promise<Place> {
  const open = new Set<Socket>()
  const place = {
    name: '',
    server: createServer((socket) => {
      const { name } = place
      open.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => open.delete(socket))
      socket.on('data', (bytes) => {
        const text = bytes.toString('latin1')
        socket.write(
          text.startsWith('GET ') ? `HTTP/1.1 200 OK\r\nContent-Length: ${name.length + 1}\r\n\r\n${name}\n` : `${name}\n`,
        )
      })
    }),
  }
  await new Promise<void>((resolve) => place.server.listen(0, '127.0.0.1', resolve))
  undo.push(() => {
    for (const socket of open) socket.destroy()
    place.server.close()
  })
  return place
}

interface Instance {
  readonly name: string
  readonly id: string
  readonly place: Place
  readonly speaks: 'http' | 'tcp'
  readonly port: number
  isOver: boolean
  readonly connections: Set<Socket>
}

async function ports(count: number): Promise<Server[]> {
  const opened = await Promise.all(Array.from({ length: count }, () => openPorts([0], '127.0.0.1')))
  undo.push(() => Promise.all(opened.map(closePorts)))
  return opened.flatMap((servers) => [...servers.values()])
}
function portOf(server: Server) {
  return (server.address() as AddressInfo).port
}

async function startWorld() {
  const tls = await aCertificate()
  const gateway = await startTestGateway({
    config: {
      ways: { domain, tls },
      limits: {
        instanceConnections: unlimited,
        instanceConnectionsPerAddress: unlimited,
        proxyAttemptsPerAddressMinute: unlimited,
        proxyAttemptsPerInstanceMinute: unlimited,
      },
    },
  })
  undo.push(() => gateway.close())
  // Each response of the api is correct at the time of the call, but arrives with a delay.
  const { route } = gateway.backend
  const turns = numbersFrom(7)
  gateway.backend.route = async (asked) => {
    const answer = await route(asked)
    for (let left = turns(6); left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve))
    return answer
  }
  const [secure, ...plain] = await ports(1 + placeCount)
  gateway.gateway.attachTls(secure!)
  for (const server of plain) gateway.gateway.attachPort(server, portOf(server))
  const places = await Promise.all(plain.map(startPlace))
  return { gateway, tlsPort: portOf(secure!), plainPorts: plain.map(portOf), places }
}

type World = Awaited<ReturnType<typeof startWorld>>

/**
 * Starts and ends instances while connections open and close.
 * @returns the connections that reached a wrong instance, and the numbers of instances and connections
 */
async function churn(
  { gateway, tlsPort, plainPorts, places }: World,
  seed: number,
  { instances: instanceCount, connections: connectionCount }: typeof sizes,
) {
  const below = numbersFrom(seed)
  const instances: Instance[] = []
  const wrong: string[] = []
  let started = 0
  let answered = 0

  const start = (index: number): void => {
    const name = Array.from({ length: labelLength }, () => labelAlphabet[below(labelAlphabet.length)]).join('')
    const id = `${String(seed).padStart(8, '0')}-0000-4000-8000-${String(started).padStart(12, '0')}`
    const place = places[index]!
    const instance: Instance = {
      ...{ name, id, place, port: plainPorts[index]!, isOver: false, connections: new Set() },
      speaks: below(2) === 0 ? 'http' : 'tcp',
    }
    started += 1
    place.name = name
    instances[index] = instance
    const route = {
      ...({ state: 'ready', instanceId: id, host: '127.0.0.1', port: portOf(place.server), kind: 'team' } as const),
      ...{ speaks: instance.speaks, isRaw: false, hasOwnCertificate: false },
    }
    gateway.backend.routes.set(name, route)
    gateway.backend.routes.set(instance.port, route)
  }
  const end = ({ name, port, id }: Instance): void => {
    gateway.backend.routes.set(name, { state: 'ended' })
    gateway.backend.routes.delete(port)
    gateway.bus.publish({ kind: 'instance-ended', instanceId: id })
  }
  /** Replaces an instance by another instance, which immediately gets the same address and port. */
  const replace = (index: number): void => {
    const old = instances[index]!
    old.isOver = true
    end(old)
    start(index)
  }

  const visit = (): Promise<void> => {
    const index = below(placeCount)
    const instance = instances[index]!
    const lines = 1 + below(4)
    const byPort = below(3) === 0
    const isHttp = instance.speaks === 'http'
    const host = hostOf(instance.name)
    const socket = byPort
      ? connect(instance.port, '127.0.0.1')
      : isHttp
        ? connect(gateway.port, '127.0.0.1')
        : connectTls({ port: tlsPort, host: '127.0.0.1', servername: host, rejectUnauthorized: false })
    instance.connections.add(socket)
    const say = () => socket.write(isHttp && !byPort ? `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n` : 'hello\n')
    let text = ''
    let heard = 0
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      const names = text.match(/^[a-z2-7]{20}$/gm) ?? []
      if (names.length === heard) {
        // The response is an error page, because the instance has ended.
        if (/HTTP\/1\.1 [45]/.test(text)) socket.destroy()
        return
      }
      heard = names.length
      answered += 1
      // Another instance may get the port before the lookup. The connection then belongs to that instance.
      if (new Set(names).size > 1 || (!byPort && names[0] !== instance.name))
        wrong.push(`${byPort ? 'port' : host} of ${instance.name}: ${names.join(', ')}`)
      if (heard >= lines) socket.destroy()
      else say()
    })
    socket.on('error', () => {})
    socket.once(byPort || isHttp ? 'connect' : 'secureConnect', say)
    return new Promise((resolve) =>
      socket.once('close', () => {
        instance.connections.delete(socket)
        resolve()
      }),
    )
  }

  for (let index = 0; index < placeCount; index += 1) start(index)
  let begun = 0
  const worker = async () => {
    while (begun < connectionCount) {
      begun += 1
      const visiting = visit()
      while (started < instanceCount && (started - placeCount) * connectionCount < begun * (instanceCount - placeCount))
        replace(below(placeCount))
      await visiting
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  for (const instance of instances) end(instance)
  return { wrong, answered, started, begun }
}

async function noneLeft(world: World, gateway: TestGateway): Promise<void> {
  await vi.waitFor(async () => {
    expect(gateway.gateway.health().proxyConnections).toBe(0)
    const left = await Promise.all(
      world.places.map(
        ({ server }) => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count))),
      ),
    )
    expect(left.reduce((sum, count) => sum + count, 0)).toBe(0)
    expect([...gateway.backend.reports.values()].filter(({ closedAt }) => closedAt === null)).toEqual([])
  }, waiting)
}

it('clients reach only their own instance while 200 instances and 500 connections start and end, and nothing leaks', async () => {
  const world = await startWorld()
  const { gateway } = world
  const first = await churn(world, 1, sizes)
  expect(first).toMatchObject({ wrong: [], started: sizes.instances, begun: sizes.connections })
  // Some connections get no response, because their instance ends first. Check that most connections get a response.
  expect(first.answered).toBeGreaterThan(sizes.connections / 3)
  await noneLeft(world, gateway)
  gateway.backend.reports.clear()
  gateway.backend.routes.clear()
  const sockets = () => process.getActiveResourcesInfo().filter((name) => /TCPSocketWrap|TLSWrap/.test(name)).length
  const before = { heap: collectGarbage(), sockets: sockets() }
  expect((await churn(world, 2, less)).wrong).toEqual([])
  await noneLeft(world, gateway)
  gateway.backend.reports.clear()
  gateway.backend.routes.clear()
  await vi.waitFor(() => expect(sockets()).toBeLessThanOrEqual(before.sockets), waiting)
  expect(collectGarbage() - before.heap).toBeLessThan(8 * 1024 * 1024)
})
