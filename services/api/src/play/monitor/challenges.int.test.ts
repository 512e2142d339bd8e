import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, anInstance, aParticipation, aSubmission } from '../../testing/organizing-factories.ts'

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
async function read(address: string) {
  return (await monitor.get(address)).json()
}

const unscheduled = { releaseUtc: null, isReleased: true, deadlineUtc: null }

test('monitors see all challenges, including disabled ones, with value, solves and states of instances', async () => {
  const pwn = await aChallenge(context.db, { title: 'Alpha', category: 'Pwn', type: 'DynamicContainer', points: 500 })
  const { gameId } = pwn
  const draft = await aChallenge(context.db, { gameId, title: 'Beta', isEnabled: false })
  const [reds, blues] = [await aParticipation(context.db, { gameId }), await aParticipation(context.db, { gameId })]
  await aSubmission(context.db, reds, pwn.id, { solve: true })
  const common = { gameId, challengeId: pwn.id }
  await anInstance(context.db, { ...common, participationId: reds.id, startedAt: minutesAgo(20) })
  const reasons = { reason: 'The image could not be downloaded.', reasonCode: 'ImagePullFailed' }
  const failed = { status: 'Destroyed', host: null, ...reasons } as const
  await anInstance(context.db, {
    ...common,
    ...failed,
    participationId: blues.id,
    startedAt: minutesAgo(5),
    endedAt: minutesAgo(4),
  })
  expect(await read(`/api/game/${gameId}/monitor/challenges`)).toEqual([
    {
      ...{ id: pwn.id, title: 'Alpha', category: 'Pwn', type: 'DynamicContainer', isEnabled: true, score: 500, solved: 1 },
      ...unscheduled,
      instances: {
        ...{ running: 1, starting: 0, failing: 0, failedStarts: 1 },
        ...{ ...reasons, lastReadyAt: minutesAgo(20).toISOString() },
      },
    },
    {
      ...{ id: draft.id, title: 'Beta', category: 'Misc', type: 'StaticAttachment', isEnabled: false, score: 1000, solved: 0 },
      ...unscheduled,
      instances: null,
    },
  ])
})

test('before the start, monitors see the text, hints, file and flag points of a challenge, but not the flags', async () => {
  const { id: gameId } = await aGame(context.db, { phase: 'upcoming' })
  const challenge = await aChallenge(context.db, {
    ...{ gameId, title: 'Secretive', content: 'Read **me**', hints: ['Look closer'], flagTemplate: 'flag{[GUID]}' },
    ...{ flags: ['flag{hush}', 'flag{hush too}'], isEnabled: false, containerSecrets: { KEY: 'hidden-value' } },
  })
  await context.sql`update flags set points = 30 where challenge_id = ${challenge.id} and flag = 'flag{hush}'`
  const answer = await monitor.get(`/api/game/${gameId}/monitor/challenges/${challenge.id}`)
  expect(answer.json()).toEqual({
    ...{ id: challenge.id, title: 'Secretive', category: 'Misc', type: 'StaticAttachment', isEnabled: false },
    ...{
      score: 1000,
      solved: 0,
      content: 'Read **me**',
      hints: ['Look closer'],
      hintPrices: [0],
      flagPoints: [30, 0],
      attachment: null,
      hasTeamFiles: false,
    },
    ...unscheduled,
  })
  expect(answer.body).not.toMatch(/hush|GUID|hidden-value/)
})

test('monitors do not see the file of a challenge if each team has a different file', async () => {
  const challenge = await aChallenge(context.db, { type: 'DynamicAttachment', flags: ['flag{one}'] })
  const view = await read(`/api/game/${challenge.gameId}/monitor/challenges/${challenge.id}`)
  expect([view.hasTeamFiles, view.attachment]).toEqual([true, null])
})

test('a monitor gets 404 for a challenge of another game, and is refused in the calls of players', async () => {
  const challenge = await aChallenge(context.db)
  const other = await aGame(context.db)
  const unknown = await monitor.get(`/api/game/${other.id}/monitor/challenges/${challenge.id}`)
  expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'challenge.unknown'])
  const closed = await monitor.get(`/api/game/${challenge.gameId}/challenges/${challenge.id}`)
  expect([closed.statusCode, closed.json().code]).toEqual([400, 'participation.required'])
})
