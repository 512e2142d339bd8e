// Loaded into a measured process by `node --import`: reports over a socket the longest step of its event loop.
import { createServer } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

export interface LoopFigures {
  /** Maximum delay of a timer since the last question. */
  readonly longestMs: number
}

/** Resolution of the histogram. No timer fires earlier. */
const resolutionMs = 1

const path = new URL(import.meta.url).searchParams.get('socket')
if (path !== null && isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  delays.enable()
  createServer((_, response) => {
    const figures: LoopFigures = { longestMs: Math.max(0, delays.max / 1e6 - resolutionMs) }
    delays.reset()
    response.end(JSON.stringify(figures))
  })
    .listen(path)
    .unref()
}
