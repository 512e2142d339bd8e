import type { Response } from 'light-my-request'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../app.ts'
import { createTestClient, startTestApp, type TestApp } from '../../testing/app.ts'
import { aTeam, signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())

test('answers an unexpected error with 500, hides its cause and writes it to the platform log', async () => {
  let isBroken = false
  const db = new Proxy(context.db, {
    get: (target, name) => {
      if (isBroken) throw new Error('params: flag{secret}')
      return Reflect.get(target, name)
    },
  })
  const app = await buildApp({ ...context.deps, db })
  isBroken = true
  const response = await createTestClient(app).get('/api/posts')
  expect([response.statusCode, response.json()]).toEqual([
    500,
    { title: 'Unknown error', status: 500, code: 'server.unexpected', requestId: expect.any(String) },
  ])
  expect(context.logLines.at(-1)).toMatchObject({
    level: 'Error',
    name: 'System',
    message: `GET /api/posts failed unexpectedly, request ${response.json().requestId}`,
    status: 'Failed',
  })
  await app.close()
})

test('refuses unreadable bodies and returns the reason', async () => {
  const send = async (type: string, payload: string) => {
    const headers = { 'content-type': type }
    const response = await context.app.inject({ method: 'POST', url: '/api/account/login', headers, payload })
    return [response.statusCode, response.json().code]
  }
  expect(await send('application/json', '{"userName":')).toEqual([400, 'request.invalid'])
  expect(await send('text/plain', 'hello')).toEqual([415, 'request.content-type'])
  expect(await send('application/json', JSON.stringify({ userName: 'x'.repeat(9_000_000) }))).toEqual([413, 'request.too-large'])
  expect(await send('application/json', '{"userName":"a\\u0000b","password":"x"}')).toEqual([400, 'request.invalid'])
  expect(await send('application/json', '{"__proto__":{"a":1},"userName":"a","password":"b"}')).toEqual([401, 'login.failed'])
})

test('translates titles by Accept-Language, but does not translate codes', async () => {
  const send = (payload: object, language: string) =>
    context.app.inject({ method: 'POST', url: '/api/account/login', headers: { 'accept-language': language }, payload })
  const refused = await send({ userName: 'nobody', password: 'wrong' }, 'ja, en;q=0.5')
  expect(refused.headers['content-language']).toBe('ja-JP')
  expect(refused.json()).toMatchObject({ title: 'ユーザー名またはパスワードが違います', code: 'login.failed' })
  const incomplete = await send({ userName: 'nobody' }, 'de-CH')
  expect(incomplete.headers['content-language']).toBe('de-DE')
  expect(incomplete.json()).toMatchObject({ title: 'Password fehlt', code: 'request.invalid' })
  const unknown = await context.app.inject({ url: '/api/nowhere', headers: { 'accept-language': 'zh-HK' } })
  expect(unknown.json()).toMatchObject({ title: '此位址沒有內容', code: 'route.not-found' })
})

/**
 * Returns the response to a call while a concurrent transaction deletes a row that the call needs. The last statement of the call
 * waits for that transaction.
 */
async function askDuringDeletion(table: 'teams' | 'games' | 'users', id: number | string, ask: () => Promise<Response>) {
  const waiting = () => context.sql`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  let answer: Promise<Response> | undefined
  await context.sql.begin(async (sql) => {
    await sql`delete from ${sql(table)} where id = ${id}`
    answer = ask()
    await expect.poll(waiting).not.toEqual([])
  })
  const { statusCode, json } = (await answer) as Response
  return [statusCode, json().code]
}

test('reports which row is missing when a referenced row is deleted during the call', async () => {
  const game = await aGame(context.db)
  const challenge = await aChallenge(context.db, { gameId: game.id, flags: ['flag{right}'] })
  const player = await aPlayer(context, { gameId: game.id, challengeIds: [challenge.id] })
  const admin = await signInAsNewUser(context, 'Admin')
  const newcomer = await signInAsNewUser(context)
  const team = await aTeam(context.db, { captainId: admin.user.id })
  const guess = () => player.client.post(`/api/game/${game.id}/challenges/${challenge.id}`, { flag: 'flag{wrong}' })
  const join = () => newcomer.client.post('/api/team/accept', `${team.name}:${team.id}:${team.inviteToken}`)
  const create = () => admin.client.post(`/api/edit/games/${game.id}/challenges`, { title: 'New', category: 'Web' })
  expect(await askDuringDeletion('users', newcomer.user.id, join)).toEqual([401, 'session.required'])
  // Deleting the team also deletes the participation.
  expect(await askDuringDeletion('teams', player.team.id, guess)).toEqual([400, 'participation.required'])
  expect(await askDuringDeletion('games', game.id, create)).toEqual([404, 'game.unknown'])
})
