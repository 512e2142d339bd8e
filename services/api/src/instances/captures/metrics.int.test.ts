import { captureCollections, captureRuns } from '@capstan/db/schema/instances'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { aChallenge, anInstance } from '../../testing/organizing-factories.ts'
import { createCaptureMetrics } from './metrics.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())

test('the capture metrics add up the lost packets, files and bytes of all games', async () => {
  const { db } = context
  const registry = new Registry()
  createCaptureMetrics(registry, db)
  for (const run of ['1', '2']) {
    const { gameId, id: challengeId } = await aChallenge(db)
    const { id: instanceId } = await anInstance(db, { gameId, challengeId, capture: true })
    const seenAt = new Date()
    await db
      .insert(captureRuns)
      .values({ instanceId, run, packets: 9, droppedPackets: 2, lostFiles: 1, lostBytes: 50, seenAt, lostAt: seenAt })
    await db
      .insert(captureCollections)
      .values({ instanceId, holder: crypto.randomUUID(), leasedUntil: seenAt, refusedFiles: 3, refusedBytes: 7 })
  }
  const text = await registry.metrics()
  for (const line of ['{what="packets"} 4', '{what="files"} 8', '{what="bytes"} 114', '{what="gaps"} 2'])
    expect(text).toContain(`capstan_api_capture_lost${line}`)
  const helps = text.split('\n').filter((line) => line.startsWith('# HELP'))
  expect(helps).toHaveLength(5)
  expect(helps.every((line) => line.split(' ').length > 5)).toBe(true)
})
