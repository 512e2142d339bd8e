import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../app.ts'
import { aTeam, signInAsNewUser } from '../factories.ts'
import { aChallenge, aGame, anAssignment } from '../organizing-factories.ts'
import { aPlayer } from '../playing-factories.ts'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp({ config: { publicOrigin: 'http://localhost' } })
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

const phases = ['upcoming', 'running', 'practice', 'ended'] as const
type Phase = (typeof phases)[number]

/** Creates a game in the given phase with an accepted player, and a user whose team has not joined. */
async function aStage(phase: Phase, values: { writeupDeadline?: Date } = {}) {
  const { id: gameId } = await aGame(context.db, {
    phase: phase === 'practice' ? 'ended' : phase,
    practiceMode: phase === 'practice',
    hidden: true,
    writeupRequired: true,
    ...values,
  })
  const flags = ['flag{right}']
  const challenge = await aChallenge(context.db, { gameId, type: 'StaticContainer', containerImage: 'demo', flags })
  const player = await aPlayer(context, { gameId })
  await anAssignment(context.db, { participationId: player.participation.id, challengeId: challenge.id })
  const visitor = createTestClient(context.app)
  const stranger = await signInAsNewUser(context)
  const { id: strangersTeamId } = await aTeam(context.db, { captainId: stranger.user.id })
  const waiting = await aPlayer(context, { gameId, status: 'Pending' })
  const pdf = { name: 'a.pdf', type: 'application/pdf', content: '%PDF-1.7 report' }
  return { gameId, challengeId: challenge.id, player, visitor, stranger, strangersTeamId, waiting, pdf }
}
type Stage = Awaited<ReturnType<typeof aStage>>

type Call = (stage: Stage) => Promise<{ statusCode: number; body: string }>
type Cell = 200 | 400 | 10001 | 10002

function game(stage: Stage) {
  return `/api/game/${stage.gameId}`
}
function challenge(stage: Stage) {
  return `${game(stage)}/challenges/${stage.challengeId}`
}

/** Expected outcomes before the start, during the game, after the end with practice mode, and after the end without it. */
const rows: [string, Call, Cell, Cell, Cell, Cell][] = [
  ['the game page', (stage) => stage.visitor.get(game(stage)), 200, 200, 200, 200],
  ['join', (stage) => stage.stranger.client.post(game(stage), { teamId: stage.strangersTeamId }), 200, 200, 200, 10002],
  ['leave', (stage) => stage.waiting.client.delete(game(stage)), 200, 200, 200, 200],
  ['the scoreboard', (stage) => stage.visitor.get(`${game(stage)}/scoreboard`), 400, 200, 200, 200],
  ['notices', (stage) => stage.visitor.get(`${game(stage)}/notices`), 400, 200, 200, 200],
  ['details', (stage) => stage.player.client.get(`${game(stage)}/details`), 10001, 200, 200, 10002],
  ['a challenge', (stage) => stage.player.client.get(challenge(stage)), 10001, 200, 200, 10002],
  ['submit', (stage) => stage.player.client.post(challenge(stage), { flag: 'flag{right}' }), 10001, 200, 200, 10002],
  [
    'start a container',
    (stage) => stage.player.client.post(`${game(stage)}/container/${stage.challengeId}`),
    10001,
    200,
    200,
    10002,
  ],
  ['read the writeup state', (stage) => stage.player.client.get(`${game(stage)}/writeup`), 10001, 200, 200, 200],
  ['events', (stage) => admin.get(`${game(stage)}/events`), 400, 200, 200, 200],
  ['submissions', (stage) => admin.get(`${game(stage)}/submissions`), 400, 200, 200, 200],
  ['cheat info', (stage) => admin.get(`${game(stage)}/cheatinfo`), 400, 200, 200, 200],
  ['the scoreboard sheet', (stage) => admin.get(`${game(stage)}/scoreboardsheet`), 400, 200, 200, 200],
  ['the scoreboard as CSV', (stage) => admin.get(`${game(stage)}/scoreboard.csv`), 400, 200, 200, 200],
  ['the submissions as CSV', (stage) => admin.get(`${game(stage)}/submissions.csv`), 400, 200, 200, 200],
  ['the submission sheet', (stage) => admin.get(`${game(stage)}/submissionsheet`), 400, 200, 200, 200],
  ['the archive', (stage) => admin.get(`/api/edit/games/${stage.gameId}/archive`), 400, 400, 200, 200],
  ['participations', (stage) => admin.get(`${game(stage)}/participations`), 200, 200, 200, 200],
  ['captures', (stage) => admin.get(`/api/game/games/${stage.gameId}/captures`), 200, 200, 200, 200],
  ['editing the game', (stage) => admin.get(`/api/edit/games/${stage.gameId}`), 200, 200, 200, 200],
  [
    'editing a challenge',
    (stage) => admin.put(`/api/edit/games/${stage.gameId}/challenges/${stage.challengeId}`, { content: 'new' }),
    200,
    200,
    200,
    200,
  ],
]

/** Returns 200 or the code in the body of a refusal. */
async function outcomeOf(call: Call, stage: Stage): Promise<number> {
  const { statusCode, body } = await call(stage)
  if (statusCode === 200) return 200
  expect(statusCode).toBe(400)
  return JSON.parse(body).status
}

describe('the phase of the game', () => {
  const stages = new Map<Phase, Stage>()
  beforeAll(async () => {
    for (const phase of phases) stages.set(phase, await aStage(phase))
  })

  test.each(rows)('the api answers the call "%s" as expected in each phase of a game', async (_name, call, ...expected) => {
    const found: number[] = []
    for (const phase of phases) found.push(await outcomeOf(call, stages.get(phase)!))
    expect(found).toEqual(expected)
  })

  test('a right flag scores only before the end', async () => {
    const solves = async (phase: Phase) =>
      (await context.sql`select 1 from solves where game_id = ${stages.get(phase)!.gameId}`).length
    expect([await solves('running'), await solves('practice')]).toEqual([1, 0])
  })
})

const upload: Call = (stage) => stage.player.client.upload('POST', `${game(stage)}/writeup`, [stage.pdf])
function inAnHour() {
  return new Date(Date.now() + 3600_000)
}
function aMinuteAgo() {
  return new Date(Date.now() - 60_000)
}

test.each<[string, Phase, Date, Cell]>([
  ['before the start', 'upcoming', inAnHour(), 10001],
  ['while the game runs', 'running', inAnHour(), 200],
  ['after the end with practice, before the deadline', 'practice', inAnHour(), 200],
  ['after the end with practice, after the deadline', 'practice', aMinuteAgo(), 400],
  ['after the end without practice, before the deadline', 'ended', inAnHour(), 200],
  ['after the end without practice, after the deadline', 'ended', aMinuteAgo(), 400],
])('accepts or refuses a writeup that is uploaded %s', async (_name, phase, writeupDeadline, expected) => {
  expect(await outcomeOf(upload, await aStage(phase, { writeupDeadline }))).toBe(expected)
})

test('of several problems, the api reports an unknown game first and an unknown challenge last', async () => {
  const [upcoming, ended, running] = [await aStage('upcoming'), await aStage('ended'), await aStage('running')]
  const ask = async (client: TestClient, gameId: number, challengeId = 2_000_000_000) => {
    const { statusCode, body } = await client.get(`/api/game/${gameId}/challenges/${challengeId}`)
    return [statusCode, JSON.parse(body).code]
  }
  const disabled = await aChallenge(context.db, { gameId: running.gameId, isEnabled: false })
  expect(await ask(upcoming.stranger.client, 2_000_000_000)).toEqual([404, 'game.unknown'])
  expect(await ask(upcoming.stranger.client, upcoming.gameId)).toEqual([400, 'participation.required'])
  expect(await ask(upcoming.waiting.client, upcoming.gameId)).toEqual([400, 'participation.not-accepted'])
  expect(await ask(upcoming.player.client, upcoming.gameId)).toEqual([400, 'game.not-started'])
  expect(await ask(ended.player.client, ended.gameId)).toEqual([400, 'game.ended'])
  expect(await ask(running.player.client, running.gameId)).toEqual([404, 'challenge.unknown'])
  expect(await ask(running.player.client, running.gameId, disabled.id)).toEqual([404, 'challenge.unknown'])
})
