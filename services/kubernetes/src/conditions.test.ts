import { describe, expect, it } from 'vitest'
import { type Condition, conditionsFrom } from './conditions.ts'

const earlier: Condition = {
  type: 'Ready',
  status: 'False',
  reason: 'Starting',
  message: 'Starting.',
  observedGeneration: 1,
  lastTransitionTime: '2026-05-01T11:00:00Z',
}
const now = new Date('2026-05-01T12:00:00.789Z')

describe('conditionsFrom', () => {
  it('sets a new time, in whole seconds, if the status flips', () => {
    const [ready] = conditionsFrom([{ type: 'Ready', status: 'True', reason: 'Ready', message: 'Runs.' }], [earlier], 2, now)
    expect(ready).toEqual({
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: 'Runs.',
      observedGeneration: 2,
      lastTransitionTime: '2026-05-01T12:00:00Z',
    })
  })

  it('retains the time if only reason or message change', () => {
    const [ready] = conditionsFrom([{ type: 'Ready', status: 'False', reason: 'Pulling', message: 'Pulls.' }], [earlier], 1, now)
    expect(ready?.lastTransitionTime).toBe('2026-05-01T11:00:00Z')
  })

  it('drops conditions for which no fact is given', () => {
    expect(conditionsFrom([], [earlier], 1, now)).toEqual([])
  })
})
