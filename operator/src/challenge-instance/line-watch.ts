import { lineRunAnnotation } from '@capstan/challenge-instance/labels'
import { createLineSearch, searchedBytes } from '@capstan/challenge-instance/line-search'
import { challengeContainer } from '@capstan/challenge-instance/names'
import { type Pod, pods } from '@capstan/kubernetes/built-in-kinds'
import { isStatus, type KubeClient } from '@capstan/kubernetes/client'
import type { Clock } from '@capstan/kubernetes/clock'
import type { Informer } from '@capstan/kubernetes/informer'
import { keyOf, type ObjectKey } from '@capstan/kubernetes/types'
import { challengeStatus } from './pod-state.ts'

/** Pods whose output is followed at once, each on a connection of its own; others wait for one that ends. */
export const mostReadings = 128

/** How long output may take to be read that is not followed any more, in milliseconds. */
const readMs = 10_000

/** When an instance is looked at again whose output ended early, in milliseconds: its container restarts, or a connection was closed. */
const againMs = 1_000

/** Reads what challenges write until it has the line that says that they are ready. ADR 44. */
export interface LineWatch {
  /**
   * Follows the output of the container that runs now until `deadline`; after it, reads what is there. Once the line is there, the
   * pod says so and the instance is looked at again. Does nothing while that output is being read.
   * @throws why it could not be read the last time
   */
  look(pod: Pod, line: string, deadline: Date): void
  /** Ends all reading. */
  stop(): void
}

interface Reading {
  readonly run: string
  readonly stop: AbortController
  failure?: unknown
}

/** @param lookAgain at an instance, after a delay in milliseconds; pods have the names of their instances */
export function createLineWatch({
  client,
  cache,
  clock,
  lookAgain,
}: {
  client: Pick<KubeClient, 'followLog' | 'patchMerge'>
  cache: Pick<Informer<Pod>, 'onChange' | 'remember'>
  clock: Clock
  lookAgain: (key: ObjectKey, delayMs: number) => void
}): LineWatch {
  const readings = new Map<ObjectKey, Reading>()

  function end(key: ObjectKey): void {
    readings.get(key)?.stop.abort()
    readings.delete(key)
  }
  cache.onChange((now, before) => {
    if (before && now?.metadata.uid !== before.metadata.uid) end(keyOf(before))
  })

  async function read({ metadata }: Pod, line: string, leftMs: number, { run, stop }: Reading): Promise<number | undefined> {
    const { namespace = '', name, uid } = metadata
    const search = createLineSearch(line)
    let bytes = 0
    const isWritten = await client.followLog(namespace, name, challengeContainer, {
      follow: leftMs > 0,
      limitBytes: searchedBytes,
      signal: stop.signal,
      heard(piece) {
        bytes += piece.length
        return search(piece)
      },
    })
    if (!isWritten) return leftMs > 0 && bytes < searchedBytes ? againMs : undefined
    // Of this very pod; a run that has followed meanwhile has another ID.
    const patch = { metadata: { uid, annotations: { [lineRunAnnotation]: run } } }
    cache.remember(await client.patchMerge(pods, namespace, name, patch))
    return 0
  }

  return {
    look(pod, line, deadline) {
      const key = keyOf(pod)
      const run = challengeStatus(pod)?.containerID
      if (run === undefined) return
      const known = readings.get(key)
      if (known?.run === run) {
        if (known.failure === undefined) return
        readings.delete(key)
        throw known.failure
      }
      end(key)
      const reading: Reading = { run, stop: new AbortController() }
      readings.set(key, reading)
      const leftMs = deadline.getTime() - clock.now().getTime()
      const cancel = clock.after(leftMs > 0 ? leftMs : readMs, () => reading.stop.abort())
      const settle = (againAfterMs: number | undefined, failure?: unknown): void => {
        cancel()
        if (readings.get(key) !== reading) return
        if (failure === undefined) readings.delete(key)
        else reading.failure = failure
        if (againAfterMs !== undefined) lookAgain(key, againAfterMs)
      }
      void read(pod, line, leftMs, reading).then(settle, (failure: unknown) =>
        // Its time is over, or the pod is gone or another: nothing that failed.
        reading.stop.signal.aborted || isStatus(failure, 404, 409) ? settle(undefined) : settle(0, failure),
      )
    },
    stop() {
      for (const key of [...readings.keys()]) end(key)
    },
  }
}
