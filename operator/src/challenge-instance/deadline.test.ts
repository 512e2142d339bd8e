import type { Pod } from '@capstan/kubernetes/built-in-kinds'
import { describe, expect, it } from 'vitest'
import { aMoment, aMomentPlusSeconds, anInstance, aPod, someSettings } from '../testing/builders.ts'
import { findPodReplacementTime, getNextPodAttemptNumber, getTimeUntilNextDeadlineMs, hasExpired } from './deadline.ts'

function at(seconds: number) {
  return new Date(aMoment.getTime() + seconds * 1000)
}
const observed = { status: { conditions: [], observedGeneration: 1, restarts: 0 } }
function next(pod: Pod | undefined, seconds: number, instance = anInstance({}, observed)) {
  return getTimeUntilNextDeadlineMs(instance, pod, someSettings(), at(seconds))
}

describe('an instance', () => {
  it('an instance expires exactly at its end', () => {
    const instance = anInstance({ expiresAt: '2026-05-01T12:00:10.500Z' })
    expect(hasExpired(instance, new Date('2026-05-01T12:00:10.499Z'))).toBe(false)
    expect(hasExpired(instance, new Date('2026-05-01T12:00:10.500Z'))).toBe(true)
  })

  it('an instance is checked exactly when it expires', () => {
    expect(next(aPod({ ready: true }), 10, anInstance({ expiresAt: aMomentPlusSeconds(42) }, observed))).toBe(32_000)
  })

  it('the operator checks an instance at least once per minute', () => {
    expect(next(aPod({ ready: true }), 0)).toBe(60_000)
  })

  it.each<[string, Pod | undefined, number, number]>([
    ['a missing flag Secret is reported (5 s)', undefined, 1, 4000],
    ['a download is reported (3 s)', aPod(), 1, 2000],
    ['a pod counts as unschedulable (10 s)', aPod({ unscheduled: 'no' }), 4, 6000],
    [
      'a closed port is reported after a download (2 s)',
      aPod({ state: { running: { startedAt: aMomentPlusSeconds(2) } } }),
      3,
      1000,
    ],
    [
      'a closed port counts as not answering (20 s)',
      aPod({ state: { running: { startedAt: aMomentPlusSeconds(2) } } }),
      4,
      18_000,
    ],
    ['a failed pod is replaced (5 s)', aPod({ phase: 'Failed', state: { terminated: { exitCode: 137 } } }), 1, 4000],
  ])('is checked when %s', (_what, pod, seconds, expectedMs) => {
    expect(next(pod, seconds)).toBe(expectedMs)
  })

  it('an instance is checked ten seconds after its creation if it still has no status', () => {
    expect(next({ ...aPod(), status: {} }, 0.5, anInstance())).toBe(9500)
  })

  it('an expired deadline does not affect the time of the next check of an instance', () => {
    expect(next(aPod({ unscheduled: 'no' }), 11)).toBe(60_000)
  })
})

describe('a failed pod', () => {
  it.each([
    [0, 5],
    [1, 10],
    [3, 40],
    [6, 300],
    [50, 300],
  ])('a pod that fails after %i earlier failures is replaced with a delay of %i seconds', (attempt, seconds) => {
    expect(findPodReplacementTime(aPod({ phase: 'Failed', attempt }))).toEqual(at(seconds))
  })

  it('a failed pod is replaced only if it has stopped and its deletion has not started', () => {
    expect(findPodReplacementTime(aPod({ ready: true }))).toBeUndefined()
    expect(findPodReplacementTime(aPod({ phase: 'Failed', beingDeleted: true }))).toBeUndefined()
  })

  it('a failed pod resets the backoff if it ran for ten minutes', () => {
    expect(getNextPodAttemptNumber(aPod({ phase: 'Failed', attempt: 3 }), at(599))).toBe(4)
    expect(getNextPodAttemptNumber(aPod({ phase: 'Failed', attempt: 3 }), at(600))).toBe(0)
  })
})
