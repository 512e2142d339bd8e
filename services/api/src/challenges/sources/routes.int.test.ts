import { createDefaultChallenge } from '@capstan/challenge-files/challenge/challenge'
import type { Challenge, FullChallenge } from '@capstan/contract/challenge'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { aUser, signInAsNewUser } from '../../testing/factories.ts'
import { aGame, aParticipation } from '../../testing/organizing-factories.ts'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

async function namedGame(name: string): Promise<number> {
  const { id } = await aGame(context.db)
  expect((await admin.put(`/api/edit/games/${id}/source`, { name, remembered: { title: 'ab' } })).statusCode).toBe(200)
  return id
}

async function leadsTo(name: string): Promise<unknown> {
  return (await admin.get(`/api/edit/sources/${name}`)).json().id
}

test('if two games get the same source name, only the second game retains the name', async () => {
  await namedGame('spring-cup')
  const id = await namedGame('spring-cup')
  expect(await leadsTo('spring-cup')).toBe(id)
})

test('the api answers 403 if a token for one game requests the source name of another game', async () => {
  const [own, other] = [await namedGame('own-cup'), await namedGame('other-cup')]
  const creator = await aUser(context.db, { role: 'Admin' })
  const { token } = await context.app.tokens.create(creator, { name: 'ci', scope: 'WriteChallenges', gameId: own })
  const note = (name: string) =>
    createTestClient(context.app).inject({
      method: 'PUT',
      url: `/api/edit/games/${own}/source`,
      headers: { authorization: `Bearer ${token}` },
      payload: { name, remembered: {} },
    })
  const refused = await note('other-cup')
  expect([refused.statusCode, refused.json().code]).toEqual([403, 'token.game'])
  expect([await leadsTo('own-cup'), await leadsTo('other-cup')]).toEqual([own, other])
  expect((await admin.get(`/api/edit/games/${other}/source`)).json()).toMatchObject({ remembered: { title: 'ab' } })
  for (const name of ['own-cup', 'free-cup']) expect((await note(name)).statusCode).toBe(200)
  expect(await leadsTo('free-cup')).toBe(own)
})

const knots: Challenge = {
  ...createDefaultChallenge('Knots', 'Misc', 'StaticContainer'),
  ...{
    enabled: true,
    points: 300,
    tags: ['rope'],
    hints: [{ text: 'Pull.', price: 20 }],
    flags: [{ flag: 'flag{knot}', file: null }],
  },
}

function openKnots(gameId: number, changes: Partial<Challenge> = {}) {
  const source = { name: 'knots', remembered: { title: 'ab' } }
  return admin.post(`/api/edit/games/${gameId}/challenges/sources`, { challenge: { ...knots, ...changes }, source })
}

async function challengesOf(gameId: number): Promise<Challenge[]> {
  const listed: FullChallenge[] = (await admin.get(`/api/edit/games/${gameId}/challenges/whole`)).json()
  return listed.map(({ challenge }) => challenge)
}

test('one call creates a whole challenge with its source, and a second call changes nothing', async () => {
  const game = await aGame(context.db, { phase: 'running' })
  const team = await aParticipation(context.db, { gameId: game.id })
  const created = await openKnots(game.id)
  const { id } = created.json()
  expect([created.statusCode, created.json()]).toEqual([200, { id: expect.any(Number), isNew: true }])
  expect(await challengesOf(game.id)).toMatchObject([knots])
  expect((await openKnots(game.id, { title: 'Bends' })).json()).toEqual({ id, isNew: false })
  expect(await challengesOf(game.id)).toMatchObject([knots])
  expect((await admin.get(`/api/edit/games/${game.id}/source`)).json().challenges).toEqual([
    { id, name: 'knots', remembered: { title: 'ab' }, appliedAt: expect.any(String) },
  ])
  expect(await context.sql`select participation_id from assignments where challenge_id = ${id}`).toEqual([
    { participation_id: team.id },
  ])
  expect(await context.sql`select type from notices where game_id = ${game.id}`).toEqual([{ type: 'NewChallenge' }])
})

test.each<[string, Partial<Challenge>, string]>([
  ['has no flag but is enabled', { flags: [] }, 'challenge.no-flag'],
  ['refers to an unknown file', { attachment: { hash: 'a'.repeat(64), name: 'a.zip' } }, 'file.unknown'],
  [
    'has an unknown prerequisite',
    { unlock: { after: [999_999], count: null, points: null, locked: 'Shown' } },
    'challenge.prerequisite',
  ],
])('a challenge is not created if it %s', async (_, changes, code) => {
  const { id } = await aGame(context.db)
  expect((await openKnots(id, changes)).json().code).toBe(code)
  expect(await challengesOf(id)).toEqual([])
})

test('of several calls at the same time, one call creates the challenge', async () => {
  const { id } = await aGame(context.db)
  const answers = await Promise.all([1, 2, 3, 4].map(() => openKnots(id)))
  const [first] = answers
  expect(answers.map((answer) => answer.json().isNew).sort()).toEqual([false, false, false, true])
  expect(new Set(answers.map((answer) => answer.json().id))).toEqual(new Set([first?.json().id]))
  expect(await challengesOf(id)).toMatchObject([knots])
})
