import { randomUUID } from 'node:crypto'
import { createTestDatabase } from '@capstan/db/testing/test-database'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildApp } from '../../app.ts'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { waitForOlderTransactions } from '../../testing/older-transactions.ts'
import { aChallenge, aGame, aSubmission } from '../../testing/organizing-factories.ts'
import { aPastGame, aPlayer, aTeamMate } from '../../testing/playing-factories.ts'
import { createBoardMaker } from '../scoreboard/board-maker.ts'

let direct: Awaited<ReturnType<typeof createTestDatabase>>
let context: TestApp
let replica: FastifyInstance
/** Game ids of the built boards, one for each build. */
const builds: number[] = []
beforeAll(async () => {
  direct = await createTestDatabase()
  const maker = createBoardMaker({ db: direct.db })
  const make: typeof maker.make = (order) => {
    builds.push(order.gameId)
    return maker.make(order)
  }
  context = await startTestApp({ deps: { db: direct.db, boardMaker: { ...maker, make } } })
  replica = await buildApp(context.deps)
  await replica.ready()
})
afterAll(async () => {
  await replica.close()
  await context.close()
  await direct.drop()
})
beforeEach(() => context.clock.set(new Date()))

type Client = Awaited<ReturnType<typeof aPlayer>>['client']

/**
 * Creates a team that has solved a challenge for 100 points. Another challenge has a free hint, and hints with the given prices.
 */
async function aScene({ prices = [60], gameId }: { prices?: number[]; gameId?: number } = {}) {
  const { db } = direct
  const game = gameId ?? (await aGame(db, { bloodBonus: 0 })).id
  const solved = await aChallenge(db, { gameId: game, points: 100, minimumShare: 1 })
  const ids = prices.map(() => randomUUID())
  const pricedHints = prices.map((price, index) => ({ id: ids[index]!, text: `Secret ${price}`, price, place: index + 1 }))
  const challenge = await aChallenge(db, { gameId: game, title: 'Heap', flags: ['f'], hints: ['Free'], pricedHints })
  const player = await aPlayer({ ...context, db }, { gameId: game, challengeIds: [challenge.id] })
  await aSubmission(db, player.participation, solved.id, { solve: true, userId: player.user.id })
  const url = `/api/game/${game}/challenges/${challenge.id}`
  const buy = async (hintId: string, price: number, { on = context.app, by = player.client as Client } = {}) => {
    const response = await on.inject({
      method: 'POST',
      url: `${url}/hints/${hintId}`,
      cookies: Object.fromEntries(by.cookies),
      payload: { price },
    })
    return { statusCode: response.statusCode, body: response.json() }
  }
  const read = async (by = player.client as Client) => {
    const { hints, hintOffers } = (await by.get(url)).json()
    return { hints, hintOffers }
  }
  const purchases = () => direct.sql`select price from hint_purchases where participation_id = ${player.participation.id}`
  return { game, solved, challenge, player, ids, url, buy, read, purchases }
}

test('64 parallel purchases of one hint by two members on two replicas charge the team only once', async () => {
  const { player, ids, buy, read, purchases } = await aScene()
  const mate = await aTeamMate({ ...context, sql: direct.sql, db: direct.db }, player)
  expect(await read()).toEqual({ hints: ['Free'], hintOffers: [{ id: ids[0], price: 60 }] })
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, index) =>
      buy(ids[0]!, 60, { on: index % 2 === 0 ? context.app : replica, by: index % 4 < 2 ? player.client : mate.client }),
    ),
  )
  for (const answer of answers) expect(answer).toEqual({ statusCode: 200, body: { text: 'Secret 60', price: 60 } })
  expect(await purchases()).toEqual([{ price: 60 }])
  const bought = { hints: ['Free', 'Secret 60'], hintOffers: [] }
  expect(await read()).toEqual(bought)
  expect(await read(mate.client)).toEqual(bought)
})

test('parallel purchases of several hints on two replicas never make the score negative', async () => {
  const { game, ids, player, buy, purchases } = await aScene({ prices: [40, 40, 40, 40] })
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, index) => buy(ids[index % 4]!, 40, { on: index % 2 === 0 ? context.app : replica })),
  )
  // The 100 points of the team pay for two hints at 40 points.
  expect(await purchases()).toEqual([{ price: 40 }, { price: 40 }])
  const refused = answers.filter(({ statusCode }) => statusCode !== 200)
  expect(refused).toHaveLength(32)
  for (const { statusCode, body } of refused)
    expect([statusCode, body.code, body.detail]).toEqual([400, 'hint.points', 'The hint costs 40 points, and the team has 20.'])
  await direct.sql`update games set allows_debt = true where id = ${game}`
  await Promise.all(ids.map((id) => buy(id, 40)))
  expect(await purchases()).toHaveLength(4)
  await expect
    .poll(async () => {
      const { items } = (await player.client.get(`/api/game/${game}/scoreboard`)).json()
      return items.find(({ id }: { id: number }) => id === player.team.id).score
    })
    .toBe(-60)
})

test('the api reads a current board only for a new and valid purchase of a hint', async () => {
  const { ids, buy } = await aScene({ prices: [60, 20] })
  const { scoreboards } = context.app
  const { readCurrent } = scoreboards
  let reads = 0
  scoreboards.readCurrent = (gameId) => {
    reads += 1
    return readCurrent(gameId)
  }
  try {
    expect(await buy(ids[1]!, 20)).toMatchObject({ statusCode: 200 })
    expect(reads).toBe(1)
    expect(await buy(ids[1]!, 20)).toMatchObject({ statusCode: 200, body: { price: 20 } })
    expect(await buy(ids[0]!, 59)).toMatchObject({ statusCode: 409, body: { code: 'hint.price' } })
    expect(await buy(randomUUID(), 60)).toMatchObject({ statusCode: 404, body: { code: 'hint.unknown' } })
    expect(reads).toBe(1)
  } finally {
    scoreboards.readCurrent = readCurrent
  }
})

test('refused purchases of a hint cause no build of the board until the board changes', async () => {
  const { game, player, ids, buy } = await aScene({ prices: [110] })
  const other = await aChallenge(direct.db, { gameId: game, points: 20, minimumShare: 1 })
  const refused = async () => {
    expect(await buy(ids[0]!, 110)).toMatchObject({ statusCode: 400, body: { code: 'hint.points' } })
    return builds.filter((id) => id === game).length
  }
  await refused()
  await waitForOlderTransactions(direct)
  const before = await refused()
  await Promise.all(Array.from({ length: 10 }, refused))
  expect(await refused()).toBe(before)
  // A team may spend points right after it gets them, before the next poll of the change feed.
  await aSubmission(direct.db, player.participation, other.id, { solve: true, userId: player.user.id })
  expect(await buy(ids[0]!, 110)).toMatchObject({ statusCode: 200, body: { text: 'Secret 110' } })
})

test('the text of a hint has no effect on responses to a team that has not bought the hint', async () => {
  const { challenge, player, url } = await aScene()
  const admin = (await signInAsNewUser({ ...context, db: direct.db }, 'Admin')).client
  const answer = async () => {
    const { body, headers } = await player.client.get(url)
    const { date: _, 'x-request-id': __, ...rest } = headers as Record<string, string>
    return { body, rest }
  }
  const before = await answer()
  const address = `/api/edit/games/${challenge.gameId}/challenges/${challenge.id}`
  const { challenge: value } = (await admin.get(`${address}/whole`)).json()
  const hints = [value.hints[0], { text: 'A much longer secret', price: 60 }]
  expect((await admin.put(`${address}/whole`, { challenge: { ...value, hints } })).statusCode).toBe(200)
  expect(await answer()).toEqual(before)
  expect(before.body).not.toContain('ecret')
})

test('a purchase is refused if the price has risen above the accepted price, and a lower price is charged', async () => {
  const { ids, buy, purchases } = await aScene({ prices: [60, 30] })
  const { statusCode, body } = await buy(ids[0]!, 59)
  expect([statusCode, body.code, body.detail]).toEqual([409, 'hint.price', 'The hint costs 60 points now.'])
  expect(await buy(ids[1]!, 59)).toEqual({ statusCode: 200, body: { text: 'Secret 30', price: 30 } })
  expect(await purchases()).toEqual([{ price: 30 }])
  expect((await buy(randomUUID(), 60)).body.code).toBe('hint.unknown')
  expect((await buy('1', 60)).statusCode).toBe(400)
})

test('the purchase of a hint does not affect the order of teams with equal scores', async () => {
  const { db } = direct
  const { game, solved, ids, player, buy } = await aScene({ prices: [60] })
  const rival = await aPlayer({ ...context, db }, { gameId: game })
  await aSubmission(db, rival.participation, solved.id, { solve: true, userId: rival.user.id })
  await direct.sql`insert into awards (game_id, participation_id, title, points, awarded_at)
    values (${game}, ${rival.participation.id}, 'Fee', -60, now())`
  context.clock.advanceMs(60_000)
  await buy(ids[0]!, 60)
  const board = async () => {
    const { items, timeLines } = (await player.client.get(`/api/game/${game}/scoreboard`)).json()
    return { teams: items.map((team: { id: number; score: number }) => [team.id, team.score]), items, timeLines }
  }
  await expect
    .poll(async () => (await board()).teams)
    .toEqual([
      [player.team.id, 40],
      [rival.team.id, 40],
    ])
  const { items, timeLines } = await board()
  const time = context.clock.now()
  expect(items[0].boughtHints).toEqual([{ price: 60, time: time.getTime() }])
  expect(items[0].lastSubmissionTime).toBe(items[0].solvedChallenges[0].time)
  expect(timeLines.all[0].items.map(({ score }: { score: number }) => score)).toEqual([100, 40])
  expect(timeLines.all[0].items[1].time).toBe(time.toISOString())
})

test('purchases remain after an edit of the hint, and the paid price remains after the deletion of the hint', async () => {
  const { challenge, game, player, ids, buy, read } = await aScene()
  const admin = (await signInAsNewUser({ ...context, db: direct.db }, 'Admin')).client
  const address = `/api/edit/games/${game}/challenges/${challenge.id}`
  await buy(ids[0]!, 60)
  // Clients of earlier versions send hints as texts without prices.
  expect((await admin.get(address)).json().hints).toEqual(['Free', 'Secret 60'])
  expect((await admin.put(address, { hints: ['Free', 'Better secret'] })).json().hints).toEqual(['Free', 'Better secret'])
  expect(await read()).toEqual({ hints: ['Free', 'Better secret'], hintOffers: [] })
  const { challenge: value } = (await admin.get(`${address}/whole`)).json()
  expect(value.hints).toEqual([
    { text: 'Free', price: 0 },
    { text: 'Better secret', price: 60 },
  ])
  await admin.put(address, { hints: ['Better secret'] })
  expect((await admin.get(`${address}/whole`)).json().challenge.hints).toEqual([{ text: 'Better secret', price: 60 }])
  await admin.put(address, { hints: [] })
  expect(await read()).toEqual({ hints: [], hintOffers: [] })
  await expect
    .poll(async () => {
      const { items } = (await player.client.get(`/api/game/${game}/scoreboard`)).json()
      return items.find(({ id }: { id: number }) => id === player.team.id).score
    })
    .toBe(40)
})

test('monitors see a purchase as an event, and the texts of all hints', async () => {
  const { challenge, game, player, ids, buy } = await aScene()
  const monitor = (await signInAsNewUser({ ...context, db: direct.db }, 'Monitor')).client
  await buy(ids[0]!, 60)
  const values = ['HintPurchase', String(challenge.id), 'Heap', '60', 'Bought hint 2 of "Heap" for 60 points']
  expect((await monitor.get(`/api/game/${game}/events`)).json()).toMatchObject([
    { type: 'Normal', values, team: player.team.name, user: player.user.userName },
  ])
  await direct.sql`update challenges set title = 'Stack' where id = ${challenge.id}`
  const found = (await monitor.get(`/api/game/${game}/monitor/events?challenge=${challenge.id}`)).json()
  expect(found.data).toMatchObject([
    { challengeId: challenge.id, values: ['HintPurchase', String(challenge.id), 'Stack', '60', values[4]] },
  ])
  expect((await monitor.get(`/api/game/${game}/monitor/challenges/${challenge.id}`)).json()).toMatchObject({
    hints: ['Free', 'Secret 60'],
    hintPrices: [0, 60],
  })
})

test('in practice mode after the end, all hints are free', async () => {
  const game = await aPastGame(direct.db, { practiceMode: true })
  const { ids, buy, read, purchases } = await aScene({ gameId: game.id })
  expect(await read()).toEqual({ hints: ['Free', 'Secret 60'], hintOffers: [] })
  expect(await buy(ids[0]!, 60)).toEqual({ statusCode: 200, body: { text: 'Secret 60', price: 0 } })
  expect(await purchases()).toEqual([])
})
