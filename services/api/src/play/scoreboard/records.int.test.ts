import { migrateDatabase } from '@capstan/db/migrate'
import { copyRows, migrateToVersionBefore } from '@capstan/db/testing/older-database'
import { createTestDatabase } from '@capstan/db/testing/test-database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildScoreboard } from '../../rules/scoring/ranking.ts'
import type { RecordedFacts, ScoreRecord } from '../../rules/scoring/records.ts'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, anAssignment, aParticipation, aSubmission } from '../../testing/organizing-factories.ts'
import { loadStoredAndRecordedFacts } from '../../testing/recorded-facts.ts'
import { loadScoreRecords } from './records-repository.ts'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

const solvedAt = new Date('2026-05-01T10:00:00.123Z')

/**
 * Creates a game with a challenge and two accepted teams that solved it, at `solvedAt` and 1 ms later. The first team has an award
 * and bought a hint.
 */
async function aScene({ endsAt = new Date(Date.now() + 3600_000) }: { endsAt?: Date } = {}) {
  const { db, sql } = context
  const game = await aGame(db, { startsAt: new Date('2026-05-01T08:00:00Z'), endsAt, divisions: [{ name: 'Open' }] })
  const challenge = await aChallenge(db, { gameId: game.id, flags: ['flag{right}'], acceptedCount: 2 })
  const participation = await aParticipation(db, { gameId: game.id })
  const other = await aParticipation(db, { gameId: game.id, division: 'Open' })
  await sql`insert into division_challenges (division_id, challenge_id, permissions)
    select id, ${challenge.id}, 7 from divisions where game_id = ${game.id}`
  const [award] = await sql<{ id: number }[]>`
    insert into awards (game_id, participation_id, title, points, awarded_at)
    values (${game.id}, ${participation.id}, 'Talk', 40, '2026-05-01T11:00:00Z') returning id`
  await sql`insert into hint_purchases (game_id, challenge_id, participation_id, hint_id, price, bought_at)
    values (${game.id}, ${challenge.id}, ${participation.id}, gen_random_uuid(), 30, '2026-05-01T09:00:00Z')`
  for (const { id } of [participation, other]) await anAssignment(db, { participationId: id, challengeId: challenge.id })
  const solve = { answer: 'flag{right}', solve: true }
  await aSubmission(db, participation, challenge.id, { ...solve, submittedAt: solvedAt })
  await aSubmission(db, other, challenge.id, { ...solve, submittedAt: new Date(solvedAt.getTime() + 1) })
  return { game, challenge, participation, award: award!.id }
}

function recordsOf(gameId: number): Promise<ScoreRecord[]> {
  return context.deps.db.reader.snapshot((at) => loadScoreRecords(at, gameId))
}

function sortedLatestValues(records: readonly ScoreRecord[]) {
  const rows = new Map(records.map(({ kind, key, value }) => [`${kind} ${key}`, value]))
  return [...rows].filter(([, value]) => value !== null).sort(([left], [right]) => (left < right ? -1 : 1))
}

/** Copies the test data into an older version of the database, and then runs the newer migrations. */
async function upgrade() {
  const upgraded = await createTestDatabase({ template: 'template1' })
  await migrateToVersionBefore(upgraded.sql, '0036_score_records')
  await copyRows(context.sql, upgraded.sql)
  await migrateDatabase(upgraded.url)
  return upgraded
}

function boardOf(facts: RecordedFacts | undefined) {
  return facts && JSON.stringify(buildScoreboard({ ...facts, updatedAt: solvedAt }))
}

test('the migration to score records changes neither boards nor the times of solves, awards and hints', async () => {
  const scenes = [await aScene(), await aScene({ endsAt: new Date('2026-05-01T12:00:00Z') })]
  const upgraded = await upgrade()
  for (const { game } of scenes) {
    const { stored } = await loadStoredAndRecordedFacts(context.db, game.id)
    const { recorded } = await loadStoredAndRecordedFacts(upgraded.db, game.id)
    expect(boardOf(recorded)).toBe(boardOf(stored))
    const records = await upgraded.db.reader.snapshot((at) => loadScoreRecords(at, game.id))
    expect(sortedLatestValues(records)).toEqual(sortedLatestValues(await recordsOf(game.id)))
    const times = Map.groupBy(records, ({ kind }) => kind)
    expect([...times].map(([kind, list]) => [kind, list.length]).sort()).toEqual([
      ['award', 1],
      ['challenge', 1],
      ['division', 1],
      ['game', 1],
      ['hint', 1],
      ['participation', 2],
      ['right', 1],
      ['solve', 2],
    ])
    expect(times.get('solve')?.map(({ time }) => time)).toEqual([solvedAt.getTime(), solvedAt.getTime() + 1])
    expect(times.get('award')?.[0]?.time).toBe(Date.parse('2026-05-01T11:00:00Z'))
    expect(times.get('hint')?.[0]?.time).toBe(Date.parse('2026-05-01T09:00:00Z'))
  }
  await upgraded.drop()
})

test('a change that does not affect the score is not recorded', async () => {
  const { game, challenge, participation } = await aScene()
  const before = await recordsOf(game.id)
  await context.sql`update challenges set accepted_count = 7, content = 'Another text' where id = ${challenge.id}`
  await context.sql`update challenges set title = title where id = ${challenge.id}`
  await context.sql`update solves set user_id = null where participation_id = ${participation.id}`
  expect(await recordsOf(game.id)).toEqual(before)
})

test('a revoked award and a deleted solve get a record with the current time and without a value', async () => {
  const { game, participation, award } = await aScene()
  const before = await recordsOf(game.id)
  await context.sql`update awards set revoked_at = now() where id = ${award}`
  await context.sql`delete from solves where participation_id = ${participation.id}`
  const added = (await recordsOf(game.id)).slice(before.length)
  expect(added).toMatchObject([
    { kind: 'award', value: null },
    { kind: 'solve', value: null },
  ])
  for (const { time } of added) expect(time).toBeGreaterThan(solvedAt.getTime())
})

describe('the score record of a restored solve has the current time', () => {
  type Scene = Awaited<ReturnType<typeof aScene>>
  const base = ({ game }: Scene) => `/api/edit/games/${game.id}`
  const send = async (method: 'put' | 'post' | 'delete', path: string, body?: object) => {
    const response = await admin[method](path, body)
    if (response.statusCode !== 200) throw new Error(response.body)
    return response.json()
  }
  const rejudge = (scene: Scene, flag: string) =>
    context.sql`update flags set flag = ${flag} where challenge_id = ${scene.challenge.id}`.then(() =>
      send('put', `${base(scene)}/challenges/${scene.challenge.id}/recalculatesubmissions`),
    )
  const moveEnd = async (scene: Scene, end: Date) => {
    const settings = (await admin.get(base(scene))).json()
    return send('put', base(scene), { ...settings, end: end.toISOString() })
  }
  const takeBack = ({ game, challenge, participation: { teamId } }: Scene) =>
    send('post', `/api/edit/games/${game.id}/corrections`, {
      ...{ teamId, challengeId: challenge.id, kind: 'TakenBack', reason: 'The flag was wrong' },
    })

  test.each<[string, (scene: Scene) => Promise<unknown>, (scene: Scene, removed: unknown) => Promise<unknown>]>([
    ['a rejudge', (scene) => rejudge(scene, 'flag{another}'), (scene) => rejudge(scene, 'flag{right}')],
    [
      'the undo of a rejudge',
      (scene) => rejudge(scene, 'flag{another}'),
      (scene) => send('post', `${base(scene)}/challenges/${scene.challenge.id}/rejudge/undo`),
    ],
    [
      'the revocation of a correction',
      takeBack,
      (scene, removed) => send('delete', `${base(scene)}/corrections/${(removed as { id: number }).id}`),
    ],
    ['a moved end of the game', (scene) => moveEnd(scene, solvedAt), (scene) => moveEnd(scene, new Date(solvedAt.getTime() + 1))],
  ])('%s', async (_what, remove, add) => {
    const scene = await aScene()
    const removed = await remove(scene)
    const before = await recordsOf(scene.game.id)
    const key = `${scene.participation.id} ${scene.challenge.id}`
    expect(before.findLast((record) => record.key === key && record.kind === 'solve')).toMatchObject({ value: null })
    const [clock] = await context.sql<{ now: number }[]>`select extract(epoch from clock_timestamp())::float8 * 1000 as now`
    await add(scene, removed)
    const [added] = (await recordsOf(scene.game.id)).slice(before.length).filter((record) => record.key === key)
    expect(added).toMatchObject({ kind: 'solve', value: { time: solvedAt.getTime() } })
    expect(added!.time).toBeGreaterThanOrEqual(Math.floor(clock!.now))
  })
})

test('the last score record of an award has the final points after 64 concurrent changes', async () => {
  const { game, award } = await aScene()
  await Promise.all(
    Array.from({ length: 64 }, (_, index) => context.sql`update awards set points = ${1000 + index} where id = ${award}`),
  )
  const records = (await recordsOf(game.id)).filter(({ kind }) => kind === 'award')
  const [row] = await context.sql<{ points: number }[]>`select points from awards where id = ${award}`
  expect(records).toHaveLength(65)
  expect(records.at(-1)?.value).toMatchObject({ points: row!.points })
})

test('records cannot be changed or deleted, but a record without a number can get a number', async () => {
  const { game } = await aScene()
  const { sql } = context
  await sql`update score_records set sequence = 1 where id = (select min(id) from score_records where game_id = ${game.id})`
  await expect(sql`update score_records set sequence = 2 where game_id = ${game.id} and sequence = 1`).rejects.toThrow(
    'append-only',
  )
  await expect(sql`update score_records set value = null where game_id = ${game.id}`).rejects.toThrow('append-only')
  await expect(sql`delete from score_records where game_id = ${game.id}`).rejects.toThrow('append-only')
  await sql`delete from games where id = ${game.id}`
  expect(await recordsOf(game.id)).toEqual([])
})

test('the deletion of a game waits for a concurrent change, and deletes the records of this change too', async () => {
  const { game, participation } = await aScene()
  const { sql } = context
  const isWaiting = async () => {
    const [row] = await sql<{ waiting: number }[]>`
      select count(*)::integer as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'delete from games%'`
    return row?.waiting
  }
  const { deletion } = await sql.begin(async (change) => {
    await change`update participations set status = 'Suspended' where id = ${participation.id}`
    const running = sql`delete from games where id = ${game.id}`.execute()
    await expect.poll(isWaiting).toBe(1)
    return { deletion: running }
  })
  await deletion
  expect(await recordsOf(game.id)).toEqual([])
})
