import { finished, Readable } from 'node:stream'
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { Clock } from '../../server/http/clock.ts'
import { createAdminSeats } from './admin-seats.ts'
import type { InstanceRuntime, LogOptions } from './runtime.ts'
import { waitUpToMs } from './wait-up-to-ms.ts'

/**
 * Interval of the access checks of an open log, in ms. At this interval, a log without output also sends a NUL byte. The byte shows
 * that the connection works, and prevents a proxy from closing it.
 */
const silenceMs = 10_000

const retrySeconds = 10

type LogRelayDeps = Readonly<{
  runtime: Pick<InstanceRuntime, 'containers'>
  clock: Clock
  log: { warn(fields: object, text: string): void }
}>

type LogReader = LogOptions & Readonly<{ userId: string; isAllowed: () => Promise<boolean> }>

/** Passes the output of containers to admins. The output is neither stored nor logged, because it may contain flags. */
export function createContainerLogRelay({ runtime, clock, log }: LogRelayDeps) {
  const seats = createAdminSeats({ max: Limits.maxOpenLogs, maxPerAdmin: Limits.maxOpenLogsPerAdmin, retrySeconds })
  const closing = new AbortController()

  async function openOutput(id: string, container: string, options: LogOptions): Promise<Readable | undefined> {
    const { containers } = runtime
    if (!containers?.openLog) throw new Problem('instance.log-unavailable')
    try {
      return await containers.openLog(id, container, options)
    } catch (error) {
      if (!options.signal.aborted) log.warn({ err: error, instanceId: id }, 'Could not open the output of a container')
      throw new Problem('instance.log-unavailable')
    }
  }

  async function* relay(output: Readable, { signal, isAllowed }: LogReader): AsyncGenerator<Uint8Array> {
    const pieces = output[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
    const startedMs = clock.now().getTime()
    let checkedMs = startedMs
    try {
      for (let next = pieces.next(); ; ) {
        const piece = await waitUpToMs(silenceMs, next)
        const nowMs = clock.now().getTime()
        if (nowMs - startedMs >= Limits.openLogMinutes * 60_000) return
        if (nowMs - checkedMs >= silenceMs) {
          if (!(await isAllowed())) return
          checkedMs = nowMs
        }
        if (piece === undefined) {
          yield Buffer.alloc(1)
          continue
        }
        if (piece.done) return
        yield piece.value
        next = pieces.next()
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      output.destroy()
    }
  }

  return {
    /**
     * Opens the output of a container. The caller must abort `reader.signal` when the response ends. The signal closes the output.
     * @throws Problem `instance.log-unavailable`, `instance.unknown`, `request.rate-limited`
     */
    async open(id: string, container: string, reader: LogReader): Promise<Readable> {
      const { userId, tailLines, follow } = reader
      const signal = AbortSignal.any([reader.signal, closing.signal])
      signal.throwIfAborted()
      signal.addEventListener('abort', seats.take(userId))
      const output = await openOutput(id, container, { tailLines, follow, signal })
      if (!output) throw new Problem('instance.unknown')
      // Prevents an uncaught error if the output fails before the first read.
      finished(output, () => {})
      return Readable.from(relay(output, { ...reader, signal }))
    },
    /** Ends all open logs. Call this when the process stops. */
    close: () => closing.abort(),
  }
}

export type LogRelay = ReturnType<typeof createContainerLogRelay>
