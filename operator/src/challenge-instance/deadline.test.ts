import type { Pod } from '@capstan/kubernetes/built-in-kinds'
import { describe, expect, it } from 'vitest'
import { aMoment, anInstance, aPod, secondsLater, settings } from '../testing/builders.ts'
import { hasExpired, nextAttempt, nextDeadlineMs, replacementDue } from './deadline.ts'

function at(seconds: number) {
  return new Date(aMoment.getTime() + seconds * 1000)
}
const told = { status: { conditions: [], observedGeneration: 1, restarts: 0 } }
function next(pod: Pod | undefined, seconds: number, instance = anInstance({}, told)) {
  return nextDeadlineMs(instance, pod, settings(), at(seconds))
}

describe('an instance', () => {
  it('has expired from its very instant on', () => {
    const instance = anInstance({ expiresAt: '2026-05-01T12:00:10.500Z' })
    expect(hasExpired(instance, new Date('2026-05-01T12:00:10.499Z'))).toBe(false)
    expect(hasExpired(instance, new Date('2026-05-01T12:00:10.500Z'))).toBe(true)
  })

  it('is looked at exactly when it expires', () => {
    expect(next(aPod({ ready: true }), 10, anInstance({ expiresAt: secondsLater(42) }, told))).toBe(32_000)
  })

  it('is looked at once a minute, for a wall clock may be put right meanwhile', () => {
    expect(next(aPod({ ready: true }), 0)).toBe(60_000)
  })

  it.each<[string, Pod | undefined, number, number]>([
    ['the Secret of its flag is missed (5 s)', undefined, 1, 4000],
    ['a pull is worth telling (3 s)', aPod(), 1, 2000],
    ['a pod counts as unschedulable (10 s)', aPod({ unscheduled: 'no' }), 4, 6000],
    ['a port is silent after a download (2 s)', aPod({ state: { running: { startedAt: secondsLater(2) } } }), 3, 1000],
    ['a silent port is worth telling (20 s)', aPod({ state: { running: { startedAt: secondsLater(2) } } }), 4, 18_000],
    ['a failed pod is to be replaced (5 s)', aPod({ phase: 'Failed', state: { terminated: { exitCode: 137 } } }), 1, 4000],
  ])('is looked at when %s', (_what, pod, seconds, expectedMs) => {
    expect(next(pod, seconds)).toBe(expectedMs)
  })

  it('is looked at ten seconds after it was made, if nothing was told of it until then', () => {
    expect(next({ ...aPod(), status: {} }, 0.5, anInstance())).toBe(9500)
  })

  it('does not wait for moments that have passed', () => {
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
  ])('that is attempt %i is replaced %i seconds after its creation', (attempt, seconds) => {
    expect(replacementDue(aPod({ phase: 'Failed', attempt }))).toEqual(at(seconds))
  })

  it('is not replaced while it lives or is being deleted', () => {
    expect(replacementDue(aPod({ ready: true }))).toBeUndefined()
    expect(replacementDue(aPod({ phase: 'Failed', beingDeleted: true }))).toBeUndefined()
  })

  it('starts the series anew after it lived ten minutes', () => {
    expect(nextAttempt(aPod({ phase: 'Failed', attempt: 3 }), at(599))).toBe(4)
    expect(nextAttempt(aPod({ phase: 'Failed', attempt: 3 }), at(600))).toBe(0)
  })
})
