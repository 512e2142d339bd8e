import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import { captureFinalizer, drainedAnnotation } from '@capstan/challenge-instance/labels'
import type { Pod } from '@capstan/kubernetes/built-in-kinds'
import type { JsonPatchStep } from '@capstan/kubernetes/client'
import { captureSettingsOf } from './desired/capture.ts'
import { hasPodEnded, hasRecorderRun } from './pod-state.ts'
import type { InstanceSettings } from './settings.ts'

/** True if the instance has the finalizer, which delays its deletion until its recordings are fetched. */
export function hasFinalizer({ metadata }: ChallengeInstance): boolean {
  return metadata.finalizers?.includes(captureFinalizer) ?? false
}

/** True if the traffic of the instance is recorded but its finalizer is missing. */
export function needsFinalizer(instance: ChallengeInstance, settings: InstanceSettings): boolean {
  return captureSettingsOf(instance, settings) !== undefined && !hasFinalizer(instance)
}

/** Returns a patch that adds the finalizer. The patch fails if the list of finalizers has changed. */
export function createAddFinalizerPatch({ metadata }: ChallengeInstance): JsonPatchStep[] {
  return [
    { op: 'test', path: '/metadata/uid', value: metadata.uid },
    { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
    { op: 'add', path: '/metadata/finalizers', value: [...(metadata.finalizers ?? []), captureFinalizer] },
  ]
}

/** Returns a patch that removes only the finalizer of the operator. The patch fails if the list of finalizers has changed. */
export function createRemoveFinalizerPatch({ metadata }: ChallengeInstance): JsonPatchStep[] {
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

/** Next action for an instance that is being deleted and has the operator's finalizer. */
export type Finalization =
  /** Removes the finalizer, because all recordings are stored or none exist. */
  | { kind: 'release' }
  /** Removes the finalizer, because the timeout has passed. Recordings that the collector did not fetch are lost. */
  | { kind: 'giveUp' }
  /** Waits, because the collector may still fetch recordings for `leftMs`. */
  | { kind: 'wait'; leftMs: number }

/**
 * Decides the next action. The decision depends only on the current state, so the action may be repeated safely.
 * @param pods pods of this instance
 */
export function decideFinalization(
  instance: ChallengeInstance,
  pods: readonly Pod[],
  settings: InstanceSettings,
  now: Date,
): Finalization {
  const hasRecordings = pods.some((pod) => !hasPodEnded(pod) && hasRecorderRun(pod))
  if (!hasRecordings || instance.metadata.annotations?.[drainedAnnotation] !== undefined) return { kind: 'release' }
  const capture = captureSettingsOf(instance, settings)
  // If recording is not configured, do not wait, because no collector fetches the recordings.
  if (capture === undefined) return { kind: 'release' }
  const leftMs = Date.parse(instance.metadata.deletionTimestamp ?? '') + capture.drainSeconds * 1000 - now.getTime()
  return leftMs > 0 ? { kind: 'wait', leftMs } : { kind: 'giveUp' }
}
