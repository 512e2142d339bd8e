import { Limits } from '@capstan/contract/limits'
import type { Scoreboard } from '@capstan/contract/scoreboard'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, aSubmission } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'
import { createBoardMaker } from './board-maker.ts'
import { createScoreboardService } from './service.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())
beforeEach(() => context.clock.set(new Date()))

const minuteMs = 60_000

/**
 * Creates a game in which two teams solve a challenge, 10 s and 70 s after `baseMs`. Sets the clock to four minutes after `baseMs`.
 * `baseMs` is the start of a minute.
 */
async function aScene() {
  const { db } = context
  const game = await aGame(db, { bloodBonus: 0 })
  const challenge = await aChallenge(db, { gameId: game.id })
  const players = [await aPlayer(context, { gameId: game.id }), await aPlayer(context, { gameId: game.id })] as const
  const baseMs = Math.ceil(Date.now() / minuteMs) * minuteMs
  for (const [index, { participation, user }] of players.entries()) {
    const submittedAt = new Date(baseMs + 10_000 + index * minuteMs)
    await aSubmission(db, participation, challenge.id, { solve: true, userId: user.id, submittedAt })
  }
  context.clock.set(new Date(baseMs + 4 * minuteMs))
  const path = (at: number) => `/api/game/${game.id}/scoreboard/past?at=${at}`
  return { game, challenge, players, baseMs, path }
}

function solvesOf(board: Scoreboard) {
  return board.items.map(({ solvedCount }) => solvedCount).sort()
}

test.each<[string, number, number, number[]]>([
  ['a minute without solves', 0, 0, [0, 0]],
  ['the last millisecond of this minute', minuteMs - 1, 0, [0, 0]],
  ['the minute after the first solve', minuteMs, minuteMs, [0, 1]],
  ['the minute after both solves', 2 * minuteMs, 2 * minuteMs, [1, 1]],
  ['a time in the future', 60 * minuteMs, 4 * minuteMs, [1, 1]],
])('the board at %s contains the changes before the last whole minute', async (_, ms, shownMs, solves) => {
  const { baseMs, path } = await aScene()
  const board = (await createTestClient(context.app).get(path(baseMs + ms))).json() as Scoreboard
  expect([board.updateTimeUtc, solvesOf(board)]).toEqual([new Date(baseMs + shownMs).toISOString(), solves])
})

test('a past board has the challenge titles of that time, and the current names of teams', async () => {
  const { challenge, players, baseMs, path } = await aScene()
  const { sql } = context
  await sql.begin(async (change) => {
    await change`select set_config('capstan.recorded_at', ${new Date(baseMs + 3 * minuteMs).toISOString()}, true)`
    await change`update challenges set title = 'Bend' where id = ${challenge.id}`
  })
  await sql`update teams set name = 'Renamed' where id = ${players[0].team.id}`
  const visitor = createTestClient(context.app)
  const before = (await visitor.get(path(baseMs + 2 * minuteMs))).body
  expect([before.includes('Bend'), before.includes('Renamed')]).toEqual([false, true])
  expect((await visitor.get(path(baseMs + 4 * minuteMs))).body).toContain('Bend')
})

test('players get no board of an instant after the freeze, and monitors get the boards of all instants', async () => {
  const { game, players, baseMs, path } = await aScene()
  await context.sql`update games set freeze_at = ${new Date(baseMs + minuteMs + 5_000).toISOString()} where id = ${game.id}`
  const solves = async ({ client }: { client: ReturnType<typeof createTestClient> }, query = '') =>
    solvesOf((await client.get(`${path(baseMs + 3 * minuteMs)}${query}`)).json())
  expect(await solves(players[1])).toEqual([0, 1])
  expect(await solves({ client: createTestClient(context.app) })).toEqual([0, 1])
  expect(await solves(await signInAsNewUser(context, 'Monitor'), '&view=live')).toEqual([1, 1])
})

test('a past board is empty if its instant is before the creation of the game', async () => {
  const { game, path } = await aScene()
  const board = (await createTestClient(context.app).get(path(game.startsAt.getTime()))).json() as Scoreboard
  expect([board.items, board.updateTimeUtc.slice(0, 16)]).toEqual([[], game.startsAt.toISOString().slice(0, 16)])
})

test('a past board is refused for a game that has not started, an unknown game and an invalid instant', async () => {
  const upcoming = await aGame(context.db, { phase: 'upcoming' })
  const { path } = await aScene()
  const visitor = createTestClient(context.app)
  const statusOf = async (url: string) => (await visitor.get(url)).statusCode
  expect(await statusOf(`/api/game/${upcoming.id}/scoreboard/past?at=0`)).toBe(400)
  expect(await statusOf('/api/game/99999/scoreboard/past?at=0')).toBe(404)
  expect(await statusOf(path(-1))).toBe(400)
})

test('past boards are built one at a time, and a caller with too many waiting builds is refused', async () => {
  const game = await aGame(context.db)
  const maker = createBoardMaker(context.deps)
  const gate = Promise.withResolvers<void>()
  const running = { now: 0, most: 0 }
  const boardMaker = {
    ...maker,
    async makePast(order: Parameters<typeof maker.makePast>[0]) {
      running.now += 1
      running.most = Math.max(running.most, running.now)
      await gate.promise
      running.now -= 1
      return maker.makePast(order)
    },
  }
  const service = createScoreboardService({ ...context.deps, boardMaker, log: context.app.log })
  const board = (await service.read(game.id, 'live'))!
  const read = (minute: number, caller: string) =>
    service
      .readPast(game.id, board, new Date(game.startsAt.getTime() + minute * minuteMs), { network: caller, key: caller })
      .then(String, ({ code }) => code as string)
  const flood = Array.from({ length: Limits.maxWaitingPastBoards + 1 }, (_, minute) => read(minute, 'flood'))
  const other = read(Limits.maxWaitingPastBoards + 1, 'other')
  expect(await flood.at(-1)).toBe('request.rate-limited')
  gate.resolve()
  const built = await Promise.all([...flood.slice(0, -1), other])
  expect(built).not.toContain('request.rate-limited')
  expect(running.most).toBe(1)
  await service.close()
})
