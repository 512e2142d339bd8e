import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { aChallenge, anInstance } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())

async function read(): Promise<Map<string, number>> {
  const lines = (await context.app.metrics.registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
}

test('the metrics contain submissions, instances, rebuilds of boards and the database', async () => {
  const challenge = await aChallenge(context.db, { flags: ['flag{x}'] })
  const player = await aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })
  await anInstance(context.db, { gameId: challenge.gameId, challengeId: challenge.id })
  await context.app.inject(`/api/game/${challenge.gameId}/scoreboard`)
  const path = `/api/game/${challenge.gameId}/challenges/${challenge.id}`
  await player.client.post(path, { flag: 'flag{x}' })
  await player.client.post(path, { flag: 'wrong' })
  const metrics = await read()
  expect(metrics.get('capstan_api_submissions_total{status="Accepted"}')).toBe(1)
  expect(metrics.get('capstan_api_submissions_total{status="WrongAnswer"}')).toBe(1)
  expect(metrics.get('capstan_api_instances{status="Running"}')).toBe(1)
  expect(metrics.get('capstan_api_instances{status="Pending"}')).toBe(0)
  expect(metrics.get('capstan_api_scoreboard_rebuild_seconds_count')).toBeGreaterThanOrEqual(1)
  expect(metrics.get('capstan_api_bus_up')).toBe(1)
  expect(metrics.get('capstan_api_database_round_trip_seconds')).toBeGreaterThan(0)
  expect(metrics.get('capstan_api_database_connections_max')).toBe(20)
})

test('requests are counted by route pattern, so that ids, names and unknown addresses add no time series', async () => {
  for (const id of [90_001, 90_002]) await context.app.inject(`/api/game/${id}`)
  for (const name of ['a', 'b']) await context.app.inject(`/nothing/${name}`)
  const series = [...(await read())].filter(([name]) => name.startsWith('capstan_api_http_request_duration_seconds_count'))
  const count = (labels: string) => series.find(([name]) => name.includes(labels))?.[1]
  expect(count('method="GET",route="/api/game/:id",status="404"')).toBe(2)
  expect(count('method="GET",route="none",status="404"')).toBe(2)
  expect(series.some(([name]) => /9000\d|nothing/.test(name))).toBe(false)
})

test('the public port serves no metrics', async () => {
  expect((await context.app.inject('/metrics')).statusCode).toBe(404)
})
