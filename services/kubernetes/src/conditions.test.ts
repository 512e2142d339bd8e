import { describe, expect, it } from 'vitest'
import { type Condition, updateConditions } from './conditions.ts'

const earlier: Condition = {
  type: 'Ready',
  status: 'False',
  reason: 'Starting',
  message: 'Starting.',
  observedGeneration: 1,
  lastTransitionTime: '2026-05-01T11:00:00Z',
}
const now = new Date('2026-05-01T12:00:00.789Z')

describe('updateConditions', () => {
  it('a condition gets a new transition time, in whole seconds, if its status changes', () => {
    const [ready] = updateConditions([{ type: 'Ready', status: 'True', reason: 'Ready', message: 'Runs.' }], [earlier], 2, now)
    expect(ready).toEqual({
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: 'Runs.',
      observedGeneration: 2,
      lastTransitionTime: '2026-05-01T12:00:00Z',
    })
  })

  it('a condition retains its transition time if only its reason or message changes', () => {
    const [ready] = updateConditions(
      [{ type: 'Ready', status: 'False', reason: 'Pulling', message: 'Pulls.' }],
      [earlier],
      1,
      now,
    )
    expect(ready?.lastTransitionTime).toBe('2026-05-01T11:00:00Z')
  })

  it('a status condition whose type is no longer reported is removed', () => {
    expect(updateConditions([], [earlier], 1, now)).toEqual([])
  })
})
