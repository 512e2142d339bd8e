import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { aTeam, aUser, signInAsNewUser } from '../../testing/factories.ts'
import { aGame, aParticipation } from '../../testing/organizing-factories.ts'

let context: TestApp
let admin: TestClient
let gameId: number
const hour = 3_600_000
function at(hours: number) {
  return new Date(Date.parse('2026-03-01T00:00:00Z') + hours * hour)
}

beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin', { userName: 'Chief', registeredAt: at(0), lastVisitedAt: at(9) })).client
  const people = {
    ada: { role: 'User', registeredAt: at(3), lastVisitedAt: at(4), stdNumber: '30', email: 'z@example.org' },
    Ben: { role: 'Banned', registeredAt: at(1), lastVisitedAt: at(6), stdNumber: '20', email: 'Y@example.org' },
    cleo: { role: 'Monitor', registeredAt: at(2), lastVisitedAt: at(5), emailConfirmed: false, email: 'x@example.org' },
  } as const
  const ids = new Map<string, string>()
  for (const [userName, values] of Object.entries(people))
    ids.set(userName, (await aUser(context.db, { userName, ...values })).id)
  gameId = (await aGame(context.db)).id
  const anchor = await aTeam(context.db, { name: 'Anchor', captainId: ids.get('ada')!, memberIds: [ids.get('Ben')!] })
  await aTeam(context.db, { name: 'buoy', captainId: ids.get('cleo')!, locked: true })
  await aTeam(context.db, { name: 'Cleat', captainId: ids.get('Ben')!, memberIds: [ids.get('ada')!, ids.get('cleo')!] })
  await aParticipation(context.db, { gameId, teamId: anchor.id })
})
afterAll(() => context.close())

async function names(path: string, key: 'userName' | 'name') {
  const response = await admin.get(path)
  expect(response.statusCode).toBe(200)
  return response.json().data.map((row: Record<string, string>) => row[key])
}
function users(query: string) {
  return names(`/api/admin/users/list?${query}`, 'userName')
}
function teams(query: string) {
  return names(`/api/admin/teams/list?${query}`, 'name')
}

describe('the list of users for admins', () => {
  test('lists users newest first by default', async () => {
    expect(await users('')).toEqual(['ada', 'cleo', 'Ben', 'Chief'])
  })

  test.each([
    ['name', ['ada', 'Ben', 'Chief', 'cleo']],
    ['email', ['Chief', 'cleo', 'Ben', 'ada']],
    ['role', ['Ben', 'ada', 'cleo', 'Chief']],
    ['visited', ['ada', 'cleo', 'Ben', 'Chief']],
    ['registered', ['Chief', 'Ben', 'cleo', 'ada']],
  ])('sorts users by %s in both directions', async (sort, wanted) => {
    expect(await users(`sort=${sort}&descending=false`)).toEqual(wanted)
    expect(await users(`sort=${sort}&descending=true`)).toEqual(wanted.toReversed())
  })

  test('sorts users by student number', async () => {
    expect((await users('sort=number')).slice(0, 2)).toEqual(['ada', 'Ben'])
  })

  test('filters users by role, state, game and search text, and returns pages', async () => {
    expect(await users('role=Monitor')).toEqual(['cleo'])
    expect(await users('active=false')).toEqual(['cleo'])
    expect(await users(`game=${gameId}`)).toEqual(['ada'])
    expect(await users('hint=example.org&role=User&active=true')).toEqual(['ada'])
    const page = (await admin.get('/api/admin/users/list?sort=name&descending=false&count=2&skip=1')).json()
    expect([page.length, page.total, page.data[0].userName]).toEqual([2, 4, 'Ben'])
  })

  test.each(['sort=password', 'role=Emperor', 'active=maybe', 'game=x', 'hint='])('refuses %s with 400', async (query) => {
    expect((await admin.get(`/api/admin/users/list?${query}`)).statusCode).toBe(400)
  })

  test('`GET /api/admin/users` sorts users by id', async () => {
    const ids = (await admin.get('/api/admin/users')).json().data.map(({ id }: { id: string }) => id)
    expect(ids).toEqual([...ids].sort())
  })
})

describe('the list of teams for admins', () => {
  test.each([
    ['id', ['Anchor', 'buoy', 'Cleat']],
    ['name', ['Anchor', 'buoy', 'Cleat']],
    ['captain', ['Anchor', 'Cleat', 'buoy']],
    ['members', ['buoy', 'Anchor', 'Cleat']],
    ['locked', ['Anchor', 'Cleat', 'buoy']],
  ])('sorts teams by %s in both directions', async (sort, wanted) => {
    expect(await teams(`sort=${sort}&descending=false`)).toEqual(wanted)
    expect(await teams(`sort=${sort}`)).toEqual(wanted.toReversed())
  })

  test('filters teams by state, game and search text', async () => {
    expect(await teams('locked=true')).toEqual(['buoy'])
    expect(await teams(`game=${gameId}`)).toEqual(['Anchor'])
    expect(await teams('hint=c&locked=false')).toEqual(['Cleat', 'Anchor'])
  })
})
