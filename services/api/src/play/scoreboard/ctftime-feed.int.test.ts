import type { CtftimeFeed } from '@capstan/contract/ctftime'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { aTeam, aUser } from '../../testing/factories.ts'
import { aChallenge, aGame, aParticipation, aSubmission } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'
import { createCtftimeFeeds } from './ctftime-feed.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())

async function readFeed(gameId: number): Promise<CtftimeFeed> {
  return (await context.app.inject({ url: `/api/game/${gameId}/ctftime` })).json()
}

test('the feed lists ranks, points and times in the format of CTFtime', async () => {
  const game = await aGame(context.db)
  const stack = await aChallenge(context.db, { gameId: game.id, category: 'Pwn', title: 'Stack' })
  const heap = await aChallenge(context.db, { gameId: game.id, category: 'Pwn', title: 'Heap' })
  const [first, second] = [await aPlayer(context, { gameId: game.id }), await aPlayer(context, { gameId: game.id })]
  const [early, late] = [new Date(game.startsAt.getTime() + 1_500), new Date(game.startsAt.getTime() + 61_000)]
  await aSubmission(context.db, first.participation, heap.id, { solve: true, submittedAt: early })
  await aSubmission(context.db, first.participation, stack.id, { solve: true, submittedAt: late })
  const seconds = (time: Date) => Math.floor(time.getTime() / 1000)
  expect(await readFeed(game.id)).toEqual({
    tasks: ['Heap', 'Stack'],
    standings: [
      {
        ...{ pos: 1, id: first.team.id, team: first.team.name, score: 2100, lastAccept: seconds(late) },
        taskStats: { Heap: { points: 1050, time: seconds(early) }, Stack: { points: 1050, time: seconds(late) } },
      },
      { pos: 2, id: second.team.id, team: second.team.name, score: 0, taskStats: {}, lastAccept: 0 },
    ],
  })
})

test('the feed distinguishes challenges with equal titles, even if a title is the name of an object property', async () => {
  const game = await aGame(context.db)
  const player = await aPlayer(context, { gameId: game.id })
  for (const title of ['Twin', 'Twin', 'Twin (2)', '__proto__', 'constructor']) {
    const challenge = await aChallenge(context.db, { gameId: game.id, category: 'Misc', title })
    await aSubmission(context.db, player.participation, challenge.id, { solve: true })
  }
  const { tasks, standings } = await readFeed(game.id)
  expect(tasks).toEqual(['Twin', 'Twin (2)', 'Twin (2) (2)', '__proto__', 'constructor'])
  expect(Object.keys(standings[0]?.taskStats ?? {}).toSorted()).toEqual(tasks.toSorted())
})

const hostileNames = [
  '"',
  '\\',
  '</script>',
  '\u2028\u2029',
  "'; drop table",
  '{{7*7}}',
  '=1+1',
  '\u202Egnp',
  '😀'.repeat(5),
  '\u0001',
]

test('the feed is valid JSON for 500 teams whose names contain control and special characters', async () => {
  const game = await aGame(context.db)
  const expected = new Map<number, string>()
  for (let index = 0; index < 500; index++) {
    const user = await aUser(context.db)
    const team = await aTeam(context.db, { captainId: user.id, name: `${hostileNames[index % hostileNames.length]}${index}` })
    await aParticipation(context.db, { gameId: game.id, teamId: team.id })
    expected.set(team.id, team.name)
  }
  const { standings } = await readFeed(game.id)
  expect(new Map(standings.map(({ id, team }) => [id, team]))).toEqual(expected)
  expect(standings.map(({ pos }) => pos)).toEqual(Array.from({ length: 500 }, (_, index) => index + 1))
})

test('the feed is refused with 400 before the start, and with 404 for an unknown game', async () => {
  const upcoming = await aGame(context.db, { phase: 'upcoming' })
  for (const [gameId, status] of [
    [upcoming.id, 400],
    [99_999, 404],
  ] as const)
    expect((await context.app.inject({ url: `/api/game/${gameId}/ctftime` })).statusCode).toBe(status)
})

test('while the feed of a board is written, requests for newer boards of the game get this feed', async () => {
  const game = await aGame(context.db)
  const { team } = await aPlayer(context, { gameId: game.id })
  const board = (await context.app.scoreboards.read(game.id, 'public'))!
  const newer = { ...board, answer: board.marks, leaders: () => board.leaders(1).map((row) => ({ ...row, score: 500 })) }
  const feeds = createCtftimeFeeds()
  const [first, second] = [feeds.of(game.id, board), feeds.of(game.id, newer)]
  expect(await second).toBe(await first)
  const later: CtftimeFeed = JSON.parse((await feeds.of(game.id, newer)).text(0, 1_000))
  expect(later.standings).toMatchObject([{ id: team.id, score: 500 }])
})
