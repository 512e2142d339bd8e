import { captureCollections, captureRuns } from '@capstan/db/schema/instances'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../server/config.ts'
import { createTestRuntime, startTestApp, type TestApp } from '../../testing/app.ts'
import { requiredEnvironment } from '../../testing/environment.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aCapture, aChallenge, anInstance, aParticipation } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'
import type { CaptureSource, ObservedCapture } from '../lifecycle/runtime.ts'

const seen = new Map<string, ObservedCapture>()
const captures: CaptureSource = {
  find: (id) => seen.get(id),
  list: () => [...seen.values()],
  watch: () => () => {},
  release: async () => {},
}

let recording: TestApp
let onOneMachine: TestApp
let switchedOff: TestApp
beforeAll(async () => {
  const runtime = { ...createTestRuntime().runtime, captures }
  const { instances } = readConfig({ ...requiredEnvironment, CAPSTAN_CAPTURE: 'on', CAPSTAN_INSTANCE_READY_TIMEOUT_MS: '300' })
  recording = await startTestApp({ config: { instances }, deps: { runtime } })
  onOneMachine = await startTestApp({ config: { instances } })
  switchedOff = await startTestApp()
})
afterAll(async () => {
  for (const context of [recording, onOneMachine, switchedOff]) await context.close()
})

function instant(second: number) {
  return new Date(Date.UTC(2030, 0, 1, 0, 0, second))
}
async function health(context: TestApp, gameId: number) {
  return (await (await signInAsNewUser(context, 'Monitor')).client.get(`/api/game/games/${gameId}/captures/health`)).json()
}

test('a monitor sees the state and the gaps of every recorded instance of the game', async () => {
  const { db } = recording
  const challenge = await aChallenge(db, { type: 'DynamicContainer', capture: true, title: 'Sniffed' })
  const { gameId, id: challengeId } = challenge
  const participation = await aParticipation(db, { gameId })
  const place = { gameId, challengeId, participationId: participation.id, capture: true }
  const ended = await anInstance(db, { ...place, startedAt: instant(1), endedAt: instant(5) })
  const running = await anInstance(db, { ...place, startedAt: instant(6) })
  await anInstance(db, { ...place, participationId: (await aParticipation(db, { gameId })).id, capture: false })
  const counters = { packets: 10, droppedPackets: 2, lostFiles: 1, lostBytes: 100, seenAt: instant(4) }
  await db.insert(captureRuns).values([
    { instanceId: ended.id, run: '1', ...counters, lostAt: instant(5) },
    { instanceId: ended.id, run: '2', ...counters, finishedAt: instant(5) },
    { instanceId: running.id, run: '3', packets: 1, droppedPackets: 0, lostFiles: 0, lostBytes: 0, seenAt: instant(7) },
  ])
  const lease = { holder: crypto.randomUUID(), leasedUntil: instant(9) }
  await db.insert(captureCollections).values([
    { instanceId: ended.id, ...lease, collectedAt: instant(3), refusedFiles: 3, refusedBytes: 1000 },
    { instanceId: running.id, ...lease },
  ])
  await aCapture(db, { ...place, instanceId: ended.id, fileName: 'a.pcap', sizeBytes: 50 })
  await aCapture(db, { ...place, instanceId: ended.id, fileName: 'b.pcap', sizeBytes: 60 })
  seen.set(running.id, {
    id: running.id,
    recorders: [{ host: '10.0.0.1', port: 19_100 }],
    health: { isRecording: true, reason: 'Capturing', message: 'Traffic is being recorded.' },
    isEnding: false,
    isReleased: false,
  })

  const { teamId, team } = participation
  const common = { challengeId, challengeTitle: 'Sniffed', participationId: participation.id, teamId, teamName: team.name }
  const fine = { reason: null, message: null }
  const losses = { droppedPackets: 4, lostFiles: 5, lostBytes: 1200, gaps: 1 }
  const none = { droppedPackets: 0, lostFiles: 0, lostBytes: 0, gaps: 0 }
  expect(await health(recording, gameId)).toEqual({
    recorder: 'Available',
    message: null,
    totals: { files: 2, bytes: 110, packets: 21, ...losses },
    instances: [
      {
        instanceId: running.id,
        ...common,
        ...fine,
        ...none,
        state: 'Recording',
        startedAt: '2030-01-01T00:00:06.000Z',
        endedAt: null,
        collectedAt: null,
        files: 0,
        bytes: 0,
        packets: 1,
      },
      {
        instanceId: ended.id,
        ...common,
        ...fine,
        ...losses,
        state: 'Incomplete',
        startedAt: '2030-01-01T00:00:01.000Z',
        endedAt: '2030-01-01T00:00:05.000Z',
        collectedAt: '2030-01-01T00:00:03.000Z',
        files: 2,
        bytes: 110,
        packets: 20,
      },
    ],
  })
})

test.each([
  ['switched off', () => switchedOff, 'SwitchedOff', 'Traffic is not recorded, because captures are off on this platform.'],
  [
    'unsupported on one machine',
    () => onOneMachine,
    'Unsupported',
    'Traffic is not recorded, because this platform runs containers on a single machine without a cluster.',
  ],
] as const)(
  'if recording is %s on the platform, a challenge that requests recording still runs, and monitors see the reason',
  async (...given) => {
    const [_where, contextOf, recorder, message] = given
    const context = contextOf()
    const challenge = await aChallenge(context.db, { type: 'StaticContainer', containerImage: 'shop:1', capture: true })
    const { gameId, id } = challenge
    const { client } = await aPlayer(context, { gameId, challengeIds: [id] })
    expect((await client.post(`/api/game/${gameId}/container/${id}`)).json().status).toBe('Running')
    const nothing = { files: 0, bytes: 0, packets: 0, droppedPackets: 0, lostFiles: 0, lostBytes: 0, gaps: 0 }
    expect(await health(context, gameId)).toEqual({ recorder, message, totals: nothing, instances: [] })
  },
)
