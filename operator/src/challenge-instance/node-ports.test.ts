import { createFakeClock } from '@capstan/kubernetes/testing/fake-clock'
import { describe, expect, it } from 'vitest'
import { aService } from '../testing/builders.ts'
import { createNodePortAllocator } from './node-ports.ts'

function aRange(first: number, last: number, taken: number[] = []) {
  const clock = createFakeClock(new Date('2030-01-01T00:00:00Z'))
  const known = taken.map((port) => aService(port))
  return { clock, known, ports: createNodePortAllocator({ first, last }, { services: () => known, clock }) }
}

describe('node ports of a range', () => {
  it('each port is assigned once, including the first and the last, until none is left', () => {
    const { ports } = aRange(30_000, 30_002)
    expect(['a', 'b', 'c'].map((uid) => ports.take(uid)).sort()).toEqual([30_000, 30_001, 30_002])
    expect([ports.hasFree(), ports.take('d')]).toEqual([false, undefined])
  })

  it('a port is not assigned if a service already has it', () => {
    const { ports, known } = aRange(30_000, 30_001, [30_000, 31_000])
    expect(ports.take('a')).toBe(30_001)
    known.push(aService(30_001))
    ports.settle(30_001)
    expect(ports.hasFree()).toBe(false)
    known.length = 0
    expect(ports.hasFree()).toBe(true)
  })

  it('a port is free again after a failed write, and the retry of the same instance gets this port', () => {
    const { ports } = aRange(30_000, 30_099)
    const port = ports.take('a') as number
    ports.settle(port)
    expect(ports.take('a')).toBe(port)
  })

  it('a port is tried again one minute after the API server reported that the port is taken', async () => {
    const { ports, clock } = aRange(30_000, 30_000)
    ports.avoid(ports.take('a') as number)
    expect(ports.hasFree()).toBe(false)
    await clock.advance(60_000)
    expect(ports.take('a')).toBe(30_000)
  })
})
