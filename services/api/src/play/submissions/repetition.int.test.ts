import { randomUUID } from 'node:crypto'
import { RateLimits } from '@capstan/contract/limits'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { aChallenge, aGame } from '../../testing/organizing-factories.ts'
import { aPlayer, aTeamMate } from '../../testing/playing-factories.ts'

let context: TestApp
let inserts = 0
let keySearches = 0
function observe(text: string) {
  if (text.includes('insert into "submissions"')) inserts += 1
  if (text.startsWith('select') && text.includes('"submissions"."client_key" = ')) keySearches += 1
  return undefined
}
beforeAll(async () => {
  context = await startTestApp({ observe })
})
afterAll(() => context.close())

type Player = Awaited<ReturnType<typeof aPlayer>>

async function aTask(gameId?: number) {
  return aChallenge(context.db, { gameId: gameId ?? (await aGame(context.db)).id, flags: ['flag{right}'] })
}
function aPlayerOf(challenge: { gameId: number; id: number }) {
  return aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })
}

function submit(player: Pick<Player, 'client'>, challenge: { gameId: number; id: number }, flag: string, key?: string) {
  return player.client.post(
    `/api/game/${challenge.gameId}/challenges/${challenge.id}`,
    { flag },
    key === undefined ? {} : { 'idempotency-key': key },
  )
}
async function statusOf(player: Pick<Player, 'client'>, challenge: { gameId: number; id: number }, id: number) {
  return (await player.client.get(`/api/game/${challenge.gameId}/challenges/${challenge.id}/status/${id}`)).json()
}
async function countOf(challengeId: number) {
  const [row] = await context.sql`select count(*)::integer as count from submissions where challenge_id = ${challengeId}`
  return row?.count
}

test.each([
  ['flag{right}', 'Accepted'],
  ['flag{wrong}', 'WrongAnswer'],
])('a repeated call of %s returns the same id and verdict, and stores only one event', async (flag, verdict) => {
  const challenge = await aTask()
  const player = await aPlayerOf(challenge)
  const key = randomUUID()
  const answers = [await submit(player, challenge, flag, key), await submit(player, challenge, ` ${flag} `, key.toUpperCase())]
  const [first, second] = answers.map((answer): number => answer.json())
  expect(second).toBe(first)
  expect(await statusOf(player, challenge, first ?? 0)).toBe(verdict)
  expect(await countOf(challenge.id)).toBe(1)
  const events = await context.sql`select type from events where game_id = ${challenge.gameId}`
  expect(events).toHaveLength(1)
})

test.each([['flag{right}'], ['flag{wrong}']])(
  'stores only one submission for concurrent calls of %s with the same key',
  async (flag) => {
    const challenge = await aTask()
    const [player, other] = [await aPlayerOf(challenge), await aPlayerOf(challenge)]
    const key = randomUUID()
    const calls = Array.from({ length: 12 }, (_, index) =>
      index % 3 === 2 ? submit(other, challenge, flag, randomUUID()) : submit(player, challenge, flag, key),
    )
    const answers = await Promise.all(calls)
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(12).fill(200))
    const ids = answers.map((answer): number => answer.json())
    expect(new Set(ids.filter((_, index) => index % 3 !== 2)).size).toBe(1)
    expect(await countOf(challenge.id)).toBe(5)
  },
)

test.each([['flag{right}'], ['flag{wrong}']])(
  'several calls with one idempotency key cause at most one database insert (%s)',
  async (flag) => {
    const challenge = await aTask()
    const player = await aPlayerOf(challenge)
    const mate = await aTeamMate(context, player)
    const [used, shared] = [randomUUID(), randomUUID()]
    const first = (await submit(player, challenge, flag, used)).json()
    inserts = 0
    expect((await submit(mate, challenge, flag, used)).json()).toBe(first)
    expect(inserts).toBe(0)
    const answers = await Promise.all([player, mate, player, mate].map((each) => submit(each, challenge, flag, shared)))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
    expect([new Set(answers.map((answer): number => answer.json())).size, inserts]).toEqual([1, 1])
  },
)

test('a repeated call returns the stored submission even after the challenge was disabled', async () => {
  const challenge = await aTask()
  const player = await aPlayerOf(challenge)
  const key = randomUUID()
  const id = (await submit(player, challenge, 'flag{right}', key)).json()
  await context.sql`update challenges set is_enabled = false where id = ${challenge.id}`
  expect((await submit(player, challenge, 'flag{right}', key)).json()).toBe(id)
})

test('accepts an idempotency key if the first call with the key was refused', async () => {
  const challenge = await aTask()
  const player = await aPlayerOf(challenge)
  const key = randomUUID()
  expect((await submit(player, { ...challenge, id: 999_999 }, 'flag{right}', key)).statusCode).toBe(404)
  const answer = await submit(player, challenge, 'flag{right}', key)
  expect([answer.statusCode, await countOf(challenge.id)]).toEqual([200, 1])
})

test('refuses an idempotency key that the team used for another flag or challenge, but accepts the key of another team', async () => {
  const challenge = await aTask()
  const second = await aTask(challenge.gameId)
  const player = await aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id, second.id] })
  const [mate, stranger] = [await aTeamMate(context, player), await aPlayerOf(challenge)]
  const key = randomUUID()
  const id = (await submit(player, challenge, 'flag{wrong}', key)).json()
  for (const answer of [await submit(player, challenge, 'flag{other}', key), await submit(player, second, 'flag{wrong}', key)])
    expect([answer.statusCode, answer.json().detail]).toEqual([400, 'Idempotency-Key belongs to another submission'])
  expect((await submit(mate, challenge, 'flag{wrong}', key)).json()).toBe(id)
  const other = await submit(stranger, challenge, 'flag{wrong}', key)
  expect(other.statusCode).toBe(200)
  expect([await countOf(challenge.id), await countOf(second.id)]).toEqual([2, 0])
})

test.each(['', '1', 'x'.repeat(500), `${randomUUID()}0`])('refuses the idempotency key %j', async (key) => {
  const challenge = await aTask()
  const player = await aPlayerOf(challenge)
  const answer = await submit(player, challenge, 'flag{wrong}', key)
  expect([answer.statusCode, answer.json().detail]).toEqual([400, 'Idempotency-Key must be one UUID'])
  expect(await countOf(challenge.id)).toBe(0)
})

test('the same flag is stored twice if the calls have no idempotency key', async () => {
  const challenge = await aTask()
  const player = await aPlayerOf(challenge)
  await submit(player, challenge, 'flag{wrong}')
  await submit(player, challenge, 'flag{wrong}')
  expect(await countOf(challenge.id)).toBe(2)
})

test('calls with a repeated idempotency key do not count for the rate limit of submissions', async () => {
  const limited = await startTestApp({ config: { rateLimits: true }, deps: { sleep: async () => {} } })
  const { id: gameId } = await aGame(limited.db)
  const challenge = await aChallenge(limited.db, { gameId, flags: ['flag{right}'] })
  const player = await aPlayer(limited, { gameId, challengeIds: [challenge.id] })
  const key = randomUUID()
  for (let call = 0; call < 120; call += 1) expect((await submit(player, challenge, 'flag{wrong}', key)).statusCode).toBe(200)
  const others = await Promise.all(Array.from({ length: 150 }, () => submit(player, challenge, 'flag{wrong}', randomUUID())))
  expect(new Set(others.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 429]))
  expect((await submit(player, challenge, 'flag{wrong}', key)).statusCode).toBe(200)
  await limited.close()
})

test('a call with the idempotency key of another game counts toward the rate limit of submissions', async () => {
  const limited = await startTestApp({ config: { rateLimits: true }, deps: { sleep: async () => {} } })
  try {
    const first = await aChallenge(limited.db, { gameId: (await aGame(limited.db)).id })
    const { id: otherId } = await aGame(limited.db)
    const player = await aPlayer(limited, { gameId: first.gameId, challengeIds: [first.id] })
    const key = randomUUID()
    expect((await submit(player, first, 'flag{wrong}', key)).statusCode).toBe(200)
    const elsewhere = await Promise.all(
      Array.from({ length: 120 }, () => submit(player, { gameId: otherId, id: 999_999 }, 'flag{wrong}', key)),
    )
    expect(new Set(elsewhere.map(({ statusCode }) => statusCode))).toEqual(new Set([400, 429]))
  } finally {
    await limited.close()
  }
})

test('a call over the global rate limit does not search for its idempotency key in the database', async () => {
  const config = { rateLimits: true, trustedProxies: true }
  const limited = await startTestApp({ observe, config, deps: { sleep: async () => {} } })
  try {
    const challenge = await aChallenge(limited.db, { gameId: (await aGame(limited.db)).id })
    const { client } = await aPlayer(limited, { gameId: challenge.gameId, challengeIds: [challenge.id] })
    const submitFromAfar = () =>
      client.post(
        `/api/game/${challenge.gameId}/challenges/${challenge.id}`,
        { flag: 'flag{wrong}' },
        { 'x-forwarded-for': '203.0.113.7', 'idempotency-key': randomUUID() },
      )
    const { perMinute, queued } = RateLimits.global
    await Promise.all(Array.from({ length: perMinute + queued }, submitFromAfar))
    keySearches = 0
    for (let call = 0; call < 5; call += 1) expect((await submitFromAfar()).statusCode).toBe(429)
    expect(keySearches).toBe(0)
  } finally {
    await limited.close()
  }
})
