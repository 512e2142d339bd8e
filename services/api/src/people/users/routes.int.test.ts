import { sessions, users } from '@capstan/db/schema/accounts'
import { totpFactors } from '@capstan/db/schema/second-factor'
import { teamMembers, teams } from '@capstan/db/schema/teams'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { aTeam, aUser, signInAsNewUser } from '../../testing/factories.ts'
import { deliverQueuedMails, password, registerThroughApi } from '../../testing/people-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'
import { computeUniqueNameKeys } from '../names/keys.ts'

let context: TestApp
let admin: TestClient
let adminId: string
beforeAll(async () => {
  context = await startTestApp()
  const signedIn = await signInAsNewUser(context, 'Admin', { userName: 'Chief' })
  admin = signedIn.client
  adminId = signedIn.user.id
})
afterAll(() => context.close())

function codeOf(response: { json(): { code: string } }) {
  return response.json().code
}
async function find(userName: string) {
  return (await context.db.select().from(users).where(eq(users.userName, userName)))[0]
}
function logIn(userName: string, secret: string) {
  return createTestClient(context.app).post('/api/account/login', { userName, password: secret })
}
const unknownId = '00000000-0000-4000-8000-000000000000'

test('lists users by id in pages with the total', async () => {
  for (let index = 0; index < 4; index++) await aUser(context.db)
  const all = (await admin.get('/api/admin/users')).json()
  expect([all.length, all.total]).toEqual([all.data.length, all.data.length])
  const ids = all.data.map(({ id }: { id: string }) => id)
  expect(ids).toEqual([...ids].sort())
  const page = (await admin.get('/api/admin/users?count=2&skip=1')).json()
  expect(page).toMatchObject({ length: 2, total: all.total, data: [{ id: ids[1] }, { id: ids[2] }] })
})

test('shows the managed fields of a user, without the password', async () => {
  const user = await aUser(context.db, { userName: 'Shown', phone: '123', realName: 'S. Hown', lastAddress: '10.0.0.7' })
  const entry = (await admin.post('/api/admin/users/search?hint=Shown')).json().data[0]
  expect(entry).toEqual({
    id: user.id,
    userName: 'Shown',
    realName: 'S. Hown',
    stdNumber: '',
    phone: '123',
    bio: '',
    registerTimeUtc: user.registeredAt.toISOString(),
    lastVisitedUtc: user.lastVisitedAt.toISOString(),
    ip: '10.0.0.7',
    email: 'Shown@example.org',
    avatar: null,
    role: 'User',
    emailConfirmed: true,
  })
})

test('searches six fields without regard to case and takes % and _ literally', async () => {
  const user = await aUser(context.db, {
    userName: 'needle_1',
    email: 'haystack@example.net',
    realName: 'Straw Man',
    stdNumber: 'S-0815',
    phone: '+49 555',
  })
  const hits = async (hint: string) =>
    (await admin.post(`/api/admin/users/search?hint=${encodeURIComponent(hint)}`)).json().data.map(({ id }: { id: string }) => id)
  for (const hint of ['NEEDLE', 'haystack@', 'straw', 's-0815', '49 555', user.id.slice(0, 13), '_1'])
    expect(await hits(hint)).toEqual([user.id])
  expect(await hits('needle%1')).toEqual([])
  expect((await admin.post('/api/admin/users/search?hint=')).statusCode).toBe(400)
})

test('returns at most 30 hits of a search', async () => {
  for (let index = 0; index < 32; index++) await aUser(context.db, { userName: `crowd${index}` })
  const found = (await admin.post('/api/admin/users/search?hint=crowd')).json()
  expect([found.data.length, found.length, found.total]).toEqual([30, 30, 30])
})

test('returns a profile by id', async () => {
  const user = await aUser(context.db, { userName: 'reader' })
  expect((await admin.get(`/api/admin/users/${user.id}`)).json()).toMatchObject({ userId: user.id, userName: 'reader' })
  expect((await admin.get(`/api/admin/users/${unknownId}`)).statusCode).toBe(404)
})

test('a change of a user retains fields that are absent or null', async () => {
  const user = await aUser(context.db, { bio: 'old', phone: '1', realName: 'R' })
  const response = await admin.put(`/api/admin/users/${user.id}`, { bio: null, phone: '', stdNumber: '9', userName: 'renamed' })
  expect([response.statusCode, response.body]).toEqual([200, ''])
  expect(await find('renamed')).toMatchObject({ bio: 'old', phone: null, realName: 'R', stdNumber: '9', role: 'User' })
})

test('refuses a name or an address that another user has', async () => {
  const [user, other] = [await aUser(context.db), await aUser(context.db, { userName: 'Unique' })]
  const put = (body: object) => admin.put(`/api/admin/users/${user.id}`, body)
  expect(codeOf(await put({ userName: 'uNIQUE' }))).toBe('username.taken')
  expect(codeOf(await put({ email: other.email.toUpperCase() }))).toBe('email.taken')
  expect(codeOf(await admin.put(`/api/admin/users/${unknownId}`, {}))).toBe('user.unknown')
  expect(codeOf(await put({ userName: 'x' }))).toBe('request.invalid')
})

test('marks a new address as unconfirmed unless the change confirms it', async () => {
  const [first, second] = [await aUser(context.db), await aUser(context.db)]
  await admin.put(`/api/admin/users/${first.id}`, { email: 'moved1@example.org' })
  await admin.put(`/api/admin/users/${second.id}`, { email: 'moved2@example.org', emailConfirmed: true })
  expect([(await find(first.userName))!.emailConfirmed, (await find(second.userName))!.emailConfirmed]).toEqual([false, true])
})

test.each([
  ['an edit', (id: string, userName: string, email: string) => admin.put(`/api/admin/users/${id}`, { userName, email })],
  [
    'a bulk list',
    (_id: string, userName: string, email: string) => admin.post('/api/admin/users', [bulkRow(userName, { email })]),
  ],
])('if %s changes the address of a user, the old address gets a mail if it was confirmed', async (_what, change) => {
  const [moved, recased, inactive] = [
    await aUser(context.db),
    await aUser(context.db),
    await aUser(context.db, { emailConfirmed: false }),
  ]
  await deliverQueuedMails(context)
  for (const { id, userName, email } of [moved, inactive])
    expect((await change(id, userName, `new-${email}`)).statusCode).toBe(200)
  expect((await change(recased.id, recased.userName, recased.email.toUpperCase())).statusCode).toBe(200)
  expect((await deliverQueuedMails(context)).map(({ recipient, subject }) => [recipient, subject])).toEqual([
    [moved.email, expect.stringContaining('Your email address was changed')],
  ])
})

test('applies a new role from the next call on', async () => {
  const { client, user } = await signInAsNewUser(context)
  expect((await client.get('/api/admin/users')).statusCode).toBe(403)
  context.messages.splice(0)
  await admin.put(`/api/admin/users/${user.id}`, { role: 'Admin' })
  expect((await client.get('/api/admin/users')).statusCode).toBe(200)
  expect(context.messages).toContainEqual({ kind: 'sessions-ended', userId: user.id })
})

test('refuses a banned user at once with the reason, and ends the session when the ban is lifted', async () => {
  const { client, user } = await signInAsNewUser(context)
  await admin.put(`/api/admin/users/${user.id}`, { role: 'Banned' })
  const refused = await client.get('/api/account/profile')
  expect([refused.statusCode, refused.json().title]).toEqual([403, 'User has been banned'])
  await admin.put(`/api/admin/users/${user.id}`, { role: 'User' })
  expect((await client.get('/api/account/profile')).statusCode).toBe(401)
})

test('ends the sessions of a user who is deactivated', async () => {
  const { client, user } = await signInAsNewUser(context)
  await admin.put(`/api/admin/users/${user.id}`, { emailConfirmed: false })
  expect((await client.get('/api/account/profile')).statusCode).toBe(401)
})

test('ends the sessions of a deleted user at once', async () => {
  const { client, user } = await signInAsNewUser(context)
  expect((await admin.delete(`/api/admin/users/${user.id}`)).statusCode).toBe(200)
  expect((await client.get('/api/account/profile')).statusCode).toBe(401)
  expect(await context.db.$count(sessions, eq(sessions.userId, user.id))).toBe(0)
  expect((await admin.delete(`/api/admin/users/${user.id}`)).statusCode).toBe(404)
})

test('the api refuses to delete the account of the caller, and the account of a team captain', async () => {
  const team = await aTeam(context.db)
  expect(codeOf(await admin.delete(`/api/admin/users/${adminId}`))).toBe('user.self')
  expect(codeOf(await admin.delete(`/api/admin/users/${team.captainId}`))).toBe('user.captain')
})

test('admins who reset their own password remain logged in and retain their second factor', async () => {
  const { client, user } = await signInAsNewUser(context, 'Admin')
  await context.db.insert(totpFactors).values({ userId: user.id, secret: '', lastStep: 0, enabledAt: new Date() })
  const other = createTestClient(context.app)
  const reset = await client.delete(`/api/admin/users/${user.id}/password`)
  expect(reset.statusCode).toBe(200)
  expect(codeOf(await other.post('/api/account/login', { userName: user.userName, password: reset.json() }))).toBe(
    'login.second-factor',
  )
  expect((await client.post('/api/admin/users', [bulkRow(user.userName, { email: user.email })])).statusCode).toBe(200)
  expect(codeOf(await logIn(user.userName, 'Bulkpass1'))).toBe('login.second-factor')
  expect((await client.get('/api/account/profile')).statusCode).toBe(200)
})

test('a reset of a password returns a working password and ends the sessions', async () => {
  const { client } = await registerThroughApi(context, 'forgetful')
  const user = await find('forgetful')
  const response = await admin.delete(`/api/admin/users/${user!.id}/password`)
  const given = response.json()
  expect(given).toMatch(/^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[^A-Za-z0-9]).{16}$/)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  expect((await client.get('/api/account/profile')).statusCode).toBe(401)
  expect([(await logIn('forgetful', password)).statusCode, (await logIn('forgetful', given)).statusCode]).toEqual([401, 200])
  expect((await admin.delete(`/api/admin/users/${unknownId}/password`)).statusCode).toBe(404)
  expect(JSON.stringify(context.logLines)).not.toContain(given)
})

function bulkRow(userName: string, values: object = {}) {
  return {
    userName,
    password: 'Bulkpass1',
    email: `${userName}@example.org`,
    ...values,
  }
}

test('activates the users of a bulk request, and creates one team per team name, with the first user as captain', async () => {
  const old = await aUser(context.db, { userName: 'veteran' })
  const response = await admin.post('/api/admin/users', [
    bulkRow('bulk1', { teamName: 'Bulkers', realName: 'B. One', phone: '1' }),
    bulkRow('bulk2', { teamName: ' Bulkers ' }),
    bulkRow('veteran', { teamName: 'Bulkers' }),
    bulkRow('bulk3', { teamName: 'Loners' }),
    bulkRow('bulk4', { teamName: ' ' }),
  ])
  expect([response.statusCode, response.body]).toEqual([200, ''])
  expect((await logIn('bulk2', 'Bulkpass1')).statusCode).toBe(200)
  const captain = await find('bulk1')
  expect(captain).toMatchObject({ emailConfirmed: true, provenEmail: captain!.email, realName: 'B. One', phone: '1' })
  const [team] = await context.db.select().from(teams).where(eq(teams.name, 'Bulkers'))
  expect(team!.captainId).toBe(captain!.id)
  const members = await context.db.select().from(teamMembers).where(eq(teamMembers.teamId, team!.id))
  expect(members.map(({ userId }) => userId).sort()).toEqual([captain!.id, (await find('bulk2'))!.id, old.id].sort())
  expect(await context.db.$count(teams, eq(teams.captainId, (await find('bulk3'))!.id))).toBe(1)
})

test('new users join an existing team even if the letter case of the team name differs', async () => {
  const membersOf = async (name: string) => {
    const rows = await context.sql`
      select user_name, team_members.user_id = captain_id as captain from teams
      join team_members on team_id = teams.id join users on users.id = user_id where teams.name = ${name} order by user_name`
    return rows.map((row) => [row.user_name, row.captain])
  }
  await admin.post('/api/admin/users', [bulkRow('late1', { teamName: 'Divers' })])
  const more = [bulkRow('late2', { teamName: 'DIVERS' }), bulkRow('late3', { teamName: 'divers ' })]
  const expected = [
    ['late1', true],
    ['late2', false],
    ['late3', false],
  ]
  for (const rows of [more, more, [bulkRow('late1', { teamName: 'divers' }), ...more]]) {
    expect((await admin.post('/api/admin/users', rows)).statusCode).toBe(200)
    expect(await membersOf('Divers')).toEqual(expected)
  }
  expect(await context.sql`select 1 from teams where lower(name) = 'divers'`).toHaveLength(1)
})

test('adds the users of new rows to a locked team during a game', async () => {
  const { team } = await aPlayer(context)
  await context.sql`update teams set locked = true, name = 'Locked Divers' where id = ${team.id}`
  expect((await admin.post('/api/admin/users', [bulkRow('late4', { teamName: 'Locked Divers' })])).statusCode).toBe(200)
  expect(await context.db.$count(teamMembers, eq(teamMembers.teamId, team.id))).toBe(2)
})

test('names the faulty row in a refusal', async () => {
  await aTeam(context.db, { name: 'Rowers', ...computeUniqueNameKeys('Rowers') })
  const rows = (last: object) => [bulkRow('row1'), bulkRow('row2', last)]
  const detailOf = async (last: object) => {
    const { statusCode, body } = await admin.post('/api/admin/users', rows(last))
    const { code, detail } = JSON.parse(body)
    return [statusCode, code, detail]
  }
  await aUser(context.db, { userName: 'Rower', ...computeUniqueNameKeys('Rower') })
  expect(await detailOf({ teamName: 'Rovvers\u202e' })).toEqual([400, 'name.unreadable', '/1/teamName'])
  expect(await detailOf({ teamName: 'R\u043ewers' })).toEqual([400, 'team.name-taken', '/1/teamName'])
  expect(await detailOf({ userName: 'R\u043ewer' })).toEqual([400, 'username.taken', '/1/userName'])
  expect(await detailOf({ password: `$2b$20$${'Ab1'.repeat(17)}ab` })).toEqual([400, 'password.hash', '/1/password'])
})

test.each([
  ['name', { userName: 'racer' }, 'username.taken', '/1/userName'],
  ['address', { email: 'raced@example.org' }, 'email.taken', '/1/email'],
])('reports the row if a concurrent registration uses its %s', async (_kind, values, code, detail) => {
  const registered = { userName: 'someone', email: 'someone@example.org', ...values }
  const isWaiting = async () =>
    (await context.sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length > 0
  let answer: ReturnType<typeof admin.post> | undefined
  await context.sql.begin(async (sql) => {
    await sql`insert into users (user_name, email, password_hash) values (${registered.userName}, ${registered.email}, '')`
    answer = admin.post('/api/admin/users', [bulkRow('beside'), bulkRow('racing', values)])
    await expect.poll(isWaiting, { timeout: 60_000 }).toBe(true)
  })
  const response = await answer
  expect([response?.statusCode, response?.json().code, response?.json().detail]).toEqual([400, code, detail])
  expect(await find('beside')).toBeUndefined()
  await context.sql`delete from users where email = ${registered.email}`
})

test('overwrites an existing user with the name or address of a row, retains omitted fields, and clears an empty phone number', async () => {
  const byName = await aUser(context.db, { userName: 'byname', realName: 'Keep', stdNumber: '1' })
  const byEmail = await aUser(context.db, { email: 'byemail@example.org', phone: '7' })
  const byPhone = await aUser(context.db, { userName: 'byphone', phone: '8', realName: 'Keep' })
  const byNull = await aUser(context.db, { userName: 'bynull', phone: '9' })
  const { client } = await registerThroughApi(context, 'bysession')
  await admin.post('/api/admin/users', [
    bulkRow('BYNAME', { email: 'fresh@example.org', stdNumber: '2' }),
    bulkRow('newname', { email: 'ByEmail@example.org' }),
    bulkRow('bysession'),
    bulkRow('byphone', { phone: '', realName: '' }),
    bulkRow('bynull', { phone: null }),
  ])
  const read = async (id: string) => (await context.db.select().from(users).where(eq(users.id, id)))[0]
  expect(await read(byName.id)).toMatchObject({
    userName: 'BYNAME',
    email: 'fresh@example.org',
    realName: 'Keep',
    stdNumber: '2',
  })
  expect(await read(byEmail.id)).toMatchObject({ userName: 'newname', email: 'ByEmail@example.org', phone: '7' })
  expect(await read(byPhone.id)).toMatchObject({ phone: null, realName: 'Keep' })
  expect((await read(byNull.id))?.phone).toBe('9')
  expect((await logIn('newname', 'Bulkpass1')).statusCode).toBe(200)
  expect((await client.get('/api/account/profile')).statusCode).toBe(401)
})

test.each([
  ['a weak password', [bulkRow('fine1'), bulkRow('fine2', { password: 'weakpass' })], 'password.weak'],
  [
    'a name and an address that belong to two users',
    [bulkRow('fine1'), bulkRow('oneperson', { email: 'two@example.org' })],
    'users.bulk',
  ],
  ['an invalid row', [bulkRow('fine1'), { userName: 'fine2', password: 'Bulkpass1' }], 'request.invalid'],
  ['a long team name', [bulkRow('fine1', { teamName: 'x'.repeat(16) })], 'request.invalid'],
])('stores nothing if a row of the list is invalid: %s', async (_name, rows, code) => {
  await context.db
    .insert(users)
    .values([
      { userName: 'oneperson', email: 'one@example.org', passwordHash: '' },
      { userName: 'twoperson', email: 'two@example.org', passwordHash: '' },
    ])
    .onConflictDoNothing()
  const response = await admin.post('/api/admin/users', rows)
  expect([response.statusCode, codeOf(response)]).toEqual([400, code])
  expect(await find('fine1')).toBeUndefined()
})

test('creates each user once when two requests send the same rows', async () => {
  const rows = Array.from({ length: 6 }, (_, index) => bulkRow(`twin${index}`))
  const answers = await Promise.all([admin.post('/api/admin/users', rows), admin.post('/api/admin/users', [...rows].reverse())])
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200])
  expect((await admin.post('/api/admin/users/search?hint=twin')).json().total).toBe(6)
})

test.each(['User', 'Monitor', 'Banned', undefined] as const)('refuses all calls by the role %s', async (role) => {
  const target = await aUser(context.db)
  const client = role ? (await signInAsNewUser(context, role)).client : createTestClient(context.app)
  const answers = await Promise.all([
    client.get('/api/admin/users'),
    client.post('/api/admin/users', []),
    client.post('/api/admin/users/search?hint=a'),
    client.get(`/api/admin/users/${target.id}`),
    client.put(`/api/admin/users/${target.id}`, { role: 'Admin' }),
    client.delete(`/api/admin/users/${target.id}`),
    client.delete(`/api/admin/users/${target.id}/password`),
  ])
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([role ? 403 : 401]))
})
