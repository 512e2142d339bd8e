import { Agent, type IncomingMessage, request } from 'node:http'
import type { Readable } from 'node:stream'
import { InputLimits } from '@capstan/contract/limits'
import { isSegmentName, type Segment } from './segment.ts'

/** Report of a recorder. The counters include only the current run of the recorder. */
export type RecorderReport = Readonly<{
  run: string
  segments: readonly Segment[]
  finished: boolean
  packets: number
  droppedPackets: number
  /** Number of segments that the recorder removed to free storage. */
  lostSegments: number
  lostBytes: number
}>

/** Recorder that runs beside one challenge container: `operator/capture`. */
export interface Recorder {
  report(): Promise<RecorderReport>
  /** Ends the recording and completes its last segment. Repeated calls have no further effect. */
  finish(): Promise<RecorderReport>
  open(segmentName: string): Promise<Readable>
  remove(segmentName: string): Promise<void>
}

/** Maximum time without data from the recorder, in ms. It must exceed the 4 s that the end of a recording can take. */
const silenceMs = 15_000

/**
 * Maximum time of a request, in ms. Without this limit, a recorder that sends one byte at a time could block fetches from other
 * instances.
 */
const maxRequestMs = 120_000

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isSegment(value: unknown): value is Segment {
  const { name, bytes } = (value ?? {}) as Partial<Segment>
  return typeof name === 'string' && isSegmentName(name) && isCount(bytes)
}

/**
 * Validates a report strictly, because the recorder shares its network with a hostile program.
 * @throws Error for any other shape
 */
export function parseRecorderReport(body: string): RecorderReport {
  const report = JSON.parse(body) as Partial<RecorderReport> | null
  const { run, segments, finished, packets, droppedPackets, lostSegments, lostBytes } = report ?? {}
  const counts = [packets, droppedPackets, lostSegments, lostBytes]
  const isValid = typeof run === 'string' && /^\d{1,16}$/.test(run) && typeof finished === 'boolean' && counts.every(isCount)
  if (!isValid || !Array.isArray(segments) || !segments.every(isSegment)) throw new Error('The report of the recorder is invalid')
  return report as RecorderReport
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > InputLimits.maxRecorderReportBytes) throw new Error('The report of the recorder is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Connects to the recorder at an address of the pod network. When `signal` aborts, every request ends. */
export function connectRecorder(
  address: Readonly<{ host: string; port: number }>,
  signal: AbortSignal,
  options: { readonly maxRequestMs?: number } = {},
): Recorder {
  // Use a new connection for each request, because another pod may soon get the address.
  const agent = new Agent({ keepAlive: false })
  const send = (method: 'GET' | 'POST' | 'DELETE', path: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const untilThen = AbortSignal.any([signal, AbortSignal.timeout(options.maxRequestMs ?? maxRequestMs)])
      const outgoing = request({ ...address, method, path, agent, signal: untilThen, timeout: silenceMs }, resolve)
      outgoing.once('timeout', () => outgoing.destroy(new Error('The recorder does not respond')))
      outgoing.on('error', reject)
      // If the recorder switches protocols, Node ends the request without the events `error` and `response`.
      outgoing.once('close', () => reject(new Error('The recorder closed the connection without an answer')))
      outgoing.end()
    })
  const expect = async (wanted: number, method: 'GET' | 'POST' | 'DELETE', path: string): Promise<IncomingMessage> => {
    const response = await send(method, path)
    if (response.statusCode === wanted) return response
    response.destroy()
    throw new Error(`The recorder answered ${response.statusCode} to ${method} ${path}`)
  }
  return {
    report: async () => parseRecorderReport(await readText(await expect(200, 'GET', '/segments'))),
    finish: async () => parseRecorderReport(await readText(await expect(200, 'POST', '/finish'))),
    open: (segmentName) => expect(200, 'GET', `/segments/${segmentName}`),
    async remove(segmentName) {
      const response = await send('DELETE', `/segments/${segmentName}`)
      response.resume()
      if (response.statusCode !== 204 && response.statusCode !== 404)
        throw new Error(`The recorder answered ${response.statusCode} to a deletion`)
    },
  }
}
