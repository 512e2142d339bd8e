import { mailQueue, mailTokens, users } from '@capstan/db/schema/accounts'
import { eq } from 'drizzle-orm'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildApp } from '../../app.ts'
import { noMailer } from '../../server/mail/create-mailer.ts'
import { createTestClient, startTestApp, type TestApp } from '../../testing/app.ts'
import { aUser, signInAsNewUser } from '../../testing/factories.ts'
import { passwords } from '../../testing/passwords.ts'
import {
  deliverQueuedMails,
  parseMailedLink,
  password,
  registerThroughApi,
  setAccountPolicy,
} from '../../testing/people-factories.ts'
import { deleteExpiredSessionsAndLinks } from './upkeep.ts'

let context: TestApp
/** Passwords that the api has hashed. */
const hashed: string[] = []
beforeAll(async () => {
  const hash: typeof passwords.hash = (secret, caller) => {
    hashed.push(secret)
    return passwords.hash(secret, caller)
  }
  context = await startTestApp({ deps: { passwords: { ...passwords, hash } } })
})
beforeEach(() => setAccountPolicy(context.db, { activeOnRegister: false, emailConfirmationRequired: true }))
afterAll(() => context.close())

function visitor() {
  return createTestClient(context.app)
}
function codeOf(response: { json(): { code: string } }) {
  return response.json().code
}
function statusAndCode(response: { statusCode: number; json(): { code: string } }) {
  return [response.statusCode, codeOf(response)]
}
function logIn(userName: string, secret = password) {
  return visitor().post('/api/account/login', { userName, password: secret })
}
async function onlyMail() {
  const mails = await deliverQueuedMails(context)
  expect(mails).toHaveLength(1)
  return mails[0]!
}

test('the mailed link activates and signs in a new user', async () => {
  const { client, response } = await registerThroughApi(context, 'ada')
  expect(response.json()).toMatchObject({ data: 'EmailConfirmationRequired', status: 200 })
  expect((await logIn('ada')).statusCode).toBe(401)
  const mail = await onlyMail()
  expect(mail.recipient).toBe('ada@example.org')
  const { url, token, email } = parseMailedLink(mail)
  expect([url.hostname, url.pathname]).toEqual(['localhost', '/account/verify'])
  expect(Buffer.from(email, 'base64').toString()).toBe('ada@example.org')
  const verified = await client.post('/api/account/verify', { token, email })
  expect([verified.statusCode, verified.body]).toEqual([200, ''])
  expect((await client.get('/api/account/profile')).json().userName).toBe('ada')
  expect((await logIn('ada')).statusCode).toBe(200)
})

test('mails a link to the host of the request, in the language of the request', async () => {
  await visitor().inject({
    method: 'POST',
    url: '/api/account/register',
    headers: { 'accept-language': 'de', host: 'ctf.example.org:8443', 'content-type': 'application/json' },
    payload: { userName: 'klaus', email: 'klaus@example.org', password },
  })
  const mail = await onlyMail()
  expect(mail.subject).toBe('CS - Konto aktivieren')
  expect(parseMailedLink(mail).url.origin).toBe('http://ctf.example.org:8443')
})

test('mails a link to the configured public origin even if the request has another host', async () => {
  const config = { ...context.deps.config, publicOrigin: 'https://play.example.org/' }
  const app = await buildApp({ ...context.deps, config })
  await createTestClient(app).post('/api/account/register', { userName: 'public', email: 'public@example.org', password })
  expect(parseMailedLink(await onlyMail()).url.href).toMatch(/^https:\/\/play\.example\.org\/account\/verify\?token=/)
  await app.close()
})

test('refuses to verify unknown and active accounts and invalid tokens', async () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const verify = async (token: string, email: string) =>
    statusAndCode(await visitor().post('/api/account/verify', { token, email: base64(email) }))
  await registerThroughApi(context, 'grace')
  const { token } = parseMailedLink(await onlyMail())
  await aUser(context.db, { email: 'active@example.org' })
  await aUser(context.db, { email: 'someone@example.org', emailConfirmed: false })
  expect(await verify(token, 'nobody@example.org')).toEqual([400, 'account.verify-failed'])
  expect(await verify(token, 'active@example.org')).toEqual([400, 'account.already-active'])
  expect(await verify(token, 'someone@example.org')).toEqual([401, 'account.token'])
  expect(await verify(base64('guess'), 'grace@example.org')).toEqual([401, 'account.token'])
})

test('returns the same response for a link that cannot be decoded and for an unknown link', async () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  await registerThroughApi(context, 'mangled')
  const { token, email } = parseMailedLink(await onlyMail())
  await aUser(context.db, { email: 'lively@example.org' })
  const unreadable = ['!', base64('\uFFFD'), '/w==']
  for (const bad of unreadable) {
    const verify = async (values: object) => statusAndCode(await visitor().post('/api/account/verify', values))
    expect(await verify({ token: bad, email })).toEqual([401, 'account.token'])
    expect(await verify({ token: bad, email: base64('nobody@example.org') })).toEqual([400, 'account.verify-failed'])
    expect(await verify({ token: bad, email: base64('lively@example.org') })).toEqual([400, 'account.already-active'])
    expect(await verify({ token, email: bad })).toEqual([400, 'account.verify-failed'])
    const reset = { rToken: bad, email: base64('lively@example.org'), password: 'Brandnew1' }
    expect(statusAndCode(await visitor().post('/api/account/passwordreset', reset))).toEqual([400, 'reset.token'])
    const { client } = await signInAsNewUser(context)
    const confirm = await client.post('/api/account/mailchangeconfirm', { token: bad, email })
    expect(statusAndCode(confirm)).toEqual([401, 'email.token'])
  }
})

test('a link expires after three hours', async () => {
  await registerThroughApi(context, 'slow')
  const link = parseMailedLink(await onlyMail())
  const { token, email } = link
  context.clock.advanceMs(3 * 3600_000)
  expect(statusAndCode(await visitor().post('/api/account/verify', { token, email }))).toEqual([401, 'account.token'])
})

test('a mailed link succeeds only once if it is used ten times in parallel', async () => {
  await registerThroughApi(context, 'eager')
  const { token, email } = parseMailedLink(await onlyMail())
  const answers = await Promise.all(Array.from({ length: 10 }, () => visitor().post('/api/account/verify', { token, email })))
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
})

test('mails a new link when an inactive account registers again', async () => {
  await registerThroughApi(context, 'again')
  await deliverQueuedMails(context)
  const second = await registerThroughApi(context, 'someoneelse', 'again@example.org')
  expect(second.response.json().data).toBe('EmailConfirmationRequired')
  const mail = await onlyMail()
  expect(mail.text).toContain('again\n')
  const { token, email } = parseMailedLink(mail)
  const client = visitor()
  await client.post('/api/account/verify', { token, email })
  expect((await client.get('/api/account/profile')).json().userName).toBe('again')
})

describe('an account with several requests for links', () => {
  const strangersPassword = 'Stranger1pass'
  const registerAs = (userName: string, secret: string) =>
    visitor().post('/api/account/register', { userName, email: `${userName.slice(2)}@example.org`, password: secret })
  const linkOf = async () => {
    const { token, email } = parseMailedLink(await onlyMail())
    return { token, email }
  }
  /** Registers the same address twice: the owner and a stranger, in the given order. @returns both links */
  async function registerTwice(name: string, isOwnerFirst: boolean) {
    const requests = [() => registerAs(`x-${name}`, strangersPassword), () => registerAs(`o-${name}`, password)]
    const links = []
    for (const request of isOwnerFirst ? requests.reverse() : requests) {
      expect((await request()).json()).toMatchObject({ data: 'EmailConfirmationRequired', status: 200 })
      links.push(await linkOf())
    }
    return links
  }
  /** Expects that no registered password opens the account, and that a mailed link then sets one. */
  async function expectPasswordByMail(email: string) {
    for (const secret of [password, strangersPassword]) expect((await logIn(email, secret)).statusCode).toBe(401)
    expect((await visitor().post('/api/account/recovery', { email })).statusCode).toBe(200)
    const { token: rToken, email: address } = await linkOf()
    const reset = await visitor().post('/api/account/passwordreset', { rToken, email: address, password: 'Brandnew1' })
    expect(reset.statusCode).toBe(200)
    expect((await logIn(email, 'Brandnew1')).statusCode).toBe(200)
  }

  test.each([
    { isOwnerFirst: true, opened: 'older', index: 0 },
    { isOwnerFirst: true, opened: 'newer', index: 1 },
    { isOwnerFirst: false, opened: 'older', index: 0 },
    { isOwnerFirst: false, opened: 'newer', index: 1 },
  ])(
    'after two different registrations, the $opened link opens a session but removes the password (owner first: $isOwnerFirst)',
    async ({ isOwnerFirst, opened, index }) => {
      const name = `${isOwnerFirst ? 'first' : 'second'}${opened}`
      const links = await registerTwice(name, isOwnerFirst)
      const owner = visitor()
      expect((await owner.post('/api/account/verify', links[index])).statusCode).toBe(200)
      expect((await owner.get('/api/account/identities')).json()).toEqual({ hasPassword: false, identities: [] })
      await expectPasswordByMail(`${name}@example.org`)
    },
  )

  test('an account retains its password after a link is opened if all registrations had the same password', async () => {
    const links = []
    for (let index = 0; index < 3; index += 1) {
      await registerAs('o-impatient', password)
      links.push(await linkOf())
    }
    expect((await visitor().post('/api/account/verify', links[1])).statusCode).toBe(200)
    expect((await logIn('impatient@example.org', password)).statusCode).toBe(200)
  })

  test('an account has no password after the link of a second registration, even if the link of the first registration has expired', async () => {
    await registerAs('o-patient', password)
    await linkOf()
    context.clock.advanceMs(4 * 3600_000)
    await deleteExpiredSessionsAndLinks({ ...context.deps, sessions: context.app.sessions })
    await registerAs('x-patient', strangersPassword)
    expect((await visitor().post('/api/account/verify', await linkOf())).statusCode).toBe(200)
    await expectPasswordByMail('patient@example.org')
  })

  test('an account has no password after the link of a second registration with a weak password', async () => {
    await registerAs('x-weakly', strangersPassword)
    await linkOf()
    expect((await registerAs('o-weakly', 'weakpass')).statusCode).toBe(200)
    const client = visitor()
    expect((await client.post('/api/account/verify', await linkOf())).statusCode).toBe(200)
    expect((await client.get('/api/account/profile')).statusCode).toBe(200)
    expect((await logIn('weakly@example.org', 'weakpass')).statusCode).toBe(401)
    await expectPasswordByMail('weakly@example.org')
  })

  test('if strangers registered an address that an admin has set, a link removes the password and the API tokens of the account', async () => {
    const { client: root } = await signInAsNewUser(context, 'Admin')
    const { user, client: former } = await signInAsNewUser(context, 'Admin')
    const created = await former.post('/api/tokens', { name: 'CI', scope: 'ReadGame' })
    const authorization = `Bearer ${created.json().token}`
    const readGames = async () => (await visitor().get('/api/edit/games?count=1&skip=0', undefined, { authorization })).statusCode
    expect(await readGames()).toBe(200)
    expect((await root.put(`/api/admin/users/${user.id}`, { email: 'changed@example.org' })).statusCode).toBe(200)
    await deliverQueuedMails(context)
    const [, newest] = await registerTwice('changed', true)
    const owner = visitor()
    expect((await owner.post('/api/account/verify', newest)).statusCode).toBe(200)
    expect((await owner.get('/api/account/profile')).json().userName).toBe(user.userName)
    expect(await readGames()).toBe(401)
    await expectPasswordByMail('changed@example.org')
  })

  test('a link is refused if it was sent before an admin set a password', async () => {
    await registerAs('x-reset', strangersPassword)
    const link = await linkOf()
    const { client: admin } = await signInAsNewUser(context, 'Admin')
    const { id } = (await context.db.select().from(users).where(eq(users.email, 'reset@example.org')))[0]!
    const set = (await admin.delete(`/api/admin/users/${id}/password`)).json()
    expect(statusAndCode(await visitor().post('/api/account/verify', link))).toEqual([401, 'account.token'])
    await admin.put(`/api/admin/users/${id}`, { emailConfirmed: true })
    expect((await logIn('reset@example.org', set)).statusCode).toBe(200)
  })

  test('an older link does not replace the password of a bulk list', async () => {
    await registerAs('x-listed', strangersPassword)
    const link = await linkOf()
    const { client: admin } = await signInAsNewUser(context, 'Admin')
    const row = { userName: 'listed', email: 'listed@example.org', password }
    expect((await admin.post('/api/admin/users', [row])).statusCode).toBe(200)
    expect((await visitor().post('/api/account/verify', link)).statusCode).toBe(200)
    expect((await logIn('listed', strangersPassword)).statusCode).toBe(401)
    expect((await logIn('listed')).statusCode).toBe(200)
  })
})

test('a mailed link resets a forgotten password once and ends all sessions', async () => {
  const { user, client } = await signInAsNewUser(context, 'User', { userName: 'forgetful' })
  const asked = await visitor().post('/api/account/recovery', { email: user.email.toUpperCase() })
  expect([asked.statusCode, asked.json()]).toEqual([200, { title: 'Please open the link in the email we sent you', status: 200 }])
  const { url, token, email } = parseMailedLink(await onlyMail())
  expect(url.pathname).toBe('/account/reset')
  const reset = (secret: string) => visitor().post('/api/account/passwordreset', { rToken: token, email, password: secret })
  expect(statusAndCode(await reset('weakpass'))).toEqual([400, 'password.weak'])
  const done = await reset('Brandnew1')
  expect([done.statusCode, done.body, done.cookies]).toEqual([200, '', []])
  expect((await client.get('/api/account/profile')).statusCode).toBe(401)
  expect((await logIn('forgetful', 'Brandnew1')).statusCode).toBe(200)
  expect(statusAndCode(await reset('Brandnew2'))).toEqual([400, 'reset.token'])
})

test('refuses an invalid reset link before it hashes the password', async () => {
  const { email } = await aUser(context.db)
  const link = { rToken: Buffer.from('guess').toString('base64'), email: Buffer.from(email).toString('base64') }
  const refused = await visitor().post('/api/account/passwordreset', { ...link, password: 'Neverused1' })
  expect(statusAndCode(refused)).toEqual([400, 'reset.token'])
  expect(hashed).not.toContain('Neverused1')
})

test('refuses recovery of unknown and inactive accounts, and of all accounts if only admins reset passwords', async () => {
  const { email } = await aUser(context.db)
  const inactive = await aUser(context.db, { emailConfirmed: false })
  const recover = async (address: string) => statusAndCode(await visitor().post('/api/account/recovery', { email: address }))
  expect(await recover('nobody@example.org')).toEqual([404, 'account.unknown'])
  expect(await recover(inactive.email)).toEqual([404, 'account.unknown'])
  await setAccountPolicy(context.db, { emailConfirmationRequired: false })
  expect(await recover(email)).toEqual([400, 'reset.by-admin'])
  expect(await deliverQueuedMails(context)).toEqual([])
})

test('refuses a token that was mailed for another purpose or user', async () => {
  const [first, second] = [await aUser(context.db), await aUser(context.db)]
  await visitor().post('/api/account/recovery', { email: first.email })
  const { token } = parseMailedLink(await onlyMail())
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const reset = (email: string) =>
    visitor().post('/api/account/passwordreset', { rToken: token, email: base64(email), password: 'Brandnew1' })
  expect(codeOf(await reset(second.email))).toBe('reset.token')
  expect(codeOf(await reset('nobody@example.org'))).toBe('reset.token')
  const { client } = await signInAsNewUser(context)
  const confirm = await client.post('/api/account/mailchangeconfirm', { token, email: base64(first.email) })
  expect(statusAndCode(confirm)).toEqual([401, 'email.token'])
})

test('changes the address when the mailed link is opened, ends the other sessions, and notifies the old address', async () => {
  const { client } = await registerThroughApi(context, 'mover')
  await context.db.update(users).set({ emailConfirmed: true }).where(eq(users.userName, 'mover'))
  await deliverQueuedMails(context)
  await client.post('/api/account/login', { userName: 'mover', password })
  const other = visitor()
  await other.post('/api/account/login', { userName: 'mover@example.org', password })

  const asked = await client.put('/api/account/changeemail', { newMail: 'moved@example.org' })
  expect([asked.statusCode, asked.json()]).toMatchObject([200, { data: true, status: 200 }])
  expect((await client.get('/api/account/profile')).json().email).toBe('mover@example.org')
  const mail = await onlyMail()
  expect(mail.recipient).toBe('moved@example.org')
  const { url, token, email } = parseMailedLink(mail)
  expect(url.pathname).toBe('/account/confirm')

  const stranger = await signInAsNewUser(context)
  expect(statusAndCode(await stranger.client.post('/api/account/mailchangeconfirm', { token, email }))).toEqual([
    401,
    'email.token',
  ])
  expect((await client.post('/api/account/mailchangeconfirm', { token, email })).statusCode).toBe(200)
  expect((await client.get('/api/account/profile')).json().email).toBe('moved@example.org')
  expect(await onlyMail()).toMatchObject({
    recipient: 'mover@example.org',
    subject: expect.stringContaining('Your email address was changed'),
  })
  expect((await other.get('/api/account/profile')).statusCode).toBe(401)
  expect((await logIn('mover@example.org')).statusCode).toBe(401)
  expect((await logIn('moved@example.org')).statusCode).toBe(200)
  expect(statusAndCode(await client.post('/api/account/mailchangeconfirm', { token, email }))).toEqual([401, 'email.token'])
})

test('refuses the new address if another account took it after the link was sent', async () => {
  const { client } = await signInAsNewUser(context)
  await client.put('/api/account/changeemail', { newMail: 'wanted@example.org' })
  const { token, email } = parseMailedLink(await onlyMail())
  await aUser(context.db, { email: 'Wanted@example.org' })
  expect(statusAndCode(await client.post('/api/account/mailchangeconfirm', { token, email }))).toEqual([400, 'email.taken'])
})

test('a new address is refused if it is taken, has a forbidden domain, or only admins may change addresses', async () => {
  const { client } = await signInAsNewUser(context)
  const { email } = await aUser(context.db)
  const change = (newMail: string) => client.put('/api/account/changeemail', { newMail })
  expect(statusAndCode(await change(email.toUpperCase()))).toEqual([400, 'email.taken'])
  await setAccountPolicy(context.db, { emailConfirmationRequired: true, emailDomainList: 'uni.edu' })
  expect(statusAndCode(await change('new@example.org'))).toEqual([400, 'email.domain'])
  await setAccountPolicy(context.db, { emailConfirmationRequired: false })
  const left = await change('new@example.org')
  expect([left.statusCode, left.json()]).toEqual([
    400,
    { title: 'Please ask an admin to change your email address', data: false, status: 400 },
  ])
  expect(await deliverQueuedMails(context)).toEqual([])
})

test('users can change their address and recover their account only if the platform mails links', async () => {
  const { client } = await signInAsNewUser(context)
  const offers = async (asked = client) => [
    (await asked.get('/api/account/mail')).json().canChange,
    (await asked.get('/api/account/signin')).json().recovery,
  ]
  expect(await offers()).toEqual([true, true])
  await setAccountPolicy(context.db, { emailConfirmationRequired: false })
  expect(await offers()).toEqual([false, false])
  await setAccountPolicy(context.db, { emailConfirmationRequired: true })
  const app = await buildApp({ ...context.deps, mailer: noMailer, config: { ...context.deps.config, production: true } })
  const { client: other } = await signInAsNewUser({ app, db: context.db })
  expect(await offers(other)).toEqual([false, false])
  await app.close()
})

test('stores only the hash of a mailed token', async () => {
  await context.db.delete(mailTokens)
  await registerThroughApi(context, 'hashed')
  const { token } = parseMailedLink(await onlyMail())
  const [row] = await context.db.select().from(mailTokens)
  expect(row!.tokenHash).toMatch(/^[0-9a-f]{64}$/)
  expect(row!.tokenHash).not.toBe(Buffer.from(token, 'base64').toString())
})

test('refuses calls that send mail, and stores nothing, in production without a mail server', async () => {
  const app = await buildApp({ ...context.deps, mailer: noMailer, config: { ...context.deps.config, production: true } })
  const client = createTestClient(app)
  const registered = await client.post('/api/account/register', { userName: 'unlucky', email: 'unlucky@example.org', password })
  expect(statusAndCode(registered)).toEqual([400, 'email.not-sent'])
  expect(await context.db.$count(users, eq(users.userName, 'unlucky'))).toBe(0)
  const { user, client: signedIn } = await signInAsNewUser({ app, db: context.db })
  expect(statusAndCode(await client.post('/api/account/recovery', { email: user.email }))).toEqual([400, 'email.not-sent'])
  expect(statusAndCode(await signedIn.put('/api/account/changeemail', { newMail: 'x@example.org' }))).toEqual([
    400,
    'email.not-sent',
  ])
  expect(await context.db.$count(mailQueue)).toBe(0)
  await app.close()
})

test('logs a working link in development without a mail server', async () => {
  const lines: string[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const app = await buildApp({ ...context.deps, mailer: noMailer }, { logger })
  const client = createTestClient(app)
  const registered = await client.post('/api/account/register', { userName: 'devel', email: 'devel@example.org', password })
  expect(registered.statusCode).toBe(200)
  const { link } = lines.map((line) => JSON.parse(line)).find((line) => line.link)
  const query = new URL(link).searchParams
  const verified = await client.post('/api/account/verify', { token: query.get('token'), email: query.get('email') })
  expect(verified.statusCode).toBe(200)
  await app.close()
})
