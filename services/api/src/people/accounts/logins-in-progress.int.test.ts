import { users } from '@capstan/db/schema/accounts'
import { eq } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { callWhileLocked } from '../../testing/lock-account.ts'
import {
  deliverQueuedMails,
  parseMailedLink,
  password,
  registerThroughApi,
  setAccountPolicy,
} from '../../testing/people-factories.ts'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
  await setAccountPolicy(context.db, { activeOnRegister: true, emailConfirmationRequired: true })
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

let count = 0
async function anAccount() {
  count += 1
  const userName = `owner${count}`
  const { client: owner } = await registerThroughApi(context, userName)
  const [user] = await context.db.select().from(users).where(eq(users.userName, userName))
  return { owner, user: user! }
}
type Account = Awaited<ReturnType<typeof anAccount>>
function logIn(client: TestClient, userName: string) {
  return client.post('/api/account/login', { userName, password })
}
async function profileStatus(client: TestClient) {
  return (await client.get('/api/account/profile')).statusCode
}

async function changePassword({ owner }: Account) {
  return () => owner.put('/api/account/changepassword', { old: password, new: 'Brandnew1' })
}
async function resetByMail({ user }: Account) {
  await deliverQueuedMails(context)
  await createTestClient(context.app).post('/api/account/recovery', { email: user.email })
  const { token: rToken, email } = parseMailedLink((await deliverQueuedMails(context))[0]!)
  return () => createTestClient(context.app).post('/api/account/passwordreset', { rToken, email, password: 'Brandnew1' })
}
async function addFirstFactor({ owner }: Account) {
  const { secret, setup } = (await owner.post('/api/account/second-factor/totp', { password })).json()
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: context.clock.now().getTime() })
  return () => owner.put('/api/account/second-factor/totp', { setup, code })
}
async function resetByAdmin({ user }: Account) {
  return () => admin.delete(`/api/admin/users/${user.id}/password`)
}
async function deactivate({ user }: Account) {
  return () => admin.put(`/api/admin/users/${user.id}`, { emailConfirmed: false })
}
async function overwrite({ user: { userName, email } }: Account) {
  return () => admin.post('/api/admin/users', [{ userName, email, password: 'Brandnew1' }])
}

describe('a login during a change of credentials', () => {
  test.each([
    ['the user changes the password', changePassword],
    ['the user resets the password by mail', resetByMail],
    ['the user sets up a first second factor', addFirstFactor],
    ['an admin resets the password', resetByAdmin],
    ['an admin deactivates the account', deactivate],
    ['a bulk list sets the password', overwrite],
  ])('a login with the right password opens no session if %s before the session is stored', async (_, prepare) => {
    const account = await anAccount()
    const change = await prepare(account)
    const client = createTestClient(context.app)
    const [changed, login] = await callWhileLocked(context, account.user.id, [change, () => logIn(client, account.user.userName)])
    expect(changed!.statusCode).toBe(200)
    expect([login!.statusCode, login!.json().code]).toEqual([401, 'login.failed'])
    expect(await profileStatus(client)).toBe(401)
  })

  test('a second factor opens no session if the user changes the password before the session is stored', async () => {
    const account = await anAccount()
    const { codes } = (await (await addFirstFactor(account))()).json()
    const client = createTestClient(context.app)
    expect((await logIn(client, account.user.userName)).json().code).toBe('login.second-factor')
    const [changed, login] = await callWhileLocked(context, account.user.id, [
      await changePassword(account),
      () => client.post('/api/account/login/code', { code: codes[0] }),
    ])
    expect(changed!.statusCode).toBe(200)
    expect([login!.statusCode, login!.json().code]).toEqual([400, 'second-factor.expired'])
    expect(await profileStatus(client)).toBe(401)
  })
})

test('a password change ends the session of a login that completed before the change', async () => {
  const account = await anAccount()
  const client = createTestClient(context.app)
  const [login, changed] = await callWhileLocked(context, account.user.id, [
    () => logIn(client, account.user.userName),
    await changePassword(account),
  ])
  expect([login!.statusCode, changed!.statusCode]).toEqual([200, 200])
  expect([await profileStatus(client), await profileStatus(account.owner)]).toEqual([401, 200])
})

test.each([
  ['set up a second factor', addFirstFactor],
  ['change the password', changePassword],
])('a session that ends during a call cannot %s', async (_, prepare) => {
  const account = await anAccount()
  const thief = createTestClient(context.app)
  expect((await logIn(thief, account.user.userName)).statusCode).toBe(200)
  const change = await prepare({ ...account, owner: thief })
  const endOthers = await addFirstFactor(account)
  const [ended, refused] = await callWhileLocked(context, account.user.id, [endOthers, change])
  expect(ended!.statusCode).toBe(200)
  expect([refused!.statusCode, refused!.json().code]).toEqual([401, 'session.required'])
})
