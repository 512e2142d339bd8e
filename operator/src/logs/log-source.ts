import type { LogRequest } from '@capstan/challenge-instance/log-request'
import { challengeContainer } from '@capstan/challenge-instance/names'
import { isStatus, type KubeClient } from '@capstan/kubernetes/client'
import { keyOf } from '@capstan/kubernetes/types'
import { childrenOf } from '../challenge-instance/children.ts'
import { findChallengeStatus } from '../challenge-instance/pod-state.ts'
import type { Caches } from '../challenge-instance/ports.ts'
import { findContainer } from './find-container.ts'

/** Source of the output of instances' containers. */
export interface LogSource {
  /** Returns the output of the current and all later runs of a container. @returns undefined if there is no such container */
  open(request: LogRequest, signal: AbortSignal): AsyncIterable<Uint8Array> | undefined
}

/**
 * Creates the source. It only reads, so every replica can use it. It reads only the containers of challenges. It reads neither
 * recorders nor pods of another owner.
 */
export function createLogSource({
  client,
  caches,
  namespace,
}: {
  client: Pick<KubeClient, 'openLog'>
  caches: Caches
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
   * Returns a run of the container that differs from the run `former`. Waits for such a run if the request follows
   * the output.
   * @returns undefined if there is no such run and the request does not follow the output
   */
  async function nextRun(request: LogRequest, former: string | undefined, signal: AbortSignal) {
    for (;;) {
      const container = find(request)
      if (container === undefined || signal.aborted) return undefined
      const { pod } = childrenOf(container, caches)
      const run = pod && findChallengeStatus(pod)?.containerID
      if (pod && run !== undefined && run !== former) return { pod: keyOf(pod).slice(namespace.length + 1), run }
      if (!request.follow) return undefined
      await waitForChange(signal)
    }
  }

  async function* read(request: LogRequest, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    let next = await nextRun(request, undefined, signal)
    for (let tailLines: number | undefined = request.tailLines; next !== undefined; tailLines = undefined) {
      try {
        yield* await client.openLog(namespace, next.pod, challengeContainer, { follow: request.follow, tailLines, signal })
      } catch (error) {
        // The run may end before its output is read. The API server then responds with 400, or with 404 if the pod was deleted.
        if (!isStatus(error, 400, 404)) throw error
      }
      if (!request.follow) return
      next = await nextRun(request, next.run, signal)
    }
  }

  return {
    open: (request, signal) => (find(request) === undefined ? undefined : read(request, signal)),
  }
}
