import { Problem } from '@capstan/contract/problems'
import { sessions, users } from '@capstan/db/schema/accounts'
import { files } from '@capstan/db/schema/platform'
import { eq } from 'drizzle-orm'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createTestClient, startTestApp, type TestApp } from '../../testing/app.ts'
import { aUser, signInAsNewUser } from '../../testing/factories.ts'
import { password, registerThroughApi, setAccountPolicy } from '../../testing/people-factories.ts'
import { createFirstAdmin } from './first-admin.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
beforeEach(() => setAccountPolicy(context.db, {}))
afterAll(() => context.close())

function visitor() {
  return createTestClient(context.app)
}
function logIn(userName: string, secret = password, client = visitor()) {
  return client.post('/api/account/login', { userName, password: secret })
}
function codeOf(response: { json(): { code: string } }) {
  return response.json().code
}

test("signs a new user in at once and returns the user's profile", async () => {
  const { client, response } = await registerThroughApi(context, 'ada')
  expect([response.statusCode, response.json()]).toEqual([
    200,
    { title: 'Your account is active, and you are logged in', data: 'LoggedIn', status: 200 },
  ])
  const profile = (await client.get('/api/account/profile')).json()
  expect(profile).toEqual({
    userId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    userName: 'ada',
    email: 'ada@example.org',
    bio: '',
    phone: null,
    realName: '',
    stdNumber: '',
    avatar: null,
    role: 'User',
  })
  expect(context.logLines.at(-1)).toMatchObject({ name: 'ada', message: 'Registered and logged in' })
})

test('sets a session cookie that is hidden from scripts, lasts seven days and covers the whole site', async () => {
  const { response } = await registerThroughApi(context, 'cookie')
  const cookie = response.cookies.find(({ name }) => name === 'capstan_session')!
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' })
  const days = (cookie.expires!.getTime() - context.clock.now().getTime()) / 86_400_000
  expect(Math.round(days * 100) / 100).toBe(7)
})

test('refuses registration when it is closed', async () => {
  await setAccountPolicy(context.db, { allowRegister: false })
  const { response } = await registerThroughApi(context, 'late')
  expect([response.statusCode, codeOf(response)]).toEqual([400, 'register.closed'])
})

test('refuses registration from a domain that is not listed', async () => {
  await setAccountPolicy(context.db, { emailDomainList: 'uni.edu , school.edu' })
  const { response } = await registerThroughApi(context, 'domain')
  expect([response.statusCode, codeOf(response)]).toEqual([400, 'email.domain'])
  expect((await registerThroughApi(context, 'domain', 'domain@SCHOOL.edu')).response.statusCode).toBe(200)
})

test('registration checks the domain of the mail address before the user name', async () => {
  await registerThroughApi(context, 'first')
  await setAccountPolicy(context.db, { emailDomainList: 'uni.edu' })
  expect(codeOf((await registerThroughApi(context, 'first')).response)).toBe('email.domain')
})

test('refuses a name or address that differs only by case', async () => {
  await registerThroughApi(context, 'Grace')
  expect(codeOf((await registerThroughApi(context, 'gRACE', 'other@example.org')).response)).toBe('username.taken')
  expect(codeOf((await registerThroughApi(context, 'other', 'GRACE@example.ORG')).response)).toBe('email.taken')
  for (const [name, same] of [
    ['Müller', 'MÜLLER'],
    ['Жанна', 'жАННА'],
  ] as const) {
    await registerThroughApi(context, name, `${name}@example.org`)
    expect(codeOf((await registerThroughApi(context, same, 'other@example.org')).response)).toBe('username.taken')
    expect(codeOf((await registerThroughApi(context, 'other', `${same}@example.org`)).response)).toBe('email.taken')
  }
})

test('accepts one of ten parallel registrations of a name, and refuses the others because the name is taken', async () => {
  const all = await Promise.all(
    Array.from({ length: 10 }, (_, index) => registerThroughApi(context, 'racer', `racer${index}@example.org`)),
  )
  const codes = all.map(({ response }) => (response.statusCode === 200 ? 'ok' : codeOf(response))).sort()
  expect(codes).toEqual(['ok', ...Array.from({ length: 9 }, () => 'username.taken')])
})

test.each([
  ['short', { userName: 'ab' }, 'request.invalid'],
  ['blank', { userName: '   ' }, 'request.invalid'],
  ['a few blanks and a letter', { userName: '  a  ' }, 'request.invalid'],
  ['long', { userName: 'a'.repeat(16) }, 'request.invalid'],
  ['no address', { email: 'nobody' }, 'request.invalid'],
  ['a short password', { password: 'Ab1' }, 'request.invalid'],
  ['no digit', { password: 'Abcdef' }, 'password.weak'],
  ['no upper case', { password: 'abc123' }, 'password.weak'],
  ['no lower case', { password: 'ABC123' }, 'password.weak'],
])('refuses a registration with an invalid field: %s', async (_name, fields, code) => {
  const body = { userName: 'newcomer', email: 'newcomer@example.org', password, ...fields }
  const response = await visitor().post('/api/account/register', body)
  expect([response.statusCode, codeOf(response)]).toEqual([400, code])
})

test('creates no session and refuses login until an admin confirms the new account', async () => {
  await setAccountPolicy(context.db, { activeOnRegister: false })
  const { client, response } = await registerThroughApi(context, 'pending')
  expect(response.json()).toMatchObject({ data: 'AdminConfirmationRequired', status: 200 })
  expect((await client.get('/api/account/profile')).statusCode).toBe(401)
  expect(codeOf(await logIn('pending'))).toBe('login.failed')
  await context.db.update(users).set({ emailConfirmed: true }).where(eq(users.userName, 'pending'))
  expect((await logIn('pending')).statusCode).toBe(200)
})

test('retains name and password of an inactive account when its address is registered again', async () => {
  await setAccountPolicy(context.db, { activeOnRegister: false })
  await registerThroughApi(context, 'sleeper')
  const again = await visitor().post('/api/account/register', {
    userName: 'another',
    email: 'SLEEPER@example.org',
    password: 'weakpw',
  })
  expect(again.json()).toMatchObject({ data: 'AdminConfirmationRequired' })
  expect(await context.db.$count(users, eq(users.userName, 'another'))).toBe(0)
})

test('a second registration does not activate an inactive account, even if new accounts are active at once', async () => {
  await aUser(context.db, { userName: 'dormant', email: 'dormant@example.org', emailConfirmed: false })
  expect(codeOf((await registerThroughApi(context, 'intruder', 'dormant@example.org')).response)).toBe('email.taken')
})

test('accepts the name or the address at login, regardless of case', async () => {
  await registerThroughApi(context, 'Linus')
  for (const login of ['Linus', 'linus', ' LINUS ', 'linus@EXAMPLE.org']) expect((await logIn(login)).statusCode).toBe(200)
})

test('returns the same response for an unknown name, a wrong password and an inactive account', async () => {
  await registerThroughApi(context, 'known')
  await setAccountPolicy(context.db, { activeOnRegister: false })
  await registerThroughApi(context, 'inactive')
  const answers = await Promise.all([logIn('known', 'Wrong1word'), logIn('unknown'), logIn('inactive')])
  for (const answer of answers) {
    const { requestId: _, ...body } = answer.json()
    expect([answer.statusCode, body]).toEqual([401, { title: 'Wrong username or password', status: 401, code: 'login.failed' }])
    expect(answer.cookies).toEqual([])
  }
})

test('reports the ban to a banned user at login, even if the password is wrong', async () => {
  await registerThroughApi(context, 'villain')
  await context.db.update(users).set({ role: 'Banned' }).where(eq(users.userName, 'villain'))
  const answer = await logIn('villain', 'Wrong1word')
  expect([answer.statusCode, answer.json().title]).toEqual([401, 'User has been banned'])
})

test('refuses the session of a banned user with 403 on every call except logout', async () => {
  const { client } = await signInAsNewUser(context, 'Banned')
  const profile = await client.get('/api/account/profile')
  expect([profile.statusCode, profile.json().title]).toEqual([403, 'User has been banned'])
  expect((await client.post('/api/account/logout')).statusCode).toBe(200)
  expect((await client.get('/api/account/profile')).statusCode).toBe(401)
})

test('does not log passwords, or names that were entered at login', async () => {
  await logIn('Passw0rd-typed-as-name', 'Secret9word')
  expect(JSON.stringify(context.logLines)).not.toMatch(/Passw0rd|Secret9word|Correct1horse/)
})

test('ends the session on the server at logout', async () => {
  const { client, user } = await signInAsNewUser(context)
  const cookies = new Map(client.cookies)
  const response = await client.post('/api/account/logout')
  expect([response.statusCode, response.body]).toEqual([200, ''])
  expect(await context.db.$count(sessions, eq(sessions.userId, user.id))).toBe(0)
  const thief = visitor()
  for (const [name, value] of cookies) thief.cookies.set(name, value)
  expect((await thief.get('/api/account/profile')).statusCode).toBe(401)
})

test('a visitor without a session cannot read or change an account', async () => {
  const client = visitor()
  const answers = await Promise.all([
    client.get('/api/account/profile'),
    client.post('/api/account/logout'),
    client.put('/api/account/update', {}),
    client.put('/api/account/changepassword', { old: password, new: password }),
    client.put('/api/account/changeemail', { newMail: 'a@example.org' }),
    client.post('/api/account/mailchangeconfirm', { token: 'dG9r', email: 'YUBiLmM=' }),
    client.upload('PUT', '/api/account/avatar', [{ name: 'a.png', content: 'x' }]),
  ])
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 7 }, () => 401))
})

test('a profile edit ignores absent and null fields, but an empty phone number deletes the stored number', async () => {
  const { client } = await signInAsNewUser(context)
  await client.put('/api/account/update', { bio: 'Hi', phone: '+49 30 1234', realName: 'Ada L.', stdNumber: '42' })
  const response = await client.put('/api/account/update', { bio: null, phone: '', userName: null })
  expect([response.statusCode, response.body]).toEqual([200, ''])
  expect((await client.get('/api/account/profile')).json()).toMatchObject({
    ...{ bio: 'Hi', phone: null, realName: 'Ada L.', stdNumber: '42' },
  })
})

test('refuses renaming to a taken name and changes nothing', async () => {
  await aUser(context.db, { userName: 'Taken' })
  const { client, user } = await signInAsNewUser(context)
  const answer = await client.put('/api/account/update', { userName: 'tAKEN', bio: 'new' })
  expect([answer.statusCode, codeOf(answer)]).toEqual([400, 'username.taken'])
  expect((await client.get('/api/account/profile')).json()).toMatchObject({ userName: user.userName, bio: '' })
  expect((await client.put('/api/account/update', { userName: user.userName.toUpperCase() })).statusCode).toBe(200)
  expect((await client.put('/api/account/update', { phone: 'call me' })).statusCode).toBe(400)
})

test('refuses the old password after a change and ends all other sessions', async () => {
  const { client } = await registerThroughApi(context, 'changer')
  const other = visitor()
  await logIn('changer', password, other)
  context.messages.splice(0)
  expect((await client.put('/api/account/changepassword', { old: password, new: 'Brandnew1' })).statusCode).toBe(200)
  expect((await other.get('/api/account/profile')).statusCode).toBe(401)
  const { userId } = (await client.get('/api/account/profile')).json()
  expect(context.messages).toContainEqual({ kind: 'sessions-ended', userId })
  expect((await logIn('changer')).statusCode).toBe(401)
  expect((await logIn('changer', 'Brandnew1')).statusCode).toBe(200)
})

test('refuses a new password if the old password is wrong or the new password is weak', async () => {
  const { client } = await registerThroughApi(context, 'careful')
  const change = async (old: string, next: string) => codeOf(await client.put('/api/account/changepassword', { old, new: next }))
  expect([await change('Wrong1word', 'Brandnew1'), await change(password, 'nodigits'), await change(password, 'Ab1')]).toEqual([
    ...['password.wrong', 'password.weak', 'request.invalid'],
  ])
})

test.each(['System', 'Anonymous'])('refuses the name %s, under which the platform writes log lines', async (name) => {
  const { response } = await registerThroughApi(context, name, 'posing@example.org')
  expect([response.statusCode, codeOf(response)]).toEqual([400, 'username.taken'])
  const { client } = await registerThroughApi(context, `${name.slice(0, 3)}-player`)
  expect(codeOf(await client.put('/api/account/update', { userName: name }))).toBe('username.taken')
})

test('after ten wrong passwords in a session, even the right password is refused for 15 minutes', async () => {
  const { client } = await registerThroughApi(context, 'guessed')
  const change = async (old: string) => codeOf(await client.put('/api/account/changepassword', { old, new: 'Brandnew1' }))
  for (let attempt = 0; attempt < 10; attempt += 1) expect(await change(`Wrong1guess${attempt}`)).toBe('password.wrong')
  expect(await change(password)).toBe('second-factor.too-many')
  context.clock.advanceMs(15 * 60_000)
  expect((await client.put('/api/account/changepassword', { old: password, new: 'Brandnew1' })).statusCode).toBe(200)
})

test('a call that fails with `server.unavailable` does not count as a password attempt', async () => {
  const { client } = await registerThroughApi(context, 'patient')
  const change = () => client.put('/api/account/changepassword', { old: password, new: 'Brandnew1' })
  const check = vi.spyOn(context.deps.passwords, 'check').mockRejectedValue(new Problem('server.unavailable'))
  try {
    for (let attempt = 0; attempt < 10; attempt += 1) expect(codeOf(await change())).toBe('server.unavailable')
  } finally {
    check.mockRestore()
  }
  expect((await change()).statusCode).toBe(200)
})

test('accepts one of two parallel password changes', async () => {
  const { client } = await registerThroughApi(context, 'hasty')
  const answers = await Promise.all(
    ['Brandnew1', 'Brandnew2'].map((next) => client.put('/api/account/changepassword', { old: password, new: next })),
  )
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 400])
})

test('stores an avatar as WebP, 300 pixels wide, and deletes the previous avatar', async () => {
  const { client } = await signInAsNewUser(context)
  const picture = async (red: number) => ({
    name: 'me.png',
    type: 'image/png',
    content: await sharp({ create: { width: 600, height: 400, channels: 3, background: { r: red, g: 9, b: 9 } } })
      .png()
      .toBuffer(),
  })
  const first = await client.upload('PUT', '/api/account/avatar', [await picture(1)])
  expect([first.statusCode, first.json()]).toEqual([200, expect.stringMatching(/^\/assets\/[0-9a-f]{64}\/avatar\.webp$/)])
  const second = await client.upload('PUT', '/api/account/avatar', [await picture(200)])
  const { avatar } = (await client.get('/api/account/profile')).json()
  expect(`${avatar}.webp`).toBe(second.json())
  expect((await client.get(avatar)).statusCode).toBe(200)
  expect(await context.db.$count(files)).toBe(1)
  expect((await client.get(first.json())).statusCode).toBe(404)
})

test('refuses an avatar that is missing, empty or not a picture', async () => {
  const { client } = await signInAsNewUser(context)
  const put = async (files: Parameters<typeof client.upload>[2]) => {
    const response = await client.upload('PUT', '/api/account/avatar', files)
    return [response.statusCode, codeOf(response)]
  }
  expect(await put([{ name: 'a.png', content: 'not a picture' }])).toEqual([400, 'file.unreadable'])
  expect(await put([{ name: 'a.png', content: '' }])).toEqual([400, 'file.missing'])
  expect(await put([])).toEqual([400, expect.any(String)])
  expect(await put([{ name: 'a.png', content: Buffer.alloc(3 * 1024 * 1024 + 1) }])).toEqual([400, 'file.too-large'])
})

test('creates the first admin once, from the configured password', async () => {
  const config = { ...context.deps.config, adminPassword: 'Captain1' }
  const made = await Promise.all([1, 2, 3].map(() => createFirstAdmin({ ...context.deps, config })))
  expect(made.filter(Boolean)).toHaveLength(1)
  const client = visitor()
  expect((await logIn('admin', 'Captain1', client)).statusCode).toBe(200)
  expect((await client.get('/api/account/profile')).json()).toMatchObject({ userName: 'Admin', role: 'Admin' })
  expect(await createFirstAdmin({ ...context.deps, config: { ...config, adminPassword: 'Other1word' } })).toBe(false)
  expect(await createFirstAdmin(context.deps)).toBe(false)
})
