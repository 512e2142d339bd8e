import { randomUUID } from 'node:crypto'
import { createTestDatabase } from '@capstan/db/testing/test-database'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildApp } from '../../app.ts'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame } from '../../testing/organizing-factories.ts'
import { aPastGame, aPlayer, aTeamMate } from '../../testing/playing-factories.ts'

let direct: Awaited<ReturnType<typeof createTestDatabase>>
let context: TestApp
let replica: FastifyInstance
beforeAll(async () => {
  direct = await createTestDatabase()
  context = await startTestApp({ deps: { db: direct.db } })
  replica = await buildApp(context.deps)
  await replica.ready()
})
afterAll(async () => {
  await replica.close()
  await context.close()
  await direct.drop()
})
beforeEach(() => context.clock.set(new Date()))

type Rules = Readonly<{ submissionLimit?: number; cooldownSeconds?: number }>

async function aTask(rules: Rules, gameId?: number) {
  const game = gameId ?? (await aGame(direct.db)).id
  const challenge = await aChallenge(direct.db, { gameId: game, flags: ['flag{right}'], ...rules })
  const player = await aPlayer({ ...context, db: direct.db }, { gameId: game, challengeIds: [challenge.id] })
  const url = `/api/game/${game}/challenges/${challenge.id}`
  const submit = async (flag: string, { on = context.app, by = player.client, key = '' } = {}) => {
    const response = await on.inject({
      method: 'POST',
      url,
      cookies: Object.fromEntries(by.cookies),
      headers: key === '' ? {} : { 'idempotency-key': key },
      payload: { flag },
    })
    const { statusCode, headers } = response
    return { statusCode, body: response.json(), retryAfter: headers['retry-after'] }
  }
  const read = async () => {
    const { limit, attempts, nextAttemptAt } = (await player.client.get(url)).json()
    return { limit, attempts, nextAttemptAt }
  }
  const count = async () =>
    (await direct.sql`select count(*)::integer as count from submissions where challenge_id = ${challenge.id}`)[0]?.count
  return { challenge, player, url, submit, read, count }
}

test('64 parallel submissions to two replicas use exactly the 10 attempts of the team', async () => {
  const { player, submit, count, read } = await aTask({ submissionLimit: 10 })
  const mate = await aTeamMate({ ...context, sql: direct.sql, db: direct.db }, player)
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, index) =>
      submit(`guess ${index}`, {
        on: index % 2 === 0 ? context.app : replica,
        by: index % 4 < 2 ? player.client : mate.client,
      }),
    ),
  )
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(10)
  const refused = answers.filter(({ statusCode }) => statusCode !== 200)
  for (const { statusCode, body } of refused)
    expect([statusCode, body]).toEqual([
      400,
      expect.objectContaining({
        status: 400,
        code: 'submission.limit',
        title: 'Your team has used all attempts at this challenge',
        detail: 'The team has used all of its 10 attempts at this challenge.',
      }),
    ])
  expect(await count()).toBe(10)
  expect(await read()).toEqual({ limit: 10, attempts: 10, nextAttemptAt: null })
})

test('64 parallel right answers of a team with one attempt store only one solve', async () => {
  const { challenge, submit, count } = await aTask({ submissionLimit: 1 })
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, index) => submit('flag{right}', { on: index % 2 === 0 ? context.app : replica })),
  )
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
  expect(await count()).toBe(1)
  expect(await direct.sql`select 1 from solves where challenge_id = ${challenge.id}`).toHaveLength(1)
})

test('a submission in a cool-down gets 429 and Retry-After, and a submission after the cool-down is judged', async () => {
  const { submit, count, read } = await aTask({ cooldownSeconds: 30 })
  const at = context.clock.now().getTime()
  expect((await submit('guess')).statusCode).toBe(200)
  expect(await read()).toEqual({ limit: 0, attempts: 1, nextAttemptAt: at + 30_000 })
  context.clock.advanceMs(29_999)
  const early = await submit('flag{right}')
  expect([early.statusCode, early.body.status, early.body.code, early.retryAfter]).toEqual([429, 429, 'submission.cooldown', '1'])
  expect(await count()).toBe(1)
  context.clock.advanceMs(1)
  expect((await submit('flag{right}')).statusCode).toBe(200)
  expect(await read()).toEqual({ limit: 0, attempts: 2, nextAttemptAt: null })
})

test('attempts are counted separately for each team and each challenge', async () => {
  const { challenge, submit } = await aTask({ submissionLimit: 1, cooldownSeconds: 60 })
  const other = await aTask({ submissionLimit: 1 }, challenge.gameId)
  const rival = await aPlayer({ ...context, db: direct.db }, { gameId: challenge.gameId, challengeIds: [challenge.id] })
  expect((await submit('guess')).statusCode).toBe(200)
  expect((await submit('guess', { by: rival.client })).statusCode).toBe(200)
  expect((await other.submit('guess')).statusCode).toBe(200)
  expect((await submit('flag{right}')).body.code).toBe('submission.limit')
})

test('a repeated call returns the stored submission even if the limit is reached', async () => {
  const { submit, count } = await aTask({ submissionLimit: 1 })
  const key = randomUUID()
  const answers = await Promise.all(Array.from({ length: 6 }, () => submit('guess', { key })))
  const [first] = answers
  for (const { statusCode, body } of answers) expect([statusCode, body]).toEqual([200, first?.body])
  expect((await submit('guess', { key })).body).toBe(first?.body)
  expect(await count()).toBe(1)
})

test('attempts in practice mode after the end are neither limited nor counted', async () => {
  const game = await aPastGame(direct.db, { practiceMode: true })
  const { submit, read } = await aTask({ submissionLimit: 1, cooldownSeconds: 60 }, game.id)
  for (const flag of ['guess', 'guess', 'flag{right}']) expect((await submit(flag)).statusCode).toBe(200)
  expect(await read()).toEqual({ limit: 1, attempts: 0, nextAttemptAt: null })
})

test('the flag of another team is recorded as a cheat, and counts as an attempt', async () => {
  const game = await aGame(direct.db)
  const { challenge, player, submit, read } = await aTask({ submissionLimit: 2, cooldownSeconds: 60 }, game.id)
  await direct.sql`update challenges set type = 'DynamicContainer' where id = ${challenge.id}`
  const rival = await aPlayer({ ...context, db: direct.db }, { gameId: game.id, challengeIds: [challenge.id] })
  await direct.sql`update assignments set flag = 'flag{theirs}' where participation_id = ${rival.participation.id}`
  await direct.sql`update assignments set flag = 'flag{ours}' where participation_id = ${player.participation.id}`
  const at = context.clock.now().getTime()
  await submit('flag{theirs}')
  expect(await direct.sql`select submitter_id, owner_id from cheats where game_id = ${game.id}`).toEqual([
    { submitter_id: player.participation.id, owner_id: rival.participation.id },
  ])
  expect(await read()).toEqual({ limit: 2, attempts: 1, nextAttemptAt: at + 60_000 })
})

test('an edit that omits the attempt rules does not change the rules', async () => {
  const { challenge, read } = await aTask({ submissionLimit: 5, cooldownSeconds: 7 })
  const admin = (await signInAsNewUser({ ...context, db: direct.db }, 'Admin')).client
  const address = `/api/edit/games/${challenge.gameId}/challenges/${challenge.id}`
  expect(await read()).toEqual({ limit: 5, attempts: 0, nextAttemptAt: null })
  expect((await admin.put(address, { title: 'Renamed' })).json()).toMatchObject({ submissionLimit: 5, cooldownSeconds: 7 })
  expect((await admin.put(address, { submissionLimit: 0 })).json()).toMatchObject({ submissionLimit: 0, cooldownSeconds: 7 })
  expect((await admin.put(address, { submissionLimit: 10_001 })).statusCode).toBe(400)
  expect((await admin.put(address, { cooldownSeconds: -1 })).statusCode).toBe(400)
  expect(await read()).toEqual({ limit: 0, attempts: 0, nextAttemptAt: null })
})
