import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import { captureFinalizer, drainedAnnotation } from '@capstan/challenge-instance/labels'
import { describe, expect, it } from 'vitest'
import { aMoment, aMomentPlusSeconds, anInstance, aPod, captureSettings, someSettings } from '../testing/builders.ts'
import { createAddFinalizerPatch, createRemoveFinalizerPatch, decideFinalization, needsFinalizer } from './finalizer.ts'

const capture = { enabled: true, maxSegmentMb: 8, maxSegmentSeconds: 30, maxStoredMb: 128 }
const recording = someSettings({ capture: captureSettings })
const running = { running: { startedAt: aMomentPlusSeconds(0) } }
function at(seconds: number) {
  return new Date(aMoment.getTime() + seconds * 1000)
}

/** Returns an instance with recorded traffic whose deletion began at `aMoment`. */
function leaving(annotations: Record<string, string> = {}): ChallengeInstance {
  return anInstance(
    { capture },
    {
      metadata: {
        ...anInstance().metadata,
        deletionTimestamp: aMomentPlusSeconds(0),
        finalizers: ['other', captureFinalizer],
        annotations,
      },
    },
  )
}

describe('the finalizer', () => {
  it('the finalizer is added only to instances with recorded traffic', () => {
    expect(needsFinalizer(anInstance({ capture }), recording)).toBe(true)
    expect(needsFinalizer(anInstance({ capture }), someSettings())).toBe(false)
    expect(needsFinalizer(anInstance(), recording)).toBe(false)
    expect(needsFinalizer(leaving(), recording)).toBe(false)
  })

  it('the finalizer is added and removed only if the list of finalizers is unchanged, and other finalizers remain', () => {
    expect(createAddFinalizerPatch(anInstance())).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'uid-1' },
      { op: 'test', path: '/metadata/resourceVersion', value: '100' },
      { op: 'add', path: '/metadata/finalizers', value: [captureFinalizer] },
    ])
    expect(createRemoveFinalizerPatch(leaving()).at(-1)).toEqual({
      op: 'replace',
      path: '/metadata/finalizers',
      value: ['other'],
    })
  })
})

describe('an instance with recorded traffic that is being deleted', () => {
  it('the deletion of an instance waits until its recordings are fetched, up to the configured time', () => {
    expect(decideFinalization(leaving(), [aPod({ ready: true, capture: running })], recording, at(20))).toEqual({
      kind: 'wait',
      leftMs: 40_000,
    })
    expect(decideFinalization(leaving(), [aPod({ ready: true, capture: running })], recording, at(60))).toEqual({
      kind: 'giveUp',
    })
  })

  it('the deletion of an instance waits while at least one of its pods has recordings to fetch', () => {
    const pods = [aPod({ phase: 'Failed', capture: running }), aPod({ ready: true, capture: running })]
    expect(decideFinalization(leaving(), pods, recording, at(20))).toEqual({ kind: 'wait', leftMs: 40_000 })
  })

  it('the deletion of an instance completes once its recordings are fetched', () => {
    const instance = leaving({ [drainedAnnotation]: aMomentPlusSeconds(1) })
    expect(decideFinalization(instance, [aPod({ capture: running })], recording, at(1))).toEqual({ kind: 'release' })
  })

  it.each([
    ['its pod was deleted', []],
    ['its pod has failed', [aPod({ phase: 'Failed', capture: running })]],
    ['its recorder never ran', [aPod({ capture: { waiting: { reason: 'PodInitializing' } } })]],
    ['it has no recorder', [aPod({ ready: true })]],
  ])('the deletion of an instance completes immediately when %s', (_why, pods) => {
    expect(decideFinalization(leaving(), pods, recording, at(1))).toEqual({ kind: 'release' })
  })

  it('the deletion of an instance completes immediately if the operator no longer has settings for recording', () => {
    expect(decideFinalization(leaving(), [aPod({ capture: running })], someSettings(), at(1))).toEqual({ kind: 'release' })
  })
})
