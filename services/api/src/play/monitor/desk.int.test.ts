import { proxyConnections } from '@capstan/db/schema/instances'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import {
  aChallenge,
  aCheat,
  aGame,
  aNotice,
  anInstance,
  aParticipation,
  aSubmission,
} from '../../testing/organizing-factories.ts'

let context: TestApp
let monitor: TestClient
beforeAll(async () => {
  context = await startTestApp()
  monitor = (await signInAsNewUser(context, 'Monitor')).client
})
afterAll(() => context.close())

function minutesAgo(minutes: number) {
  return new Date(context.deps.clock.now().getTime() - minutes * 60_000)
}

test('the overview for monitors shows the current state of the game', async () => {
  const challenge = await aChallenge(context.db, { title: 'Heap', type: 'DynamicContainer' })
  const { gameId, id: challengeId } = challenge
  const team = await aParticipation(context.db, { gameId })
  const other = await aParticipation(context.db, { gameId })
  const waiting = await aParticipation(context.db, { gameId, status: 'Pending', createdAt: minutesAgo(90) })
  await aSubmission(context.db, team, challengeId, { submittedAt: minutesAgo(1.5) })
  await aSubmission(context.db, team, challengeId, { submittedAt: minutesAgo(1.5), solve: true })
  await aSubmission(context.db, team, challengeId, { submittedAt: minutesAgo(61) })
  const stolen = await aSubmission(context.db, other, challengeId, { status: 'CheatDetected', submittedAt: minutesAgo(61) })
  await aCheat(context.db, { gameId, submissionId: stolen.id, submitterId: other.id, ownerId: team.id })
  const common = { gameId, challengeId, startedAt: minutesAgo(5.5) }
  const running = await anInstance(context.db, { ...common, participationId: team.id })
  await anInstance(context.db, common)
  await anInstance(context.db, {
    ...common,
    participationId: other.id,
    status: 'Destroyed',
    reason: 'The image could not be downloaded.',
    reasonCode: 'ImagePullFailed',
    endedAt: minutesAgo(5),
  })
  await context.db.insert(proxyConnections).values({
    ...{ id: crypto.randomUUID(), instanceId: running.id, clientAddress: '203.0.113.5', openedAt: minutesAgo(1) },
  })
  await aNotice(context.db, {
    ...{ gameId, type: 'FirstBlood', values: [], publishedAt: minutesAgo(1.5) },
    ...{ teamId: team.team.id, challengeId },
  })
  await aNotice(context.db, { gameId })
  context.deps.bus.publish({
    kind: 'gateway-clients',
    gatewayId: 'one',
    rooms: [
      { hub: 'user', gameId, clients: 4 },
      { hub: 'monitor', gameId, clients: 1 },
      { hub: 'user', gameId: gameId + 1, clients: 9 },
    ],
  })

  const desk = (await monitor.get(`/api/game/${gameId}/desk`)).json()
  expect(desk.minutes).toHaveLength(60)
  expect([desk.minutes[58], desk.minutes[54]]).toEqual([
    { submissions: 2, accepted: 1, starts: 0 },
    { submissions: 0, accepted: 0, starts: 2 },
  ])
  const { time: _time, minutes: _minutes, ...rest } = desk
  expect(rest).toEqual({
    instances: { running: 1, starting: 0, failing: 0, tests: 1 },
    failures: [
      {
        ...{ challengeId, challenge: 'Heap', image: 'demo', count: 1, reason: 'The image could not be downloaded.' },
        reasonCode: 'ImagePullFailed',
        lastAt: expect.any(String),
      },
    ],
    review: { waiting: 1, since: waiting.createdAt.toISOString() },
    cheats: { lastHour: 0, total: 1 },
    hasCertificates: false,
    bloods: [{ time: expect.any(String), type: 'FirstBlood', team: team.team.name, challenge: 'Heap' }],
    challenges: [expect.objectContaining({ id: challengeId, title: 'Heap', solved: 1, right: 1, wrong: 1, teams: 1 })],
    movers: [expect.objectContaining({ teamId: team.team.id, rank: 1, solves: 1 })],
    stuck: [],
    suspicions: [{ time: stolen.submittedAt.toISOString(), team: other.team.name, owner: team.team.name, challenge: 'Heap' }],
    summary: { teams: 2, scored: 1, solves: 1, leaders: [expect.objectContaining({ teamId: team.team.id })] },
    connections: { gateways: 1, players: 4, monitors: 1, proxied: 1 },
  })
  // The gain includes 5 % for the first blood.
  expect([rest.challenges[0].score, rest.movers[0].gained]).toEqual([1000, 1050])
})

test('the overview lists teams without a right answer in the last hour, and the team with the most wrong answers is first', async () => {
  const { gameId, id: challengeId } = await aChallenge(context.db, { title: 'Heap' })
  const other = await aChallenge(context.db, { gameId, title: 'Stack' })
  const stuck = await aParticipation(context.db, { gameId })
  const lucky = await aParticipation(context.db, { gameId })
  const calm = await aParticipation(context.db, { gameId })
  const rejected = await aParticipation(context.db, { gameId, status: 'Rejected' })
  const before = await aSubmission(context.db, stuck, other.id, { submittedAt: minutesAgo(90), solve: true })
  for (const team of [stuck, stuck, stuck, lucky, lucky, lucky, calm, rejected, rejected, rejected])
    await aSubmission(context.db, team, challengeId, { submittedAt: minutesAgo(10) })
  await aSubmission(context.db, lucky, other.id, { submittedAt: minutesAgo(5), solve: true })
  const desk = (await monitor.get(`/api/game/${gameId}/desk`)).json()
  expect(desk.stuck).toEqual([
    {
      ...{ teamId: stuck.team.id, team: stuck.team.name, wrong: 3, challenge: 'Heap' },
      lastSolveAt: before.submittedAt.toISOString(),
    },
  ])
  expect(desk.movers.map(({ teamId }: { teamId: number }) => teamId)).toEqual([lucky.team.id])
})

test('the overview for monitors is available before the start, and answers 404 for an unknown game', async () => {
  const game = await aGame(context.db, { phase: 'upcoming' })
  const desk = await monitor.get(`/api/game/${game.id}/desk`)
  expect([desk.statusCode, desk.json().review]).toEqual([200, { waiting: 0, since: null }])
  expect((await monitor.get('/api/game/999999/desk')).json().code).toBe('game.unknown')
})

test('the figures of the overview are cached, so many viewers cause one read of the database', async () => {
  const challenge = await aChallenge(context.db)
  const url = `/api/game/${challenge.gameId}/desk`
  const first = (await monitor.get(url)).json()
  const participation = await aParticipation(context.db, { gameId: challenge.gameId, status: 'Pending' })
  expect((await monitor.get(url)).json()).toEqual(first)
  expect(participation.status).toBe('Pending')
})
