// Server that reports the longest step of the event loop, in ms. `node --import` loads this file into a measured process.
import { createServer } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/** Resolution of the histogram, in ms. It equals the resolution of timers. */
const resolutionMs = 1

const port = new URL(import.meta.url).searchParams.get('port')
if (port !== null && isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  delays.enable()
  createServer((_, response) => {
    response.end(String(Math.max(0, delays.max / 1e6 - resolutionMs)))
    delays.reset()
  })
    .listen(Number(port), '127.0.0.1')
    .unref()
}
