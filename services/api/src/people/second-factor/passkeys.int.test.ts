import { passkeys, recoveryCodes } from '@capstan/db/schema/second-factor'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { password, registerThroughApi } from '../../testing/people-factories.ts'
import { createAuthenticator } from './testing/authenticator.ts'

const path = '/api/account/second-factor/passkeys'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp({ config: { publicOrigin: 'http://localhost' } })
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

let count = 0
async function anAccount() {
  count += 1
  const userName = `keyholder${count}`
  const { client } = await registerThroughApi(context, userName, `${userName}@example.org`)
  return { userName, client, userId: (await client.get('/api/account/profile')).json().userId as string }
}
function codeOfProblem(response: { json: () => { code: string } }) {
  return response.json().code
}
async function start(client: TestClient, code?: string) {
  return (await client.post(`${path}/options`, { password, code })).json()
}
/** Adds a passkey to the account of a client. @param code recovery code, required if the account already has a second factor */
async function add(client: TestClient, authenticator = createAuthenticator(), name = 'Laptop', code?: string) {
  const { options, setup } = await start(client, code)
  return client.post(path, { setup, answer: authenticator.create(options), name })
}
async function anOwner() {
  const account = await anAccount()
  const authenticator = createAuthenticator()
  const added = await add(account.client, authenticator)
  expect(added.statusCode).toBe(200)
  context.clock.advanceMs(1_000)
  return { ...account, authenticator, codes: added.json().codes as string[] }
}
/** Begins a login with the password. @returns a client whose login waits for the second factor */
async function begin(userName: string) {
  const client = createTestClient(context.app)
  expect(codeOfProblem(await client.post('/api/account/login', { userName, password }))).toBe('login.second-factor')
  return client
}
async function challengeOf(client: TestClient) {
  return (await client.post('/api/account/login/factors')).json().passkey
}
function finish(client: TestClient, challenge: string, answer: string) {
  return client.post('/api/account/login/passkey', { challenge, answer })
}
async function proofChallengeOf(client: TestClient) {
  return (await client.post('/api/account/second-factor/challenge')).json().passkey
}
async function isLoggedIn(client: TestClient) {
  return (await client.get('/api/account/profile')).statusCode === 200
}

describe('adding a passkey', () => {
  test('adding a passkey ends all other sessions only if the passkey is the first factor of the account', async () => {
    const { client, userName, userId } = await anAccount()
    const other = createTestClient(context.app)
    expect((await other.post('/api/account/login', { userName, password })).statusCode).toBe(200)
    context.messages.length = 0
    const { codes } = (await add(client)).json()
    expect([await isLoggedIn(client), await isLoggedIn(other)]).toEqual([true, false])
    await expect.poll(() => context.messages).toContainEqual({ kind: 'sessions-ended', userId })
    const proven = await begin(userName)
    expect((await proven.post('/api/account/login/code', { code: codes[0] })).statusCode).toBe(200)
    expect((await add(client, createAuthenticator(), 'Phone', codes[1])).statusCode).toBe(200)
    expect(await isLoggedIn(proven)).toBe(true)
  })

  test('adding a passkey returns recovery codes only if the passkey is the first factor of the account', async () => {
    const { client } = await anAccount()
    const { codes } = (await add(client, createAuthenticator(), 'Laptop')).json()
    expect(codes).toHaveLength(10)
    context.clock.advanceMs(1)
    expect((await add(client, createAuthenticator(), 'Phone', codes[0])).json().codes).toEqual([])
    expect((await client.get('/api/account/second-factor')).json()).toMatchObject({
      ...{ enabledAt: null, recoveryCodes: 9, canAddPasskeys: true },
      passkeys: [
        { name: 'Laptop', lastUsedAt: null },
        { name: 'Phone', lastUsedAt: null },
      ],
    })
  })

  test('a user cannot add a passkey with a wrong password, or with the setup of another user', async () => {
    const [owner, other] = [await anAccount(), await anAccount()]
    expect(codeOfProblem(await owner.client.post(`${path}/options`, { password: 'Wrong1word' }))).toBe('password.wrong')
    const { options, setup } = await start(owner.client)
    const answer = createAuthenticator().create(options)
    expect(codeOfProblem(await other.client.post(path, { setup, answer, name: 'Key' }))).toBe('second-factor.expired')
    context.clock.advanceMs(10 * 60_000)
    expect(codeOfProblem(await owner.client.post(path, { setup, answer, name: 'Key' }))).toBe('second-factor.expired')
  })

  test.each([
    ['of another origin', () => createAuthenticator('localhost', 'https://evil.example')],
    ['of another host name', () => createAuthenticator('evil.example', 'http://localhost')],
  ])('refuses an answer %s, and stores no passkey', async (_name, create) => {
    const { client, userId } = await anAccount()
    expect(codeOfProblem(await add(client, create()))).toBe('passkey.refused')
    expect(await context.db.$count(passkeys, eq(passkeys.userId, userId))).toBe(0)
  })

  test('refuses an answer to another WebAuthn challenge, a repeated answer, and an answer that is not JSON', async () => {
    const { client } = await anAccount()
    const authenticator = createAuthenticator()
    const [first, second] = [await start(client), await start(client)]
    const answer = authenticator.create(first.options)
    expect(codeOfProblem(await client.post(path, { setup: second.setup, answer, name: 'Key' }))).toBe('passkey.refused')
    expect(codeOfProblem(await client.post(path, { setup: first.setup, answer: 'x', name: 'Key' }))).toBe('passkey.refused')
    expect((await client.post(path, { setup: first.setup, answer, name: 'Key' })).statusCode).toBe(200)
    expect(codeOfProblem(await client.post(path, { setup: first.setup, answer, name: 'Key' }))).toBe('passkey.exists')
  })

  test('refuses an answer with a certificate, because the server would call the addresses in the certificate', async () => {
    const { client } = await anAccount()
    const { options, setup } = await start(client)
    const attStmt = new Map<string, unknown>([['x5c', [Buffer.from('certificate')]]])
    const answer = createAuthenticator().create(options, { attestation: { fmt: 'packed', attStmt } })
    expect(codeOfProblem(await client.post(path, { setup, answer, name: 'Key' }))).toBe('passkey.refused')
  })

  test('stores only known transports of a passkey', async () => {
    const { client, userId } = await anAccount()
    const { options, setup } = await start(client)
    const transports = ['usb', 'usb', 'nul\0', '\ud800', 5, null, 'x'.repeat(9_000), 'internal']
    const answer = createAuthenticator().create(options, { transports })
    expect((await client.post(path, { setup, answer, name: 'Key' })).statusCode).toBe(200)
    const [stored] = await context.db.select().from(passkeys).where(eq(passkeys.userId, userId))
    expect(stored?.transports).toEqual(['internal', 'usb'])
  })

  test('accepts a passkey with the longest id of WebAuthn, and refuses longer ids', async () => {
    const { client } = await anAccount()
    const withId = (bytes: number) => createAuthenticator('localhost', 'http://localhost', bytes)
    expect(codeOfProblem(await add(client, withId(1_024)))).toBe('passkey.refused')
    expect(codeOfProblem(await add(client, withId(5_000)))).toBe('passkey.refused')
    expect((await add(client, withId(1_023))).statusCode).toBe(200)
  })

  test('refuses the passkey of another account, and an eleventh passkey', async () => {
    const { authenticator } = await anOwner()
    const { client } = await anAccount()
    expect(codeOfProblem(await add(client, authenticator))).toBe('passkey.exists')
    const { codes } = (await add(client)).json()
    for (const code of codes.slice(1)) expect((await add(client, createAuthenticator(), 'Key', code)).statusCode).toBe(200)
    expect(codeOfProblem(await client.post(`${path}/options`, { password }))).toBe('passkey.too-many')
  })
})

describe('a login with a passkey', () => {
  test('the right password and the right answer of the passkey open a session, and the time of this use is stored', async () => {
    const { userName, authenticator, client: owner } = await anOwner()
    const client = await begin(userName)
    const { options, challenge } = await challengeOf(client)
    expect(JSON.parse(options)).toMatchObject({ rpId: 'localhost', allowCredentials: [{ id: authenticator.id }] })
    expect(await isLoggedIn(client)).toBe(false)
    expect((await finish(client, challenge, authenticator.get(options))).statusCode).toBe(200)
    expect(await isLoggedIn(client)).toBe(true)
    const { passkeys: shown } = (await owner.get('/api/account/second-factor')).json()
    expect(shown).toMatchObject([{ lastUsedAt: context.clock.now().getTime() }])
  })

  test('accepts a recovery code instead of the passkey', async () => {
    const { userName, codes } = await anOwner()
    const client = await begin(userName)
    expect((await client.post('/api/account/login/code', { code: codes[0] })).statusCode).toBe(200)
  })

  test('offers no WebAuthn challenge to a client that has not sent the password', async () => {
    const stranger = createTestClient(context.app)
    expect(codeOfProblem(await stranger.post('/api/account/login/factors'))).toBe('second-factor.expired')
  })
})

describe('the second step of a login with a passkey', () => {
  test('accepts an answer only once, even in concurrent calls', async () => {
    const { userName, authenticator } = await anOwner()
    const clients = await Promise.all(Array.from({ length: 5 }, () => begin(userName)))
    const { options, challenge } = await challengeOf(clients[0]!)
    const answer = authenticator.get(options)
    const answers = await Promise.all(clients.map((client) => finish(client, challenge, answer)))
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
    context.clock.advanceMs(1)
    expect(codeOfProblem(await finish(await begin(userName), challenge, answer))).toBe('passkey.refused')
  })

  test('refuses an answer that has another origin, has another key, or belongs to another WebAuthn challenge', async () => {
    const { userName, authenticator } = await anOwner()
    const client = await begin(userName)
    const [{ options, challenge }, other] = [await challengeOf(client), await challengeOf(client)]
    for (const answer of [
      authenticator.get(options, { origin: 'http://evil.example' }),
      createAuthenticator().get(options),
      authenticator.get(other.options),
    ])
      expect(codeOfProblem(await finish(client, challenge, answer))).toBe('passkey.refused')
  })

  test('refuses the passkey and the WebAuthn challenge of another account', async () => {
    const [victim, attacker] = [await anOwner(), await anOwner()]
    const [clientOfVictim, clientOfAttacker] = [await begin(victim.userName), await begin(attacker.userName)]
    const { options, challenge } = await challengeOf(clientOfVictim)
    expect(codeOfProblem(await finish(clientOfVictim, challenge, attacker.authenticator.get(options)))).toBe('passkey.refused')
    const own = await challengeOf(clientOfAttacker)
    expect(codeOfProblem(await finish(clientOfVictim, own.challenge, attacker.authenticator.get(own.options)))).toBe(
      'second-factor.expired',
    )
  })

  test('refuses a copied authenticator, whose signature count is too low', async () => {
    const { userName, authenticator, userId } = await anOwner()
    await context.db.update(passkeys).set({ signCount: 50 }).where(eq(passkeys.userId, userId))
    const client = await begin(userName)
    const { options, challenge } = await challengeOf(client)
    expect(codeOfProblem(await finish(client, challenge, authenticator.get(options)))).toBe('passkey.refused')
  })
})

describe('a change of the second factor', () => {
  test('a change of the second factor needs a code or passkey besides the password', async () => {
    const { client, userId } = await anOwner()
    const [{ id }] = (await client.get('/api/account/second-factor')).json().passkeys
    for (const call of [`${path}/${id}/removal`, `${path}/options`, '/api/account/second-factor/totp']) {
      const refused = await client.post(call, { password })
      expect([refused.statusCode, codeOfProblem(refused)]).toEqual([403, 'second-factor.confirm'])
    }
    expect(await context.db.$count(passkeys, eq(passkeys.userId, userId))).toBe(1)
  })

  test('refuses a repeated answer, and the WebAuthn challenge of a login or of another session', async () => {
    const { userName, client, authenticator, codes } = await anOwner()
    const [{ id }] = (await client.get('/api/account/second-factor')).json().passkeys
    const remove = (challenge: string, options: string) =>
      client.post(`${path}/${id}/removal`, { password, passkey: { challenge, answer: authenticator.get(options) } })
    const other = await begin(userName)
    const ofLogin = await challengeOf(other)
    expect((await other.post('/api/account/login/code', { code: codes[0] })).statusCode).toBe(200)
    const ofOther = await proofChallengeOf(other)
    for (const { challenge, options } of [ofLogin, ofOther])
      expect(codeOfProblem(await remove(challenge, options))).toBe('second-factor.expired')
    const { challenge, options } = await proofChallengeOf(client)
    const passkey = { challenge, answer: authenticator.get(options) }
    expect((await client.post('/api/account/second-factor/recovery', { password, passkey })).statusCode).toBe(200)
    expect(codeOfProblem(await client.post(`${path}/${id}/removal`, { password, passkey }))).toBe('passkey.refused')
  })
})

describe('the owner of a passkey', () => {
  test('with password and passkey, the owner can remove the last passkey, and then logs in without a second step', async () => {
    const { userName, client, userId, authenticator } = await anOwner()
    const [{ id }] = (await client.get('/api/account/second-factor')).json().passkeys
    const refused = await client.post(`${path}/${id}/removal`, { password: 'Wrong1word' })
    expect(codeOfProblem(refused)).toBe('password.wrong')
    const { options, challenge } = await proofChallengeOf(client)
    const proof = { password, passkey: { challenge, answer: authenticator.get(options) } }
    expect((await client.post(`${path}/${id}/removal`, proof)).statusCode).toBe(200)
    expect(codeOfProblem(await client.post(`${path}/${id}/removal`, { password }))).toBe('passkey.unknown')
    expect(await proofChallengeOf(client)).toBeNull()
    expect(await context.db.$count(recoveryCodes, eq(recoveryCodes.userId, userId))).toBe(0)
    const next = createTestClient(context.app)
    expect((await next.post('/api/account/login', { userName, password })).statusCode).toBe(200)
  })

  test('the recovery codes remain while the account has another factor', async () => {
    const { client, codes } = await anOwner()
    expect((await add(client, createAuthenticator(), 'Key', codes[0])).statusCode).toBe(200)
    const [{ id }] = (await client.get('/api/account/second-factor')).json().passkeys
    expect((await client.post(`${path}/${id}/removal`, { password, code: codes[1] })).statusCode).toBe(200)
    expect((await client.get('/api/account/second-factor')).json()).toMatchObject({ recoveryCodes: 8, passkeys: [{}] })
  })

  test('a user cannot remove the passkey of another account', async () => {
    const [owner, other] = [await anOwner(), await anOwner()]
    const [{ id }] = (await owner.client.get('/api/account/second-factor')).json().passkeys
    expect(codeOfProblem(await other.client.post(`${path}/${id}/removal`, { password }))).toBe('passkey.unknown')
  })
})

test('an admin removes all passkeys of a user', async () => {
  const { userName, userId } = await anOwner()
  expect((await admin.delete(`/api/admin/users/${userId}/second-factor`)).statusCode).toBe(200)
  const client = createTestClient(context.app)
  expect((await client.post('/api/account/login', { userName, password })).statusCode).toBe(200)
})

test('without a public origin, no passkey can be added, and the account page explains the reason', async () => {
  const other = await startTestApp()
  const { client } = await signInAsNewUser(other)
  expect((await client.get('/api/account/second-factor')).json()).toMatchObject({ canAddPasskeys: false })
  expect(codeOfProblem(await client.post(`${path}/options`, { password }))).toBe('passkey.no-origin')
  await other.close()
})
