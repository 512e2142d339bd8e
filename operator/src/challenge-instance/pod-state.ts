import { attemptAnnotation, lineRunAnnotation } from '@capstan/challenge-instance/labels'
import { captureContainer, challengeContainer, flagFileContainer } from '@capstan/challenge-instance/names'
import type { ContainerStatus, Pod } from '@capstan/kubernetes/built-in-kinds'
import { findCondition } from '@capstan/kubernetes/conditions'

export function findChallengeStatus(pod: Pod): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find((container) => container.name === challengeContainer)
}

/**
 * Returns the state of the recorder, if the kubelet reports it. In pods of earlier versions, the recorder is a native sidecar.
 */
export function findRecorderStatus({ status }: Pod): ContainerStatus | undefined {
  return [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].find(
    ({ name }) => name === captureContainer,
  )
}

/** True if the recorder has ever run, so that there may be recordings. */
export function hasRecorderRun(pod: Pod): boolean {
  const recorder = findRecorderStatus(pod)
  return recorder !== undefined && (recorder.state?.running !== undefined || recorder.restartCount > 0)
}

export function findFlagFileStatus(pod: Pod): ContainerStatus | undefined {
  return pod.status?.initContainerStatuses?.find((container) => container.name === flagFileContainer)
}

/** True if the current run of the container wrote its readiness line, or if no line is required. */
export function hasRequiredReadinessLine(pod: Pod): boolean {
  const run = pod.metadata.annotations?.[lineRunAnnotation]
  return run === undefined || (run !== '' && run === findChallengeStatus(pod)?.containerID)
}

/** True if Kubernetes reports the pod as ready. If a readiness line is required, the line must also have been written. */
export function isPodReady(pod: Pod): boolean {
  return (
    pod.metadata.deletionTimestamp === undefined &&
    findCondition(pod.status?.conditions, 'Ready')?.status === 'True' &&
    hasRequiredReadinessLine(pod)
  )
}

export function isPodBeingDeleted(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined
}

export function hasPodEnded(pod: Pod): boolean {
  return pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded'
}

/** Returns how many consecutive pods of the container have failed before this pod. */
export function countEarlierFailures(pod: Pod): number {
  const attempt = Number(pod.metadata.annotations?.[attemptAnnotation])
  return Number.isInteger(attempt) && attempt > 0 ? attempt : 0
}

/** True if the scheduler found no node. */
export function isPodUnschedulable(pod: Pod): boolean {
  const scheduled = findCondition(pod.status?.conditions, 'PodScheduled')
  return scheduled?.status === 'False' && scheduled.reason === 'Unschedulable'
}
