import { expect, it } from 'vitest'
import { createServerClock } from './server-clock.ts'
import { createFakeClock } from './testing/fake-clock.ts'

function differenceMs(serverAheadMs: number): number {
  const own = createFakeClock(new Date('2026-01-01T12:00:00Z'))
  const clock = createServerClock(own)
  clock.observe(new Date(own.now().getTime() + serverAheadMs))
  return clock.now().getTime() - own.now().getTime()
}

it.each([
  ['right', 0, 0],
  ['a second behind, which may be rounding', 1000, 0],
  ['ten minutes behind', 600_000, 600_500],
  ['ten minutes ahead', -600_000, -599_500],
])('returns the server’s time if the local clock is %s', (_, serverAheadMs, expected) => {
  expect(differenceMs(serverAheadMs)).toBe(expected)
})

it('the server clock returns the local time again after the local clock is corrected', () => {
  const own = createFakeClock(new Date('2026-01-01T12:00:00Z'))
  const clock = createServerClock(own)
  clock.observe(new Date(own.now().getTime() + 600_000))
  clock.observe(own.now())
  expect(clock.now()).toEqual(own.now())
})
