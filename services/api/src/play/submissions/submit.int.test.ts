import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { aChallenge, aGame, anAssignment } from '../../testing/organizing-factories.ts'
import { aPastGame, aPlayer, aTeamMate } from '../../testing/playing-factories.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())

type Player = Awaited<ReturnType<typeof aPlayer>>

async function aStaticChallenge(values: { gameId?: number } = {}) {
  const gameId = values.gameId ?? (await aGame(context.db)).id
  return aChallenge(context.db, { gameId, title: 'Warm-up', flags: ['flag{right}', 'flag{also right}'] })
}

function submit(player: Pick<Player, 'client'>, challenge: { gameId: number; id: number }, flag: string) {
  return player.client.post(`/api/game/${challenge.gameId}/challenges/${challenge.id}`, { flag })
}

async function statusOf(player: Pick<Player, 'client'>, challenge: { gameId: number; id: number }, id: number) {
  return (await player.client.get(`/api/game/${challenge.gameId}/challenges/${challenge.id}/status/${id}`)).json()
}

/** Submits an answer and polls its status. */
async function judge(player: Player, challenge: { gameId: number; id: number }, flag: string) {
  const response = await submit(player, challenge, flag)
  expect(response.statusCode).toBe(200)
  return statusOf(player, challenge, response.json())
}

function eventsOf(gameId: number) {
  return context.sql`select type, values from events where game_id = ${gameId} order by id`
}
function solvesOf(challengeId: number) {
  return context.sql`select * from solves where challenge_id = ${challengeId}`
}
function messagesOf(gameId: number) {
  return context.messages.filter((message) => 'gameId' in message && message.gameId === gameId)
}

test('a right flag is stored, counted, announced and pushed', async () => {
  const challenge = await aStaticChallenge()
  const player = await aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })
  const response = await submit(player, challenge, '  flag{right} ')
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
  expect(await statusOf(player, challenge, response.json())).toBe('Accepted')
  const [stored] =
    await context.sql`select answer, status, user_id from submissions where challenge_id = ${challenge.id} and number = ${response.json()}`
  expect(stored).toEqual({ answer: 'flag{right}', status: 'Accepted', user_id: player.user.id })
  expect(await solvesOf(challenge.id)).toMatchObject([
    { participation_id: player.participation.id, submission_id: response.json() },
  ])
  const [counted] = await context.sql`select accepted_count from challenges where id = ${challenge.id}`
  expect(counted?.accepted_count).toBe(1)
  expect(await eventsOf(challenge.gameId)).toEqual([
    { type: 'FlagSubmit', values: ['Accepted', 'flag{right}', 'Warm-up', String(challenge.id)] },
  ])
  const [notice] = await context.sql`select id, type, values from notices where game_id = ${challenge.gameId}`
  expect(notice).toMatchObject({ type: 'FirstBlood', values: [player.team.name, 'Warm-up'] })
  await expect.poll(() => messagesOf(challenge.gameId)).toHaveLength(3)
  const time = expect.any(String)
  const person = { user: player.user.userName, team: player.team.name }
  expect(messagesOf(challenge.gameId)).toEqual([
    {
      kind: 'event',
      gameId: challenge.gameId,
      payload: { time, ...person, type: 'FlagSubmit', values: ['Accepted', 'flag{right}', 'Warm-up', String(challenge.id)] },
    },
    {
      kind: 'submission',
      gameId: challenge.gameId,
      payload: { answer: 'flag{right}', status: 'Accepted', time, ...person, challenge: 'Warm-up' },
    },
    {
      kind: 'notice',
      gameId: challenge.gameId,
      payload: { id: notice?.id, time, type: 'FirstBlood', values: [player.team.name, 'Warm-up'] },
    },
  ])
})

test('any flag of a static challenge is accepted, but only if upper and lower case match', async () => {
  const challenge = await aStaticChallenge()
  const player = await aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })
  expect(await judge(player, challenge, 'FLAG{right}')).toBe('WrongAnswer')
  expect(await judge(player, challenge, 'flag{also right}')).toBe('Accepted')
})

test('accepts a right flag again, but does not store a second solve', async () => {
  const challenge = await aStaticChallenge()
  const player = await aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })
  await judge(player, challenge, 'flag{right}')
  expect(await judge(player, challenge, 'flag{right}')).toBe('Accepted')
  expect(await solvesOf(challenge.id)).toHaveLength(1)
  expect(await eventsOf(challenge.gameId)).toHaveLength(2)
})

test('a wrong flag is stored with an event, but causes neither solve nor notice', async () => {
  const challenge = await aStaticChallenge()
  const player = await aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })
  expect(await judge(player, challenge, 'flag{wrong}')).toBe('WrongAnswer')
  expect(await solvesOf(challenge.id)).toHaveLength(0)
  expect(await eventsOf(challenge.gameId)).toMatchObject([
    { values: ['WrongAnswer', 'flag{wrong}', 'Warm-up', String(challenge.id)] },
  ])
  expect(await context.sql`select 1 from notices where game_id = ${challenge.gameId}`).toHaveLength(0)
})

test('accepts a right flag in practice mode, but stores no solve', async () => {
  const game = await aPastGame(context.db, { practiceMode: true })
  const challenge = await aStaticChallenge({ gameId: game.id })
  const player = await aPlayer(context, { gameId: game.id, challengeIds: [challenge.id] })
  expect(await judge(player, challenge, 'flag{right}')).toBe('Accepted')
  expect(await solvesOf(challenge.id)).toHaveLength(0)
  expect(await context.sql`select 1 from notices where game_id = ${game.id}`).toHaveLength(0)
})

test('a flag is answered with NotFound and causes no event if the team has no assignment', async () => {
  const challenge = await aStaticChallenge()
  const player = await aPlayer(context, { gameId: challenge.gameId })
  expect(await judge(player, challenge, 'flag{right}')).toBe('NotFound')
  expect(await eventsOf(challenge.gameId)).toHaveLength(0)
})

test("records another team's flag as a cheat, and shows the player a wrong answer", async () => {
  const game = await aGame(context.db)
  const challenge = await aChallenge(context.db, { gameId: game.id, type: 'DynamicContainer', title: 'Own flags' })
  const owner = await aPlayer(context, { gameId: game.id })
  const cheater = await aPlayer(context, { gameId: game.id })
  await anAssignment(context.db, { participationId: owner.participation.id, challengeId: challenge.id, flag: 'flag{owner}' })
  await anAssignment(context.db, { participationId: cheater.participation.id, challengeId: challenge.id, flag: 'flag{cheater}' })
  const response = await submit(cheater, challenge, 'flag{owner}')
  expect(await statusOf(cheater, challenge, response.json())).toBe('WrongAnswer')
  const [stored] = await context.sql`select status from submissions where challenge_id = ${challenge.id}`
  expect(stored?.status).toBe('CheatDetected')
  expect(context.logLines.at(-1)).toMatchObject({
    level: 'Warning',
    message: `Team "${cheater.team.name}" submitted the flag of another team for "Own flags"`,
  })
  expect(await context.sql`select submitter_id, owner_id from cheats where game_id = ${game.id}`).toEqual([
    { submitter_id: cheater.participation.id, owner_id: owner.participation.id },
  ])
  expect(await eventsOf(game.id)).toEqual([
    { type: 'FlagSubmit', values: ['WrongAnswer', 'flag{owner}', 'Own flags', String(challenge.id)] },
    { type: 'CheatDetected', values: ['Own flags', cheater.team.name, owner.team.name] },
  ])
  expect(await judge(owner, challenge, 'flag{owner}')).toBe('Accepted')
})

test('the log contains the verdict of each flag, but not the answer', async () => {
  const challenge = await aStaticChallenge()
  const player = await aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })
  await judge(player, challenge, 'flag{sunk}')
  await judge(player, challenge, 'flag{right}')
  const lines = context.logLines.filter(({ name }) => name === player.user.userName)
  const team = `Team "${player.team.name}"`
  expect(lines.map(({ message, status }) => [message, status])).toEqual([
    [`${team} submitted a wrong flag for "${challenge.title}"`, 'Failed'],
    [`${team} submitted the correct flag for "${challenge.title}"`, 'Success'],
  ])
  expect(JSON.stringify(lines)).not.toContain('flag{')
})

test.each([
  ['answers 404 for an unknown game', async () => ({ gameId: 99_999 }), 404, 404],
  ['answers 400 to a user who did not join', async () => ({}), 400, 400],
])('%s', async (_name, make, httpStatus, status) => {
  const challenge = await aStaticChallenge()
  const stranger = await aPlayer(context)
  const response = await submit(stranger, { ...challenge, ...(await make()) }, 'flag{right}')
  expect([response.statusCode, response.json().status]).toEqual([httpStatus, status])
})

test.each(['Pending', 'Rejected', 'Suspended'] as const)('refuses a %s team with 400 even before the start', async (status) => {
  const game = await aGame(context.db, { phase: 'upcoming' })
  const challenge = await aStaticChallenge({ gameId: game.id })
  const player = await aPlayer(context, { gameId: game.id, status })
  const response = await submit(player, challenge, 'flag{right}')
  expect([response.statusCode, response.json().status]).toEqual([400, 400])
})

test('submissions before the start get HTTP status 400 and body status 10001, even for an unknown challenge', async () => {
  const game = await aGame(context.db, { phase: 'upcoming' })
  const player = await aPlayer(context, { gameId: game.id })
  const response = await submit(player, { gameId: game.id, id: 99_999 }, 'flag{right}')
  expect([response.statusCode, response.json().status]).toEqual([400, 10001])
})

test('submissions after the end get HTTP status 400 and body status 10002 if practice mode is off', async () => {
  const game = await aPastGame(context.db, { practiceMode: false })
  const challenge = await aStaticChallenge({ gameId: game.id })
  const player = await aPlayer(context, { gameId: game.id, challengeIds: [challenge.id] })
  const response = await submit(player, challenge, 'flag{right}')
  expect([response.statusCode, response.json().status]).toEqual([400, 10002])
})

test.each([
  ['a disabled challenge', { isEnabled: false }],
  ['a challenge of another game', {}],
])('answers 404 for %s', async (_name, values) => {
  const game = await aGame(context.db)
  const challenge = await aChallenge(context.db, { ...('isEnabled' in values ? { gameId: game.id } : {}), ...values })
  const player = await aPlayer(context, { gameId: game.id })
  expect((await submit(player, { gameId: game.id, id: challenge.id }, 'x')).statusCode).toBe(404)
})

test.each(['', '   ', 'x'.repeat(128)])('refuses the answer %j', async (flag) => {
  const challenge = await aStaticChallenge()
  const player = await aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })
  expect((await submit(player, challenge, flag)).statusCode).toBe(400)
})

test('the sender of a submission can read its status, but a team mate cannot', async () => {
  const challenge = await aStaticChallenge()
  const player = await aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })
  const mate = await aTeamMate(context, player)
  const id = (await submit(player, challenge, 'flag{wrong}')).json()
  const path = `/api/game/${challenge.gameId}/challenges/${challenge.id}/status/${id}`
  expect((await mate.client.get(path)).statusCode).toBe(404)
  expect((await player.client.get(path.replace(`challenges/${challenge.id}`, 'challenges/99999'))).statusCode).toBe(404)
})

test('the same right flag that is sent twice at once is stored as two submissions and one solve', async () => {
  const challenge = await aStaticChallenge()
  const player = await aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })
  const answers = await Promise.all([1, 2].map(() => submit(player, challenge, 'flag{right}')))
  const ids = answers.map((answer): number => answer.json())
  expect(new Set(ids).size).toBe(2)
  expect(await Promise.all(ids.map((id) => statusOf(player, challenge, id)))).toEqual(['Accepted', 'Accepted'])
  expect(await solvesOf(challenge.id)).toHaveLength(1)
  expect(await eventsOf(challenge.gameId)).toHaveLength(2)
  const notices = await context.sql`select type from notices where game_id = ${challenge.gameId}`
  expect(notices.map(({ type }) => type)).toEqual(['FirstBlood'])
})

test('50 concurrent teams get one first, second and third blood, and each team gets one solve', async () => {
  const challenge = await aStaticChallenge()
  const players = await Promise.all(
    Array.from({ length: 50 }, () => aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })),
  )
  const responses = await Promise.all(
    players.flatMap((player) => Array.from({ length: 4 }, () => submit(player, challenge, 'flag{right}'))),
  )
  expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(200).fill(200))
  const bloods = await context.sql`select type, values[1] as team from notices where game_id = ${challenge.gameId} order by id`
  expect(bloods.map(({ type }) => type)).toEqual(['FirstBlood', 'SecondBlood', 'ThirdBlood'])
  expect(new Set(bloods.map(({ team }) => team)).size).toBe(3)
  expect(await solvesOf(challenge.id)).toHaveLength(50)
  const [counted] = await context.sql`select accepted_count from challenges where id = ${challenge.id}`
  expect(counted?.accepted_count).toBe(50)
  await expect
    .poll(async () => {
      const board = (await players[0]!.client.get(`/api/game/${challenge.gameId}/scoreboard`)).json()
      return board.challenges.Misc[0].bloods.map(({ name }: { name: string }) => name)
    })
    .toEqual(bloods.map(({ team }) => team))
})

test('accepts every match of a pattern or of a case-insensitive flag, and records no cheat', async () => {
  const challenge = await aChallenge(context.db, {
    flags: ['flag{exact}'],
    rules: [
      { kind: 'Pattern', flag: String.raw`flag\{[0-9]{4}\}` },
      { kind: 'Caseless', flag: 'flag{Shout}' },
    ],
  })
  const of = { gameId: challenge.gameId, challengeIds: [challenge.id] }
  const [first, second, third] = [await aPlayer(context, of), await aPlayer(context, of), await aPlayer(context, of)]
  expect(await judge(first, challenge, 'flag{12345}')).toBe('WrongAnswer')
  expect(await judge(first, challenge, 'FLAG{EXACT}')).toBe('WrongAnswer')
  expect(await judge(first, challenge, String.raw`flag\{[0-9]{4}\}`)).toBe('WrongAnswer')
  expect(await judge(first, challenge, ' flag{1234} ')).toBe('Accepted')
  expect(await judge(second, challenge, 'FLAG{SHOUT}')).toBe('Accepted')
  expect(await judge(third, challenge, 'flag{1234}')).toBe('Accepted')
  expect(await judge(third, challenge, 'flag{4321}')).toBe('Accepted')
  expect(await solvesOf(challenge.id)).toHaveLength(3)
  expect(await context.sql`select id from cheats where game_id = ${challenge.gameId}`).toEqual([])
})
