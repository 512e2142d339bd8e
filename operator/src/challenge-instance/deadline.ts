import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import type { Pod } from '@capstan/kubernetes/built-in-kinds'
import { attemptOf, challengeStatus, hasEnded, isBeingDeleted, isReady, isUnschedulable } from './pod-state.ts'
import type { InstanceSettings } from './settings.ts'

/**
 * Time in which a container that is being created is not reported, in milliseconds. A longer creation means that its image is
 * downloaded.
 */
const quietCreationMs = 3_000

/** Default time for a running container to answer on its port, in milliseconds. */
const answerMs = 20_000

/**
 * Time after the creation of an instance in which a missing flag Secret is not reported, in milliseconds. The caches are filled
 * independently.
 */
const flagGraceMs = 5_000

/** Time in which a normal start needs no status, in milliseconds. Nearly all instances are ready much earlier. */
const quietStartMs = 10_000

/** Time after which a running container no longer counts as downloading its image, in milliseconds. Most are ready earlier. */
const quietRunMs = 2_000

/** Delay before a failed pod is replaced, in milliseconds. It doubles from `firstMs` to `capMs`. */
const replacement = { firstMs: 5_000, capMs: 300_000 }

/** Lifetime after which a series of failures ends, in milliseconds. */
const longLifeMs = 600_000

/** Maximum time between two checks, in milliseconds. A timer does not notice a corrected wall clock, but a check does. */
const longestWaitMs = 60_000

function after(instant: string | undefined, delayMs: number): Date {
  return new Date(Date.parse(instant ?? '') + delayMs)
}

export function hasExpired(instance: ChallengeInstance, now: Date): boolean {
  return Date.parse(instance.spec.expiresAt) <= now.getTime()
}

/** Returns when a pod without a node counts as unschedulable, or undefined if it has a node. */
export function schedulingDeadline(pod: Pod, settings: InstanceSettings): Date | undefined {
  return isUnschedulable(pod) ? after(pod.metadata.creationTimestamp, settings.schedulingGraceSeconds * 1000) : undefined
}

/**
 * @returns time from which a container that is being created counts as downloading its image, undefined if it is not being
 * created
 */
export function pullingFrom(pod: Pod): Date | undefined {
  return challengeStatus(pod)?.state?.waiting?.reason === 'ContainerCreating'
    ? after(pod.status?.startTime, quietCreationMs)
    : undefined
}

/** @returns the deadline for a running container to answer on its port, undefined if it does not run or is ready */
export function answerDeadline({ spec }: ChallengeInstance, pod: Pod): Date | undefined {
  const running = challengeStatus(pod)?.state?.running
  if (running === undefined || isReady(pod)) return undefined
  const seconds = spec.container?.startTimeoutSeconds
  return after(running.startedAt, seconds === undefined ? answerMs : seconds * 1000)
}

export function flagDeadline(instance: ChallengeInstance): Date {
  return after(instance.metadata.creationTimestamp, flagGraceMs)
}

export function quietStartDeadline(instance: ChallengeInstance): Date {
  return after(instance.metadata.creationTimestamp, quietStartMs)
}

/** Returns until when a finished download is not reported, or undefined if the container does not run or is ready. */
export function quietRunDeadline(pod: Pod): Date | undefined {
  const running = challengeStatus(pod)?.state?.running
  return running === undefined || isReady(pod) ? undefined : after(running.startedAt, quietRunMs)
}

/** Returns when a failed pod must be replaced, measured from its creation, or undefined if it has not failed. */
export function replacementDue(pod: Pod): Date | undefined {
  if (!hasEnded(pod) || isBeingDeleted(pod)) return undefined
  return after(
    pod.metadata.creationTimestamp,
    Math.min(replacement.capMs, replacement.firstMs * 2 ** Math.min(attemptOf(pod), 20)),
  )
}

export function nextAttempt(pod: Pod, now: Date): number {
  return now.getTime() - Date.parse(pod.metadata.creationTimestamp) >= longLifeMs ? 0 : attemptOf(pod) + 1
}

/** Returns the milliseconds until time alone changes what to do or report. */
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
