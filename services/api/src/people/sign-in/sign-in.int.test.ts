import { users } from '@capstan/db/schema/accounts'
import { signInProviders } from '@capstan/db/schema/sign-in'
import { eq } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { aTeam, aUser, signInAsNewUser } from '../../testing/factories.ts'
import { callWhileLocked } from '../../testing/lock-account.ts'
import {
  deliverQueuedMails,
  parseMailedLink,
  password,
  registerThroughApi,
  setAccountPolicy,
} from '../../testing/people-factories.ts'
import { deleteExpiredSessionsAndLinks } from '../accounts/upkeep.ts'
import { logInAtProvider, startOidcProvider, testClient } from './testing/oidc-provider.ts'

const origin = 'http://ctf.example.org'
const secretKey = 'a server secret of the tests'
const outgoing = { allowed: ['127.0.0.1', 'localhost'], blocked: [], http: true }
const accounts: Record<string, Record<string, unknown>> = {
  ada: { email: 'ada@uni.example', email_verified: true, preferred_username: 'ada', name: 'Ada Lovelace' },
  unverified: { email: 'new@uni.example', email_verified: false, preferred_username: 'newcomer' },
  boss: { email: 'boss@uni.example', email_verified: true, preferred_username: 'boss', groups: ['staff', 'ctf-admins'] },
  taken: { email: 'Local@Example.org', email_verified: true, preferred_username: 'other' },
  odd: { email: 'odd@uni.example', email_verified: true, preferred_username: '\u202e\u200b' },
  mute: { preferred_username: 'mute' },
}
const claims = { userName: 'preferred_username', realName: 'name', stdNumber: '', adminClaim: '', adminValue: '' }

let context: TestApp
let provider: Awaited<ReturnType<typeof startOidcProvider>>
let admin: TestClient
let providerId: string

function write() {
  return {
    ...{ key: 'campus', kind: 'OpenId', name: 'Campus', issuer: provider.issuer, clientId: testClient.id, scope: '', claims },
    clientSecret: testClient.secret as string | null,
    isEnabled: true,
  }
}
beforeAll(async () => {
  provider = await startOidcProvider(`${origin}/account/sign-in/campus`, accounts)
  context = await startTestApp({ config: { publicOrigin: origin, secretKey, outgoing }, deps: { providerClient: undefined } })
  admin = (await signInAsNewUser(context, 'Admin')).client
  const created = await admin.post('/api/admin/signin', write())
  expect(created.statusCode).toBe(200)
  providerId = created.json().id
})
afterEach(async () => {
  await setAccountPolicy(context.db, {})
  expect((await admin.put(`/api/admin/signin/${providerId}`, { ...write(), clientSecret: null })).statusCode).toBe(200)
})
afterAll(async () => {
  await context.close()
  await provider.close()
})

async function begin(client: TestClient, purpose = 'LogIn'): Promise<string> {
  const started = await client.post('/api/account/signin/campus', { purpose, ...(purpose === 'Link' && { proof: { password } }) })
  expect([started.statusCode, started.json().url]).toEqual([200, expect.stringContaining(provider.issuer)])
  return started.json().url
}
function finish(client: TestClient, answer: string, key = 'campus') {
  return client.post(`/api/account/signin/${key}/finish`, { answer })
}
async function signInAs(login: string, client = createTestClient(context.app), purpose = 'LogIn') {
  const { search } = await logInAtProvider(await begin(client, purpose), login)
  const response = await finish(client, search)
  return { client, response, search, outcome: response.json().outcome as string, code: response.json().code as string }
}
async function profileOf(client: TestClient) {
  return (await client.get('/api/account/profile')).json()
}

describe('a sign-in at oidc-provider', () => {
  test('the first sign-in creates an account from the claims, and the next sign-in logs in to the same account', async () => {
    const first = await signInAs('ada')
    expect(first.outcome).toBe('LoggedIn')
    expect(await profileOf(first.client)).toMatchObject({
      userName: 'ada',
      email: 'ada@uni.example',
      realName: 'Ada Lovelace',
      role: 'User',
    })
    const second = await signInAs('ada')
    expect((await profileOf(second.client)).userId).toBe((await profileOf(first.client)).userId)
    expect(context.logLines.at(-1)).toMatchObject({ name: 'ada', message: 'Logged in with Campus' })
  })

  test('a sign-in finds the account by its subject after name and address have changed at the provider', async () => {
    const { client } = await signInAs('ada')
    const before = await profileOf(client)
    const renamed = { ...accounts.ada, preferred_username: 'countess', email: 'countess@uni.example' }
    const saved = accounts.ada!
    accounts.ada = renamed
    try {
      expect(await profileOf((await signInAs('ada')).client)).toEqual(before)
    } finally {
      accounts.ada = saved
    }
  })

  test('a sign-in with the address of a local account is refused, and the provider is not linked', async () => {
    const { client } = await registerThroughApi(context, 'local', 'local@example.org')
    expect((await signInAs('taken')).code).toBe('sign-in.link-offered')
    accounts.untaken = { email: 'local@example.org', email_verified: false, preferred_username: 'other' }
    expect((await signInAs('untaken')).code).toBe('sign-in.address-taken')
    expect((await client.get('/api/account/identities')).json()).toEqual({ hasPassword: true, identities: [] })
  })

  describe('a sign-in with the verified address of a local account', () => {
    let count = 0
    /** Registers a local account, and signs in with a provider that has verified the address of the account. */
    async function anOffer(isVerified = true) {
      count += 1
      const userName = `offered${count}`
      const { client: owner } = await registerThroughApi(context, userName, `${userName}@uni.example`)
      accounts[userName] = { email: `${userName}@uni.example`, email_verified: isVerified, preferred_username: 'other' }
      const { client, code, response } = await signInAs(userName)
      expect(code).toBe(isVerified ? 'sign-in.link-offered' : 'sign-in.address-taken')
      const link = client.cookies.get('capstan_link')
      return { userName, owner, client, link, title: response.json().title as string }
    }
    const logInOnly = (client: TestClient, userName: string) => client.post('/api/account/login', { userName, password })
    const logIn = (client: TestClient, userName: string, typed = password) =>
      client.post('/api/account/login', { userName, password: typed, link: true })
    /** Sets up a second factor. @returns a recovery code */
    async function enableFactor(owner: TestClient): Promise<string> {
      const { secret, setup } = (await owner.post('/api/account/second-factor/totp', { password })).json()
      const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: context.clock.now().getTime() })
      return (await owner.put('/api/account/second-factor/totp', { setup, code })).json().codes[0]
    }
    async function resetByMail(client: TestClient, userName: string) {
      await setAccountPolicy(context.db, { emailConfirmationRequired: true })
      await deliverQueuedMails(context)
      expect((await client.post('/api/account/recovery', { email: `${userName}@uni.example` })).statusCode).toBe(200)
      const { token: rToken, email } = parseMailedLink((await deliverQueuedMails(context))[0]!)
      const reset = await client.post('/api/account/passwordreset', { rToken, email, password: 'Another1pass' })
      expect(reset.statusCode).toBe(200)
    }
    const isLinked = async (owner: TestClient) => (await owner.get('/api/account/identities')).json().identities.length === 1
    const restrictPasswords = async (passwords: boolean) =>
      expect((await admin.put('/api/admin/signin', { passwords: !passwords })).statusCode).toBe(200)
    const changeProvider = (values: Partial<typeof signInProviders.$inferInsert>) =>
      context.db.update(signInProviders).set(values).where(eq(signInProviders.id, providerId))
    afterEach(async () => {
      await changeProvider({ isEnabled: true, issuer: provider.issuer })
      await restrictPasswords(false)
      await deliverQueuedMails(context)
    })

    test('the offer to link a provider names the provider and the account at the provider', async () => {
      const { title, userName } = await anOffer()
      expect(title).toContain(`to link Campus (${userName}@uni.example)`)
    })

    test('a login without the link option does not link the provider, and deletes the link cookie', async () => {
      const { userName, owner, client } = await anOffer()
      expect((await logInOnly(client, userName)).statusCode).toBe(200)
      expect(client.cookies.has('capstan_link')).toBe(false)
      expect(await isLinked(owner)).toBe(false)
    })

    test('a two-factor login without the link option does not link the provider', async () => {
      const { userName, owner, client } = await anOffer()
      const code = await enableFactor(owner)
      expect((await logInOnly(client, userName)).json().code).toBe('login.second-factor')
      expect((await client.post('/api/account/login/code', { code })).statusCode).toBe(200)
      expect(client.cookies.has('capstan_link')).toBe(false)
      expect(await isLinked(owner)).toBe(false)
    })

    test.each(['/api/account/logout', '/api/account/logout/provider'])(
      'a log-out deletes the offer to link a provider (%s)',
      async (path) => {
        const { owner, link } = await anOffer()
        owner.cookies.set('capstan_link', link!)
        expect((await owner.post(path)).statusCode).toBe(200)
        expect(owner.cookies.has('capstan_link')).toBe(false)
      },
    )

    test('the account owner gets a mail after the provider is linked', async () => {
      const { userName, client } = await anOffer()
      expect((await logIn(client, userName)).statusCode).toBe(200)
      expect(await deliverQueuedMails(context)).toEqual([
        expect.objectContaining({
          recipient: `${userName}@uni.example`,
          text: expect.stringContaining('logins with an identity provider'),
        }),
      ])
    })

    test('retains the link if the password is reset by mail, because the provider has verified the address', async () => {
      const { userName, owner, client } = await anOffer()
      expect((await logIn(client, userName)).statusCode).toBe(200)
      await resetByMail(client, userName)
      expect((await signInAs(userName)).outcome).toBe('LoggedIn')
      expect((await owner.get('/api/account/profile')).statusCode).toBe(401)
    })

    test('a provider that a user linked in the profile remains linked after a password reset', async () => {
      const { userName, owner, client } = await anOffer()
      expect((await signInAs(userName, owner, 'Link')).outcome).toBe('Linked')
      await resetByMail(client, userName)
      expect((await signInAs(userName)).outcome).toBe('LoggedIn')
    })

    test('a login opens a session even if it cannot link the provider, unless only admins may log in with passwords', async () => {
      const { userName, owner, client } = await anOffer()
      accounts.sooner = { preferred_username: 'sooner' }
      expect((await signInAs('sooner', owner, 'Link')).outcome).toBe('Linked')
      expect((await logIn(client, userName)).statusCode).toBe(200)
      expect(await profileOf(client)).toMatchObject({ userName })
      expect(context.logLines).toContainEqual(
        expect.objectContaining({ name: userName, status: 'Failed', message: expect.stringContaining('Linked no') }),
      )
      expect((await owner.delete('/api/account/identities/campus')).statusCode).toBe(200)
    })

    test('a login that cannot link the provider is refused if only admins may log in with passwords', async () => {
      const { userName, owner, client } = await anOffer()
      accounts.faster = { preferred_username: 'faster' }
      expect((await signInAs('faster', owner, 'Link')).outcome).toBe('Linked')
      await restrictPasswords(true)
      expect((await logIn(client, userName)).json().code).toBe('login.provider-required')
      expect((await client.get('/api/account/profile')).statusCode).toBe(401)
    })

    test('if an admin disables the provider during the login, the second factor opens no session', async () => {
      const { userName, owner, client } = await anOffer()
      const code = await enableFactor(owner)
      await restrictPasswords(true)
      expect((await logIn(client, userName)).json().code).toBe('login.second-factor')
      await changeProvider({ isEnabled: false })
      expect((await client.post('/api/account/login/code', { code })).json().code).toBe('login.provider-required')
      expect((await client.get('/api/account/profile')).statusCode).toBe(401)
    })

    test('a user can enter a password to link the provider, even if password logins are restricted to admins', async () => {
      const { userName, owner, client } = await anOffer()
      await restrictPasswords(true)
      expect((await logIn(createTestClient(context.app), userName)).json().code).toBe('login.provider-required')
      expect((await logIn(client, userName, 'Wrong1word')).json().code).toBe('login.failed')
      expect(await isLinked(owner)).toBe(false)
      expect((await logIn(client, userName)).statusCode).toBe(200)
      expect(client.cookies.has('capstan_link')).toBe(false)
      expect(await profileOf((await signInAs(userName)).client)).toMatchObject({ userName })
      expect((await logIn(client, userName)).json().code).toBe('login.provider-required')
    })

    test('links the provider even if registration is closed', async () => {
      await setAccountPolicy(context.db, { allowRegister: true })
      const { userName, client } = await anOffer()
      await setAccountPolicy(context.db, { allowRegister: false, emailDomainList: 'elsewhere.example' })
      expect((await signInAs(userName, client)).code).toBe('sign-in.link-offered')
      expect((await logIn(client, userName)).statusCode).toBe(200)
      expect((await signInAs(userName)).outcome).toBe('LoggedIn')
    })

    test('if the account has a second factor, links the provider only after this factor', async () => {
      const { userName, owner, client } = await anOffer()
      const code = await enableFactor(owner)
      await restrictPasswords(true)
      expect((await logIn(client, userName)).json().code).toBe('login.second-factor')
      expect(await isLinked(owner)).toBe(false)
      expect((await client.post('/api/account/login/code', { code })).statusCode).toBe(200)
      expect(await isLinked(owner)).toBe(true)
    })

    test('links the provider after the password was reset by mail', async () => {
      const { userName, client } = await anOffer()
      await resetByMail(client, userName)
      expect((await logIn(client, userName, 'Another1pass')).statusCode).toBe(200)
      expect((await signInAs(userName)).outcome).toBe('LoggedIn')
    })

    test.each<[string, (offer: Awaited<ReturnType<typeof anOffer>>) => Promise<unknown>]>([
      ['has expired', async () => context.clock.advanceMs(15 * 60_000)],
      ['was forged', async ({ client, link }) => client.cookies.set('capstan_link', `${link!.slice(0, -4)}AAAA`)],
      ['belongs to another account', async ({ client }) => client.cookies.set('capstan_link', (await anOffer()).link!)],
      ['began in another browser', async ({ client }) => client.cookies.delete('capstan_link')],
      ['is for a provider with another issuer', () => changeProvider({ issuer: 'https://id.example.org' })],
    ])('a login links no provider if the offer %s', async (_, spoil) => {
      const offer = await anOffer()
      await spoil(offer)
      await restrictPasswords(true)
      expect((await logIn(offer.client, offer.userName)).json().code).toBe('login.provider-required')
      await restrictPasswords(false)
      expect((await logIn(offer.client, offer.userName)).statusCode).toBe(200)
      expect(await isLinked(offer.owner)).toBe(false)
    })

    test('offers no link for an unverified address', async () => {
      expect((await anOffer(false)).link).toBeUndefined()
    })

    test('a second account at the provider cannot be linked to the same local account', async () => {
      const { userName, client } = await anOffer()
      expect((await logIn(client, userName)).statusCode).toBe(200)
      accounts.double = { email: `${userName}@uni.example`, email_verified: true, preferred_username: 'double' }
      expect((await signInAs('double')).code).toBe('sign-in.address-taken')
    })
  })

  test('gives the new account another name if the claimed name is taken', async () => {
    await registerThroughApi(context, 'newcomer', 'someone@example.org')
    const { client } = await signInAs('unverified')
    expect(await profileOf(client)).toMatchObject({ userName: 'newcomer2', email: 'new@uni.example' })
  })

  test('uses the local part of the address as name if the claimed name is unreadable', async () => {
    expect(await profileOf((await signInAs('odd')).client)).toMatchObject({ userName: 'odd' })
  })

  test('a sign-in creates no account if the address is missing or has a forbidden domain, or if registration is closed', async () => {
    expect((await signInAs('mute')).code).toBe('sign-in.no-address')
    await setAccountPolicy(context.db, { allowRegister: false })
    expect((await signInAs('closed')).code).toBe('register.closed')
    accounts.stranger = { email: 'stranger@elsewhere.example', email_verified: true }
    await setAccountPolicy(context.db, { emailDomainList: 'uni.example' })
    expect((await signInAs('stranger')).code).toBe('email.domain')
    expect(await context.db.select().from(users).where(eq(users.email, 'stranger@elsewhere.example'))).toEqual([])
  })

  test('a new account waits for the mailed link only if addresses must be confirmed and the provider has not verified the address', async () => {
    await setAccountPolicy(context.db, { activeOnRegister: false, emailConfirmationRequired: true })
    accounts.slow = { email: 'slow@uni.example', email_verified: 'true', preferred_username: 'slow' }
    const { client, outcome } = await signInAs('slow')
    expect(outcome).toBe('EmailConfirmationRequired')
    expect((await client.get('/api/account/profile')).statusCode).toBe(401)
    const [mail] = await deliverQueuedMails(context)
    const { token, email } = parseMailedLink(mail!)
    expect((await createTestClient(context.app).post('/api/account/verify', { token, email })).statusCode).toBe(200)
    expect((await signInAs('slow')).outcome).toBe('LoggedIn')
    accounts.quick = { email: 'quick@uni.example', email_verified: true, preferred_username: 'quick' }
    expect((await signInAs('quick')).outcome).toBe('LoggedIn')
  })

  describe('a sign-in with the address of another person', () => {
    const email = 'owner@uni.example'
    const owner = () => createTestClient(context.app)
    const verify = (link: { token: string; email: string }) => owner().post('/api/account/verify', link)
    const linkOf = async () => {
      const { token, email: address } = parseMailedLink((await deliverQueuedMails(context))[0]!)
      return { token, email: address }
    }
    async function signInAsStranger() {
      await context.db.delete(users).where(eq(users.email, email))
      accounts.stranger = { email, email_verified: false, preferred_username: 'stranger' }
      expect((await signInAs('stranger')).outcome).toMatch(/ConfirmationRequired$/)
    }
    const byForm = (typed = password) => owner().post('/api/account/register', { userName: 'theowner', email, password: typed })

    const withMailedLinks = () => setAccountPolicy(context.db, { activeOnRegister: false, emailConfirmationRequired: true })
    /** Signs in with a provider that has not verified the address, and registers the address by form. @returns both links */
    async function requestBoth(): Promise<Parameters<typeof verify>[0][]> {
      await withMailedLinks()
      await signInAsStranger()
      const ofSignIn = await linkOf()
      expect((await byForm('weakpassword')).json().code).toBe('password.weak')
      expect((await byForm()).json()).toMatchObject({ data: 'EmailConfirmationRequired' })
      return [ofSignIn, await linkOf()]
    }
    /** Expects that neither the provider nor the registered password opens the account, and that a mailed link sets a password. */
    async function expectPasswordByMail() {
      const logIn = () => owner().post('/api/account/login', { userName: email, password })
      expect((await logIn()).statusCode).toBe(401)
      expect((await signInAs('stranger')).code).toBe('sign-in.address-taken')
      await resetByMail()
      expect((await logIn()).statusCode).toBe(200)
    }

    test('the mail of a sign-in names the account', async () => {
      await withMailedLinks()
      await signInAsStranger()
      expect((await deliverQueuedMails(context))[0]!.text).toContain('Name: stranger')
    })

    test.each([
      ['sign-in', 0],
      ['registration', 1],
    ])(
      'after a sign-in and a registration by form, the link of the %s removes both provider and password from the account',
      async (_, index) => {
        const links = await requestBoth()
        const client = owner()
        expect((await client.post('/api/account/verify', links[index])).statusCode).toBe(200)
        expect((await client.get('/api/account/identities')).json()).toEqual({ hasPassword: false, identities: [] })
        await expectPasswordByMail()
      },
    )

    test('a sign-in after a registration by form restores no access to the account', async () => {
      await requestBoth()
      expect((await signInAs('stranger')).outcome).toBe('EmailConfirmationRequired')
      expect((await verify(await linkOf())).statusCode).toBe(200)
      await expectPasswordByMail()
    })

    test('a sign-in restores no access even if the link of a registration by form has expired', async () => {
      await requestBoth()
      context.clock.advanceMs(4 * 3600_000)
      await deleteExpiredSessionsAndLinks({ ...context.deps, sessions: context.app.sessions })
      expect((await signInAs('stranger')).outcome).toBe('EmailConfirmationRequired')
      expect((await verify(await linkOf())).statusCode).toBe(200)
      await expectPasswordByMail()
    })

    test('the link of a registration removes provider and password from a deactivated account with an unproven address', async () => {
      await context.db.delete(users).where(eq(users.email, email))
      const { client } = await registerThroughApi(context, 'squatter', email)
      accounts.squatter = { email: 'squatter@uni.example', email_verified: false, preferred_username: 'squatter' }
      expect((await signInAs('squatter', client, 'Link')).outcome).toBe('Linked')
      await deliverQueuedMails(context)
      expect((await admin.put(`/api/admin/users/${await idOfOwner()}`, { emailConfirmed: false })).statusCode).toBe(200)
      await setAccountPolicy(context.db, { activeOnRegister: false, emailConfirmationRequired: true })
      await byForm('Brandnew1')
      expect((await verify(await linkOf())).statusCode).toBe(200)
      expect((await signInAs('squatter')).outcome).not.toBe('LoggedIn')
      const logIn = (secret: string) => owner().post('/api/account/login', { userName: email, password: secret })
      for (const secret of [password, 'Brandnew1']) expect((await logIn(secret)).statusCode).toBe(401)
    })

    test('the link of a sign-in removes the password from an account with an unproven address', async () => {
      await context.db.delete(users).where(eq(users.email, email))
      const { client } = await registerThroughApi(context, 'both', email)
      accounts.both = { email: 'both@uni.example', email_verified: false, preferred_username: 'both' }
      expect((await signInAs('both', client, 'Link')).outcome).toBe('Linked')
      await deliverQueuedMails(context)
      await admin.put(`/api/admin/users/${await idOfOwner()}`, { emailConfirmed: false })
      await setAccountPolicy(context.db, { activeOnRegister: false, emailConfirmationRequired: true })
      expect((await signInAs('both')).outcome).toBe('EmailConfirmationRequired')
      expect((await verify(await linkOf())).statusCode).toBe(200)
      expect((await signInAs('both')).outcome).toBe('LoggedIn')
      expect((await owner().post('/api/account/login', { userName: email, password })).statusCode).toBe(401)
    })

    test('a registration by form does not unlink the provider if admins must confirm accounts', async () => {
      await setAccountPolicy(context.db, { activeOnRegister: false })
      await signInAsStranger()
      expect((await byForm()).json()).toMatchObject({ data: 'AdminConfirmationRequired' })
      expect((await signInAs('stranger')).outcome).toBe('AdminConfirmationRequired')
    })

    async function resetByMail() {
      expect((await owner().post('/api/account/recovery', { email })).statusCode).toBe(200)
      const { token: rToken, email: address } = await linkOf()
      expect((await owner().post('/api/account/passwordreset', { rToken, email: address, password })).statusCode).toBe(200)
    }
    const idOfOwner = async () => (await context.db.select({ id: users.id }).from(users).where(eq(users.email, email)))[0]!.id

    test('a password reset by mail unlinks a provider that has not verified the address', async () => {
      await setAccountPolicy(context.db, { emailConfirmationRequired: true })
      await context.db.delete(users).where(eq(users.email, email))
      accounts.stranger = { email, email_verified: false, preferred_username: 'stranger' }
      const { client: stranger, outcome } = await signInAs('stranger')
      expect(outcome).toBe('LoggedIn')
      await resetByMail()
      expect((await stranger.get('/api/account/profile')).statusCode).toBe(401)
      expect((await signInAs('stranger')).code).toBe('sign-in.address-taken')
    })

    test('a password reset unlinks a provider from an account that an admin has activated', async () => {
      await setAccountPolicy(context.db, { activeOnRegister: false })
      await signInAsStranger()
      expect((await admin.put(`/api/admin/users/${await idOfOwner()}`, { emailConfirmed: true })).statusCode).toBe(200)
      await setAccountPolicy(context.db, { emailConfirmationRequired: true })
      await resetByMail()
      expect((await signInAs('stranger')).code).toBe('sign-in.address-taken')
    })

    test('a password reset by mail does not unlink a provider that has verified the address', async () => {
      await setAccountPolicy(context.db, { emailConfirmationRequired: true })
      await context.db.delete(users).where(eq(users.email, email))
      accounts.stranger = { email, email_verified: true, preferred_username: 'stranger' }
      await signInAs('stranger')
      await resetByMail()
      expect((await signInAs('stranger')).outcome).toBe('LoggedIn')
    })

    test('a provider remains linked after a password reset if a later sign-in has verified the address', async () => {
      await setAccountPolicy(context.db, { emailConfirmationRequired: true })
      await context.db.delete(users).where(eq(users.email, email))
      accounts.stranger = { email, email_verified: false, preferred_username: 'stranger' }
      await signInAs('stranger')
      accounts.stranger = { email: email.toUpperCase(), email_verified: true, preferred_username: 'stranger' }
      await signInAs('stranger')
      await resetByMail()
      expect((await signInAs('stranger')).outcome).toBe('LoggedIn')
    })

    test('each sign-in sends a new confirmation mail until the account is active', async () => {
      await setAccountPolicy(context.db, { activeOnRegister: false, emailConfirmationRequired: true })
      await signInAsStranger()
      await linkOf()
      context.clock.advanceMs(4 * 3600_000)
      expect((await signInAs('stranger')).outcome).toBe('EmailConfirmationRequired')
      expect((await verify(await linkOf())).statusCode).toBe(200)
      expect((await signInAs('stranger')).outcome).toBe('LoggedIn')
    })

    test('a sign-in activates the account only if the provider has verified the address of the account', async () => {
      await setAccountPolicy(context.db, { activeOnRegister: false, emailConfirmationRequired: true })
      await signInAsStranger()
      accounts.stranger = { email: 'other@uni.example', email_verified: true, preferred_username: 'stranger' }
      expect((await signInAs('stranger')).outcome).toBe('EmailConfirmationRequired')
      accounts.stranger = { email, email_verified: true, preferred_username: 'stranger' }
      expect((await signInAs('stranger')).outcome).toBe('LoggedIn')
    })

    test('an account needs the confirmation of an admin even if the provider verifies the address', async () => {
      await setAccountPolicy(context.db, { activeOnRegister: false })
      await signInAsStranger()
      accounts.stranger = { email, email_verified: true, preferred_username: 'stranger' }
      expect((await signInAs('stranger')).outcome).toBe('AdminConfirmationRequired')
    })

    test.each([
      ['resets the password', (id: string) => admin.delete(`/api/admin/users/${id}/password`)],
      ['adds a user with the address', () => admin.post('/api/admin/users', [{ userName: 'theowner', email, password }])],
    ])('the stranger loses the inactive account if an admin %s', async (_, change) => {
      await setAccountPolicy(context.db, { activeOnRegister: false })
      await signInAsStranger()
      expect((await change(await idOfOwner())).statusCode).toBe(200)
      expect((await signInAs('stranger')).code).toBe('sign-in.address-taken')
    })

    test.each([
      ['address', 'guest1', { userName: 'theowner', email }],
      ['name', 'guest2', { userName: 'guest2', email: 'elsewhere@uni.example' }],
    ])('a bulk list with the %s of a stranger’s account unlinks the provider that the stranger linked', async (_, guest, row) => {
      await context.db.delete(users).where(eq(users.email, email))
      const { client } = await registerThroughApi(context, guest, email)
      accounts[guest] = { email: null, email_verified: false, preferred_username: guest }
      expect((await signInAs(guest, client, 'Link')).outcome).toBe('Linked')
      await context.db
        .update(users)
        .set({ provenEmail: row.email === email ? null : email })
        .where(eq(users.email, email))
      expect((await admin.post('/api/admin/users', [{ ...row, password: 'Brandnew1' }])).statusCode).toBe(200)
      expect((await signInAs(guest)).code).toBe('sign-in.no-address')
    })

    test('a second bulk list with the same address does not unlink a provider', async () => {
      await context.db.delete(users).where(eq(users.email, email))
      const add = () => admin.post('/api/admin/users', [{ userName: 'theowner', email, password }])
      expect((await add()).statusCode).toBe(200)
      const client = createTestClient(context.app)
      await client.post('/api/account/login', { userName: 'theowner', password })
      accounts.listed = { email: 'listed@uni.example', email_verified: false, preferred_username: 'listed' }
      expect((await signInAs('listed', client, 'Link')).outcome).toBe('Linked')
      expect((await add()).statusCode).toBe(200)
      expect(await profileOf((await signInAs('listed')).client)).toMatchObject({ userName: 'theowner' })
    })

    test('a provider that the user linked in the profile remains linked if an admin resets the password', async () => {
      await context.db.delete(users).where(eq(users.email, email))
      const { client } = await registerThroughApi(context, 'theowner', email)
      accounts.keeper = { email: 'keeper@uni.example', email_verified: false, preferred_username: 'keeper' }
      expect((await signInAs('keeper', client, 'Link')).outcome).toBe('Linked')
      expect((await admin.delete(`/api/admin/users/${await idOfOwner()}/password`)).statusCode).toBe(200)
      expect(await profileOf((await signInAs('keeper')).client)).toMatchObject({ userName: 'theowner' })
    })
  })

  test('a new account waits for an admin if admins must confirm new accounts', async () => {
    await setAccountPolicy(context.db, { activeOnRegister: false })
    accounts.patient = { email: 'patient@uni.example', email_verified: true, preferred_username: 'patient' }
    expect((await signInAs('patient')).outcome).toBe('AdminConfirmationRequired')
    expect((await signInAs('patient')).outcome).toBe('AdminConfirmationRequired')
  })

  test('refuses a banned user', async () => {
    accounts.rude = { email: 'rude@uni.example', email_verified: true, preferred_username: 'rude' }
    await signInAs('rude')
    await context.db.update(users).set({ role: 'Banned' }).where(eq(users.email, 'rude@uni.example'))
    expect((await signInAs('rude')).code).toBe('login.banned')
  })

  test('grants the admin role only if the configured claim contains the configured value', async () => {
    const first = await signInAs('boss')
    expect(await profileOf(first.client)).toMatchObject({ role: 'User' })
    const withAdmins = { ...claims, adminClaim: 'groups', adminValue: 'ctf-admins' }
    await admin.put(`/api/admin/signin/${providerId}`, { ...write(), claims: withAdmins })
    expect(await profileOf((await signInAs('boss')).client)).toMatchObject({ role: 'Admin' })
    expect(await profileOf((await signInAs('ada')).client)).toMatchObject({ role: 'User' })
  })

  test('opens a new session even if the client already has a session', async () => {
    const client = createTestClient(context.app)
    await signInAs('ada', client)
    const before = client.cookies.get('capstan_session')
    await signInAs('ada', client)
    expect(client.cookies.get('capstan_session')).not.toBe(before)
  })
})

describe('a logout', () => {
  const logOut = (client: TestClient) => client.post('/api/account/logout/provider', { url: 'https://evil.example' })
  const change = async (changes: Record<string, unknown>) =>
    expect((await admin.put(`/api/admin/signin/${providerId}`, { ...write(), ...changes })).statusCode).toBe(200)

  test('a logout ends the session, and returns the logout address of the provider only if admins have enabled this', async () => {
    const plain = await signInAs('ada')
    expect((await logOut(plain.client)).json()).toEqual({ url: null })
    expect((await plain.client.get('/api/account/profile')).statusCode).toBe(401)
    await change({ endsSession: true })
    const { client } = await signInAs('ada')
    const { url } = (await logOut(client)).json()
    expect((await client.get('/api/account/profile')).statusCode).toBe(401)
    const address = new URL(url)
    expect(address.origin + address.pathname).toBe(`${provider.issuer}/session/end`)
    expect(Object.fromEntries(address.searchParams)).toEqual({
      client_id: testClient.id,
      post_logout_redirect_uri: `${origin}/account/login`,
    })
    // The provider refuses a return address that is not registered for this client.
    expect((await fetch(address)).status).toBe(200)
    address.searchParams.set('post_logout_redirect_uri', 'https://evil.example')
    expect((await fetch(address)).status).toBe(400)
  })

  test('a logout returns no address of the provider if the session began with a password', async () => {
    await change({ endsSession: true })
    const { client } = await registerThroughApi(context, 'locallogout')
    expect((await logOut(client)).json()).toEqual({ url: null })
    expect((await client.get('/api/account/profile')).statusCode).toBe(401)
  })

  test('a logout succeeds if the provider does not respond', async () => {
    await change({ endsSession: true })
    const { client } = await signInAs('ada')
    await context.db.update(signInProviders).set({ issuer: 'http://127.0.0.1:1' }).where(eq(signInProviders.id, providerId))
    expect((await logOut(client)).json()).toEqual({ url: null })
    expect((await client.get('/api/account/profile')).statusCode).toBe(401)
    await context.db.update(signInProviders).set({ issuer: provider.issuer }).where(eq(signInProviders.id, providerId))
  })

  test.each(['/api/account/logout', '/api/account/logout/provider'])(
    'announces the end of the session to live pages (%s)',
    async (path) => {
      const { client } = await signInAs('ada')
      const { userId } = await profileOf(client)
      context.messages.length = 0
      expect((await client.post(path)).statusCode).toBe(200)
      await expect.poll(() => context.messages).toContainEqual({ kind: 'sessions-ended', userId })
    },
  )

  test('a logout ends the session of a banned user', async () => {
    accounts.loud = { email: 'loud@uni.example', email_verified: true, preferred_username: 'loud' }
    const { client } = await signInAs('loud')
    await context.db.update(users).set({ role: 'Banned' }).where(eq(users.email, 'loud@uni.example'))
    expect((await logOut(client)).statusCode).toBe(200)
    expect((await client.get('/api/account/profile')).statusCode).toBe(401)
  })

  test('the call for a local logout ends the session and returns no address of the provider', async () => {
    await change({ endsSession: true })
    const { client } = await signInAs('ada')
    const response = await client.post('/api/account/logout')
    expect([response.statusCode, response.body]).toEqual([200, ''])
    expect((await client.get('/api/account/profile')).statusCode).toBe(401)
  })
})

describe('an account', () => {
  test('a user with a password can link a provider, log in with it, and unlink it', async () => {
    const { client } = await registerThroughApi(context, 'linker')
    accounts.linked = { email: 'else@uni.example', email_verified: false, preferred_username: 'linked' }
    expect((await signInAs('linked', client, 'Link')).outcome).toBe('Linked')
    expect((await client.get('/api/account/identities')).json()).toEqual({
      hasPassword: true,
      identities: [{ key: 'campus', name: 'Campus', label: 'else@uni.example', linkedAt: expect.any(Number) }],
    })
    expect(await profileOf((await signInAs('linked')).client)).toMatchObject({ userName: 'linker' })
    expect((await client.delete('/api/account/identities/campus')).statusCode).toBe(200)
    expect((await client.delete('/api/account/identities/campus')).json().code).toBe('sign-in.unknown')
  })

  test('linking a provider needs the password and, if the account has a second factor, a code', async () => {
    const { client } = await registerThroughApi(context, 'careful')
    const link = async (proof?: object) =>
      (await client.post('/api/account/signin/campus', { purpose: 'Link', proof })).json().code
    expect(await link()).toBe('password.wrong')
    expect(await link({ password: 'Wrong1guess' })).toBe('password.wrong')
    const { secret, setup } = (await client.post('/api/account/second-factor/totp', { password })).json()
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: context.clock.now().getTime() })
    const codes = await client.put('/api/account/second-factor/totp', { setup, code })
    expect(await link({ password })).toBe('second-factor.confirm')
    expect(await link({ password, code })).toBe('second-factor.wrong')
    expect(await link({ password, code: codes.json().codes[0] })).toBe(undefined)
  })

  test('an account cannot link a second provider before it has a password', async () => {
    const { id } = (await admin.post('/api/admin/signin', { ...write(), key: 'second', name: 'Second' })).json()
    const { client } = await signInAs('ada')
    for (const proof of [undefined, { password }])
      expect((await client.post('/api/account/signin/second', { purpose: 'Link', proof })).json().code).toBe(
        'sign-in.no-password',
      )
    expect((await admin.delete(`/api/admin/signin/${id}`)).statusCode).toBe(200)
  })

  test('unlinking a provider ends the sessions that began with the provider, except the session of the call', async () => {
    const { client } = await registerThroughApi(context, 'unlinker')
    accounts.thief = { preferred_username: 'thief' }
    await signInAs('thief', client, 'Link')
    const { client: thief } = await signInAs('thief')
    const { userId } = await profileOf(client)
    context.messages.length = 0
    expect((await client.delete('/api/account/identities/campus')).statusCode).toBe(200)
    expect((await thief.get('/api/account/profile')).statusCode).toBe(401)
    expect((await client.get('/api/account/profile')).statusCode).toBe(200)
    await expect.poll(() => context.messages).toContainEqual({ kind: 'sessions-ended', userId })
    await signInAs('thief', client, 'Link')
    const { client: own } = await signInAs('thief')
    expect((await own.delete('/api/account/identities/campus')).statusCode).toBe(200)
    expect((await own.get('/api/account/profile')).statusCode).toBe(200)
  })

  test('a user cannot link the identity of another user, or a second identity of the same provider', async () => {
    const { client } = await registerThroughApi(context, 'second')
    await signInAs('ada')
    expect((await signInAs('ada', client, 'Link')).code).toBe('sign-in.linked-elsewhere')
    accounts.one = { preferred_username: 'one' }
    accounts.two = { preferred_username: 'two' }
    expect((await signInAs('one', client, 'Link')).outcome).toBe('Linked')
    expect((await signInAs('one', client, 'Link')).outcome).toBe('Linked')
    expect((await signInAs('two', client, 'Link')).code).toBe('sign-in.already-linked')
  })

  test('an account without a password cannot unlink the only provider, and accepts no password at login', async () => {
    const { client } = await signInAs('ada')
    expect((await client.delete('/api/account/identities/campus')).json().code).toBe('sign-in.last-method')
    for (const guess of ['none', password, ''])
      expect(
        (await createTestClient(context.app).post('/api/account/login', { userName: 'ada', password: guess })).statusCode,
      ).not.toBe(200)
  })
})

describe('a sign-in in progress', () => {
  let count = 0
  /** Registers a user, and links the provider. */
  async function aLinkedUser(claimsOfUser: Record<string, unknown> = {}) {
    count += 1
    const name = `linked${count}`
    const { client: owner } = await registerThroughApi(context, name, `${name}@uni.example`)
    accounts[name] = { email: `${name}@elsewhere.example`, email_verified: false, preferred_username: name, ...claimsOfUser }
    expect((await signInAs(name, owner, 'Link')).outcome).toBe('Linked')
    return { name, owner, userId: (await profileOf(owner)).userId as string }
  }
  /** Begins a sign-in. @returns a function that finishes it */
  async function aSignIn(login: string, purpose = 'LogIn', client = createTestClient(context.app)) {
    const { search } = await logInAtProvider(await begin(client, purpose), login)
    return { client, end: () => finish(client, search) }
  }
  const disable = () => admin.put(`/api/admin/signin/${providerId}`, { ...write(), clientSecret: null, isEnabled: false })

  test('a sign-in opens no session if the user unlinks the provider before the session is stored', async () => {
    const { name, owner, userId } = await aLinkedUser()
    const { client, end } = await aSignIn(name)
    const [unlinked, finished] = await callWhileLocked(context, userId, [
      () => owner.delete('/api/account/identities/campus'),
      end,
    ])
    expect(unlinked!.statusCode).toBe(200)
    expect([finished!.statusCode, finished!.json().code]).toEqual([400, 'sign-in.expired'])
    expect((await client.get('/api/account/profile')).statusCode).toBe(401)
  })

  test('a sign-in opens no session if an admin disables the provider before the session is stored', async () => {
    const { name, userId } = await aLinkedUser()
    const { client, end } = await aSignIn(name)
    const [finished, disabled] = await callWhileLocked(context, userId, [end, disable])
    expect(disabled!.statusCode).toBe(200)
    expect([finished!.statusCode, finished!.json().code]).toEqual([400, 'sign-in.expired'])
    expect((await client.get('/api/account/profile')).statusCode).toBe(401)
  })

  test('a sign-in grants no admin role if an admin disables the provider before the role is stored', async () => {
    const asked = { ...write(), clientSecret: null, claims: { ...claims, adminClaim: 'groups', adminValue: 'ctf-admins' } }
    const { name, owner, userId } = await aLinkedUser({ groups: ['ctf-admins'] })
    expect((await admin.put(`/api/admin/signin/${providerId}`, asked)).statusCode).toBe(200)
    const { end } = await aSignIn(name)
    const [finished] = await callWhileLocked(context, userId, [end, disable])
    expect(finished!.json().code).toBe('sign-in.expired')
    expect((await profileOf(owner)).role).toBe('User')
  })

  test('a sign-in links no provider if the password changes before the link is stored', async () => {
    const { name, owner, userId } = await aLinkedUser()
    expect((await owner.delete('/api/account/identities/campus')).statusCode).toBe(200)
    const thief = createTestClient(context.app)
    await thief.post('/api/account/login', { userName: name, password })
    const { end } = await aSignIn(name, 'Link', thief)
    const [changed, linked] = await callWhileLocked(context, userId, [
      () => owner.put('/api/account/changepassword', { old: password, new: 'Brandnew1' }),
      end,
    ])
    expect(changed!.statusCode).toBe(200)
    expect([linked!.statusCode, linked!.json().code]).toEqual([401, 'session.required'])
    expect((await owner.get('/api/account/identities')).json().identities).toEqual([])
  })

  test('a login links no offered provider if the password changes before the link is stored', async () => {
    const { name, owner, userId } = await aLinkedUser({ email: 'offered@uni.example', email_verified: true })
    expect((await owner.delete('/api/account/identities/campus')).statusCode).toBe(200)
    await context.db.update(users).set({ email: 'offered@uni.example' }).where(eq(users.id, userId))
    const { client: thief, code } = await signInAs(name)
    expect(code).toBe('sign-in.link-offered')
    const [changed, login] = await callWhileLocked(context, userId, [
      () => owner.put('/api/account/changepassword', { old: password, new: 'Brandnew1' }),
      () => thief.post('/api/account/login', { userName: name, password, link: true }),
    ])
    expect(changed!.statusCode).toBe(200)
    expect([login!.statusCode, login!.json().code]).toEqual([401, 'login.failed'])
    expect((await owner.get('/api/account/identities')).json().identities).toEqual([])
  })
})

describe('callbacks of a sign-in', () => {
  const refused = async (client: TestClient, answer: string, key?: string) => {
    const response = await finish(client, answer, key)
    expect((await client.get('/api/account/profile')).statusCode).toBe(401)
    return response.json().code
  }

  test('refuses a callback in a browser that did not start the sign-in', async () => {
    const { search } = await logInAtProvider(await begin(createTestClient(context.app)), 'ada')
    expect(await refused(createTestClient(context.app), search)).toBe('sign-in.expired')
    const victim = createTestClient(context.app)
    await begin(victim)
    expect(await refused(victim, search)).toBe('sign-in.failed')
  })

  test('refuses a callback whose code was used before', async () => {
    const client = createTestClient(context.app)
    const url = await begin(client)
    const cookie = client.cookies.get('capstan_sign_in')!
    const { search } = await logInAtProvider(url, 'ada')
    expect((await finish(client, search)).json().outcome).toBe('LoggedIn')
    expect(client.cookies.has('capstan_sign_in')).toBe(false)
    expect((await finish(client, search)).json().code).toBe('sign-in.expired')
    const thief = createTestClient(context.app)
    thief.cookies.set('capstan_sign_in', cookie)
    expect(await refused(thief, search)).toBe('sign-in.failed')
  })

  test('refuses a callback if the state was changed, the cookie was forged, or the sign-in has expired', async () => {
    const client = createTestClient(context.app)
    const { search } = await logInAtProvider(await begin(client), 'ada')
    const cookie = client.cookies.get('capstan_sign_in')!
    expect(await refused(client, search.replace('state=', 'state=x'))).toBe('sign-in.failed')
    client.cookies.set('capstan_sign_in', `${cookie.slice(0, -4)}AAAA`)
    expect(await refused(client, search)).toBe('sign-in.expired')
    client.cookies.set('capstan_sign_in', cookie)
    context.clock.advanceMs(10 * 60_000)
    expect(await refused(client, search)).toBe('sign-in.expired')
  })

  test('refuses a callback from a provider other than the one at which the sign-in began', async () => {
    const other = { ...write(), key: 'other', name: 'Other' }
    const { id } = (await admin.post('/api/admin/signin', other)).json()
    const client = createTestClient(context.app)
    const { search } = await logInAtProvider(await begin(client), 'ada')
    expect(await refused(client, search, 'other')).toBe('sign-in.expired')
    expect((await admin.delete(`/api/admin/signin/${id}`)).statusCode).toBe(200)
  })

  test('refuses a callback that would link the attacker’s identity to the victim’s account', async () => {
    const attacker = createTestClient(context.app)
    const { search } = await logInAtProvider(await begin(attacker), 'ada')
    const { client: victim } = await registerThroughApi(context, 'victim')
    expect((await finish(victim, search)).json().code).toBe('sign-in.expired')
    expect((await victim.get('/api/account/identities')).json().identities).toEqual([])
  })

  test('refuses a callback if the logged-in user is not the user who started to link an identity', async () => {
    const { client } = await registerThroughApi(context, 'starter')
    const { search } = await logInAtProvider(await begin(client, 'Link'), 'fresh')
    const { client: other } = await registerThroughApi(context, 'finisher')
    other.cookies.set('capstan_sign_in', client.cookies.get('capstan_sign_in')!)
    expect((await finish(other, search)).json().code).toBe('sign-in.expired')
  })
})

describe('admins', () => {
  test('admins can preview what a provider sends before they enable it, but other users cannot', async () => {
    await admin.put(`/api/admin/signin/${providerId}`, { ...write(), isEnabled: false })
    expect((await createTestClient(context.app).get('/api/account/signin')).json()).toEqual({
      passwords: true,
      recovery: false,
      providers: [],
    })
    const { response } = await signInAs('boss', admin, 'Preview')
    expect(response.json()).toMatchObject({
      outcome: 'Previewed',
      preview: { profile: { subject: 'boss', email: 'boss@uni.example' } },
    })
    expect(JSON.parse(response.json().preview.claims)).toMatchObject({ groups: ['staff', 'ctf-admins'] })
    const { client } = await registerThroughApi(context, 'curious')
    expect((await client.post('/api/account/signin/campus', { purpose: 'Preview' })).json().code).toBe('role.insufficient')
    expect((await client.post('/api/account/signin/campus', { purpose: 'LogIn' })).json().code).toBe('sign-in.unknown')
  })

  test('admins cannot read the secret of a provider, and an edit that omits the secret does not change it', async () => {
    const settings = await admin.get('/api/admin/signin')
    expect(settings.body).not.toContain(testClient.secret)
    expect(settings.json().providers[0]).toMatchObject({ hasSecret: true, callbackUrl: `${origin}/account/sign-in/campus` })
    expect((await admin.post(`/api/admin/signin/${providerId}/check`)).statusCode).toBe(200)
    expect((await signInAs('ada')).outcome).toBe('LoggedIn')
    await admin.put(`/api/admin/signin/${providerId}`, { ...write(), clientSecret: '' })
    expect((await signInAs('ada')).code).toBe('sign-in.failed')
    await admin.put(`/api/admin/signin/${providerId}`, write())
  })

  test('admins cannot replace a secret of the server’s configuration, and each sign-in uses that secret', async () => {
    const other = await startTestApp({
      config: { publicOrigin: origin, secretKey, outgoing, signInSecrets: new Map([['campus', testClient.secret]]) },
      deps: { providerClient: undefined },
    })
    const otherAdmin = (await signInAsNewUser(other, 'Admin')).client
    await otherAdmin.post('/api/admin/signin', { ...write(), clientSecret: 'a wrong secret' })
    const settings = await otherAdmin.get('/api/admin/signin')
    expect(settings.json().providers[0]).toMatchObject({ isSecretConfigured: true })
    expect(settings.body).not.toContain(testClient.secret)
    const client = createTestClient(other.app)
    const { search } = await logInAtProvider(await begin(client), 'ada')
    expect((await finish(client, search)).json().outcome).toBe('LoggedIn')
    await other.close()
  })

  test('admins see an error if an issuer is silent, names another issuer, is in a private network, or is no address', async () => {
    const { id } = (await admin.post('/api/admin/signin', { ...write(), key: 'probe' })).json()
    const change = (issuer: string) => admin.put(`/api/admin/signin/${id}`, { ...write(), key: 'probe', issuer })
    const other = provider.issuer.replace('127.0.0.1', 'localhost')
    for (const issuer of ['http://127.0.0.1:1', other, 'http://10.0.0.1', 'http://169.254.169.254', 'http://[::1]:2']) {
      await change(issuer)
      expect((await admin.post(`/api/admin/signin/${id}/check`)).json().code, issuer).toBe('sign-in.unreachable')
    }
    for (const issuer of ['campus', 'ftp://id.example.org', 'https://a:b@id.example.org', 'https://id.example.org/?a=b'])
      expect((await change(issuer)).json()).toMatchObject({ code: 'request.invalid' })
    expect((await admin.delete(`/api/admin/signin/${id}`)).statusCode).toBe(200)
  })

  test('admins cannot change the issuer or the kind of a provider to which users or teams are linked', async () => {
    await signInAs('ada')
    const changes = [{ issuer: 'https://id.example.org' }, { kind: 'GitHub' }]
    for (const change of changes)
      expect((await admin.put(`/api/admin/signin/${providerId}`, { ...write(), ...change })).json()).toMatchObject({
        status: 400,
        code: 'sign-in.issuer-fixed',
      })
    const { id } = (await admin.post('/api/admin/signin', { ...write(), key: 'teamed' })).json()
    const team = await aTeam(context.db)
    expect((await admin.put(`/api/admin/teams/${team.id}/provider`, { providerId: id, key: 'Deck' })).statusCode).toBe(200)
    const move = () => admin.put(`/api/admin/signin/${id}`, { ...write(), key: 'teamed', issuer: 'https://id.example.org' })
    expect((await move()).json().code).toBe('sign-in.issuer-fixed')
    expect((await admin.delete(`/api/admin/teams/${team.id}/provider`)).statusCode).toBe(200)
    expect((await move()).statusCode).toBe(200)
    expect((await admin.delete(`/api/admin/signin/${id}`)).statusCode).toBe(200)
  })

  test('a change of the issuer or the provider kind deletes the stored client secret', async () => {
    const { id } = (await admin.post('/api/admin/signin', { ...write(), key: 'moving' })).json()
    const change = async (changes: object) =>
      (await admin.put(`/api/admin/signin/${id}`, { ...write(), key: 'moving', clientSecret: null, ...changes })).json()
    expect(await change({ name: 'Renamed' })).toMatchObject({ hasSecret: true })
    expect(await change({ issuer: 'https://evil.example' })).toMatchObject({ hasSecret: false })
    expect(await change({ clientSecret: 'another' })).toMatchObject({ hasSecret: true })
    expect(await change({ kind: 'GitHub' })).toMatchObject({ hasSecret: false })
    expect((await admin.delete(`/api/admin/signin/${id}`)).statusCode).toBe(200)
  })

  test.each([
    ['disable', (id: string) => admin.put(`/api/admin/signin/${id}`, { ...write(), clientSecret: null, isEnabled: false })],
    ['delete', (id: string) => admin.delete(`/api/admin/signin/${id}`)],
  ])('admins who %s a provider end the sessions that began with it', async (act, end) => {
    const { client } = await signInAs('ada')
    const { client: local } = await registerThroughApi(context, `by${act}`)
    const { userId } = await profileOf(client)
    context.messages.length = 0
    expect((await end(providerId)).statusCode).toBe(200)
    expect((await client.get('/api/account/profile')).statusCode).toBe(401)
    expect((await local.get('/api/account/profile')).statusCode).toBe(200)
    await expect.poll(() => context.messages).toContainEqual({ kind: 'sessions-ended', userId })
    if (act === 'delete') providerId = (await admin.post('/api/admin/signin', write())).json().id
  })

  test('admins can disable password logins for all users except admins, and cannot remove the last provider', async () => {
    await registerThroughApi(context, 'passworded')
    expect((await admin.put('/api/admin/signin', { passwords: false })).statusCode).toBe(200)
    try {
      const logIn = (userName: string) => createTestClient(context.app).post('/api/account/login', { userName, password })
      expect((await logIn('passworded')).json()).toMatchObject({ status: 401, code: 'login.provider-required' })
      const chief = await aUser(context.db, { role: 'Admin', userName: 'chief' })
      await context.db
        .update(users)
        .set({ passwordHash: await context.deps.passwords.hash(password) })
        .where(eq(users.id, chief.id))
      expect((await logIn('chief')).statusCode).toBe(200)
      expect((await registerThroughApi(context, 'nope')).response.json().code).toBe('register.closed')
      expect((await admin.delete(`/api/admin/signin/${providerId}`)).json().code).toBe('sign-in.no-provider')
      const disabled = await admin.put(`/api/admin/signin/${providerId}`, { ...write(), isEnabled: false })
      expect(disabled.json().code).toBe('sign-in.no-provider')
    } finally {
      expect((await admin.put('/api/admin/signin', { passwords: true })).statusCode).toBe(200)
    }
  })

  test('admins cannot use the same key for two providers', async () => {
    expect((await admin.post('/api/admin/signin', write())).json()).toMatchObject({ code: 'sign-in.key-taken' })
  })
})

test('concurrent changes of a provider all succeed, even if more changes wait for the lock than there are database connections', async () => {
  const bare = await startTestApp({ config: { secretKey } })
  const { client } = await signInAsNewUser(bare, 'Admin')
  const { id } = (await client.post('/api/admin/signin', write())).json()
  const waiting = () => bare.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const calls: Promise<number>[] = []
  await bare.sql.begin(async (transaction) => {
    await transaction`select from sign_in_providers for update`
    for (let call = 0; call < bare.deps.config.databaseConnections + 10; call++)
      calls.push(client.put(`/api/admin/signin/${id}`, write()).then(({ statusCode }) => statusCode))
    await expect.poll(waiting, { timeout: 30_000 }).toHaveLength(bare.deps.config.databaseConnections)
  })
  expect(new Set(await Promise.all(calls))).toEqual(new Set([200]))
  await bare.close()
})

test('without a public origin no provider is offered, and a sign-in is refused', async () => {
  const bare = await startTestApp()
  const { client } = await signInAsNewUser(bare, 'Admin')
  await client.post('/api/admin/signin', write())
  expect((await client.get('/api/account/signin')).json().providers).toEqual([])
  expect((await client.post('/api/account/signin/campus', { purpose: 'LogIn' })).json()).toMatchObject({
    code: 'sign-in.no-origin',
  })
  await bare.close()
})
