import { migrateDatabase } from '@capstan/db/migrate'
import { copyRows, migrateToVersionBefore } from '@capstan/db/testing/older-database'
import { createTestDatabase } from '@capstan/db/testing/test-database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, aSubmission } from '../../testing/organizing-factories.ts'
import { aPlayer, aTeamMate } from '../../testing/playing-factories.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())

type Player = Pick<Awaited<ReturnType<typeof aPlayer>>, 'client'>

async function aContest() {
  const challenge = await aChallenge(context.db, { flags: ['flag{right}'] })
  const { gameId } = challenge
  const values = { gameId, challengeIds: [challenge.id] }
  const [player, rival] = [await aPlayer(context, values), await aPlayer(context, values)]
  const path = `/api/game/${gameId}/challenges/${challenge.id}`
  const submit = async (who: Player, flag: string): Promise<number> => (await who.client.post(path, { flag })).json()
  const poll = async (who: Player, id: number) => (await who.client.get(`${path}/status/${id}`)).json()
  return { gameId, challenge, player, rival, path, submit, poll }
}

test('the submission ids of a team are consecutive, even if other teams submit in between', async () => {
  const { player, rival, path, submit, poll } = await aContest()
  const mate = await aTeamMate(context, player)
  expect(await submit(player, 'first')).toBe(1)
  for (const flag of ['guess', 'another guess', 'flag{right}']) await submit(rival, flag)
  expect(await submit(mate, 'second')).toBe(2)
  const { id } = (await player.client.post(`${path}/verdict`, { flag: 'flag{right}' })).json()
  expect(id).toBe(3)
  const attempts: { id: number }[] = (await player.client.get(`${path}/attempts`)).json()
  expect(attempts.map((attempt) => attempt.id)).toEqual([3, 2, 1])
  expect([await poll(player, 1), await poll(rival, 1), await poll(player, 3)]).toEqual(['WrongAnswer', 'WrongAnswer', 'Accepted'])
  expect(await poll(player, 2)).toMatchObject({ status: 404 })
  expect(await poll(rival, 3)).toBe('Accepted')
})

test('the status of a submission is found after the cache of its process was cleared', async () => {
  const { player, rival, challenge, submit, poll } = await aContest()
  await submit(rival, 'flag{right}')
  const id = await submit(player, 'wrong')
  await context.sql`update submissions set status = 'Accepted' where challenge_id = ${challenge.id} and answer = 'wrong'`
  expect([id, await poll(player, id)]).toEqual([1, 'Accepted'])
})

test('64 concurrent submissions of two teams have consecutive ids in each team', async () => {
  const { player, rival, submit } = await aContest()
  const flags = ['wrong', 'flag{right}']
  const ids = await Promise.all(
    Array.from({ length: 64 }, (_, index) => submit(index % 4 < 2 ? player : rival, flags[index % 2] as string)),
  )
  const consecutive = Array.from({ length: 32 }, (_, index) => index + 1)
  for (const isOwn of [true, false])
    expect(ids.filter((_, index) => index % 4 < 2 === isOwn).sort((left, right) => left - right)).toEqual(consecutive)
})

test('the ids of notices by organizers are consecutive, even if bloods cause notices between them', async () => {
  const { gameId, player, submit } = await aContest()
  const { client } = await signInAsNewUser(context, 'Admin')
  const write = async (): Promise<number> =>
    (await client.post(`/api/edit/games/${gameId}/notices`, { content: 'Hello' })).json().id
  const first = await write()
  await submit(player, 'flag{right}')
  expect(await write()).toBe(first + 1)
  const notices: { id: number; type: string }[] = (await client.get(`/api/game/${gameId}/notices`)).json()
  expect(notices.map(({ type }) => type)).toEqual(['Normal', 'Normal', 'FirstBlood'])
  expect(notices[2]!.id).toBeGreaterThanOrEqual(2 ** 30)
})

test('the ids of bloods are consecutive per challenge, even after concurrent solves and withdrawn notices', async () => {
  const first = await aContest()
  const other = await aContest()
  const admin = (await signInAsNewUser(context, 'Admin')).client
  const bloodIds = async ({ gameId }: typeof first): Promise<number[]> => {
    const notices: { id: number }[] = (await admin.get(`/api/game/${gameId}/notices`)).json()
    return notices.map(({ id }) => id).sort((left, right) => left - right)
  }
  await first.submit(first.player, 'flag{right}')
  await Promise.all([other.player, other.rival].map((who) => other.submit(who, 'flag{right}')))
  await first.submit(first.rival, 'flag{right}')
  const [start = 0] = await bloodIds(first)
  expect(await bloodIds(first)).toEqual([start, start + 1])
  const after = (other.challenge.id - first.challenge.id) * 512
  expect(await bloodIds(other)).toEqual([start + after, start + after + 1])
  expect((await admin.delete(`/api/edit/games/${first.gameId}/notices/generated/${start}`)).statusCode).toBe(200)
  const late = await aPlayer(context, { gameId: first.gameId, challengeIds: [first.challenge.id] })
  await first.submit(late, 'flag{right}')
  expect(await bloodIds(first)).toEqual([start + 1, start + 2])
})

test('the migration retains the ids of earlier submissions, and the ids of later submissions follow them', async () => {
  const game = await aGame(context.db)
  const challenge = await aChallenge(context.db, { gameId: game.id })
  const { participation } = await aPlayer(context, { gameId: game.id })
  const earlier = [
    await aSubmission(context.db, participation, challenge.id),
    await aSubmission(context.db, participation, challenge.id),
  ]
  const older = await createTestDatabase({ template: 'template1' })
  await migrateToVersionBefore(older.sql, '0042_ids_that_count_no_other_team')
  await copyRows(context.sql, older.sql)
  await migrateDatabase(older.url)
  const later = await aSubmission(older.db, participation, challenge.id)
  const rows = await older.sql`select id, number from submissions where participation_id = ${participation.id} order by id`
  const ids = earlier.map(({ id }) => id)
  expect([...rows]).toEqual([...ids.map((id) => ({ id, number: id })), { id: later.id, number: ids[1]! + 1 }])
  await older.drop()
})
