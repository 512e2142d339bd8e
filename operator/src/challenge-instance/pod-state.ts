import { attemptAnnotation, lineRunAnnotation } from '@capstan/challenge-instance/labels'
import { captureContainer, challengeContainer, flagFileContainer } from '@capstan/challenge-instance/names'
import type { ContainerStatus, Pod } from '@capstan/kubernetes/built-in-kinds'
import { findCondition } from '@capstan/kubernetes/conditions'

/** Facts about a pod that more than one rule asks for. */

export function challengeStatus(pod: Pod): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find((container) => container.name === challengeContainer)
}

/** State of the recorder, if the pod has one that the kubelet reports. Pods of earlier versions have it as a native sidecar. */
export function captureStatus({ status }: Pod): ContainerStatus | undefined {
  return [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].find(
    ({ name }) => name === captureContainer,
  )
}

/** State of the container that writes the flag's file, if the pod has one that kubelet has told about. */
export function flagFileStatus(pod: Pod): ContainerStatus | undefined {
  return pod.status?.initContainerStatuses?.find((container) => container.name === flagFileContainer)
}

/** Whether what runs now has written the line that it has to; true where none is asked for. */
export function hasWrittenLine(pod: Pod): boolean {
  const run = pod.metadata.annotations?.[lineRunAnnotation]
  return run === undefined || (run !== '' && run === challengeStatus(pod)?.containerID)
}

/** Whether kubelet finds the challenge's port open, or its line was written. */
export function isReady(pod: Pod): boolean {
  return (
    pod.metadata.deletionTimestamp === undefined &&
    findCondition(pod.status?.conditions, 'Ready')?.status === 'True' &&
    hasWrittenLine(pod)
  )
}

export function isBeingDeleted(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined
}

/** A pod that has ended for good; kubelet never starts its containers again. */
export function hasEnded(pod: Pod): boolean {
  return pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded'
}

/** How many pods of the same instance failed in a row before this one. */
export function attemptOf(pod: Pod): number {
  const attempt = Number(pod.metadata.annotations?.[attemptAnnotation])
  return Number.isInteger(attempt) && attempt > 0 ? attempt : 0
}

/** The scheduler looked for a node and found none. */
export function isUnschedulable(pod: Pod): boolean {
  const scheduled = findCondition(pod.status?.conditions, 'PodScheduled')
  return scheduled?.status === 'False' && scheduled.reason === 'Unschedulable'
}
