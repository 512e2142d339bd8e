// Loaded into a process that is measured (`node --import`): tells over a socket how busy its event loop was.
import { createServer } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import process from 'node:process'
import { isMainThread } from 'node:worker_threads'

/** What the event loop did since the last question. */
export type LoopFigures = Readonly<{
  /** The longest that a timer had to wait. */
  longestMs: number
  /** Processor time of its thread: other threads and processes do not count, however busy they keep the machine. */
  cpuMs: number
}>

/** Of the histogram: a timer is never quicker. */
const resolutionMs = 1

const path = new URL(import.meta.url).searchParams.get('socket')
if (path !== null && isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  delays.enable()
  const cpuNowMs = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let lastMs = cpuNowMs()
  createServer((_, response) => {
    const nowMs = cpuNowMs()
    const figures: LoopFigures = { longestMs: Math.max(0, delays.max / 1e6 - resolutionMs), cpuMs: nowMs - lastMs }
    lastMs = nowMs
    delays.reset()
    response.end(JSON.stringify(figures))
  })
    .listen(path)
    .unref()
}
