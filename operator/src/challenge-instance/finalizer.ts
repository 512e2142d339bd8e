import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import { captureFinalizer, drainedAnnotation } from '@capstan/challenge-instance/labels'
import type { Pod } from '@capstan/kubernetes/built-in-kinds'
import type { JsonPatchStep } from '@capstan/kubernetes/client'
import { captureOf } from './desired/capture.ts'
import { captureStatus, hasEnded } from './pod-state.ts'
import type { InstanceSettings } from './settings.ts'

/** Whether the end of this instance waits until its recordings are fetched. */
export function hasFinalizer({ metadata }: ChallengeInstance): boolean {
  return metadata.finalizers?.includes(captureFinalizer) ?? false
}

/** Whether an instance that records still lacks the finalizer. */
export function needsFinalizer(instance: ChallengeInstance, settings: InstanceSettings): boolean {
  return captureOf(instance, settings) !== undefined && !hasFinalizer(instance)
}

/** Adds the finalizer to exactly what was read. */
export function addFinalizer({ metadata }: ChallengeInstance): JsonPatchStep[] {
  return [
    { op: 'test', path: '/metadata/uid', value: metadata.uid },
    { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
    { op: 'add', path: '/metadata/finalizers', value: [...(metadata.finalizers ?? []), captureFinalizer] },
  ]
}

/** Removes the finalizer from exactly what was read; others' stay. */
export function removeFinalizer({ metadata }: ChallengeInstance): JsonPatchStep[] {
  return [
    { op: 'test', path: '/metadata/uid', value: metadata.uid },
    { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
    {
      op: 'replace',
      path: '/metadata/finalizers',
      value: (metadata.finalizers ?? []).filter((each) => each !== captureFinalizer),
    },
  ]
}

/** What to do about an instance that is being deleted while it has our finalizer. */
export type Finalization =
  /** All recordings are stored, or there is nothing to fetch them from. */
  | { kind: 'release' }
  /** The collector did not come in time; what it did not fetch is lost. */
  | { kind: 'giveUp' }
  /** The collector has this many milliseconds. */
  | { kind: 'wait'; leftMs: number }

/** A recorder that never ran has nothing to fetch. */
function hasRecorded(pod: Pod): boolean {
  const recorder = captureStatus(pod)
  return recorder !== undefined && (recorder.state?.running !== undefined || recorder.restartCount > 0)
}

/**
 * Decides from what is there now, so it may be asked any number of times.
 * @param pod the instance's own
 */
export function decideFinalization(
  instance: ChallengeInstance,
  pod: Pod | undefined,
  settings: InstanceSettings,
  now: Date,
): Finalization {
  if (pod === undefined || hasEnded(pod) || !hasRecorded(pod) || instance.metadata.annotations?.[drainedAnnotation] !== undefined)
    return { kind: 'release' }
  const capture = captureOf(instance, settings)
  // The operator was configured otherwise since: nobody will come.
  if (capture === undefined) return { kind: 'release' }
  const leftMs = Date.parse(instance.metadata.deletionTimestamp ?? '') + capture.drainSeconds * 1000 - now.getTime()
  return leftMs > 0 ? { kind: 'wait', leftMs } : { kind: 'giveUp' }
}
