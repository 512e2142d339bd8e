import { Agent, type IncomingMessage, request } from 'node:http'
import type { Readable } from 'node:stream'
import { InputLimits } from '@capstan/contract/limits'
import { isSegmentName, type Segment } from './segment.ts'

/** What a recorder says of itself. The counters are those of this run. */
export type RecorderReport = Readonly<{
  /** Chosen by the recorder; another one after each start. */
  run: string
  /** Finished, oldest first. */
  segments: readonly Segment[]
  /** Nothing more is recorded. */
  finished: boolean
  packets: number
  droppedPackets: number
  /** Removed by the recorder itself to make room. */
  lostSegments: number
  lostBytes: number
}>

/** The recorder beside one challenge, `operator/capture/capture.py`. */
export interface Recorder {
  report(): Promise<RecorderReport>
  /** Ends the recording; its last segment is complete then. Fine to repeat. */
  finish(): Promise<RecorderReport>
  open(segmentName: string): Promise<Readable>
  /** Fine when it is gone. */
  remove(segmentName: string): Promise<void>
}

/** No answer, or a pause within one, of this length is a failure. A recording takes up to 4 s to end. */
const silenceMs = 15_000

/** However steadily it comes: a recorder that answers a byte at a time would keep others waiting for ever. */
const requestMaxMs = 120_000

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isSegment(value: unknown): value is Segment {
  const { name, bytes } = (value ?? {}) as Partial<Segment>
  return typeof name === 'string' && isSegmentName(name) && isCount(bytes)
}

/** Takes nothing on trust: the recorder shares its network with a hostile program. @throws Error for any other shape */
export function parseReport(body: string): RecorderReport {
  const report = JSON.parse(body) as Partial<RecorderReport> | null
  const { run, segments, finished, packets, droppedPackets, lostSegments, lostBytes } = report ?? {}
  const counts = [packets, droppedPackets, lostSegments, lostBytes]
  const isValid = typeof run === 'string' && /^\d{1,16}$/.test(run) && typeof finished === 'boolean' && counts.every(isCount)
  if (!isValid || !Array.isArray(segments) || !segments.every(isSegment)) throw new Error('The recorder gave no proper report')
  return report as RecorderReport
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > InputLimits.recorderReportMaxBytes) throw new Error('The report of the recorder is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Talks to the recorder at an address of the pod network. Ends every request when `signal` does. */
export function connectRecorder(
  address: { readonly host: string; readonly port: number },
  signal: AbortSignal,
  options: { readonly requestMaxMs?: number } = {},
): Recorder {
  // A pod's address may belong to another pod a moment later: no connection outlives its request.
  const agent = new Agent({ keepAlive: false })
  const send = (method: 'GET' | 'POST' | 'DELETE', path: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const untilThen = AbortSignal.any([signal, AbortSignal.timeout(options.requestMaxMs ?? requestMaxMs)])
      const outgoing = request({ ...address, method, path, agent, signal: untilThen, timeout: silenceMs }, resolve)
      outgoing.once('timeout', () => outgoing.destroy(new Error('The recorder does not answer')))
      outgoing.once('error', reject)
      outgoing.end()
    })
  const expect = async (wanted: number, method: 'GET' | 'POST' | 'DELETE', path: string): Promise<IncomingMessage> => {
    const response = await send(method, path)
    if (response.statusCode === wanted) return response
    response.destroy()
    throw new Error(`The recorder answered ${response.statusCode} to ${method} ${path}`)
  }
  return {
    report: async () => parseReport(await readText(await expect(200, 'GET', '/segments'))),
    finish: async () => parseReport(await readText(await expect(200, 'POST', '/finish'))),
    open: (segmentName) => expect(200, 'GET', `/segments/${segmentName}`),
    async remove(segmentName) {
      const response = await send('DELETE', `/segments/${segmentName}`)
      response.resume()
      if (response.statusCode !== 204 && response.statusCode !== 404)
        throw new Error(`The recorder answered ${response.statusCode} to a deletion`)
    },
  }
}
