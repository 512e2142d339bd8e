import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CaptureSource, ObservedCapture } from '../../lifecycle/runtime.ts'

/** Starts a recorder with the HTTP interface of `operator/capture`. The test controls its files. */
export async function startFakeRecorder() {
  const segments = new Map<string, Buffer>()
  const counters = { run: '1', packets: 0, droppedPackets: 0, lostSegments: 0, lostBytes: 0 }
  let finished = false
  /** Files that appear when the recording ends. */
  const last = new Map<string, Buffer>()
  let handle: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  const report = () =>
    JSON.stringify({
      ...counters,
      finished,
      segments: [...segments].map(([name, content]) => ({ name, bytes: content.length })),
    })
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    if (handle?.(request, response)) return
    const name = decodeURIComponent(request.url?.replace('/segments/', '') ?? '')
    if (request.method === 'POST') {
      finished = true
      for (const [each, content] of last) segments.set(each, content)
      last.clear()
      response.end(report())
    } else if (request.url === '/segments') response.end(report())
    else if (!segments.has(name)) response.writeHead(404).end()
    else if (request.method === 'DELETE') {
      segments.delete(name)
      response.writeHead(204).end()
    } else response.end(segments.get(name))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    address: { host: '127.0.0.1', port },
    segments,
    last,
    counters,
    requests,
    isFinished: () => finished,
    /**
     * Sets a handler that is called for each request before the recorder answers. If the handler returns true, the recorder does
     * not answer.
     */
    intercept(by: typeof handle) {
      handle = by
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Returns a capture source whose recordings are controlled by the test. */
export function createFakeCaptureSource() {
  const seen = new Map<string, ObservedCapture>()
  const listeners = new Set<(id: string) => void>()
  const released: string[] = []
  const tell = (id: string): void => {
    for (const listener of listeners) listener(id)
  }
  const source: CaptureSource = {
    find: (id) => seen.get(id),
    list: () => [...seen.values()],
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async release(id) {
      released.push(id)
      const one = seen.get(id)
      if (one) seen.set(id, { ...one, isReleased: true })
      tell(id)
    },
  }
  return {
    source,
    released,
    show(id: string, values: Partial<ObservedCapture>) {
      const health = { isRecording: true, reason: 'Capturing', message: 'Traffic is being recorded.' }
      seen.set(id, { id, recorders: [], health, isEnding: false, isReleased: false, ...seen.get(id), ...values })
      tell(id)
    },
    remove(id: string) {
      seen.delete(id)
      tell(id)
    },
  }
}
