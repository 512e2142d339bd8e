import { instanceLabel, lineRunAnnotation } from '@capstan/challenge-instance/labels'
import { createLineSearch, searchedBytes } from '@capstan/challenge-instance/line-search'
import { challengeContainer } from '@capstan/challenge-instance/names'
import { type Pod, pods } from '@capstan/kubernetes/built-in-kinds'
import { hasErrorStatus, type KubeClient } from '@capstan/kubernetes/client'
import type { Clock } from '@capstan/kubernetes/clock'
import type { Informer } from '@capstan/kubernetes/informer'
import { type ObjectKey, objectKeyOf } from '@capstan/kubernetes/types'
import { findChallengeStatus } from './pod-state.ts'

/** Maximum number of pods whose output is followed concurrently, each on a separate connection. All other pods wait. */
export const maxFollowedPods = 128

/** Timeout for reading the existing output after the deadline of the readiness line, in ms. */
const readMs = 10_000

/**
 * Delay before the next check if the output ended without the readiness line, in ms. The output ends if the container restarts or
 * the connection is closed.
 */
const againMs = 1_000

/** Watch that reads the output of challenges until it contains their readiness line. See ADR 44. */
export interface LineWatch {
  /**
   * Follows the output of the current run until `deadline`. After the deadline, reads only the existing output. When the readiness
   * line appears, annotates the pod and queues its instance. Does nothing if a previous call is still reading the output of this
   * run.
   * @throws the error of the previous attempt to read the output
   */
  search(pod: Pod, line: string, deadline: Date): void
  stop(): void
}

interface Reading {
  readonly run: string
  readonly stop: AbortController
  failure?: unknown
}

/** Returns the key of the instance that owns a pod. */
function instanceKeyOf({ metadata }: Pod): ObjectKey {
  return `${metadata.namespace}/${metadata.labels?.[instanceLabel]}`
}

/**
 * Creates the watch.
 * @param requeue queues a reconciliation pass for an instance after a delay in ms
 */
export function createReadinessLineWatch({
  client,
  cache,
  clock,
  requeue,
}: {
  client: Pick<KubeClient, 'followLog' | 'patchMerge'>
  cache: Pick<Informer<Pod>, 'onChange' | 'recordWrite'>
  clock: Clock
  requeue: (key: ObjectKey, delayMs: number) => void
}): LineWatch {
  const readings = new Map<ObjectKey, Reading>()

  function end(key: ObjectKey): void {
    readings.get(key)?.stop.abort()
    readings.delete(key)
  }
  cache.onChange((now, before) => {
    if (before && now?.metadata.uid !== before.metadata.uid) end(objectKeyOf(before))
  })

  async function read({ metadata }: Pod, line: string, leftMs: number, { run, stop }: Reading): Promise<number | undefined> {
    const { namespace = '', name, uid } = metadata
    const search = createLineSearch(line)
    let bytes = 0
    const isWritten = await client.followLog(namespace, name, challengeContainer, {
      follow: leftMs > 0,
      limitBytes: searchedBytes,
      signal: stop.signal,
      onPiece(piece) {
        bytes += piece.length
        return search(piece)
      },
    })
    if (!isWritten) return leftMs > 0 && bytes < searchedBytes ? againMs : undefined
    // The patch contains the UID, so that it fails if another pod has replaced this pod. The annotation contains the ID of the
    // run, so that it has no effect on a later run.
    const patch = { metadata: { uid, annotations: { [lineRunAnnotation]: run } } }
    cache.recordWrite(await client.patchMerge(pods, namespace, name, patch))
    return 0
  }

  return {
    search(pod, line, deadline) {
      const key = objectKeyOf(pod)
      const run = findChallengeStatus(pod)?.containerID
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
        if (againAfterMs !== undefined) requeue(instanceKeyOf(pod), againAfterMs)
      }
      void read(pod, line, leftMs, reading).then(settle, (failure: unknown) =>
        // Ignore the error if the deadline has passed, or if the pod was deleted or replaced.
        reading.stop.signal.aborted || hasErrorStatus(failure, 404, 409) ? settle(undefined) : settle(0, failure),
      )
    },
    stop() {
      for (const key of [...readings.keys()]) end(key)
    },
  }
}
