import { assignments, challenges, solves, submissions } from '@capstan/db/schema/challenges'
import { instances } from '@capstan/db/schema/instances'
import { and, eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import {
  aCapture,
  aChallenge,
  aGame,
  anAssignment,
  anInstance,
  aParticipation,
  aSubmission,
} from '../../testing/organizing-factories.ts'
import { createRejudgeRepository } from './rejudge-repository.ts'

let context: TestApp
let admin: TestClient
let statements: string[] = []
beforeAll(async () => {
  context = await startTestApp({ observe: (text) => void statements.push(text) })
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

function base(challenge: { gameId: number; id: number }) {
  return `/api/edit/games/${challenge.gameId}/challenges/${challenge.id}`
}
function noticesOf(gameId: number) {
  return context.messages.flatMap((message) => (message.kind === 'notice' && message.gameId === gameId ? [message.payload] : []))
}

describe('creating a challenge', () => {
  test('creates a disabled challenge with defaults', async () => {
    const { id } = await aGame(context.db)
    const response = await admin.post(`/api/edit/games/${id}/challenges`, {
      title: ' Heap of trouble ',
      category: 'pwn',
      type: 'DynamicContainer',
      isEnabled: true,
    })
    expect(response.json()).toEqual({
      id: expect.any(Number),
      title: 'Heap of trouble',
      content: '',
      category: 'Pwn',
      type: 'DynamicContainer',
      hints: [],
      flagTemplate: null,
      isEnabled: false,
      acceptedCount: 0,
      fileName: 'attachment',
      attachment: null,
      testContainer: null,
      flags: [],
      containerImage: '',
      memoryLimit: 64,
      cpuCount: 1,
      storageLimit: 256,
      containerExposePort: 80,
      enableTrafficCapture: false,
      originalScore: 1000,
      minScoreRate: 0.25,
      difficulty: 5,
      submissionLimit: 0,
      cooldownSeconds: 0,
      disableBloodBonus: false,
      releaseUtc: null,
      deadlineUtc: null,
    })
  })

  test("sets the platform's flag template only if the type generates flags", async () => {
    const { id } = await aGame(context.db)
    await admin.put('/api/admin/config', { globalConfig: { defaultFlagTemplate: 'ctf{[GUID]}' } })
    const templateOf = async (type: string) =>
      (await admin.post(`/api/edit/games/${id}/challenges`, { title: 'x', type })).json().flagTemplate
    expect([await templateOf('DynamicContainer'), await templateOf('StaticContainer')]).toEqual(['ctf{[GUID]}', null])
    await admin.put('/api/admin/config', { globalConfig: { defaultFlagTemplate: '' } })
    expect(await templateOf('DynamicContainer')).toBeNull()
  })

  test('refuses a missing title and an unknown game', async () => {
    const { id } = await aGame(context.db)
    expect((await admin.post(`/api/edit/games/${id}/challenges`, { title: ' ' })).statusCode).toBe(400)
    expect((await admin.post(`/api/edit/games/${id}/challenges`, { title: 'x', type: 'Other' })).statusCode).toBe(400)
    expect((await admin.post('/api/edit/games/999999/challenges', { title: 'x' })).json().code).toBe('game.unknown')
  })
})

describe('the list of challenges', () => {
  test('the list of challenges contains the current value of each challenge', async () => {
    const challenge = await aChallenge(context.db, { points: 1000, minimumShare: 0.25, decay: 5 })
    const other = await aChallenge(context.db, { gameId: challenge.gameId, category: 'Web', isEnabled: false })
    for (const status of ['Accepted', 'Accepted', 'Suspended'] as const) {
      const participation = await aParticipation(context.db, { gameId: challenge.gameId, status })
      await aSubmission(context.db, participation, challenge.id, { solve: true })
    }
    const list = (await admin.get(`/api/edit/games/${challenge.gameId}/challenges`)).json()
    // Two solvers: floor(1000 * (0.25 + 0.75 * e^(-1/5))) = floor(250 + 614.048...) = 864
    expect(list).toEqual([
      { ...brief(challenge), score: 864, minScore: 250, originalScore: 1000 },
      { ...brief(other), category: 'Web', isEnabled: false, score: 1000, minScore: 250, originalScore: 1000 },
    ])
  })

  const brief = ({ id, title }: { id: number; title: string }) => ({
    id,
    title,
    category: 'Misc',
    type: 'StaticAttachment',
    isEnabled: true,
    releaseUtc: null,
    isReleased: true,
    deadlineUtc: null,
    hasUnlockRule: false,
  })

  test('the list for an unknown game is empty', async () => {
    expect((await admin.get('/api/edit/games/999999/challenges')).json()).toEqual([])
  })
})

describe('editing a challenge', () => {
  test('an edit changes the fields that are sent, and retains fields that are absent or null', async () => {
    const challenge = await aChallenge(context.db, { content: 'keep', hints: ['one'], isEnabled: false })
    const edited = await admin.put(base(challenge), {
      title: ' New ',
      content: null,
      hints: ['two'],
      containerImage: ' registry/image:1 ',
      memoryLimit: 128,
      cpuCount: 5,
      storageLimit: 512,
      containerExposePort: 1337,
      originalScore: 500,
      minScoreRate: 0.5,
      difficulty: 3,
      fileName: 'task.zip',
    })
    expect(edited.json()).toMatchObject({
      title: 'New',
      content: 'keep',
      hints: ['two'],
      containerImage: 'registry/image:1',
      memoryLimit: 128,
      cpuCount: 5,
      storageLimit: 512,
      containerExposePort: 1337,
      originalScore: 500,
      minScoreRate: 0.5,
      difficulty: 3,
      fileName: 'task.zip',
    })
    expect((await admin.get(base(challenge))).json()).toEqual(edited.json())
    expect((await admin.put(base(challenge), edited.json())).json()).toEqual(edited.json())
  })

  test('an edit that omits `disableBloodBonus` does not change the stored value', async () => {
    const challenge = await aChallenge(context.db)
    expect((await admin.put(base(challenge), { disableBloodBonus: true })).json().disableBloodBonus).toBe(true)
    expect((await admin.put(base(challenge), { title: 'New' })).json().disableBloodBonus).toBe(true)
  })

  test('an edit does not change the type of a challenge', async () => {
    const challenge = await aChallenge(context.db)
    expect((await admin.put(base(challenge), { type: 'DynamicContainer' })).json().type).toBe('StaticAttachment')
  })

  test('a blank flag template removes the stored template, null retains it, and a weak template is refused', async () => {
    const challenge = await aChallenge(context.db, { type: 'DynamicContainer' })
    const put = async (flagTemplate: string | null) => (await admin.put(base(challenge), { flagTemplate })).json()
    expect((await put('flag{[GUID]}')).flagTemplate).toBe('flag{[GUID]}')
    expect((await put(null)).flagTemplate).toBe('flag{[GUID]}')
    expect((await put('flag{abc}')).code).toBe('flag.template-weak')
    expect((await put(`flag{${'[GUID]'.repeat(4)}}`)).code).toBe('flag.template-long')
    expect((await put('  ')).flagTemplate).toBeNull()
  })

  test.each([
    ['a blank title', { title: ' ' }],
    ['a blank file name', { fileName: ' ' }],
    ['too little memory', { memoryLimit: 31 }],
    ['no port', { containerExposePort: 0 }],
    ['a rate above 1', { minScoreRate: 1.1 }],
    ['no difficulty', { difficulty: 0 }],
    ['a template of 121 characters', { flagTemplate: 'x'.repeat(121) }],
  ])('%s is refused', async (_what, body) => {
    const challenge = await aChallenge(context.db)
    expect((await admin.put(base(challenge), body)).statusCode).toBe(400)
  })

  test('refuses traffic recording for challenges without a container', async () => {
    const plain = await aChallenge(context.db)
    expect((await admin.put(base(plain), { enableTrafficCapture: true })).json().code).toBe('challenge.capture')
    const container = await aChallenge(context.db, { type: 'StaticContainer' })
    expect((await admin.put(base(container), { enableTrafficCapture: true })).json().enableTrafficCapture).toBe(true)
  })

  test('answers 404 for an unknown game or challenge, or a challenge of another game', async () => {
    const [mine, other] = [await aChallenge(context.db), await aChallenge(context.db)]
    expect((await admin.put('/api/edit/games/999999/challenges/1', {})).json().code).toBe('game.unknown')
    expect((await admin.put(base({ gameId: mine.gameId, id: other.id }), {})).json().code).toBe('challenge.unknown')
    expect((await admin.get(base({ gameId: mine.gameId, id: other.id }))).json().code).toBe('challenge.unknown')
  })

  test('a challenge shows its running test container', async () => {
    const challenge = await aChallenge(context.db, { type: 'StaticContainer' })
    const test = await anInstance(context.db, { gameId: challenge.gameId, challengeId: challenge.id })
    expect((await admin.get(base(challenge))).json().testContainer).toEqual({
      status: 'Running',
      startedAt: test.startedAt.toISOString(),
      expectStopAt: test.expiresAt.toISOString(),
      entry: test.id,
    })
  })
})

describe('enabling', () => {
  test('enabling a challenge requires a flag, assigns it to all teams, and notifies players of a running game', async () => {
    const challenge = await aChallenge(context.db, { isEnabled: false, title: 'Fresh' })
    const participation = await aParticipation(context.db, { gameId: challenge.gameId })
    const pending = await aParticipation(context.db, { gameId: challenge.gameId, status: 'Pending' })
    expect((await admin.put(base(challenge), { isEnabled: true })).json().code).toBe('challenge.no-flag')
    await admin.post(`${base(challenge)}/flags`, [{ flag: 'flag{1}' }])
    expect((await admin.put(base(challenge), { isEnabled: true })).json().isEnabled).toBe(true)
    const rows = await context.db.select().from(assignments).where(eq(assignments.challengeId, challenge.id))
    expect(rows.map(({ participationId }) => participationId).sort()).toEqual([participation.id, pending.id].sort())
    await expect.poll(() => noticesOf(challenge.gameId)).toMatchObject([{ type: 'NewChallenge', values: ['Fresh'] }])
    await admin.put(base(challenge), { isEnabled: true })
    const list = (await createTestClient(context.app).get(`/api/game/${challenge.gameId}/notices`)).json()
    expect(list).toHaveLength(1)
  })

  test('enabling a challenge with a dynamic container requires no flag', async () => {
    const challenge = await aChallenge(context.db, { isEnabled: false, type: 'DynamicContainer' })
    expect((await admin.put(base(challenge), { isEnabled: true })).json().isEnabled).toBe(true)
  })

  test('enabling a challenge notifies no player before the game starts', async () => {
    const game = await aGame(context.db, { phase: 'upcoming' })
    const challenge = await aChallenge(context.db, { gameId: game.id, isEnabled: false, type: 'DynamicContainer' })
    await admin.put(base(challenge), { isEnabled: true, hints: ['x'] })
    expect(noticesOf(game.id)).toEqual([])
  })

  test('announces new hints while the game runs, but not a different order of hints', async () => {
    const challenge = await aChallenge(context.db, { title: 'Hinted', flags: ['f'], hints: ['a', 'b'] })
    await admin.put(base(challenge), { hints: ['b', 'a'] })
    await admin.put(base(challenge), { hints: ['b', 'c'] })
    await expect.poll(() => noticesOf(challenge.gameId)).toMatchObject([{ type: 'NewHint', values: ['Hinted'] }])
  })

  test('enabling a challenge also assigns it to teams that are accepted concurrently', async () => {
    const challenge = await aChallenge(context.db, { isEnabled: false, flags: ['f'] })
    const teams = await Promise.all(
      Array.from({ length: 8 }, () => aParticipation(context.db, { gameId: challenge.gameId, status: 'Pending' })),
    )
    await Promise.all([
      admin.put(base(challenge), { isEnabled: true }),
      ...teams.map(({ id }) => admin.put(`/api/admin/participation/${id}/Accepted`)),
    ])
    const rows = await context.db.select().from(assignments).where(eq(assignments.challengeId, challenge.id))
    expect(rows).toHaveLength(8)
  })
})

describe('disabling', () => {
  test('disabling a challenge destroys the containers of teams, but not the test container', async () => {
    const challenge = await aChallenge(context.db, { type: 'StaticContainer', flags: ['f'] })
    const ids = { gameId: challenge.gameId, challengeId: challenge.id }
    const participation = await aParticipation(context.db, { gameId: challenge.gameId })
    const ofTeam = await anInstance(context.db, { ...ids, participationId: participation.id })
    const ofAdmin = await anInstance(context.db, ids)
    await admin.put(base(challenge), { isEnabled: false })
    const rows = await context.db.select().from(instances).where(eq(instances.challengeId, challenge.id))
    const endOf = (id: string) => rows.find((row) => row.id === id)!.endedAt
    expect([endOf(ofTeam.id), endOf(ofAdmin.id)]).toEqual([context.clock.now(), null])
    await expect.poll(() => context.messages).toContainEqual({ kind: 'instance-ended', instanceId: ofTeam.id })
  })
})

test('a deletion also deletes files, traffic captures, instances and submissions of the challenge', async () => {
  const challenge = await aChallenge(context.db, { type: 'StaticContainer', flags: ['f'] })
  const participation = await aParticipation(context.db, { gameId: challenge.gameId })
  await aSubmission(context.db, participation, challenge.id, { solve: true })
  await aCapture(context.db, { challengeId: challenge.id, participationId: participation.id, fileName: 'a.pcap' })
  context.blobs.contents.set(`captures/${challenge.id}/${participation.id}/a.pcap`, Buffer.from('x'))
  const instance = await anInstance(context.db, {
    gameId: challenge.gameId,
    challengeId: challenge.id,
    participationId: participation.id,
  })
  expect((await admin.delete(base(challenge))).statusCode).toBe(200)
  expect((await admin.get(base(challenge))).json().code).toBe('challenge.unknown')
  expect(context.blobs.contents.has(`captures/${challenge.id}/${participation.id}/a.pcap`)).toBe(false)
  await expect.poll(() => context.messages).toContainEqual({ kind: 'instance-ended', instanceId: instance.id })
  expect((await admin.delete(base(challenge))).json().code).toBe('challenge.unknown')
})

test('a recount includes only solves by accepted teams', async () => {
  const challenge = await aChallenge(context.db, { acceptedCount: 99 })
  for (const status of ['Accepted', 'Accepted', 'Suspended'] as const) {
    const participation = await aParticipation(context.db, { gameId: challenge.gameId, status })
    await aSubmission(context.db, participation, challenge.id, { solve: true })
  }
  expect((await admin.post(`/api/edit/games/${challenge.gameId}/challenges/updateaccepted`)).statusCode).toBe(200)
  expect((await admin.get(base(challenge))).json().acceptedCount).toBe(2)
  expect((await admin.post('/api/edit/games/999999/challenges/updateaccepted')).json().code).toBe('game.unknown')
})

describe('a rejudge', () => {
  test('a rejudge updates status, solves and counts by the current flags, but announces nothing', async () => {
    const challenge = await aChallenge(context.db, { flags: ['new flag'], acceptedCount: 7 })
    const [one, two] = [
      await aParticipation(context.db, { gameId: challenge.gameId }),
      await aParticipation(context.db, { gameId: challenge.gameId }),
    ]
    for (const { id } of [one, two]) await anAssignment(context.db, { participationId: id, challengeId: challenge.id })
    await aSubmission(context.db, one, challenge.id, { answer: 'old flag', solve: true })
    const right = await aSubmission(context.db, two, challenge.id, { answer: 'new flag' })
    const cheat = await aSubmission(context.db, two, challenge.id, { answer: 'new flag', status: 'CheatDetected' })
    const before = context.messages.length
    const report = await admin.put(`${base(challenge)}/recalculatesubmissions`)
    expect([report.statusCode, report.json()]).toEqual([200, { total: 3, changed: 2, accepted: 1 }])
    const solved = await context.db.select().from(solves).where(eq(solves.challengeId, challenge.id))
    expect(solved.map(({ participationId, submissionId }) => [participationId, submissionId])).toEqual([[two.id, right.id]])
    const [unchanged] = await context.db.select().from(submissions).where(eq(submissions.id, cheat.id))
    expect(unchanged!.status).toBe('CheatDetected')
    const [row] = await context.db
      .select()
      .from(challenges)
      .where(and(eq(challenges.id, challenge.id)))
    expect(row!.acceptedCount).toBe(1)
    expect(context.messages.length).toBe(before)
    const again = await admin.put(`${base(challenge)}/recalculatesubmissions`)
    expect(again.json()).toEqual({ total: 3, changed: 0, accepted: 1 })
  })

  test('a rejudge compares all answers with patterns before it waits for the lock on the challenge', async () => {
    const { id: gameId } = await aGame(context.db)
    const { id: participationId, teamId } = await aParticipation(context.db, { gameId })
    const challenge = await aChallenge(context.db, { gameId, rules: [{ kind: 'Pattern', flag: 'flag\\{[a-z]+\\}' }] })
    await anAssignment(context.db, { participationId, challengeId: challenge.id })
    await context.sql`
      insert into submissions (game_id, challenge_id, participation_id, team_id, answer, status, submitted_at)
      select ${gameId}, ${challenge.id}, ${participationId}, ${teamId}, 'flag' || place, 'WrongAnswer', now()
      from generate_series(1, 4500) as place`
    const unlock = Promise.withResolvers<void>()
    const isLocked = Promise.withResolvers<void>()
    const locking = context.sql.begin(async (sql) => {
      await sql`select id from challenges where id = ${challenge.id} for update`
      isLocked.resolve()
      await unlock.promise
    })
    await isLocked.promise
    statements = []
    const done = admin.put(`${base(challenge)}/recalculatesubmissions`)
    const listWaiting = () =>
      context.sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(listWaiting).toHaveLength(1)
    const pages = statements.filter((text) => text.includes('from "submissions"')).length
    unlock.resolve()
    await locking
    expect((await done).json()).toEqual({ total: 4_500, changed: 0, accepted: 0 })
    expect(pages).toBeGreaterThanOrEqual(3)
  })

  test('a rejudge uses the earliest right submission of each team, even if it was not stored first', async () => {
    const { id: gameId } = await aGame(context.db)
    const team = await aParticipation(context.db, { gameId })
    const challenge = await aChallenge(context.db, { gameId, rules: [{ kind: 'Caseless', flag: 'flag{right}' }] })
    await anAssignment(context.db, { participationId: team.id, challengeId: challenge.id })
    await context.sql`
      insert into submissions (game_id, challenge_id, participation_id, team_id, answer, status, submitted_at)
      select ${gameId}, ${challenge.id}, ${team.id}, ${team.teamId}, case when place % 1000 = 0 then 'FLAG{right}' else 'flag' || place end,
        'WrongAnswer', now() - place * interval '1 second'
      from generate_series(1, 4500) as place`
    const pages = await Array.fromAsync(
      createRejudgeRepository(context.db, challenge.id).listSubmissions(),
      (page) => page.length,
    )
    expect(pages).toEqual([2_000, 2_000, 500])
    const done = await admin.put(`${base(challenge)}/recalculatesubmissions`)
    expect(done.json()).toEqual({ total: 4_500, changed: 4, accepted: 1 })
    const [solved] = await context.sql`
      select (select count(*)::int from submissions as earlier
        where earlier.challenge_id = ${challenge.id} and earlier.submitted_at < solves.solved_at) as earlier
      from solves where challenge_id = ${challenge.id}`
    expect(solved?.earlier).toBe(500)
  })

  test('answers 404 for an unknown game or challenge', async () => {
    const { gameId } = await aChallenge(context.db)
    const url = (game: number, id: number) => `${base({ gameId: game, id })}/recalculatesubmissions`
    expect((await admin.put(url(999_999, 1))).json().code).toBe('game.unknown')
    expect((await admin.put(url(gameId, 999_999))).json().code).toBe('challenge.unknown')
  })
})

test.each([
  ['a visitor', undefined, 401],
  ['a user', 'User', 403],
  ['a monitor', 'Monitor', 403],
] as const)('refuses %s in every call about challenges', async (_who, role, status) => {
  const client = role ? (await signInAsNewUser(context, role)).client : createTestClient(context.app)
  const challenge = await aChallenge(context.db, { flags: ['secret'] })
  const url = base(challenge)
  const answers = await Promise.all([
    client.get(`/api/edit/games/${challenge.gameId}/challenges`),
    client.post(`/api/edit/games/${challenge.gameId}/challenges`, { title: 'x' }),
    client.get(url),
    client.put(url, { title: 'x' }),
    client.delete(url),
    client.post(`${url}/flags`, [{ flag: 'x' }]),
    client.delete(`${url}/flags/1`),
    client.post(`${url}/attachment`, {}),
    client.put(`${url}/recalculatesubmissions`),
    client.post(`/api/edit/games/${challenge.gameId}/challenges/updateaccepted`),
  ])
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => status))
})
