import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { createRowWithMaximum, kilobytes, type Row } from '../table.ts'
import { readMemory } from '../usage.ts'
import { type OpenConnection, waitForBytes } from './echo.ts'

const [connections, batch, warmUp] = [4_000, 50, 200]
const maxBytes = 20 * 1024
const settleMs = 2_000

/** Opens connections, and sends `hello` over each of them. */
async function openMany(count: number, open: OpenConnection, hello: string): Promise<Duplex[]> {
  const streams: Duplex[] = []
  while (streams.length < count) {
    const opened = await Promise.all(Array.from({ length: batch }, open))
    const answers = opened.map((stream) => waitForBytes(stream, hello.length))
    for (const stream of opened) stream.write(hello)
    await Promise.all(answers)
    streams.push(...opened)
  }
  return streams
}

/**
 * Measures the memory that a process needs for each idle connection.
 * @param hello the bytes that each connection sends first. The response must have at least the same length.
 */
export async function measureIdleConnectionMemory(job: string, pid: number, open: OpenConnection, hello: string): Promise<Row> {
  // Open and close some connections first. They load code and buffers that the measurement must not include.
  for (const stream of await openMany(warmUp, open, hello)) stream.destroy()
  await delay(settleMs)
  const before = await readMemory(pid, 'RssAnon')
  const streams = await openMany(connections, open, hello)
  await delay(settleMs)
  const bytes = ((await readMemory(pid, 'RssAnon')) - before) / connections
  if (streams.some(({ destroyed }) => destroyed)) throw new Error(`${job}: connections were closed`)
  for (const stream of streams) stream.destroy()
  return createRowWithMaximum(job, bytes, maxBytes, kilobytes)
}
