import { mailTokens, users } from '@capstan/db/schema/accounts'
import { recoveryCodes, totpFactors } from '@capstan/db/schema/second-factor'
import { eq } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashToken } from '../../server/sessions/session-token.ts'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { deliverQueuedMails, password, registerThroughApi } from '../../testing/people-factories.ts'

const periodMs = 30_000

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp({ config: { secretKey: 'a server secret of the tests' } })
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

let count = 0
function codeOf(secret: string, offsetMs = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: context.clock.now().getTime() + offsetMs })
}
/** Returns a code that is wrong in the current, the previous and the next period. */
function wrongCodeOf(secret: string): string {
  const right = [-periodMs, 0, periodMs].map((offsetMs) => codeOf(secret, offsetMs))
  return ['000000', '111111', '222222', '333333'].find((code) => !right.includes(code)) ?? ''
}
async function anOwner() {
  count += 1
  const userName = `owner${count}`
  const { client } = await registerThroughApi(context, userName, `${userName}@example.org`)
  const setup = (await client.post('/api/account/second-factor/totp', { password })).json()
  const enabled = await client.put('/api/account/second-factor/totp', { setup: setup.setup, code: codeOf(setup.secret) })
  expect(enabled.statusCode).toBe(200)
  // The setup has used up the code of this period, so the tests need the code of the next period.
  context.clock.advanceMs(periodMs)
  const [user] = await context.db.select().from(users).where(eq(users.userName, userName))
  return { userName, client, user: user!, secret: setup.secret as string, codes: enabled.json().codes as string[] }
}
async function begin(userName: string, client = createTestClient(context.app), wanted = password) {
  return { client, response: await client.post('/api/account/login', { userName, password: wanted }) }
}
function finish(client: TestClient, code: string) {
  return client.post('/api/account/login/code', { code })
}
async function statusOf(client: TestClient) {
  return (await client.get('/api/account/profile')).statusCode
}
function codeOfProblem(response: { json: () => { code: string } }) {
  return response.json().code
}

describe('an authenticator', () => {
  test('sets up an authenticator with the password and a code, and returns ten recovery codes', async () => {
    const { client, codes, secret, user } = await anOwner()
    expect(new Set(codes).size).toBe(10)
    expect(codes[0]).toMatch(/^[a-z2-7]{4}(?:-[a-z2-7]{4}){3}$/)
    expect((await client.get('/api/account/second-factor')).json()).toMatchObject({ hasPassword: true, recoveryCodes: 10 })
    const [row] = await context.db.select().from(totpFactors).where(eq(totpFactors.userId, user.id))
    expect(row?.secret).toMatch(/^v1\./)
    expect(row?.secret).not.toContain(secret)
    const stored = await context.db.select().from(recoveryCodes).where(eq(recoveryCodes.userId, user.id))
    expect(stored.map(({ codeHash }) => codeHash)).toEqual(expect.arrayContaining([expect.stringMatching(/^[0-9a-f]{64}$/)]))
  })

  test('all other sessions end when a user sets up a second factor for the first time', async () => {
    const { client } = await registerThroughApi(context, 'starter', 'starter@example.org')
    const { client: other } = await begin('starter')
    const { userId } = (await client.get('/api/account/profile')).json()
    const { secret, setup } = (await client.post('/api/account/second-factor/totp', { password })).json()
    context.messages.length = 0
    const enabled = await client.put('/api/account/second-factor/totp', { setup, code: codeOf(secret) })
    expect(enabled.statusCode).toBe(200)
    expect([await statusOf(client), await statusOf(other)]).toEqual([200, 401])
    await expect.poll(() => context.messages).toContainEqual({ kind: 'sessions-ended', userId })
  })

  test('offers an address and a QR code for authenticator apps during setup', async () => {
    const { client } = await registerThroughApi(context, 'scanner', 'scanner@example.org')
    const setup = (await client.post('/api/account/second-factor/totp', { password })).json()
    expect(setup.address).toMatch(new RegExp(`^otpauth://totp/.*scanner.*secret=${setup.secret}`))
    expect(setup.picture).toMatch(/^<svg/)
  })

  test('setup needs the right password and code, and is refused if the account already has an authenticator', async () => {
    const { client, secret } = await anOwner()
    expect(codeOfProblem(await client.post('/api/account/second-factor/totp', { password: 'Wrong1word' }))).toBe('password.wrong')
    expect(codeOfProblem(await client.post('/api/account/second-factor/totp', { password }))).toBe('second-factor.exists')
    const { client: other } = await registerThroughApi(context, 'second', 'second@example.org')
    const { setup } = (await other.post('/api/account/second-factor/totp', { password })).json()
    const wrong = await other.put('/api/account/second-factor/totp', { setup, code: codeOf(secret) })
    expect(codeOfProblem(wrong)).toBe('second-factor.wrong')
  })

  test('refuses to set up an authenticator if the account has no password', async () => {
    const { client } = await signInAsNewUser(context, 'User', { passwordHash: 'none' })
    const refused = await client.post('/api/account/second-factor/totp', { password })
    expect(codeOfProblem(refused)).toBe('second-factor.no-password')
    expect((await client.get('/api/account/second-factor')).json()).toMatchObject({ hasPassword: false, enabledAt: null })
  })
})

describe('a login with a second factor', () => {
  test('the right password opens no session but begins the second step, in which the code opens a session', async () => {
    const { userName, secret } = await anOwner()
    const { client, response } = await begin(userName)
    expect([response.statusCode, codeOfProblem(response)]).toEqual([401, 'login.second-factor'])
    expect(response.json().title).toContain('login page')
    expect([...client.cookies.keys()]).toEqual(['capstan_login'])
    expect(await statusOf(client)).toBe(401)
    const finished = await finish(client, ` ${codeOf(secret).slice(0, 3)} ${codeOf(secret).slice(3)} `)
    expect(finished.statusCode).toBe(200)
    expect(await statusOf(client)).toBe(200)
    expect(context.logLines.at(-1)).toMatchObject({ name: userName, message: 'Logged in with a second factor' })
  })

  test('accepts the codes of the previous, the current and the next period, and no others', async () => {
    const { userName, secret } = await anOwner()
    const { client } = await begin(userName)
    expect(codeOfProblem(await finish(client, codeOf(secret, 2 * periodMs)))).toBe('second-factor.wrong')
    expect((await finish(client, codeOf(secret, periodMs))).statusCode).toBe(200)
  })

  test('accepts each recovery code once, in any notation', async () => {
    const { userName, codes, client: owner } = await anOwner()
    const [code = ''] = codes
    const first = await begin(userName)
    expect((await finish(first.client, code.toUpperCase().replaceAll('-', ' '))).statusCode).toBe(200)
    const second = await begin(userName)
    expect(codeOfProblem(await finish(second.client, code))).toBe('second-factor.wrong')
    expect((await owner.get('/api/account/second-factor')).json().recoveryCodes).toBe(9)
  })

  test('a login needs a code even after an admin has reset the password', async () => {
    const { userName, user } = await anOwner()
    const wanted = (await admin.delete(`/api/admin/users/${user.id}/password`)).json()
    expect(codeOfProblem((await begin(userName, createTestClient(context.app), wanted)).response)).toBe('login.second-factor')
  })
})

describe('a login or a change of the second factor', () => {
  test('refuses the last used code and all earlier codes', async () => {
    const { userName, secret } = await anOwner()
    const code = codeOf(secret)
    const earlier = codeOf(secret, -periodMs)
    expect((await finish((await begin(userName)).client, code)).statusCode).toBe(200)
    for (const used of [code, earlier])
      expect(codeOfProblem(await finish((await begin(userName)).client, used))).toBe('second-factor.wrong')
  })

  test('opens only one session if concurrent calls send the same code', async () => {
    const { userName, secret, codes } = await anOwner()
    for (const code of [codeOf(secret), codes[0] ?? '']) {
      const clients = await Promise.all(Array.from({ length: 5 }, async () => (await begin(userName)).client))
      const answers = await Promise.all(clients.map((client) => finish(client, code)))
      expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
    }
  })

  test('refuses even the right code for 15 minutes after ten wrong codes, sequential or concurrent', async () => {
    const { userName, secret } = await anOwner()
    const { client } = await begin(userName)
    const answers = await Promise.all(Array.from({ length: 15 }, () => finish(client, wrongCodeOf(secret))))
    expect(answers.filter((answer) => codeOfProblem(answer) === 'second-factor.wrong')).toHaveLength(10)
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(5)
    const refused = await finish((await begin(userName)).client, codeOf(secret))
    expect([refused.statusCode, codeOfProblem(refused)]).toEqual([429, 'second-factor.too-many'])
    context.clock.advanceMs(15 * 60_000)
    expect((await finish((await begin(userName)).client, codeOf(secret))).statusCode).toBe(200)
  })

  test('another client with the password cannot use up the attempts of the session or of the last address of the owner', async () => {
    const { userName, client, secret, user } = await anOwner()
    const lastSeenAt = (lastAddress: string) => context.db.update(users).set({ lastAddress }).where(eq(users.id, user.id))
    await lastSeenAt('192.0.2.77')
    const thief = (await begin(userName)).client
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect(codeOfProblem(await finish(thief, wrongCodeOf(secret)))).toBe('second-factor.wrong')
    expect(codeOfProblem(await finish(thief, codeOf(secret)))).toBe('second-factor.too-many')
    const recovery = await client.post('/api/account/second-factor/recovery', { password, code: codeOf(secret) })
    expect(recovery.statusCode).toBe(200)
    context.clock.advanceMs(periodMs)
    await lastSeenAt('127.0.0.1')
    expect((await finish((await begin(userName)).client, codeOf(secret))).statusCode).toBe(200)
  })

  test('a stranger without the password cannot use up the attempts of the owner', async () => {
    const { userName, secret } = await anOwner()
    const stranger = createTestClient(context.app)
    for (let attempt = 0; attempt < 12; attempt += 1) {
      await begin(userName, stranger, 'Wrong1word')
      expect(codeOfProblem(await finish(stranger, '000000'))).toBe('second-factor.expired')
    }
    expect((await finish((await begin(userName)).client, codeOf(secret))).statusCode).toBe(200)
  })

  test('refuses the pending login of another account, and a forged or an old cookie', async () => {
    const [victim, attacker] = [await anOwner(), await anOwner()]
    const { client } = await begin(attacker.userName)
    expect(codeOfProblem(await finish(client, codeOf(victim.secret)))).toBe('second-factor.wrong')
    const forged = createTestClient(context.app)
    forged.cookies.set('capstan_login', `${client.cookies.get('capstan_login')}x`)
    expect(codeOfProblem(await finish(forged, codeOf(attacker.secret)))).toBe('second-factor.expired')
    context.clock.advanceMs(5 * 60_000)
    expect(codeOfProblem(await finish(client, codeOf(attacker.secret)))).toBe('second-factor.expired')
  })

  test('opens a new session after the code, even if an attacker has set a session cookie in advance', async () => {
    const { userName, secret } = await anOwner()
    const client = createTestClient(context.app)
    client.cookies.set('capstan_session', 'fixed-by-the-attacker')
    await begin(userName, client)
    expect((await finish(client, codeOf(secret))).statusCode).toBe(200)
    expect(client.cookies.get('capstan_session')).not.toBe('fixed-by-the-attacker')
  })

  test('refuses a pending login that began before the password changed', async () => {
    const { userName, secret, client: owner } = await anOwner()
    const { client } = await begin(userName)
    expect((await owner.put('/api/account/changepassword', { old: password, new: `${password}2` })).statusCode).toBe(200)
    expect(codeOfProblem(await finish(client, codeOf(secret)))).toBe('second-factor.expired')
  })

  test('refuses to finish the setup of another user or session', async () => {
    const { client: victim } = await registerThroughApi(context, 'victim', 'victim@example.org')
    const { client: attacker } = await registerThroughApi(context, 'attacker', 'attacker@example.org')
    const { setup, secret } = (await attacker.post('/api/account/second-factor/totp', { password })).json()
    const elsewhere = await victim.put('/api/account/second-factor/totp', { setup, code: codeOf(secret) })
    expect(codeOfProblem(elsewhere)).toBe('second-factor.expired')
    const again = createTestClient(context.app)
    await begin('attacker', again)
    const otherSession = await again.put('/api/account/second-factor/totp', { setup, code: codeOf(secret) })
    expect(codeOfProblem(otherSession)).toBe('second-factor.expired')
    context.clock.advanceMs(10 * 60_000)
    const late = await attacker.put('/api/account/second-factor/totp', { setup, code: codeOf(secret) })
    expect(codeOfProblem(late)).toBe('second-factor.expired')
  })

  test('after ten wrong passwords in a session, even the right password is refused', async () => {
    const { client } = await anOwner()
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect(codeOfProblem(await client.post('/api/account/second-factor/removal', { password: 'Wrong1word' }))).toBe(
        'password.wrong',
      )
    expect(codeOfProblem(await client.post('/api/account/second-factor/removal', { password }))).toBe('second-factor.too-many')
  })

  test('refuses a change of the second factor with only a session and the password', async () => {
    const { client, codes, secret, user } = await anOwner()
    const calls = ['removal', 'recovery'].map((path) => `/api/account/second-factor/${path}`)
    for (const call of calls) {
      const refused = await client.post(call, { password })
      expect([refused.statusCode, codeOfProblem(refused)]).toEqual([403, 'second-factor.confirm'])
      const guessed = await client.post(call, { password, code: wrongCodeOf(secret) })
      expect([guessed.statusCode, codeOfProblem(guessed)]).toEqual([400, 'second-factor.wrong'])
      const foreign = await client.post(call, { password, code: (await anOwner()).codes[0] })
      expect(codeOfProblem(foreign)).toBe('second-factor.wrong')
    }
    expect(await context.db.$count(totpFactors, eq(totpFactors.userId, user.id))).toBe(1)
    expect(await context.db.$count(recoveryCodes, eq(recoveryCodes.userId, user.id))).toBe(codes.length)
  })

  test('after ten wrong codes in a session, even the right code is refused', async () => {
    const { client, secret } = await anOwner()
    const guess = (code: string) => client.post('/api/account/second-factor/removal', { password, code })
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect(codeOfProblem(await guess(wrongCodeOf(secret)))).toBe('second-factor.wrong')
    expect(codeOfProblem(await guess(codeOf(secret)))).toBe('second-factor.too-many')
  })
})

describe('the owner of an authenticator', () => {
  test('the owner can replace the recovery codes, which invalidates the previous codes', async () => {
    const { userName, client, codes, secret } = await anOwner()
    const proof = { password, code: codeOf(secret) }
    const renewed = (await client.post('/api/account/second-factor/recovery', proof)).json().codes as string[]
    expect(renewed.filter((code) => codes.includes(code))).toEqual([])
    const { client: next } = await begin(userName)
    expect(codeOfProblem(await finish(next, codes[0] ?? ''))).toBe('second-factor.wrong')
    expect((await finish(next, renewed[0] ?? '')).statusCode).toBe(200)
  })

  test.each([
    ['a code', ({ secret }: { secret: string }) => codeOf(secret)],
    ['a recovery code', ({ codes: [code = ''] }: { codes: string[] }) => code],
  ])('the owner can remove the factor with the password and %s, and then logs in without a code', async (_what, choose) => {
    const owner = await anOwner()
    const { userName, client, user } = owner
    const proof = { password, code: choose(owner) }
    expect((await client.post('/api/account/second-factor/removal', proof)).statusCode).toBe(200)
    expect((await begin(userName)).response.statusCode).toBe(200)
    expect(await context.db.$count(recoveryCodes, eq(recoveryCodes.userId, user.id))).toBe(0)
    for (const path of ['removal', 'recovery'])
      expect(codeOfProblem(await client.post(`/api/account/second-factor/${path}`, { password }))).toBe('second-factor.none')
  })
})

test('an admin can remove the second factor of a user, who then gets a mail', async () => {
  const { userName, user } = await anOwner()
  expect((await admin.delete(`/api/admin/users/${user.id}/second-factor`)).statusCode).toBe(200)
  expect(context.logLines.at(-1)).toMatchObject({ message: `Removed the second factor of user "${userName}"` })
  expect((await deliverQueuedMails(context)).at(-1)).toMatchObject({
    recipient: user.email,
    subject: expect.stringContaining('Your second factor was removed'),
  })
  expect((await begin(userName)).response.statusCode).toBe(200)
  expect(codeOfProblem(await admin.delete(`/api/admin/users/${user.id}/second-factor`))).toBe('second-factor.none')
})

test("an admin cannot remove the admin's own second factor through the admin api", async () => {
  const { client, user } = await anOwner()
  await context.db.update(users).set({ role: 'Admin' }).where(eq(users.id, user.id))
  expect(codeOfProblem(await client.delete(`/api/admin/users/${user.id}/second-factor`))).toBe('user.self')
  expect((await client.get('/api/account/second-factor')).json().enabledAt).not.toBeNull()
})

test('banned users cannot finish a login', async () => {
  const { userName, user, secret } = await anOwner()
  const { client } = await begin(userName)
  await context.db.update(users).set({ role: 'Banned' }).where(eq(users.id, user.id))
  expect(codeOfProblem(await finish(client, codeOf(secret)))).toBe('login.banned')
})

test('a mailed activation link opens no session if the account has a second factor', async () => {
  const { user } = await anOwner()
  const text = (value: string) => Buffer.from(value).toString('base64')
  await context.db.update(users).set({ emailConfirmed: false }).where(eq(users.id, user.id))
  await context.db.insert(mailTokens).values({
    ...{ tokenHash: hashToken('link'), userId: user.id, purpose: 'activation', email: user.email },
    expiresAt: new Date(context.clock.now().getTime() + 60_000),
  })
  const client = createTestClient(context.app)
  expect((await client.post('/api/account/verify', { token: text('link'), email: text(user.email) })).statusCode).toBe(200)
  expect([...client.cookies.keys()]).toEqual([])
})
