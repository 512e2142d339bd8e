import { Limits } from '@capstan/contract/limits'
import { expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { lockTable } from '../../testing/lock-table.ts'
import { aGame } from '../../testing/organizing-factories.ts'

async function countBlocked({ sql }: TestApp): Promise<number> {
  return (await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length
}

test.each([
  ['Monitor', 'events', (game: number) => `/api/game/${game}/monitor/events?hint=one%20two%20three`],
  ['Monitor', 'events', (game: number) => `/api/game/${game}/events?skip=100000`],
  ['Monitor', 'submissions', (game: number) => `/api/game/${game}/submissions?count=0`],
  ['Monitor', 'submissions', (game: number) => `/api/game/${game}/submissions?skip=100000`],
  ['Monitor', 'submissions', (game: number) => `/api/game/${game}/monitor/cheats?hint=one`],
  ['Monitor', 'cheats', (game: number) => `/api/game/${game}/cheatinfo`],
  ['Monitor', 'survey_answers', (game: number) => `/api/game/${game}/monitor/survey`],
  ['Admin', 'teams', () => '/api/admin/teams/list?hint=one'],
  ['Admin', 'logs', () => '/api/admin/logs?skip=100000'],
  ['Admin', 'logs', () => '/api/admin/logs/list?search=one'],
] as const)('searches of a %s in %s leave database connections for other calls', async (role, table, addressOf) => {
  const context = await startTestApp()
  const game = await aGame(context.db)
  const { client } = await signInAsNewUser(context, role)
  const player = (await signInAsNewUser(context)).client
  await client.get('/api/account/profile')
  const unlock = await lockTable(context, table)
  const searches = Array.from({ length: 60 }, () => client.get(addressOf(game.id)))
  await expect.poll(() => countBlocked(context)).toBeGreaterThan(0)
  const profile = await Promise.race([
    player.get('/api/account/profile').then(({ statusCode }) => statusCode),
    new Promise((resolve) => setTimeout(resolve, 120_000)),
  ])
  const blocked = await countBlocked(context)
  await unlock()
  const statuses = new Set((await Promise.all(searches)).map(({ statusCode }) => statusCode))
  await context.close()
  expect({ profile, statuses: [...statuses] }).toEqual({ profile: 200, statuses: [200] })
  // A search reads a few tables at the same time.
  expect(blocked).toBeLessThanOrEqual(Limits.concurrentSearches * 4)
})
