import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findFreePort } from '@capstan/db/testing/find-free-port'
import { isProgramInstalled } from '../../e2e/support/browser.ts'
import type { Bench, Job } from '../bench.ts'
import { stopProcess } from '../process.ts'
import {
  measureEchoRate,
  measureRoundTripTimes,
  type OpenConnection,
  openTcpClient,
  openTlsClient,
  openWebSocketClient,
  startEchoServer,
} from '../reach/echo.ts'
import { type Certificate, startGateway } from '../reach/gateway.ts'
import { measureIdleConnectionMemory } from '../reach/idle.ts'
import { measureAlternately, quantileOf, summarizeByMedian } from '../statistics.ts'
import {
  createRowWithMaxDifference,
  createRowWithMinRatio,
  createSkippedRow,
  fineMilliseconds,
  megabytes,
  type Row,
} from '../table.ts'

const minRatio = 0.5
const maxAddedMs = 1
const rounds = 5
const transferBytes = 128 * 1024 * 1024
const trips = 800

/**
 * Starts socat as the proxy for comparison. socat starts a process for each connection.
 * @param tls certificate with which socat offers TLS to clients
 */
async function startSocat(bench: Bench, containerPort: number, tls?: Certificate): Promise<OpenConnection> {
  const port = await findFreePort()
  const listening = `${port},bind=127.0.0.1,fork,reuseaddr,nodelay`
  const file = path.join(await bench.folder(), 'certificate.pem')
  if (tls) await writeFile(file, `${tls.certificate}\n${tls.key}\n`)
  const from = tls ? `OPENSSL-LISTEN:${listening},cert=${file},key=${file},verify=0` : `TCP-LISTEN:${listening}`
  const child = spawn('socat', [from, `TCP:127.0.0.1:${containerPort},nodelay`], { stdio: 'ignore' })
  bench.stopAtEnd({ stop: () => stopProcess(child) })
  const open = () => (tls ? openTlsClient(port) : openTcpClient(port))
  while (child.exitCode === null) {
    const socket = await open().catch(() => undefined)
    socket?.destroy()
    if (socket) return open
    await delay(25)
  }
  throw new Error('socat ended during its start')
}

export const job: Job = {
  name: 'proxy',
  about: 'throughput and added latency of echoed bytes by WebSocket, by port and by TLS, compared with socat',
  async run(bench) {
    if (!isProgramInstalled('socat')) return [createSkippedRow('proxy', 'socat is not installed')]
    const { port: containerPort } = bench.stopAtEnd(await startEchoServer())
    const gateway = bench.stopAtEnd(await startGateway('tcp', containerPort))
    const plain = await startSocat(bench, containerPort)
    const openPort = () => openTcpClient(gateway.plainPort)
    const ways: Record<string, readonly [ours: OpenConnection, limit: OpenConnection]> = {
      'by WebSocket': [() => openWebSocketClient(gateway.port), plain],
      'by port': [openPort, plain],
      'by TLS': [() => openTlsClient(gateway.tlsPort), await startSocat(bench, containerPort, gateway.tls)],
    }
    const rows: Row[] = []
    for (const [way, [ours, limit]] of Object.entries(ways)) {
      const transferBy = (open: OpenConnection) => async () => measureEchoRate(await open(), transferBytes)
      const findP99 = (open: OpenConnection) => async () => quantileOf(await measureRoundTripTimes(await open(), trips), 0.99)
      const rate = await measureAlternately(rounds, transferBy(ours), transferBy(limit))
      const p99 = await measureAlternately(rounds, findP99(ours), findP99(limit))
      rows.push(
        createRowWithMinRatio(`bytes ${way}, both ways`, summarizeByMedian(rate), minRatio, (bytes) => `${megabytes(bytes)}/s`),
        createRowWithMaxDifference(`bytes ${way}, p99 there and back`, summarizeByMedian(p99), maxAddedMs, fineMilliseconds),
      )
    }
    return [
      ...rows,
      await measureIdleConnectionMemory('bytes by port, memory of an idle connection', gateway.pid, openPort, 'hello'),
    ]
  },
}
