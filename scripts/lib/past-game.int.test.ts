import { startTestApp, type TestApp } from '@capstan/api/testing/app'
import { users } from '@capstan/db/schema/accounts'
import { solves } from '@capstan/db/schema/challenges'
import { games } from '@capstan/db/schema/games'
import { teams } from '@capstan/db/schema/teams'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertPastGame } from './past-game.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())

function insert() {
  return insertPastGame(context.db, context.deps.config.secretKey)
}
async function readBoard() {
  const [game] = await context.db.select().from(games)
  return (await context.app.inject({ url: `/api/game/${game?.id}/scoreboard` })).json()
}

test('a past game is stored completely or not at all, and its scoreboard shows every solve', async () => {
  const values = { userName: 'Marlow', email: 'marlow@example.com', passwordHash: 'none' }
  await context.db.insert(users).values(values)
  await expect(insert()).rejects.toThrow()
  expect([await context.db.$count(games), await context.db.$count(teams)]).toEqual([0, 0])

  await context.db.delete(users)
  await insert()
  const board = await readBoard()
  const solved = board.items.map(({ solvedCount }: { solvedCount: number }) => solvedCount)
  expect(solved).toHaveLength(24)
  expect(solved.reduce((sum: number, count: number) => sum + count, 0)).toBe(await context.db.$count(solves))
  expect(board.items[0].score).toBeGreaterThan(board.items[9].score)
})
