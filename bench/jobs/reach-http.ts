import { type BenchRequest, sendAtSteadyRate } from '../ask.ts'
import type { Job } from '../bench.ts'
import { createCpuRow, measureCpuOfLoad, type Target } from '../measure.ts'
import { startWorker } from '../process.ts'
import { openTcpClient } from '../reach/echo.ts'
import { host, startGateway } from '../reach/gateway.ts'
import { measureIdleConnectionMemory } from '../reach/idle.ts'
import { measureAlternately, quantileOf, summarizeByMedian } from '../statistics.ts'
import { createRowWithMaxDifference, createRowWithMinRatio, fineMilliseconds, perSecond, type Row } from '../table.ts'

const minRatio = 0.5
const maxAddedMs = 1.5
/**
 * Number of requests with which the latency is measured, and number of requests per second. The rate is so low that
 * no queue forms.
 */
const [calmVisits, calmPerSecond] = [200, 40]
const kinds = [
  { name: '1 kB', size: 1024, clients: 64, amount: 5_000 },
  { name: '1 MB', size: 1024 * 1024, clients: 16, amount: 160 },
]

/** Request of a browser that is logged in to an application. */
const visit: BenchRequest = {
  path: '/',
  headers: {
    host,
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    cookie: 'sessionid=d2f0a9b4c7e84f1bb2c5',
  },
}

export const job: Job = {
  name: 'reach-http',
  about: 'visits of an instance by host name, compared with a bare proxy on http.request: answers of 1 kB and of 1 MB',
  async run(bench) {
    const rows: Row[] = []
    for (const { name, size, clients, amount } of kinds) {
      const headers = { 'content-type': 'application/octet-stream' }
      const { port: containerPort } = await bench.startBare({ headers, bytes: Buffer.alloc(size, 'x') })
      const gateway = bench.stopAtEnd(await startGateway('http', containerPort))
      const proxyFile = new URL('../reach/http-proxy.ts', import.meta.url)
      const proxy = bench.stopAtEnd(await startWorker<number>(proxyFile, { containerPort }))
      const limit = { port: proxy.result, pid: proxy.pid }
      const visitOften = (target: Target) => () => measureCpuOfLoad(target, { clients, requests: [visit], amount })
      const busy = await measureAlternately(3, visitOften(gateway), visitOften(limit))
      const visitCalmly = (target: Target) => async () =>
        quantileOf(await sendAtSteadyRate(target, Array(calmVisits).fill(visit), calmPerSecond), 0.99)
      const calm = await measureAlternately(3, visitCalmly(gateway), visitCalmly(limit))
      const rate = summarizeByMedian(busy, (round) => round.perSecond)
      rows.push(
        createRowWithMinRatio(`HTTP by host name, ${name}`, rate, minRatio, perSecond),
        createRowWithMaxDifference(`HTTP by host name, ${name}, p99`, summarizeByMedian(calm), maxAddedMs, fineMilliseconds),
        createCpuRow(`HTTP by host name, ${name}, CPU`, busy.ours),
        createCpuRow(`HTTP by host name, ${name}, CPU of the limit`, busy.limit),
      )
    }
    const { port } = await bench.startBare({ headers: {}, bytes: Buffer.from('ok') })
    const { port: gatewayPort, pid } = bench.stopAtEnd(await startGateway('http', port))
    const hello = `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`
    const idle = 'HTTP by host name, memory of an idle connection'
    return [...rows, await measureIdleConnectionMemory(idle, pid, () => openTcpClient(gatewayPort), hello)]
  },
}
