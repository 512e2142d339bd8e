// Usage: node services/gateway/bench/fanout.ts [clients=5000] [rounds=40]
// Measures the time from publishing one notice to its arrival at the last client. A bare loop over `ws` sockets sends the same
// bytes for comparison. Prints JSON, which `npm run bench -- hub` shows as a table.
// The clients are bare TCP sockets in a separate process.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInProcessBus } from '@capstan/bus/in-process-bus'
import type { RealtimeMessage } from '@capstan/contract/events'
import { WebSocketServer } from 'ws'
import { readGatewayLimits } from '../src/config.ts'
import { buildGateway } from '../src/gateway.ts'
import { createGatewayServer } from '../src/gateway-server.ts'
import { encodeInvocation } from '../src/hubs/protocol.ts'
import { encodeTextFrame } from '../src/hubs/text-frame.ts'
import { createFakeBackend } from '../src/testing/fake-backend.ts'
import { quietLog } from '../src/testing/test-gateway.ts'
import type { ClientCommand, ClientReport } from './fanout-clients.ts'
import { computeQuantile, machineNowMs } from './measure.ts'

const [clientCount = 5_000, rounds = 40] = process.argv.slice(2, 4).map(Number)
const warmUpRounds = 5

const notice: RealtimeMessage = {
  kind: 'notice',
  gameId: 7,
  payload: {
    id: 1,
    type: 'FirstBlood',
    values: ['The quick brown foxes', 'Baby steps in RSA'],
    time: '2026-03-01T10:00:00.000Z',
  },
}
const text = encodeInvocation('ReceivedGameNotice', notice.payload)
const frameBytes = encodeTextFrame(text).length

type Contender = Readonly<{
  name: string
  port: number
  path: string
  send: () => void
  lastClientMs: number[]
}>

async function startOurs(): Promise<Contender> {
  const bus = createInProcessBus()
  const config = {
    internalToken: 'for this measurement',
    trustedProxies: false,
    publicOrigin: undefined,
    maxHubWaitingBytes: 262_144,
    // Disable the limits per address, because all clients have the same address.
    limits: readGatewayLimits({ CAPSTAN_RATE_LIMITS: 'off' }),
    connectionsPerAddress: 1_000_000,
  }
  // Disable pings, because they would count as messages.
  const timings = { pingMs: 3_600_000, silenceMs: 3_600_000, handshakeMs: 120_000 }
  const server = createGatewayServer(buildGateway(config, { backend: createFakeBackend(), bus, log: quietLog, timings }))
  const { port } = await server.listen(0, '127.0.0.1')
  return { name: 'gateway', port, path: '/hub/user?game=7', send: () => bus.publish(notice), lastClientMs: [] }
}

async function startBare(): Promise<Contender> {
  const http = createServer()
  const server = new WebSocketServer({ server: http, perMessageDeflate: false })
  server.on('connection', (socket) => {
    socket.once('message', () => socket.send('{}\x1e'))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  const bytes = Buffer.from(text)
  const send = () => {
    for (const client of server.clients) client.send(bytes, { binary: false })
  }
  return { name: 'bare ws', port, path: '/', send, lastClientMs: [] }
}

async function send(clients: ChildProcess, command: ClientCommand): Promise<ClientReport> {
  const report = once(clients, 'message')
  clients.send(command)
  return (await report)[0] as ClientReport
}

async function measureRound(clients: ChildProcess, contender: Contender, isCounted: boolean): Promise<void> {
  await send(clients, { kind: 'expect', name: contender.name, bytes: frameBytes })
  const done = once(clients, 'message')
  const startMs = machineNowMs()
  contender.send()
  const report = (await done)[0] as ClientReport
  if (!isCounted || report.kind !== 'complete') return
  contender.lastClientMs.push(report.atMs - startMs)
}

const [ours, bare] = [await startOurs(), await startBare()]
const contenders = [ours, bare]
const clients = fork(new URL('./fanout-clients.ts', import.meta.url), { serialization: 'advanced' })
const emptyBytes = process.memoryUsage.rss()
await send(clients, { kind: 'connect', name: ours.name, port: ours.port, path: ours.path, count: clientCount })
const memoryBytes = process.memoryUsage.rss()
await send(clients, { kind: 'connect', name: bare.name, port: bare.port, path: bare.path, count: clientCount })

for (let round = -warmUpRounds; round < rounds; round += 1) {
  // Alternate the order of the measurements, so that a change of the machine's load affects all measured servers equally.
  for (const contender of round % 2 === 0 ? contenders : contenders.toReversed())
    await measureRound(clients, contender, round >= 0)
}

function lastClient(share: number) {
  return { ours: computeQuantile(ours.lastClientMs, share), limit: computeQuantile(bare.lastClientMs, share) }
}
const bytesPerClient = (memoryBytes - emptyBytes) / clientCount
console.log(JSON.stringify({ p50: lastClient(0.5), p99: lastClient(0.99), memoryBytes, bytesPerClient }))
clients.disconnect()
process.exit(0)
