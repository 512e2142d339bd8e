import { type IncomingHttpHeaders, request } from 'node:http'
import { zstdDecompressSync } from 'node:zlib'
import type { BareRoute } from '../limits/bare-server.ts'
import type { LoadReport } from '../load/order.ts'
import { perSecond, type Row } from '../report.ts'
import type { Comparison } from '../rounds.ts'

/** What browsers send. */
export const browserHeaders = { accept: 'application/json', 'accept-encoding': 'gzip, deflate, br, zstd' } as const

/** Headers that belong to the bytes; a bare route must send them too. */
const sentHeaders = ['content-type', 'content-encoding', 'etag', 'cache-control', 'vary']

/** Asks once and gives what a bare route has to send to be the same answer, byte for byte as it was on the wire. */
export async function captureAnswer(port: number, path: string, cookie?: string): Promise<Pick<BareRoute, 'headers' | 'bytes'>> {
  return new Promise((resolve, reject) => {
    const headers = { ...browserHeaders, ...(cookie !== undefined && { cookie }) }
    const outgoing = request({ host: '127.0.0.1', port, path, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const bytes = Buffer.concat(chunks)
        if (incoming.statusCode !== 200) {
          reject(new Error(`GET ${path} answered ${incoming.statusCode}: ${bytes.toString('utf8').slice(0, 500)}`))
          return
        }
        const kept = sentHeaders.flatMap((name) => {
          const value = incoming.headers[name]
          return typeof value === 'string' ? [[name, value] as const] : []
        })
        resolve({ headers: Object.fromEntries(kept), bytes })
      })
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

/** An answer as a browser gets it, and how many bytes came for it, its headers among them. */
export function readAnswer(
  port: number,
  path: string,
): Promise<{ readonly headers: IncomingHttpHeaders; readonly body: string; readonly wireBytes: number }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, headers: browserHeaders, agent: false }, (incoming) => {
      const { socket, headers } = incoming
      incoming.toArray().then((chunks) => {
        const bytes = Buffer.concat(chunks as Buffer[])
        const body = (headers['content-encoding'] === 'zstd' ? zstdDecompressSync(bytes) : bytes).toString()
        if (incoming.statusCode === 200) resolve({ headers, body, wireBytes: socket.bytesRead })
        else reject(new Error(`GET ${path} answered ${incoming.statusCode}: ${body.slice(0, 500)}`))
      }, reject)
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

/** Requests that were not answered well, as faults. */
export function faultsOf(job: string, reports: readonly Pick<LoadReport, 'failures'>[]): string[] {
  return reports.flatMap(({ failures }) =>
    Object.entries(failures).map(([status, count]) => `${job}: ${count} requests answered ${status}`),
  )
}

export { kilobytes } from '../report.ts'

type CpuMeasure = Readonly<{
  cpuMs: number
  answered: number
}>

/** CPU time of the server for one request, in ms; it hardly depends on what else the machine does. NaN where it is unknown. */
export function cpuEachMs(measures: readonly CpuMeasure[]): number {
  return measures.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / measures.reduce((sum, { answered }) => sum + answered, 0)
}

/**
 * The same comparison by the servers' CPU time: what one core could answer if it did nothing else and the generator never were the
 * slower part. Hardly depends on what else the machine does.
 */
export function cpuRow(job: string, comparison: Comparison<CpuMeasure>, leastRatio?: number): Row {
  const [ours, limit] = [1_000 / cpuEachMs(comparison.ours), 1_000 / cpuEachMs(comparison.limit)]
  const name = `${job}, by CPU of the server`
  if (Number.isNaN(ours + limit)) return { job: name, ours: 'skipped: this system has no /proc' }
  const ratio = ours / limit
  const row = { job: name, ours: `${perSecond(ours)} core`, limit: `${perSecond(limit)} core`, ratio }
  return leastRatio === undefined ? row : { ...row, bar: `>= ${leastRatio}`, isMet: ratio >= leastRatio }
}
