import { expect, test } from 'vitest'
import {
  describeGrowth,
  describeReplicas,
  exponentOf,
  fullest,
  growthTable,
  type Point,
  replicaTable,
  sizingTable,
  withMeasured,
} from './table.ts'

function point(values: Partial<Point>): Point {
  return {
    players: 1_000,
    submissions: 100_000,
    instances: 0,
    wantedPerSecond: 75,
    answeredPerSecond: 75,
    p99Ms: 12,
    apiCores: 0.1,
    databaseCores: 0.05,
    apiMb: 200,
    databaseMb: 300,
    statementsPerSecond: 50,
    connections: 20,
    bytesPerSecond: 1_000_000,
    ...values,
  }
}
const capacity = { databaseCores: 2, apiMb: 512, connections: 100, bytesPerSecond: 125_000_000 }

test('the part with the largest share of what it has is full first', () => {
  expect(fullest(point({}), capacity)).toEqual({ part: 'api memory', share: 200 / 512 })
  expect(fullest(point({ bytesPerSecond: 100_000_000 }), capacity)).toEqual({ part: 'network', share: 0.8 })
})

test('a call that costs as much whatever the size grows with the power 0, one that costs ten times as much with 1', () => {
  const bytes = ({ bytesPerSecond, answeredPerSecond }: Point) => bytesPerSecond / answeredPerSecond
  const small = point({ players: 100 })
  expect(exponentOf([small, point({})], 'players', bytes)).toBe(0)
  expect(exponentOf([small, point({ bytesPerSecond: 10_000_000 })], 'players', bytes)).toBeCloseTo(1)
  expect(describeGrowth('players', [small, point({ bytesPerSecond: 10_000_000 })])).toEqual([
    expect.stringContaining('bytes of a call grows with the power 1.00'),
  ])
  expect(describeGrowth('players', [small, point({})])).toEqual(['- By players: nothing of a call grows.'])
})

test('a row says how many calls were not answered and what a player is sent in a minute', () => {
  const [, , row] = growthTable([point({ answeredPerSecond: 50, bytesPerSecond: 1_024_000 })], capacity).split('\n')
  // 1,024,000 / 50 x 75 / 1,000 / 1,024 x 60 = 90.
  expect(row).toBe('| 1,000 | 100,000 | 0 | 50 of 75 | 12 ms | 0.10 | 0.05 | 200 MB | 300 MB | 50 | 20 | 90 | api memory, 39 % |')
})

test('half of every part stays free', () => {
  const [, , small, large] = sizingTable([
    point({ players: 100 }),
    point({ players: 10_000, apiCores: 0.9, databaseCores: 0.7, wantedPerSecond: 750, answeredPerSecond: 375, databaseMb: 700 }),
  ]).split('\n')
  expect(small).toBe('| 100 | 1 | 1 | 1 core, 1 GB | 8 Mbit/s |')
  expect(large).toBe('| 10,000 | 4 × 1 core | 2 | 3 cores, 2 GB | 16 Mbit/s |')
})

function replicas(processes: number, apiCores: number, answeredPerSecond: number) {
  return {
    processes,
    full: { answeredPerSecond, p99Ms: 50, apiCores: 1, databaseCores: 0.5 },
    steady: { answeredPerSecond: 1_000, p99Ms: 8.4, apiCores, databaseCores: 0.1 },
    connections: 20 * processes,
  }
}

test('the text about replicas has the cost of the same calls and the share of answered calls', () => {
  const measured = [replicas(1, 0.3, 5_000), replicas(4, 0.6, 4_000)]
  const [titles, , , row] = replicaTable(measured).split('\n')
  expect(titles).toContain('1,000 calls/s: api CPU')
  expect(row).toBe('| 4 | 0.60 | 0.10 | 8 ms | 80 | 4,000 calls/s | 50 ms |')
  const text = describeReplicas(measured, 2)
  for (const part of ['cost 0.10 processors more', 'at 0.10 ms a call, after 4 processes', 'answered 0.80 times'])
    expect(text).toContain(part)
})

test('what was measured goes between its markers, and nowhere else', () => {
  const text = 'before\n<!-- measured: growth -->\nold\n<!-- /measured -->\nafter'
  expect(withMeasured(text, '\nnew\n')).toBe('before\n<!-- measured: growth -->\nnew\n<!-- /measured -->\nafter')
  expect(() => withMeasured('no markers', 'new')).toThrow('There are no markers')
})
