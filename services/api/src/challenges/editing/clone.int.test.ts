import { randomUUID } from 'node:crypto'
import { InputLimits } from '@capstan/contract/limits'
import { challenges, flags } from '@capstan/db/schema/challenges'
import { games, participations } from '@capstan/db/schema/games'
import { files } from '@capstan/db/schema/platform'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, anAssignment, aParticipation, aSubmission } from '../../testing/organizing-factories.ts'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

const hash = 'ab'.repeat(32)
async function countOf() {
  return (await context.db.select().from(files).where(eq(files.hash, hash)))[0]?.referenceCount
}

/** Creates a finished game. Its challenge has a file, flags and a solve. */
async function aPlayedGame() {
  const game = await aGame(context.db, { title: 'Quals', divisions: [{ name: 'open', inviteCode: 'let-me-in' }] })
  await context.db.insert(files).values({ hash, name: 'task.zip', sizeBytes: 3, referenceCount: 1 }).onConflictDoNothing()
  const challenge = await aChallenge(context.db, {
    gameId: game.id,
    title: 'Heap',
    hints: ['look'],
    pricedHints: [{ id: randomUUID(), text: 'closer', price: 40, place: 1 }],
    tags: ['heap'],
    difficulty: 'hard',
    flags: ['flag{a}', 'flag{b}'],
  })
  const url = `/api/edit/games/${game.id}/challenges/${challenge.id}`
  const set = await admin.post(`${url}/attachment`, { attachmentType: 'Local', fileHash: hash })
  expect(set.statusCode).toBe(200)
  const team = await aParticipation(context.db, { gameId: game.id })
  await anAssignment(context.db, { participationId: team.id, challengeId: challenge.id })
  await aSubmission(context.db, team, challenge.id, { solve: true })
  return { game, challenge, url }
}

test('the copy of a game is hidden, and has the settings and challenges but no data of teams', async () => {
  const { game } = await aPlayedGame()
  const before = (await countOf()) ?? 0
  const start = '2031-05-01T09:00:00.000Z'
  const copy = (await admin.post(`/api/edit/games/${game.id}/clone`, { title: ' Finals ', start })).json()
  expect(copy).toMatchObject({
    title: 'Finals',
    hidden: true,
    start,
    organizations: ['open'],
    organizationCodes: { open: 'let-me-in' },
  })
  expect(Date.parse(copy.end) - Date.parse(start)).toBe(game.endsAt.getTime() - game.startsAt.getTime())
  expect(copy.publicKey).not.toBe(game.publicKey)
  const [challenge, ...more] = await context.db.select().from(challenges).where(eq(challenges.gameId, copy.id))
  expect(more).toEqual([])
  expect(challenge).toMatchObject({
    title: 'Heap',
    hints: ['look'],
    pricedHints: [{ text: 'closer', price: 40, place: 1 }],
    tags: ['heap'],
    difficulty: 'hard',
    acceptedCount: 0,
    isEnabled: true,
  })
  const copied = await context.db.select().from(flags).where(eq(flags.challengeId, challenge!.id)).orderBy(flags.id)
  expect(copied.map(({ flag }) => flag)).toEqual(['flag{a}', 'flag{b}'])
  expect(await context.db.select().from(participations).where(eq(participations.gameId, copy.id))).toEqual([])
  // Both games share the stored file, which remains when the first game is deleted.
  expect(await countOf()).toBe(before + 1)
  await admin.delete(`/api/edit/games/${game.id}`)
  expect(await countOf()).toBe(before)
  expect(context.logLines.map(({ message }) => message)).toContain(`Copied game ${game.id} to game ${copy.id} "Finals"`)
})

test('the copy of a challenge is disabled and has separate flags and files', async () => {
  const { game, challenge, url } = await aPlayedGame()
  const copy = (await admin.post(`${url}/clone`, { title: 'Heap 2' })).json()
  expect(copy).toMatchObject({ title: 'Heap 2', isEnabled: false, acceptedCount: 0, hints: ['look', 'closer'] })
  expect(copy.flags.map(({ flag }: { flag: string }) => flag)).toEqual(['flag{a}', 'flag{b}'])
  expect(copy.attachment).toMatchObject({ type: 'Local' })
  await admin.delete(url)
  const left = (await admin.get(`/api/edit/games/${game.id}/challenges/${copy.id}`)).json()
  expect([left.flags.length, left.attachment.url]).toEqual([2, copy.attachment.url])
  expect(copy.id).not.toBe(challenge.id)
})

test('a copied challenge can be started and solved like its original, with the same secrets', async () => {
  const run = {
    speaks: 'http' as const,
    isGuarded: true,
    container: { egress: 'Dns' as const, flag: { variables: [], file: { path: '/flag' } } },
    containerSecrets: { KEY: 'hidden-value' },
  }
  const { id, gameId } = await aChallenge(context.db, { type: 'StaticContainer', flags: ['flag{a}'], ...run })
  const raw = { isGuarded: false, isRawHttp: true, hasOwnCertificate: true }
  const url = `/api/edit/games/${gameId}/challenges/${id}`
  const rules = [
    { flag: 'flag{b}', kind: 'Caseless' },
    { flag: 'flag[0-9]', kind: 'Pattern' },
  ]
  expect((await admin.post(`${url}/flags/rules`, rules)).statusCode).toBe(200)
  const kindsOf = async (challengeId: number) =>
    (await context.db.select().from(flags).where(eq(flags.challengeId, challengeId)).orderBy(flags.id)).map(({ flag, kind }) => [
      kind,
      flag,
    ])
  const kinds = await kindsOf(id)
  expect(kinds.map(([kind]) => kind)).toEqual(['Exact', 'Caseless', 'Pattern'])

  const response = await admin.post(`${url}/clone`, { title: 'Again' })
  expect(response.body).not.toContain('hidden-value')
  const copyId = response.json().id
  const rowOf = async (challengeId: number) =>
    (await context.db.select().from(challenges).where(eq(challenges.id, challengeId)))[0]
  expect(await rowOf(copyId)).toMatchObject(run)
  expect(await kindsOf(copyId)).toEqual(kinds)

  await context.db.update(challenges).set(raw).where(eq(challenges.id, id))
  const game = (await admin.post(`/api/edit/games/${gameId}/clone`, { title: 'Next', start: '2031-05-01T09:00:00.000Z' })).json()
  const copies = await context.db.select().from(challenges).where(eq(challenges.gameId, game.id)).orderBy(challenges.id)
  expect(copies).toMatchObject([{ ...run, ...raw }, run])
  expect(await kindsOf(copies[0]!.id)).toEqual(kinds)
})

test('leaves no data behind if a copy fails', async () => {
  const { game } = await aPlayedGame()
  const known = await context.db.$count(games)
  const late = await admin.post(`/api/edit/games/${game.id}/clone`, { title: 'Never', start: '9999-12-31T23:59:00Z' })
  expect([late.statusCode, late.json().code]).toEqual([400, 'game.times'])
  expect((await admin.post('/api/edit/games/999999/clone', { title: 'x', start: '2031-01-01T00:00:00Z' })).json().code).toBe(
    'game.unknown',
  )
  expect((await admin.post(`/api/edit/games/${game.id}/challenges/999999/clone`, { title: 'x' })).json().code).toBe(
    'challenge.unknown',
  )
  expect(await context.db.$count(games)).toBe(known)
})

test.each(['registrationOpensAt', 'registrationClosesAt'])(
  'refuses a copy whose `%s` would be after the year 9999',
  async (column) => {
    const { game } = await aPlayedGame()
    await context.db
      .update(games)
      .set({ [column]: new Date(InputLimits.maxInstantMs) })
      .where(eq(games.id, game.id))
    const answer = await admin.post(`/api/edit/games/${game.id}/clone`, { title: 'Copy', start: '2031-01-01T00:00:00Z' })
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'game.times'])
  },
)

test('limits the times of copied challenges to the year 9999', async () => {
  const { game, challenge } = await aPlayedGame()
  const last = new Date(InputLimits.maxInstantMs)
  await context.db.update(challenges).set({ deadlineAt: last }).where(eq(challenges.id, challenge.id))
  const answer = await admin.post(`/api/edit/games/${game.id}/clone`, { title: 'Copy', start: '2031-01-01T00:00:00Z' })
  expect(answer.statusCode).toBe(200)
  const [copy] = await context.db.select().from(challenges).where(eq(challenges.gameId, answer.json().id))
  expect(copy?.deadlineAt).toEqual(last)
})

test('copies a game with more files than a statement has parameters for 8 lists', async () => {
  const { game, challenge } = await aPlayedGame()
  const { sql } = context
  await sql`with made as (
      select encode(sha256(n::text::bytea), 'hex') as hash, n from generate_series(1, 8200) as n),
    stored as (insert into files (hash, name, size_bytes, reference_count) select hash, 'a.txt', 1, 1 from made),
    attached as (insert into attachments (type, file_hash, file_name) select 'Local', hash, 'a.txt' from made returning id)
    insert into flags (challenge_id, flag, attachment_id) select ${challenge.id}, 'flag{' || id || '}', id from attached`
  const answer = await admin.post(`/api/edit/games/${game.id}/clone`, { title: 'Copy', start: '2031-01-01T00:00:00Z' })
  expect(answer.statusCode).toBe(200)
})
