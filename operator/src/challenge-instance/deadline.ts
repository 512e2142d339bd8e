import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import type { Pod } from '@capstan/kubernetes/built-in-kinds'
import { attemptOf, challengeStatus, hasEnded, isBeingDeleted, isReady, isUnschedulable } from './pod-state.ts'
import type { InstanceSettings } from './settings.ts'

/** How long nothing need be said about a container that is being created, in milliseconds: longer means its image is downloaded. */
const quietCreationMs = 3_000

/** How long a running container may take until it answers on its port, in milliseconds, unless the instance says otherwise. */
const answerMs = 20_000

/** How long a flag's Secret may be unseen after the instance's creation, in milliseconds: the caches fill independently. */
const flagGraceMs = 5_000

/** How long an instance may be without a status while all goes well, in milliseconds: nearly all are ready long before. */
const quietStartMs = 10_000

/** How long a container may run until its instance no longer counts as downloading, in milliseconds: most are ready before. */
const quietRunMs = 2_000

/** Delay before a failed pod is replaced, in milliseconds: the first, doubling, and the longest. */
const replacement = { firstMs: 5_000, capMs: 300_000 }

/** A pod that lived this long before it failed is no part of a series of failures, in milliseconds. */
const longLifeMs = 600_000

/** Longest time between two looks, in milliseconds: timers do not notice that a wrong wall clock was put right, another look does. */
const longestWaitMs = 60_000

function after(instant: string | undefined, delayMs: number): Date {
  return new Date(Date.parse(instant ?? '') + delayMs)
}

/** Whether the instance's time is over. */
export function hasExpired(instance: ChallengeInstance, now: Date): boolean {
  return Date.parse(instance.spec.expiresAt) <= now.getTime()
}

/** When a pod without a node stops counting as merely waiting; undefined if it does not wait. */
export function schedulingDeadline(pod: Pod, settings: InstanceSettings): Date | undefined {
  return isUnschedulable(pod) ? after(pod.metadata.creationTimestamp, settings.schedulingGraceSeconds * 1000) : undefined
}

/** From when on a container that is still being created counts as downloading its image; undefined if it is not being created. */
export function pullingFrom(pod: Pod): Date | undefined {
  return challengeStatus(pod)?.state?.waiting?.reason === 'ContainerCreating'
    ? after(pod.status?.startTime, quietCreationMs)
    : undefined
}

/** Until when a running container may be silent on its port; undefined if it does not run or is ready. */
export function answerDeadline({ spec }: ChallengeInstance, pod: Pod): Date | undefined {
  const running = challengeStatus(pod)?.state?.running
  if (running === undefined || isReady(pod)) return undefined
  const seconds = spec.container?.startTimeoutSeconds
  return after(running.startedAt, seconds === undefined ? answerMs : seconds * 1000)
}

/** Until when a missing Secret of a flag is nothing to report. */
export function flagDeadline(instance: ChallengeInstance): Date {
  return after(instance.metadata.creationTimestamp, flagGraceMs)
}

/** Until when a start that goes as usual need not be told. */
export function quietStartDeadline(instance: ChallengeInstance): Date {
  return after(instance.metadata.creationTimestamp, quietStartMs)
}

/** Until when it need not be told that an image was downloaded; undefined if the container does not run or is ready. */
export function quietRunDeadline(pod: Pod): Date | undefined {
  const running = challengeStatus(pod)?.state?.running
  return running === undefined || isReady(pod) ? undefined : after(running.startedAt, quietRunMs)
}

/** When a failed pod is to be replaced, measured from its creation; undefined if it has not failed. */
export function replacementDue(pod: Pod): Date | undefined {
  if (!hasEnded(pod) || isBeingDeleted(pod)) return undefined
  return after(
    pod.metadata.creationTimestamp,
    Math.min(replacement.capMs, replacement.firstMs * 2 ** Math.min(attemptOf(pod), 20)),
  )
}

/** Attempt number of a failed pod's successor. */
export function nextAttempt(pod: Pod, now: Date): number {
  return now.getTime() - Date.parse(pod.metadata.creationTimestamp) >= longLifeMs ? 0 : attemptOf(pod) + 1
}

/** Milliseconds until the next moment at which time alone changes what is to be done or said. */
export function nextDeadlineMs(instance: ChallengeInstance, pod: Pod | undefined, settings: InstanceSettings, now: Date): number {
  const deadlines = [
    new Date(instance.spec.expiresAt),
    ...(instance.status === undefined ? [quietStartDeadline(instance)] : []),
    ...(pod === undefined
      ? [flagDeadline(instance)]
      : [
          schedulingDeadline(pod, settings),
          pullingFrom(pod),
          quietRunDeadline(pod),
          answerDeadline(instance, pod),
          replacementDue(pod),
        ]),
  ]
  let waitMs = longestWaitMs
  for (const deadline of deadlines) {
    const leftMs = (deadline?.getTime() ?? Number.NaN) - now.getTime()
    if (leftMs > 0 && leftMs < waitMs) waitMs = leftMs
  }
  return Math.ceil(waitMs)
}
