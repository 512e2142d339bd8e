import { users } from '@capstan/db/schema/accounts'
import { teams } from '@capstan/db/schema/teams'
import { asc, eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { aTeam, aUser, signInAsNewUser } from '../../testing/factories.ts'
import { password, registerThroughApi } from '../../testing/people-factories.ts'
import { fillUniqueNameKeys } from './fill.ts'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
})
beforeEach(async () => {
  await context.db.delete(teams)
  await context.db.delete(users)
  admin = (await signInAsNewUser(context, 'Admin', { userName: 'organizer' })).client
})
afterAll(() => context.close())

function outcomeOf(answer: { statusCode: number; json(): { code?: string } }) {
  return answer.statusCode === 200 ? 'ok' : `${answer.statusCode} ${answer.json().code}`
}
function bulkRow(userName: string, rest: object = {}) {
  return {
    ...{ userName, password, email: `${Buffer.from(userName).toString('hex')}@example.org` },
    ...rest,
  }
}
let address = 0
async function registered(userName: string) {
  return outcomeOf((await registerThroughApi(context, userName, `n${++address}@example.org`)).response)
}
async function create(name: string) {
  return outcomeOf(await (await signInAsNewUser(context)).client.post('/api/team', { name }))
}

const lookAlikes = ['ａｄｍｉｎ', '\u0410dmin', 'ADM\u0406N', '\u0391DMIN', 'Adrnin']

test.each(lookAlikes)('refuses to register %s if Admin exists', async (name) => {
  expect(await registered('Admin')).toBe('ok')
  expect(await registered(name)).toBe('400 username.taken')
})

test.each([
  ['Admin\u200b', 'name.unreadable'],
  ['\u202enimdA', 'name.unreadable'],
  ['Ad\nmin', 'name.unreadable'],
  ['\u3164\u3164\u3164', 'name.unreadable'],
  ['ada@example', 'username.address'],
])('refuses the name %j in every call that sets a name', async (name, code) => {
  const { user, client } = await signInAsNewUser(context)
  expect(await registered(name)).toBe(`400 ${code}`)
  expect(outcomeOf(await client.put('/api/account/update', { userName: name }))).toBe(`400 ${code}`)
  expect(outcomeOf(await admin.put(`/api/admin/users/${user.id}`, { userName: name }))).toBe(`400 ${code}`)
  expect(outcomeOf(await admin.post('/api/admin/users', [bulkRow('fine'), bulkRow(name)]))).toBe(`400 ${code}`)
  expect(await context.db.$count(users, eq(users.userName, 'fine'))).toBe(0)
})

test('refuses a look-alike name in a rename by user or admin, and in a bulk request, which then stores nothing', async () => {
  await registered('Admin')
  const { user, client } = await signInAsNewUser(context)
  const taken = '400 username.taken'
  expect(outcomeOf(await client.put('/api/account/update', { userName: '\u0410dmin' }))).toBe(taken)
  expect(outcomeOf(await admin.put(`/api/admin/users/${user.id}`, { userName: '\u0410dmin' }))).toBe(taken)
  expect(outcomeOf(await admin.post('/api/admin/users', [bulkRow('fine'), bulkRow('\u0410dmin')]))).toBe(taken)
  expect(outcomeOf(await admin.post('/api/admin/users', [bulkRow('paypal'), bulkRow('p\u0430ypal')]))).toBe(taken)
  expect(await context.db.$count(users, eq(users.userName, 'fine'))).toBe(0)
})

test('accepts different names in all languages', async () => {
  for (const name of [
    'さくら',
    '홍길동',
    '红队一号',
    'فريق',
    'می\u200cخواهم',
    'Бобры',
    'Νίκη',
    'José',
    'Jose',
    'root 🐙',
    '👩🏽‍🚀👨‍👩‍👧',
    'I ❤️ pwn',
  ])
    expect([name, await registered(name)]).toEqual([name, 'ok'])
})

test('accepts only one of several parallel registrations whose names look alike', async () => {
  const names = ['Admin', 'admin', 'ａｄｍｉｎ', '\u0410dmin', 'ADM\u0406N', '\u0391DMIN']
  const outcomes = await Promise.all(names.map(registered))
  expect(outcomes.sort()).toEqual([...Array.from({ length: 5 }, () => '400 username.taken'), 'ok'])
})

test('refuses a look-alike team name when a team is created or renamed, by its captain, an admin or in bulk', async () => {
  const { client } = await signInAsNewUser(context)
  const team = (await client.post('/api/team', { name: 'Red Team' })).json()
  for (const name of ['Red Team', 'red team', 'R\u0435d Team', 'Ｒｅｄ　Ｔｅａｍ'])
    expect(await create(name)).toBe('400 team.name-taken')
  for (const name of ['Red\u200bTeam', 'Red\nTeam', '\u2800']) expect(await create(name)).toBe('400 name.unreadable')
  const other = await signInAsNewUser(context)
  const { id } = (await other.client.post('/api/team', { name: 'Blue Team' })).json()
  const taken = '400 team.name-taken'
  expect(outcomeOf(await other.client.put(`/api/team/${id}`, { name: 'RED TEAM' }))).toBe(taken)
  expect(outcomeOf(await admin.put(`/api/admin/teams/${id}`, { name: 'R\u0435d Team' }))).toBe(taken)
  const rows = [bulkRow('first', { teamName: 'Fresh' }), bulkRow('second', { teamName: 'R\u0435d Team' })]
  expect(outcomeOf(await admin.post('/api/admin/users', rows))).toBe(taken)
  expect(await context.db.$count(users, eq(users.userName, 'first'))).toBe(0)
  expect(outcomeOf(await client.put(`/api/team/${team.id}`, { name: 'RED team', bio: 'Louder' }))).toBe('ok')
  expect(outcomeOf(await client.put(`/api/team/${team.id}`, { name: 'Crimson' }))).toBe('ok')
  expect(outcomeOf(await other.client.put(`/api/team/${id}`, { name: 'Red Team' }))).toBe('ok')
})

test('creates only one team if several requests with the same name run in parallel', async () => {
  const outcomes = await Promise.all(['Sole', 'SOLE', 'S\u043ele', 'Sole', 'Ｓｏｌｅ'].map(create))
  expect(outcomes.sort()).toEqual([...Array.from({ length: 4 }, () => '400 team.name-taken'), 'ok'])
})

test('a login with an address finds the owner of the address, not a user whose name is this address', async () => {
  const passwordHash = await context.deps.passwords.hash(password)
  await aUser(context.db, {
    userName: 'ada@example.org',
    email: 'thief@example.org',
    passwordHash: await context.deps.passwords.hash('Thieves1'),
  })
  await aUser(context.db, { userName: 'ada', email: 'ada@example.org', passwordHash })
  const client = createTestClient(context.app)
  const logIn = (secret: string) => client.post('/api/account/login', { userName: 'ADA@example.org', password: secret })
  expect((await logIn('Thieves1')).statusCode).toBe(401)
  expect((await logIn(password)).statusCode).toBe(200)
  expect((await client.get('/api/account/profile')).json().userName).toBe('ada')
})

test("retains an old name that today's rules refuse, if only other fields change", async () => {
  const { user, client } = await signInAsNewUser(context, 'User', { userName: 'old@example' })
  expect(outcomeOf(await client.put('/api/account/update', { userName: 'old@example', bio: 'Hi' }))).toBe('ok')
  expect(outcomeOf(await admin.put(`/api/admin/users/${user.id}`, { userName: 'old@example', realName: 'O' }))).toBe('ok')
  expect(outcomeOf(await admin.post('/api/admin/users', [bulkRow('old@example')]))).toBe('ok')
  expect(outcomeOf(await client.get('/api/account/profile'))).toBe('401 session.required')
  const team = await aTeam(context.db, { name: 'Old\u200bTeam', captainId: user.id })
  expect(outcomeOf(await admin.put(`/api/admin/teams/${team.id}`, { name: 'Old\u200bTeam', bio: 'Hi' }))).toBe('ok')
})

test('existing look-alike names remain valid, and new look-alike names are refused', async () => {
  const day = (number: number) => ({ registeredAt: new Date(Date.UTC(2026, 0, number)) })
  const third = await aUser(context.db, { userName: '\u0410dmin', ...day(3) })
  const first = await aUser(context.db, { userName: 'Admin', ...day(1) })
  const second = await aUser(context.db, { userName: 'Admin\u200b', ...day(2) })
  const older = await aTeam(context.db, { name: 'Twins' })
  const younger = await aTeam(context.db, { name: 'Twins' })
  await Promise.all([fillUniqueNameKeys(context), fillUniqueNameKeys(context)])

  const userKeys = async (id: string) => (await context.db.select().from(users).where(eq(users.id, id)))[0]
  expect(await userKeys(first.id)).toMatchObject({
    userName: 'Admin',
    nameSkeleton: 'admin',
    nameShape: 'Adrnin',
    nameReading: 'adrnin',
  })
  expect(await userKeys(second.id)).toMatchObject({ userName: 'Admin\u200b', nameSkeleton: `admin ${second.id}` })
  expect(await userKeys(third.id)).toMatchObject({ userName: '\u0410dmin', nameSkeleton: `admin ${third.id}` })
  const stored = await context.db.select().from(teams).orderBy(asc(teams.id))
  expect(stored).toMatchObject([
    { id: older.id, name: 'Twins', nameSkeleton: 'twins' },
    { id: younger.id, name: 'Twins', nameSkeleton: `twins ${younger.id}` },
  ])
  expect(await registered('ADMlN')).toBe('400 username.taken')
  expect(await registered('ADMIN\u0406')).toBe('ok')
  expect(await registered('\u0391dmin')).toBe('400 username.taken')
  expect(await create('TWINS')).toBe('400 team.name-taken')
})

test('users and teams whose names look alike by a newer rule remain, and the users can log in and change their profiles', async () => {
  const passwordHash = await context.deps.passwords.hash(password)
  const names = ['Robin', 'rOBlN', 'robi\u0307n']
  const ids: string[] = []
  for (const [index, userName] of names.entries()) {
    const user = await aUser(context.db, { userName, passwordHash, registeredAt: new Date(Date.UTC(2026, 0, index + 1)) })
    // Unique keys as from an earlier version, which read these names as different.
    const keys = { nameSkeleton: `old${index}`, nameShape: `old${index}`, nameReading: `old${index}` }
    await context.db.update(users).set(keys).where(eq(users.id, user.id))
    ids.push(user.id)
  }
  await fillUniqueNameKeys(context)
  for (const userName of names) {
    const client = createTestClient(context.app)
    expect(outcomeOf(await client.post('/api/account/login', { userName, password }))).toBe('ok')
    expect((await client.get('/api/account/profile')).json().userName).toBe(userName)
    expect(outcomeOf(await client.put('/api/account/update', { userName, bio: 'Hi' }))).toBe('ok')
  }
  await fillUniqueNameKeys(context)
  const stored = await context.db.select().from(users).orderBy(asc(users.registeredAt))
  expect(stored.filter(({ id }) => ids.includes(id)).map(({ userName }) => userName)).toEqual(names)
  expect(await registered('rob\u0131n')).toBe('400 username.taken')
  expect(await registered('roBlN')).toBe('400 username.taken')
})

test('`fillUniqueNameKeys` corrects keys after an earlier version of the platform renamed a user', async () => {
  const { user: holder } = await signInAsNewUser(context, 'User', { userName: 'Admin', registeredAt: new Date(0) })
  const other = await aUser(context.db, { userName: '\u0410dmin' })
  await fillUniqueNameKeys(context)
  await context.db.update(users).set({ userName: 'elsewhere' }).where(eq(users.id, holder.id))
  await fillUniqueNameKeys(context)
  await fillUniqueNameKeys(context)
  const skeletonOf = async (id: string) => (await context.db.select().from(users).where(eq(users.id, id)))[0]?.nameSkeleton
  expect(await skeletonOf(holder.id)).toBe('elsewhere')
  expect(await skeletonOf(other.id)).toBe('admin')
})

test('`fillUniqueNameKeys` gives keys to 1,200 users while another user registers', async () => {
  const rows = Array.from({ length: 1_200 }, (_, index) => ({
    userName: `player ${index % 400}${'\u200b'.repeat(Math.floor(index / 400))}`,
    email: `p${index}@example.org`,
    passwordHash: '',
  }))
  await context.db.insert(users).values(rows)
  const [, outcome] = await Promise.all([fillUniqueNameKeys(context), registered('player 7')])
  expect(['ok', '400 username.taken']).toContain(outcome)
  await fillUniqueNameKeys(context)
  const stored = await context.db.select().from(users)
  expect(stored.filter(({ userName, nameSkeleton }) => userName.startsWith('player') && nameSkeleton === null)).toEqual([])
  expect(stored.filter(({ nameSkeleton }) => nameSkeleton === 'player7')).toHaveLength(1)
})
