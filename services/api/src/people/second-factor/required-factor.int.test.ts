import { users } from '@capstan/db/schema/accounts'
import { passkeys, totpFactors } from '@capstan/db/schema/second-factor'
import { eq } from 'drizzle-orm'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'

let context: TestApp
let owner: TestClient
beforeEach(async () => {
  context = await startTestApp()
  const { user, client } = await signInAsNewUser(context, 'Admin')
  owner = client
  await giveFactor(user.id)
})
afterEach(() => context.close())

async function giveFactor(userId: string) {
  await context.db.insert(totpFactors).values({ userId, secret: 'sealed', lastStep: 0, enabledAt: context.clock.now() })
}
function setRule(secondFactor: string) {
  return owner.put('/api/admin/signin', { passwords: true, secondFactor })
}
async function outcome(client: TestClient, path = '/api/admin/instances') {
  const answer = await client.get(path)
  return answer.statusCode === 200 ? 'ok' : answer.json().code
}

test.each([
  ['Optional', 'ok', 'ok'],
  ['Admins', 'second-factor.required', 'ok'],
  ['Organizers', 'second-factor.required', 'second-factor.required'],
])(
  'under the policy %s, admins without a factor get %s, and monitors without a factor get %s',
  async (policy, ofAdmin, ofMonitor) => {
    const [admin, monitor] = [await signInAsNewUser(context, 'Admin'), await signInAsNewUser(context, 'Monitor')]
    const game = (await owner.post('/api/edit/games', { title: 'Game', start: 0, end: 1 })).json()
    const desk = `/api/game/${game.id}/events`
    expect([await outcome(admin.client), await outcome(monitor.client, desk)]).not.toContain('second-factor.required')
    expect((await setRule(policy)).statusCode).toBe(200)
    expect(await outcome(admin.client)).toBe(ofAdmin)
    expect((await outcome(monitor.client, desk)) === 'second-factor.required').toBe(ofMonitor !== 'ok')
  },
)

test('an admin has admin rights only while the account has the required second factor', async () => {
  const { user, client } = await signInAsNewUser(context, 'Admin')
  await setRule('Admins')
  expect((await client.get('/api/account/second-factor')).json()).toMatchObject({ isMissing: true })
  expect((await client.get('/api/account/profile')).json()).toMatchObject({ role: 'Admin' })
  const key = { credentialId: 'key', publicKey: 'key', signCount: 0, transports: [], name: 'Key' }
  await context.db.insert(passkeys).values({ ...key, userId: user.id, createdAt: context.clock.now() })
  expect(await outcome(client)).toBe('ok')
  expect((await client.get('/api/account/second-factor')).json()).toMatchObject({ isMissing: false })
  await context.db.delete(passkeys).where(eq(passkeys.userId, user.id))
  expect(await outcome(client)).toBe('second-factor.required')
})

test('an account without a password needs no second factor', async () => {
  const { client } = await signInAsNewUser(context, 'Admin', { passwordHash: 'none' })
  await setRule('Organizers')
  expect(await outcome(client)).toBe('ok')
})

test('an account needs a second factor as soon as it gets a password', async () => {
  const { user, client } = await signInAsNewUser(context, 'Admin', { passwordHash: 'none' })
  await setRule('Organizers')
  expect(await outcome(client)).toBe('ok')
  await context.db.update(users).set({ passwordHash: 'a hash' }).where(eq(users.id, user.id))
  expect(await outcome(client)).toBe('second-factor.required')
})

test('an admin without a second factor cannot make second factors required, and a change of other rules retains the requirement', async () => {
  const { client } = await signInAsNewUser(context, 'Admin')
  const refused = await client.put('/api/admin/signin', { passwords: true, secondFactor: 'Admins' })
  expect(refused.json()).toMatchObject({ status: 400, code: 'second-factor.own-first' })
  await setRule('Admins')
  expect((await owner.put('/api/admin/signin', { passwords: true })).statusCode).toBe(200)
  expect((await owner.get('/api/admin/signin')).json()).toMatchObject({ passwords: true, secondFactor: 'Admins' })
})
