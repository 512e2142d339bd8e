import { describe, expect, it } from 'vitest'
import { createBusGate } from './bus-gate.ts'
import type { BusState } from './message-bus.ts'

function aGate(initial: BusState) {
  const world = { state: initial, nowMs: 5_000, warnings: [] as object[] }
  const log = { warn: (fields: object) => void world.warnings.push(fields) }
  const isOpen = createBusGate({ state: () => world.state, now: () => world.nowMs, log })
  return { world, isOpen }
}

describe('a starting process that waits for Redis', () => {
  it('the process starts when Redis is reachable, and ignores later outages of Redis', () => {
    const { world, isOpen } = aGate('connecting')
    expect(isOpen()).toBe(false)
    world.state = 'up'
    expect(isOpen()).toBe(true)
    world.state = 'connecting'
    expect(isOpen()).toBe(true)
    world.state = 'refused'
    expect(isOpen()).toBe(true)
    expect(world.warnings).toEqual([])
  })

  it.each([
    ['is unreachable', 'connecting', 30_000],
    ['refuses the connection', 'refused', 600_000],
  ] as const)('if Redis %s, the process starts after the maximum wait and logs one warning', (_what, state, waitMs) => {
    const { world, isOpen } = aGate(state)
    world.nowMs += waitMs - 1
    expect(isOpen()).toBe(false)
    world.nowMs += 1
    expect([isOpen(), isOpen()]).toEqual([true, true])
    expect(world.warnings).toEqual([{ bus: state }])
  })
})
