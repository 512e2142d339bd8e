import type { ChallengeMarks } from '@capstan/contract/challenge-labels'
import type { StatementCounter } from '@capstan/db/client'
import { challenges } from '@capstan/db/schema/challenges'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'

let context: TestApp
const counter: StatementCounter = { statements: 0 }
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp({ counter })
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

function address(challenge: { gameId: number; id: number }) {
  return `/api/edit/games/${challenge.gameId}/challenges/${challenge.id}`
}

function readMarks(gameId: number, headers: Record<string, string> = {}) {
  return context.app.inject({ url: `/api/game/${gameId}/marks`, headers })
}

async function marksOf(gameId: number) {
  return (await readMarks(gameId)).json<ChallengeMarks[]>()
}

test('stores trimmed, distinct tags and a difficulty that can be removed', async () => {
  const challenge = await aChallenge(context.db)
  const labels = `${address(challenge)}/labels`
  const set = await admin.put(labels, { tags: [' XSS', 'xss', 'Crypto 101'], difficulty: 'hard' })
  expect([set.statusCode, set.json()]).toEqual([200, { tags: ['XSS', 'Crypto 101'], difficulty: 'hard' }])
  expect(context.logLines.map(({ message }) => message)).toContain(`Changed difficulty and tags of "${challenge.title}"`)
  const list = await admin.get(`/api/edit/games/${challenge.gameId}/challenges/labels`)
  expect(list.json()).toEqual([{ id: challenge.id, tags: ['XSS', 'Crypto 101'], difficulty: 'hard' }])
  expect((await admin.put(labels, { tags: [], difficulty: null })).json()).toEqual({ tags: [], difficulty: null })
})

test.each<[string, object]>([
  ['eleven tags', { tags: Array.from({ length: 11 }, (_, index) => `${index}`), difficulty: null }],
  ['a tag of 31 characters', { tags: ['x'.repeat(31)], difficulty: null }],
  ['a tag over two lines', { tags: ['a\nb'], difficulty: null }],
  ['a tag with another control character', { tags: ['a\u0085b'], difficulty: null }],
  ['a blank tag', { tags: [' '], difficulty: null }],
  ['an unknown difficulty', { tags: [], difficulty: 'devilish' }],
])('refuses %s and stores nothing', async (_what, labels) => {
  const challenge = await aChallenge(context.db, { tags: ['kept'] })
  expect((await admin.put(`${address(challenge)}/labels`, labels)).json().code).toBe('request.invalid')
  const [stored] = await context.db.select().from(challenges).where(eq(challenges.id, challenge.id))
  expect(stored?.tags).toEqual(['kept'])
})

test('accepts ten tags of thirty characters in any alphabet', async () => {
  const challenge = await aChallenge(context.db)
  const tags = Array.from({ length: 10 }, (_, index) => `${'🏴'.repeat(29)}${index}`)
  expect((await admin.put(`${address(challenge)}/labels`, { tags, difficulty: null })).json()).toEqual({ tags, difficulty: null })
})

test('the labels of enabled challenges are public after the start, and the game details contain no labels', async () => {
  const game = await aGame(context.db)
  const common = { gameId: game.id, flags: ['flag{x}'] }
  const plain = await aChallenge(context.db, common)
  const container = await aChallenge(context.db, {
    ...common,
    type: 'DynamicContainer',
    tags: ['a "b\\', 'c,d'],
    difficulty: 'easy',
  })
  const files = await aChallenge(context.db, { ...common, type: 'DynamicAttachment' })
  await aChallenge(context.db, { ...common, isEnabled: false })
  const { client } = await aPlayer(context, { gameId: game.id })
  const none = { hasContainer: false, hasFile: false, tags: [], difficulty: null }
  expect(await marksOf(game.id)).toEqual([
    { ...none, id: plain.id },
    { id: container.id, hasContainer: true, hasFile: false, tags: ['a "b\\', 'c,d'], difficulty: 'easy' },
    { ...none, id: files.id, hasFile: true },
  ])
  const [first] = Object.values((await client.get(`/api/game/${game.id}/details`)).json().challenges).flat()
  expect(Object.keys(first as object).sort()).toEqual([
    'bloods',
    'category',
    'deadline',
    'disableBloodBonus',
    'id',
    'score',
    'solved',
    'title',
  ])
  const upcoming = await aGame(context.db, { phase: 'upcoming' })
  expect((await readMarks(upcoming.id)).statusCode).toBe(400)
  expect((await readMarks(99_999)).statusCode).toBe(404)
})

test('the ETag of labels changes only after an edit, and reading the labels needs no SQL statement', async () => {
  const challenge = await aChallenge(context.db, { flags: ['flag{x}'] })
  const before = await readMarks(challenge.gameId)
  const etag = String(before.headers.etag)
  const { statements } = counter
  for (let asked = 0; asked < 20; asked += 1)
    expect((await readMarks(challenge.gameId, { 'if-none-match': etag })).statusCode).toBe(304)
  // A background job runs one statement each second.
  expect(counter.statements - statements).toBeLessThan(5)
  await admin.put(`${address(challenge)}/labels`, { tags: ['heap'], difficulty: 'insane' })
  await expect.poll(() => marksOf(challenge.gameId)).toMatchObject([{ tags: ['heap'], difficulty: 'insane', hasFile: false }])
  await admin.post(`${address(challenge)}/attachment`, { attachmentType: 'Remote', remoteUrl: 'https://example.org/a.zip' })
  await expect.poll(() => marksOf(challenge.gameId)).toMatchObject([{ hasFile: true }])
})
