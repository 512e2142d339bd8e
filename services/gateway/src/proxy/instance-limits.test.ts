import { createInProcessBus } from '@capstan/bus/in-process-bus'
import { createMemoryRateLimitStore } from '@capstan/bus/rate-limit-store'
import { createInProcessSeatCounter } from '@capstan/bus/seats'
import { GatewayLimits } from '@capstan/contract/limits'
import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { Attempts } from '../limits/attempts.ts'
import type { GatewayLimitSettings } from '../limits/settings.ts'
import { createGatewayMetrics } from '../metrics.ts'
import type { Arrival, FoundInstance } from './arrival.ts'
import { InstanceLimits } from './instance-limits.ts'

const target: FoundInstance = {
  instanceId: 'a',
  kind: 'team',
  host: '127.0.0.1',
  port: 1,
  playerAddresses: ['192.0.2.200', '2001:db8:9:1::/64'],
}

function createLimits(limits: Partial<GatewayLimitSettings> = {}): InstanceLimits {
  const seats = createInProcessSeatCounter()
  return new InstanceLimits({
    limits: { ...GatewayLimits, ...limits },
    attempts: new Attempts({ store: createMemoryRateLimitStore(), now: () => 0 }),
    seats,
    metrics: createGatewayMetrics(new Registry(), createInProcessBus(), seats),
  })
}

function aVisitor(clientAddress: string): Arrival {
  return { way: 'tcp', clientAddress, find: async () => target }
}

/** Tries to open one connection to a plain port from each address. Returns the number of accepted connections. */
async function countSeats(limits: InstanceLimits, addresses: Iterable<string>): Promise<number> {
  let taken = 0
  for (const address of addresses) if (typeof (await limits.takeSeat(aVisitor(address), target)) === 'function') taken += 1
  return taken
}

describe('connections to the plain ports of an instance', () => {
  it('strangers in one IPv6 network of 48 bits together get 8 connections, like one IPv4 address', async () => {
    const limits = createLimits()
    const inNetwork = Array.from({ length: 40 }, (_, index) => `2001:db8:5:${index.toString(16)}::1`)
    expect(await countSeats(limits, inNetwork)).toBe(8)
    expect(await countSeats(limits, Array<string>(40).fill('198.51.100.7'))).toBe(8)
  })

  it('strangers of many networks together get 32 connections, and players get additional connections', async () => {
    const limits = createLimits()
    expect(
      await countSeats(
        limits,
        Array.from({ length: 100 }, (_, index) => `198.51.100.${index}`),
      ),
    ).toBe(32)
    expect(await countSeats(limits, Array<string>(100).fill('192.0.2.200'))).toBe(64)
    expect(await countSeats(limits, Array<string>(100).fill('2001:db8:9:1::77'))).toBe(64)
  })

  it('lower limits of the operator also apply to strangers', async () => {
    const limits = createLimits({ instanceConnections: 5, instanceConnectionsPerAddress: 3 })
    expect(await countSeats(limits, Array<string>(9).fill('198.51.100.7'))).toBe(3)
    expect(await countSeats(limits, ['198.51.100.8', '198.51.100.9', '198.51.100.10'])).toBe(2)
  })

  it('a network of strangers gets an eighth of the attempts, regardless of its number of addresses', async () => {
    const limits = createLimits({ proxyAttemptsPerInstanceMinute: 16 })
    const refusals = []
    for (const part of [1, 2, 3, 4]) refusals.push(await limits.refuseLate(aVisitor(`2001:db8:6:${part}::1`), target))
    expect(refusals.map((refusal) => refusal?.code)).toEqual([
      undefined,
      undefined,
      'request.rate-limited',
      'request.rate-limited',
    ])
  })
})
