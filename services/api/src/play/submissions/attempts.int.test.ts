import type { TeamAttempt } from '@capstan/contract/submissions'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { aChallenge, anAssignment, aSubmission } from '../../testing/organizing-factories.ts'
import { aPlayer, aTeamMate } from '../../testing/playing-factories.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())

/** Creates two teams with a dynamic challenge. Their flags are `flag{ours}` and `flag{theirs}`. */
async function aContest() {
  const challenge = await aChallenge(context.db, { type: 'DynamicContainer', containerImage: 'demo' })
  const { gameId, id: challengeId } = challenge
  const [player, rival] = [await aPlayer(context, { gameId }), await aPlayer(context, { gameId })]
  await anAssignment(context.db, { participationId: player.participation.id, challengeId, flag: 'flag{ours}' })
  await anAssignment(context.db, { participationId: rival.participation.id, challengeId, flag: 'flag{theirs}' })
  const path = `/api/game/${gameId}/challenges/${challengeId}`
  const submit = async (who: Pick<typeof player, 'client'>, flag: string): Promise<number> =>
    (await who.client.post(path, { flag })).json()
  const read = async (who: Pick<typeof player, 'client'>): Promise<TeamAttempt[]> =>
    (await who.client.get(`${path}/attempts`)).json()
  const summarize = async (who: Pick<typeof player, 'client'>) =>
    (await read(who)).map(({ answer, status, user, isOwn }) => [answer, status, user, isOwn])
  return { challenge, player, rival, path, submit, read, summarize }
}

test('every member sees the submissions of the team, newest first, and no submissions of other teams', async () => {
  const { player, rival, submit, summarize } = await aContest()
  const mate = await aTeamMate(context, player)
  await submit(player, 'first guess')
  await submit(mate, 'second guess')
  await submit(rival, 'guess of the rival')
  await submit(player, 'flag{theirs}')
  await submit(player, 'flag{ours}')
  expect(await summarize(player)).toEqual([
    ['flag{ours}', 'Accepted', player.user.userName, true],
    ['flag{theirs}', 'WrongAnswer', player.user.userName, true],
    ['second guess', 'WrongAnswer', mate.user.userName, false],
    ['first guess', 'WrongAnswer', player.user.userName, true],
  ])
  expect((await summarize(mate)).map(([, , , isOwn]) => isOwn)).toEqual([false, false, true, false])
  expect(await summarize(rival)).toEqual([['guess of the rival', 'WrongAnswer', rival.user.userName, true]])
})

test('the list shows the flag of another team like any other wrong answer', async () => {
  const { player, submit, read } = await aContest()
  const ids = [await submit(player, 'guess'), await submit(player, 'flag{theirs}')]
  const listed = await read(player)
  expect(listed.map(({ id }) => id)).toEqual(ids.toReversed())
  for (const each of listed) expect(Object.keys(each).toSorted()).toEqual(['answer', 'id', 'isOwn', 'status', 'time', 'user'])
})

test('lists the newest 50 answers to the challenge, and no answers to another challenge', async () => {
  const { challenge, player, read } = await aContest()
  const other = await aChallenge(context.db, { gameId: challenge.gameId })
  for (let at = 0; at < 52; at++) await aSubmission(context.db, player.participation, challenge.id, { answer: `guess ${at}` })
  await aSubmission(context.db, player.participation, other.id, { answer: 'elsewhere' })
  const answers = (await read(player)).map(({ answer }) => answer)
  expect([answers.length, answers[0], answers.at(-1)]).toEqual([50, 'guess 51', 'guess 2'])
})

test('lists an answer without a user name if the user was deleted', async () => {
  const { challenge, player, summarize } = await aContest()
  await aSubmission(context.db, player.participation, challenge.id, { answer: 'orphan' })
  expect(await summarize(player)).toEqual([['orphan', 'WrongAnswer', '', false]])
})

test('lists no answers to a disabled challenge or a challenge of another game', async () => {
  const { challenge, player, path } = await aContest()
  const foreign = await aChallenge(context.db)
  const statusOf = async (address: string) => (await player.client.get(address)).statusCode
  expect(await statusOf(`/api/game/${challenge.gameId}/challenges/${foreign.id}/attempts`)).toBe(404)
  await context.sql`update challenges set is_enabled = false where id = ${challenge.id}`
  expect(await statusOf(`${path}/attempts`)).toBe(404)
})
