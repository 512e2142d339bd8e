import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { zstdDecompressSync } from 'node:zlib'

const browserHeaders = { accept: 'application/json', 'accept-encoding': 'gzip, deflate, br, zstd' } as const

export type BenchRequest = Readonly<{
  method?: 'GET' | 'POST'
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string
}>

export type Answer = Readonly<{
  headers: Readonly<Record<string, string>>
  bytes: Buffer
  text(): string
}>

type Address = Readonly<{ port: number }>

export function headersOfRequest({ headers, body }: BenchRequest): Record<string, string> {
  return { ...browserHeaders, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers }
}

/** Sends one request with the headers of a browser. @throws if the status is not 200 */
export async function sendRequest({ port }: Address, sent: BenchRequest): Promise<Answer> {
  const { method = 'GET', path, body } = sent
  const outgoing = request({ host: '127.0.0.1', port, method, path, headers: headersOfRequest(sent) })
  outgoing.end(body)
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  const bytes = Buffer.concat(await incoming.toArray())
  const text = () => String(incoming.headers['content-encoding'] === 'zstd' ? zstdDecompressSync(bytes) : bytes)
  if (incoming.statusCode !== 200) throw new Error(`${method} ${path}: ${incoming.statusCode} ${text().slice(0, 300)}`)
  return { headers: incoming.headers as Record<string, string>, bytes, text }
}

export async function forEachConcurrently<Item>(items: readonly Item[], clients: number, work: (item: Item) => Promise<unknown>) {
  const pending = items.values()
  const client = async () => {
    for (const item of pending) await work(item)
  }
  await Promise.all(Array.from({ length: clients }, client))
}

/** Sends requests at a steady rate, even if earlier requests are still pending. @returns the latencies in ms */
export function sendAtSteadyRate(address: Address, requests: readonly BenchRequest[], perSecond: number): Promise<number[]> {
  return Promise.all(
    requests.map(async (one, index) => {
      await delay((index * 1000) / perSecond)
      const startedAtMs = performance.now()
      await sendRequest(address, one)
      return performance.now() - startedAtMs
    }),
  )
}
