import type { LogRequest } from '@capstan/challenge-instance/log-request'
import { challengeContainer } from '@capstan/challenge-instance/names'
import { hasErrorStatus, type KubeClient, type LogStreamOptions } from '@capstan/kubernetes/client'
import { type Clock, sleep } from '@capstan/kubernetes/clock'
import { objectKeyOf } from '@capstan/kubernetes/types'
import { findObjectsOfContainer } from '../challenge-instance/children.ts'
import { findChallengeStatus } from '../challenge-instance/pod-state.ts'
import type { Caches } from '../challenge-instance/ports.ts'
import { findContainer } from './find-container.ts'

/** Delay, in ms, before the operator reopens a log that ended although the container still runs. */
const reopenMs = 1_000

/**
 * Overlap of a repeated read with the previous read, in ms. The overlap is necessary, because the clocks of the nodes may differ.
 */
const overlapMs = 3_000

/** Source of the output of instances' containers. */
export interface LogSource {
  /** Returns the output of the current and all later runs of a container. @returns undefined if there is no such container */
  open(request: LogRequest, signal: AbortSignal): AsyncIterable<Uint8Array> | undefined
}

/** Creates a `LogSource` that returns the output of challenge containers, but not of traffic recorders. */
export function createLogSource({
  client,
  caches,
  clock,
  namespace,
}: {
  client: Pick<KubeClient, 'openLog'>
  caches: Caches
  clock: Clock
  namespace: string
}): LogSource {
  /** Functions that resume the readers that wait for a change of an instance or pod. */
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const resume of [...waiting]) resume()
  }
  caches.pods.onChange(wake)
  caches.instances.onChange(wake)

  const waitForChange = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const resume = () => {
        waiting.delete(resume)
        signal.removeEventListener('abort', resume)
        resolve()
      }
      waiting.add(resume)
      signal.addEventListener('abort', resume)
      if (signal.aborted) resume()
    })

  const find = (request: LogRequest) => findContainer(caches, namespace, request)

  /**
   * Returns the current or last run of the container.
   * @returns undefined if the container never ran
   */
  function currentRun(request: LogRequest) {
    const container = find(request)
    const pod = container && findObjectsOfContainer(container, caches).pod
    const { containerID: run, state } = (pod && findChallengeStatus(pod)) ?? {}
    if (pod === undefined || run === undefined) return undefined
    return { pod: objectKeyOf(pod).slice(namespace.length + 1), run, isRunning: state?.running !== undefined }
  }

  /**
   * Returns the current run of the container, but not the run with the id `former`. Waits for a new run if `request.follow` is
   * true.
   * @returns undefined if there is no new run
   */
  async function nextRun(request: LogRequest, former: string | undefined, signal: AbortSignal) {
    while (find(request) !== undefined && !signal.aborted) {
      const current = currentRun(request)
      if (current !== undefined && current.run !== former) return current
      if (!request.follow) return undefined
      await waitForChange(signal)
    }
    return undefined
  }

  async function* read(request: LogRequest, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    let next = await nextRun(request, undefined, signal)
    let part: Pick<LogStreamOptions, 'tailLines' | 'sinceTime'> = { tailLines: request.tailLines }
    while (next !== undefined) {
      let { run } = next
      let sinceTime: Date | undefined
      try {
        const output = await client.openLog(namespace, next.pod, challengeContainer, { follow: request.follow, ...part, signal })
        // If the container restarted while its output was being opened, the output can be from the old or the new run. Count it as
        // the output of the new run.
        run = currentRun(request)?.run ?? run
        yield* output
        sinceTime = new Date(clock.now().getTime() - overlapMs)
      } catch (error) {
        // The run may end before its output is read. The API server then responds with 400, or with 404 if the pod was deleted.
        if (!hasErrorStatus(error, 400, 404)) throw error
      }
      if (!request.follow) return
      const current = currentRun(request)
      const isCut = sinceTime !== undefined && current?.run === run && current.isRunning
      if (isCut) await sleep(clock, reopenMs, signal)
      const isSame = isCut && currentRun(request)?.run === run
      part = isSame && run === next.run ? { sinceTime } : {}
      next = isSame ? current : await nextRun(request, run, signal)
    }
  }

  return {
    open: (request, signal) => (find(request) === undefined ? undefined : read(request, signal)),
  }
}
