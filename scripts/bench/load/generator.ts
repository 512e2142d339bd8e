import { setTimeout as wait } from 'node:timers/promises'
import { quantile } from '../statistics.ts'
import { answerOrders } from '../worker.ts'
import { HttpConnection } from './http-connection.ts'
import type { LoadOrder, LoadReport, LoadRequest } from './order.ts'

/** The load generator: a process of its own, so that it takes no time from the loop of the server it measures. */

function encode({ method, path, headers = {}, body }: LoadRequest, port: number): Buffer {
  const all = {
    host: `127.0.0.1:${port}`,
    ...headers,
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`)
}

/** A server that takes longer than this after the end has lost the request. */
const patienceMs = 15_000

async function run({
  port,
  clients,
  seconds,
  most = Infinity,
  pauseMs,
  arriveWithinMs = pauseMs,
  requests,
  keepsBodies,
}: LoadOrder): Promise<LoadReport> {
  const encoded = requests.map((request) => encode(request, port))
  const latenciesMs: number[] = []
  const failures: Record<string, number> = {}
  const bodies: [number, string][] = []
  let next = 0
  let answered = 0
  let answeredInTime = 0
  let bytes = 0

  const startedAtMs = performance.now()
  const deadlineMs = startedAtMs + seconds * 1000
  const connections = Array.from(
    { length: clients },
    () => new HttpConnection(port, { keepsBodies: keepsBodies || requests.some(({ thenGet }) => thenGet !== undefined) }),
  )
  const closeAll = () => {
    for (const connection of connections) connection.close()
  }
  const ask = async (connection: HttpConnection, index: number) => {
    const answer = await connection.send(encoded[index] ?? Buffer.alloc(0))
    const { headers, thenGet } = requests[index] ?? {}
    if (thenGet === undefined || answer.status !== 200) return answer
    const next = encode({ method: 'GET', path: `${thenGet}${answer.body}`, ...(headers && { headers }) }, port)
    const second = await connection.send(next)
    return { ...second, bytes: answer.bytes + second.bytes }
  }
  const client = async (connection: HttpConnection): Promise<void> => {
    if (arriveWithinMs) await wait(Math.random() * arriveWithinMs)
    for (let nowMs = performance.now(); nowMs < deadlineMs && next < most; ) {
      const index = next++ % encoded.length
      const answer = await ask(connection, index).catch(() => undefined)
      const sentAtMs = nowMs
      nowMs = performance.now()
      if (answer === undefined || answer.status < 200 || answer.status > 299) {
        const key = answer === undefined ? 'broken' : String(answer.status)
        failures[key] = (failures[key] ?? 0) + 1
        continue
      }
      latenciesMs.push(nowMs - sentAtMs)
      answered += 1
      bytes += answer.bytes
      if (nowMs <= deadlineMs) answeredInTime += 1
      if (answer.body !== undefined) bodies.push([index, answer.body])
      if (!pauseMs) continue
      if (sentAtMs + pauseMs >= deadlineMs) return
      await wait(Math.max(0, sentAtMs + pauseMs - nowMs))
      nowMs = performance.now()
    }
  }
  const patience = setTimeout(closeAll, seconds * 1000 + patienceMs)
  await Promise.all(connections.map(client))
  const endedAtMs = performance.now()
  clearTimeout(patience)
  closeAll()
  return {
    perSecond: answeredInTime / seconds,
    lastedMs: endedAtMs - startedAtMs,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    answered,
    failures,
    bytesPerAnswer: answered === 0 ? 0 : bytes / answered,
    bodies,
  }
}

answerOrders(run)
