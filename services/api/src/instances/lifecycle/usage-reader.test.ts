import { expect, test } from 'vitest'
import type { MeasuredUsages } from './runtime.ts'
import { createUsageReader } from './usage-reader.ts'

function usages(cpuMillicores: number): MeasuredUsages {
  return new Map([['one', new Map([['challenge', { cpuMillicores, memoryBytes: 1 }]])]])
}

/** Starts a reader whose measurements end on request of the test. */
function start(waitMs?: number) {
  let nowMs = 0
  const warnings: string[] = []
  const measurements: PromiseWithResolvers<MeasuredUsages>[] = []
  const reader = createUsageReader({
    clock: { now: () => new Date(nowMs) },
    log: { warn: (_fields, text) => warnings.push(text) },
    ...(waitMs !== undefined && { waitMs }),
    runtime: {
      readUsage() {
        const measurement = Promise.withResolvers<MeasuredUsages>()
        measurements.push(measurement)
        return measurement.promise
      },
    },
  })
  const pass = (ms: number): void => {
    nowMs += ms
  }
  return { reader, measurements, warnings, pass }
}

test('concurrent callers share one measurement, and its result is cached for five seconds', async () => {
  const { reader, measurements, pass } = start()
  const first = reader.read()
  pass(60_000)
  const second = reader.read()
  measurements[0]?.resolve(usages(1))
  expect([await first, await second]).toEqual([usages(1), usages(1)])
  pass(4_999)
  expect(await reader.read()).toEqual(usages(1))
  expect(measurements).toHaveLength(1)
  pass(1)
  const third = reader.read()
  measurements[1]?.resolve(usages(2))
  expect(await third).toEqual(usages(2))
})

test('a failed measurement returns nothing, and only the first failure before the next success is logged', async () => {
  const { reader, measurements, warnings, pass } = start()
  for (const at of [0, 1]) {
    const read = reader.read()
    measurements[at]?.reject(new Error('No right'))
    expect(await read).toBeUndefined()
    pass(5_000)
  }
  expect(warnings).toHaveLength(1)
  const read = reader.read()
  measurements[2]?.resolve(usages(3))
  expect(await read).toEqual(usages(3))
})

test('a runtime that cannot measure returns nothing', async () => {
  const reader = createUsageReader({ runtime: {}, clock: { now: () => new Date(0) }, log: { warn: () => {} } })
  expect(await reader.read()).toBeUndefined()
})

test('while a measurement runs, `readSoon` returns the previous measurement, or an empty result if there is none', async () => {
  const { reader, measurements, pass } = start(1)
  expect(await reader.readSoon()).toEqual(new Map())
  measurements[0]?.resolve(usages(1))
  await reader.read()
  pass(5_000)
  expect(await reader.readSoon()).toEqual(usages(1))
  measurements[1]?.resolve(usages(2))
  await reader.read()
  expect(await reader.readSoon()).toEqual(usages(2))
})
