import type { InstanceContainer } from '@capstan/challenge-instance/containers'
import type { Pod } from '@capstan/kubernetes/built-in-kinds'
import {
  countEarlierFailures,
  findChallengeStatus,
  hasPodEnded,
  isPodBeingDeleted,
  isPodReady,
  isPodUnschedulable,
} from './pod-state.ts'
import type { InstanceSettings } from './settings.ts'

/** Time after which a container that is still being created counts as downloading its image, in ms. */
const quietCreationMs = 3_000

/** Default time in which a running container must answer on its port, in ms. */
const answerMs = 20_000

/**
 * Time after the creation of an instance in which a missing flag Secret is not reported, in ms. The cache may show the instance
 * before its Secret.
 */
const flagGraceMs = 5_000

/** Maximum delay of the first status of a new instance, in ms. */
const quietStartMs = 10_000

/** Maximum delay before the status shows that a container has started, in ms. */
const quietRunMs = 2_000

/**
 * Delay between the creation of a failed pod and its replacement, in ms. The delay doubles with each further failure, from
 * `firstMs` to `capMs`.
 */
const replacement = { firstMs: 5_000, capMs: 300_000 }

/**
 * Minimum age, in ms, at which the failure of a pod resets the count of failures. The next pod then starts after the
 * shortest delay.
 */
const longLifeMs = 600_000

/** Maximum time between two checks, in ms. A timer does not notice a correction of the wall clock, but the next check does. */
const longestWaitMs = 60_000

function after(instant: string | undefined, delayMs: number): Date {
  return new Date(Date.parse(instant ?? '') + delayMs)
}

export function hasExpired(instance: InstanceContainer, now: Date): boolean {
  return Date.parse(instance.spec.expiresAt) <= now.getTime()
}

/**
 * Returns the time from which a pod without a node counts as unschedulable.
 * @returns undefined if the pod has a node
 */
export function findSchedulingDeadline(pod: Pod, settings: InstanceSettings): Date | undefined {
  return isPodUnschedulable(pod) ? after(pod.metadata.creationTimestamp, settings.schedulingGraceSeconds * 1000) : undefined
}

/**
 * Returns the time at which the operator begins to report the reason `Pulling`.
 * @returns undefined if the container is not being created
 */
export function findImagePullStart(pod: Pod): Date | undefined {
  return findChallengeStatus(pod)?.state?.waiting?.reason === 'ContainerCreating'
    ? after(pod.status?.startTime, quietCreationMs)
    : undefined
}

/**
 * Returns the deadline for a running container to answer on its port.
 * @returns undefined if the container does not run or is ready
 */
export function findAnswerDeadline({ spec }: InstanceContainer, pod: Pod): Date | undefined {
  const running = findChallengeStatus(pod)?.state?.running
  if (running === undefined || isPodReady(pod)) return undefined
  const seconds = spec.container?.startTimeoutSeconds
  return after(running.startedAt, seconds === undefined ? answerMs : seconds * 1000)
}

export function getMissingFlagReportTime(instance: InstanceContainer): Date {
  return after(instance.metadata.creationTimestamp, flagGraceMs)
}

export function getFirstReportDeadline(instance: InstanceContainer): Date {
  return after(instance.metadata.creationTimestamp, quietStartMs)
}

/**
 * Returns the latest time at which the status may still report the reason `Pulling` although the container already
 * runs.
 * @returns undefined if the container does not run or is ready
 */
export function findPullingReportDeadline(pod: Pod): Date | undefined {
  const running = findChallengeStatus(pod)?.state?.running
  return running === undefined || isPodReady(pod) ? undefined : after(running.startedAt, quietRunMs)
}

/**
 * Returns the time at which a failed pod must be replaced. The delay is measured from the creation of the pod.
 * @returns undefined if the pod has not failed
 */
export function findPodReplacementTime(pod: Pod): Date | undefined {
  if (!hasPodEnded(pod) || isPodBeingDeleted(pod)) return undefined
  return after(
    pod.metadata.creationTimestamp,
    Math.min(replacement.capMs, replacement.firstMs * 2 ** Math.min(countEarlierFailures(pod), 20)),
  )
}

export function getNextPodAttemptNumber(pod: Pod, now: Date): number {
  return now.getTime() - Date.parse(pod.metadata.creationTimestamp) >= longLifeMs ? 0 : countEarlierFailures(pod) + 1
}

/** Returns the time until the next deadline, in ms. At a deadline, an action or a new status is due even if no object changes. */
export function getTimeUntilNextDeadlineMs(
  instance: InstanceContainer,
  pod: Pod | undefined,
  settings: InstanceSettings,
  now: Date,
): number {
  const deadlines = [
    new Date(instance.spec.expiresAt),
    ...(instance.status === undefined ? [getFirstReportDeadline(instance)] : []),
    ...(pod === undefined
      ? [getMissingFlagReportTime(instance)]
      : [
          findSchedulingDeadline(pod, settings),
          findImagePullStart(pod),
          findPullingReportDeadline(pod),
          findAnswerDeadline(instance, pod),
          findPodReplacementTime(pod),
        ]),
  ]
  let waitMs = longestWaitMs
  for (const deadline of deadlines) {
    const leftMs = (deadline?.getTime() ?? Number.NaN) - now.getTime()
    if (leftMs > 0 && leftMs < waitMs) waitMs = leftMs
  }
  return Math.ceil(waitMs)
}
