import { describe, expect, it } from 'vitest'
import { createServerTimeClock } from './clock.ts'

/**
 * Simulates a visitor, and a server whose clock is `aheadMs` ahead of the visitor's clock. The function `call` simulates a call
 * to the server.
 */
function visit(aheadMs: number) {
  const state = { at: Date.parse('2026-03-07T12:00:00.400Z'), aheadMs }
  const clock = createServerTimeClock(() => state.at)
  return {
    clock,
    state,
    call: (tookMs = 80, header?: string | null) => {
      const sentAt = clock.now()
      state.at += tookMs
      clock.learn(header === undefined ? new Date(state.at - tookMs / 2 + state.aheadMs).toUTCString() : header, sentAt)
    },
    wrongBy: () => Math.abs(clock.now() - (state.at + state.aheadMs)),
  }
}

describe("the clock that follows the server's time", () => {
  it('the server clock equals the local clock if their times differ by at most two seconds', () => {
    const { clock, state, call } = visit(1_400)
    call()
    expect(clock.now()).toBe(state.at)
  })

  it.each([600_000, -600_000, 90_000, -4_000, 86_400_000])(
    'the server clock is accurate to one second if the local clock differs by %i ms',
    (aheadMs) => {
      const { call, wrongBy } = visit(aheadMs)
      call()
      expect(wrongBy()).toBeLessThan(1_000)
    },
  )

  it('the server clock does not change if later responses confirm it', () => {
    const { clock, state, call } = visit(600_000)
    call()
    const before = clock.now() - state.at
    for (const tookMs of [20, 700, 1_500, 33, 999]) call(tookMs)
    expect(clock.now() - state.at).toBe(before)
  })

  it('the server clock remains correct if the user corrects the local clock', () => {
    const { state, call, wrongBy } = visit(600_000)
    call()
    state.at += 600_000
    state.aheadMs = 0
    call()
    expect(wrongBy()).toBeLessThan(1_000)
  })

  it.each([null, 'tomorrow'])('the server clock ignores the invalid `Date` header %j', (header) => {
    const { clock, state, call } = visit(600_000)
    call(80, header)
    expect(clock.now()).toBe(state.at)
  })

  it('the server clock ignores a slow response', () => {
    const { clock, state, call } = visit(600_000)
    call(11_000)
    expect(clock.now()).toBe(state.at)
  })
})
