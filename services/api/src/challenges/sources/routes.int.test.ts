import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { aUser, signInAsNewUser } from '../../testing/factories.ts'
import { aGame } from '../../testing/organizing-factories.ts'

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
