import { teams } from '@capstan/db/schema/teams'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp } from '../../testing/app.ts'
import { aTeam, aUser, signInAsNewUser } from '../../testing/factories.ts'
import { aGame } from '../../testing/organizing-factories.ts'
import { createTeamRepository } from './repository.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())

/** Creates a team with four members, who are signed in. */
async function aCrew() {
  const people = await Promise.all(Array.from({ length: 4 }, () => signInAsNewUser(context)))
  const [captain, first, second, third] = people as [
    (typeof people)[0],
    (typeof people)[0],
    (typeof people)[0],
    (typeof people)[0],
  ]
  const mates = [first, second, third]
  const team = await aTeam(context.db, { captainId: captain.user.id, memberIds: mates.map(({ user }) => user.id) })
  return { captain, first, second, third, team, path: `/api/team/${team.id}` }
}

type Page = Readonly<{
  members: readonly Readonly<{ id: string; captain: boolean }>[]
}>

/** Returns the team's public page. @returns undefined if the team was deleted */
async function pageOf(path: string): Promise<Page | undefined> {
  const answer = await createTestClient(context.app).get(path)
  return answer.statusCode === 404 ? undefined : answer.json()
}

function captainsOf(page: Page | undefined): string[] {
  return page?.members.filter(({ captain }) => captain).map(({ id }) => id) ?? []
}

function statusesOf(answers: readonly { readonly statusCode: number }[]): number[] {
  return answers.map(({ statusCode }) => statusCode).sort()
}

/** Expects that each call either succeeded or was refused by a rule. The order of the calls does not matter. */
function expectRulesOnly(answers: readonly Readonly<{ statusCode: number; body: string }>[]): void {
  expect(answers.filter(({ statusCode }) => ![200, 400, 403, 404].includes(statusCode)).map(({ body }) => body)).toEqual([])
}

test('only one of three concurrent users gets the last place of a team, and an admin can exceed the maximum', async () => {
  const mates = await Promise.all(Array.from({ length: 98 }, () => aUser(context.db)))
  const team = await aTeam(context.db, { memberIds: mates.map(({ id }) => id) })
  const people = await Promise.all(Array.from({ length: 3 }, () => signInAsNewUser(context)))
  const code = `${team.name}:${team.id}:${team.inviteToken}`
  const answers = await Promise.all(people.map(({ client }) => client.post('/api/team/accept', code)))
  const codes = answers.map((answer) => (answer.statusCode === 200 ? 'joined' : answer.json().code))
  expect(codes.sort()).toEqual(['joined', 'team.full', 'team.full'])
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  const { id } = await aUser(context.db)
  const added = await admin.put(`/api/admin/teams/${team.id}/members/${id}`)
  expect([added.statusCode, added.json().members.length]).toEqual([200, 101])
})

test('a user who is in the maximum number of teams must leave a team before joining or creating another team', async () => {
  const { user, client } = await signInAsNewUser(context)
  const others = await Promise.all(Array.from({ length: 49 }, () => aTeam(context.db, { memberIds: [user.id] })))
  const wanted = await Promise.all(Array.from({ length: 3 }, () => aTeam(context.db)))
  const join = ({ name, id, inviteToken }: (typeof wanted)[0]) => client.post('/api/team/accept', `${name}:${id}:${inviteToken}`)
  const answers = await Promise.all(wanted.map(join))
  expect(statusesOf(answers)).toEqual([200, 400, 400])
  expect(answers.filter(({ statusCode }) => statusCode === 400).map((answer) => answer.json().code)).toEqual([
    ...['team.too-many', 'team.too-many'],
  ])
  expect((await client.post('/api/team', { name: 'One too many' })).json().code).toBe('team.too-many')
  expect((await client.post(`/api/team/${others[0]!.id}/leave`)).statusCode).toBe(200)
  expect((await client.post('/api/team', { name: 'Not too many' })).statusCode).toBe(200)
})

test('transfers a team to only one of three members if the calls are concurrent', async () => {
  const { captain, first, second, third, path } = await aCrew()
  const answers = await Promise.all(
    [first, second, third].map(({ user }) => captain.client.put(`${path}/transfer`, { newCaptainId: user.id })),
  )
  expect(statusesOf(answers)).toEqual([200, 403, 403])
  const [captainId] = captainsOf(await pageOf(path))
  expect([first, second, third].map(({ user }) => user.id)).toContain(captainId)
})

test.each([1, 2, 3, 4, 5])(
  'a team has exactly one captain after the old and the new captain have acted concurrently (%i)',
  async () => {
    const { captain, first, second, path } = await aCrew()
    const answers = await Promise.all([
      captain.client.put(`${path}/transfer`, { newCaptainId: first.user.id }),
      captain.client.post(`${path}/kick/${first.user.id}`),
      first.client.put(`${path}/transfer`, { newCaptainId: second.user.id }),
      first.client.post(`${path}/kick/${captain.user.id}`),
      first.client.post(`${path}/leave`),
      second.client.post(`${path}/leave`),
      captain.client.post(`${path}/leave`),
    ])
    expectRulesOnly(answers)
    expect(captainsOf(await pageOf(path))).toHaveLength(1)
  },
)

test('concurrent calls of the old captain and the new captain never leave a team half deleted', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { captain, first, second, team, path } = await aCrew()
    const game = await aGame(context.db)
    const answers = await Promise.all([
      captain.client.put(`${path}/transfer`, { newCaptainId: first.user.id }),
      captain.client.delete(path),
      first.client.post(`${path}/kick/${second.user.id}`),
      second.client.post(`/api/game/${game.id}`, { teamId: team.id }),
      first.client.delete(path),
    ])
    expectRulesOnly(answers)
    const isDeleted = answers[1]?.statusCode === 200 || answers[4]?.statusCode === 200
    const page = await pageOf(path)
    expect([isDeleted, captainsOf(page).length]).toEqual([isDeleted, isDeleted ? 0 : 1])
    const [left] = await context.sql`
      select (select count(*)::int from team_members where team_id = ${team.id}) as members,
             (select count(*)::int from participations where team_id = ${team.id}) as participations`
    if (isDeleted) expect(left).toEqual({ members: 0, participations: 0 })
  }
})

test('accepts three of five concurrent transfers to a user, who may lead at most three teams', async () => {
  const heir = await signInAsNewUser(context)
  const crews = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const captain = await signInAsNewUser(context)
      return { captain, team: await aTeam(context.db, { captainId: captain.user.id, memberIds: [heir.user.id] }) }
    }),
  )
  const answers = await Promise.all(
    crews.map(({ captain, team }) => captain.client.put(`/api/team/${team.id}/transfer`, { newCaptainId: heir.user.id })),
  )
  expect(statusesOf(answers)).toEqual([200, 200, 200, 400, 400])
  expect(await context.db.$count(teams, eq(teams.captainId, heir.user.id))).toBe(3)
})

test('a user can join another team while a transfer of a team to this user is in progress', async () => {
  const { first } = await aCrew()
  const other = (await aCrew()).team
  const joined = await context.db.transaction(async (transaction) => {
    await createTeamRepository(transaction).lockUsers([first.user.id])
    return first.client.post('/api/team/accept', `${other.name}:${other.id}:${other.inviteToken}`)
  })
  expect(joined.statusCode).toBe(200)
})
