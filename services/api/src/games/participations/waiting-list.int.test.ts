import { assignments } from '@capstan/db/schema/challenges'
import { games, participations } from '@capstan/db/schema/games'
import { teams } from '@capstan/db/schema/teams'
import { and, asc, eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../app.ts'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { aTeam, signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, aParticipation } from '../../testing/organizing-factories.ts'

let context: TestApp
let replica: FastifyInstance
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
  replica = await buildApp(context.deps)
  await replica.ready()
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(async () => {
  await replica.close()
  await context.close()
})

async function aCaptain() {
  const { user, client } = await signInAsNewUser(context)
  return { user, client, team: await aTeam(context.db, { captainId: user.id }) }
}
type Captain = Awaited<ReturnType<typeof aCaptain>>

function join({ client, team }: Captain, gameId: number, more: object = {}) {
  return client.post(`/api/game/${gameId}`, { teamId: team.id, ...more })
}

/** Lets new teams join one after the other. */
async function joined(gameId: number, count: number, more: object = {}) {
  const captains: Captain[] = []
  for (let index = 0; index < count; index++) {
    const captain = await aCaptain()
    expect((await join(captain, gameId, more)).statusCode).toBe(200)
    captains.push(captain)
  }
  return captains
}

async function rowOf(gameId: number, { team }: Captain) {
  const [row] = await context.db
    .select()
    .from(participations)
    .where(and(eq(participations.gameId, gameId), eq(participations.teamId, team.id)))
  return row!
}
async function statuses(gameId: number) {
  const rows = await context.db
    .select({ status: participations.status })
    .from(participations)
    .where(eq(participations.gameId, gameId))
    .orderBy(asc(participations.id))
  return rows.map(({ status }) => status)
}
async function review(gameId: number, captain: Captain, status: string, query = '') {
  const { id } = await rowOf(gameId, captain)
  return admin.put(`/api/admin/participation/${id}/${status}${query}`)
}
async function pageOf({ client }: Pick<Captain, 'client'>, gameId: number) {
  return (await client.get(`/api/game/${gameId}`)).json()
}
async function placesInReview(gameId: number) {
  const records: { team: { id: number }; waitingPlace: number | null }[] = (
    await admin.get(`/api/game/${gameId}/participations`)
  ).json()
  return new Map(records.map(({ team, waitingPlace }) => [team.id, waitingPlace]))
}
async function updateGame(gameId: number, changes: object) {
  const stored: object = (await admin.get(`/api/edit/games/${gameId}`)).json()
  return admin.put(`/api/edit/games/${gameId}`, { ...stored, ...changes })
}

describe('the registration window', () => {
  test('a join outside the window is refused, and the response contains the time of opening or closing', async () => {
    const captain = await aCaptain()
    const opens = new Date(context.clock.now().getTime() + 60_000)
    const early = await aGame(context.db, { registrationOpensAt: opens })
    const refused = await join(captain, early.id)
    expect([refused.statusCode, refused.json()]).toMatchObject([400, { status: 400, code: 'join.not-open' }])
    expect(refused.json().title).toBe(
      `Registration for this game opens at ${opens.toISOString().slice(0, 19).replace('T', ' ')}Z`,
    )
    const late = await aGame(context.db, { registrationClosesAt: new Date('2026-01-02T03:04:05Z') })
    const closed = await join(captain, late.id)
    expect([closed.statusCode, closed.json().code]).toEqual([400, 'join.closed'])
    expect(closed.json().title).toBe('Registration for this game closed at 2026-01-02 03:04:05Z')
  })

  test('players see the exact times, and a write without these times leaves them unchanged', async () => {
    const game = await aGame(context.db)
    const window = { registrationOpens: 1_700_000_000_000, registrationCloses: 1_900_000_000_000, teamLimit: 3 }
    expect((await updateGame(game.id, window)).json()).toMatchObject(window)
    const {
      registrationOpens: _o,
      registrationCloses: _c,
      teamLimit: _l,
      ...old
    } = (await admin.get(`/api/edit/games/${game.id}`)).json()
    expect((await admin.put(`/api/edit/games/${game.id}`, old)).json()).toMatchObject(window)
    expect(await pageOf(await aCaptain(), game.id)).toMatchObject({ ...window, freePlaces: 3, waitingPlace: null })
    const none = { registrationOpens: null, registrationCloses: null, teamLimit: null }
    expect((await updateGame(game.id, none)).json()).toMatchObject(none)
    expect(await pageOf(await aCaptain(), game.id)).toMatchObject({ ...none, freePlaces: null })
  })

  test('a window that closes before it opens is refused, even if the write contains only one of the two times', async () => {
    const game = await aGame(context.db, { registrationOpensAt: new Date(2000) })
    const response = await updateGame(game.id, { registrationCloses: 2000 })
    expect([response.statusCode, response.json().code]).toEqual([400, 'game.registration'])
    const { registrationOpens: _, ...stored } = (await admin.get(`/api/edit/games/${game.id}`)).json()
    const partial = await admin.put(`/api/edit/games/${game.id}`, { ...stored, registrationCloses: 1999 })
    expect([partial.statusCode, partial.json().code]).toEqual([400, 'game.registration'])
    expect((await updateGame(game.id, { registrationCloses: 2001 })).statusCode).toBe(200)
  })

  test('if a copied game starts one year later, registration also opens one year later', async () => {
    const game = await aGame(context.db, {
      startsAt: new Date('2030-01-10T10:00:00Z'),
      endsAt: new Date('2030-01-10T12:00:00Z'),
      registrationOpensAt: new Date('2030-01-01T10:00:00Z'),
      teamLimit: 5,
    })
    const copy = await admin.post(`/api/edit/games/${game.id}/clone`, { title: 'Copy', start: '2031-01-10T10:00:00Z' })
    expect(copy.json()).toMatchObject({
      registrationOpens: Date.UTC(2031, 0, 1, 10),
      registrationCloses: null,
      teamLimit: 5,
    })
  })
})

describe('the limit of teams', () => {
  test('teams beyond the limit wait in the order of registration', async () => {
    const game = await aGame(context.db, { acceptWithoutReview: true, teamLimit: 2 })
    const [, , third, fourth] = await joined(game.id, 4)
    expect(await statuses(game.id)).toEqual(['Accepted', 'Accepted', 'Pending', 'Pending'])
    expect(await pageOf(third!, game.id)).toMatchObject({ status: 'Pending', waitingPlace: 1, freePlaces: 0 })
    expect(await pageOf(fourth!, game.id)).toMatchObject({ status: 'Pending', waitingPlace: 2 })
    expect((await placesInReview(game.id)).get(fourth!.team.id)).toBe(2)
  })

  test('64 parallel joins on two replicas never exceed the limit', async () => {
    const game = await aGame(context.db, { acceptWithoutReview: true, teamLimit: 10 })
    const captains = await Promise.all(Array.from({ length: 64 }, aCaptain))
    const answers = await Promise.all(
      captains.map(({ client, team }, index) =>
        (index % 2 === 0 ? context.app : replica).inject({
          method: 'POST',
          url: `/api/game/${game.id}`,
          payload: { teamId: team.id },
          cookies: Object.fromEntries(client.cookies),
        }),
      ),
    )
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(captains.map(() => 200))
    const counts = Object.groupBy(await statuses(game.id), (status) => status)
    expect([counts.Accepted?.length, counts.Pending?.length]).toEqual([10, 54])
    expect(
      (await placesInReview(game.id))
        .values()
        .filter((place) => place !== null)
        .toArray()
        .toSorted((a, b) => a - b),
    ).toEqual(Array.from({ length: 54 }, (_, index) => index + 1))
  })

  test('after a rejection, the first waiting team is accepted and gets the challenges of the game', async () => {
    const game = await aGame(context.db, { acceptWithoutReview: true, teamLimit: 1, title: 'Regatta' })
    const challenge = await aChallenge(context.db, { gameId: game.id })
    const [first, second, third] = await joined(game.id, 3)
    expect((await review(game.id, first!, 'Rejected')).statusCode).toBe(200)
    expect(await statuses(game.id)).toEqual(['Rejected', 'Accepted', 'Pending'])
    expect(await pageOf(third!, game.id)).toMatchObject({ waitingPlace: 1 })
    const { id } = await rowOf(game.id, second!)
    const given = await context.db.select().from(assignments).where(eq(assignments.participationId, id))
    expect(given.map(({ challengeId }) => challengeId)).toEqual([challenge.id])
    const [team] = await context.db.select().from(teams).where(eq(teams.id, second!.team.id))
    expect(team!.locked).toBe(true)
    expect(context.logLines).toContainEqual(
      expect.objectContaining({
        name: 'System',
        message: `Accepted team "${second!.team.name}" from the waiting list of "Regatta"`,
      }),
    )
  })

  test('a suspension frees no place', async () => {
    const game = await aGame(context.db, { acceptWithoutReview: true, teamLimit: 1 })
    const [first] = await joined(game.id, 2)
    await review(game.id, first!, 'Suspended')
    expect(await statuses(game.id)).toEqual(['Suspended', 'Pending'])
    await review(game.id, first!, 'Accepted', '?withinLimit=true')
    expect(await statuses(game.id)).toEqual(['Accepted', 'Pending'])
  })

  test('waiting teams are accepted after the limit is raised or removed, but not after it is lowered', async () => {
    const game = await aGame(context.db, { acceptWithoutReview: true, teamLimit: 1 })
    await joined(game.id, 5)
    await updateGame(game.id, { teamLimit: 3 })
    expect(await statuses(game.id)).toEqual(['Accepted', 'Accepted', 'Accepted', 'Pending', 'Pending'])
    await updateGame(game.id, { teamLimit: 1 })
    expect(await statuses(game.id)).toEqual(['Accepted', 'Accepted', 'Accepted', 'Pending', 'Pending'])
    await updateGame(game.id, { teamLimit: null })
    expect(await statuses(game.id)).toEqual(['Accepted', 'Accepted', 'Accepted', 'Accepted', 'Accepted'])
  })

  test('a waiting team is accepted when an accepted team is deleted', async () => {
    const game = await aGame(context.db, { acceptWithoutReview: true, teamLimit: 1 })
    const [first] = await joined(game.id, 2)
    expect((await admin.delete(`/api/admin/teams/${first!.team.id}`)).statusCode).toBe(200)
    expect(await statuses(game.id)).toEqual(['Accepted'])
  })

  test('the waiting teams move up when one of them leaves', async () => {
    const game = await aGame(context.db, { acceptWithoutReview: true, teamLimit: 1 })
    const [, second, third] = await joined(game.id, 3)
    expect((await second!.client.delete(`/api/game/${game.id}`)).statusCode).toBe(200)
    expect(await pageOf(third!, game.id)).toMatchObject({ waitingPlace: 1 })
  })

  test('a team that registers again after a rejection goes to the end of the waiting list', async () => {
    const game = await aGame(context.db, { acceptWithoutReview: true, teamLimit: 1 })
    const [, second, third] = await joined(game.id, 3)
    await review(game.id, second!, 'Rejected')
    context.clock.advanceMs(1000)
    await join(second!, game.id)
    expect(await pageOf(third!, game.id)).toMatchObject({ waitingPlace: 1 })
    expect(await pageOf(second!, game.id)).toMatchObject({ waitingPlace: 2 })
  })
})

describe('the limit of teams in a game with a review', () => {
  test('approved teams wait in the order of their registration, not of their approval', async () => {
    const game = await aGame(context.db, { teamLimit: 1 })
    const [first, second, third, fourth] = await joined(game.id, 4)
    for (const captain of [first!, fourth!, second!]) await review(game.id, captain, 'Accepted', '?withinLimit=true')
    expect(await statuses(game.id)).toEqual(['Accepted', 'Pending', 'Pending', 'Pending'])
    const places = await placesInReview(game.id)
    expect([second, third, fourth].map((captain) => places.get(captain!.team.id))).toEqual([1, null, 2])
    await review(game.id, first!, 'Rejected')
    expect(await statuses(game.id)).toEqual(['Rejected', 'Accepted', 'Pending', 'Pending'])
  })

  test('an admin can exceed the team limit, but not in a request with `withinLimit`', async () => {
    const game = await aGame(context.db, { teamLimit: 1 })
    const [first, second, third] = await joined(game.id, 3)
    for (const captain of [first!, second!]) await review(game.id, captain, 'Accepted')
    await review(game.id, third!, 'Accepted', '?withinLimit=true')
    expect(await statuses(game.id)).toEqual(['Accepted', 'Accepted', 'Pending'])
    await review(game.id, first!, 'Rejected')
    expect(await statuses(game.id)).toEqual(['Rejected', 'Accepted', 'Pending'])
    await review(game.id, third!, 'Accepted')
    expect(await statuses(game.id)).toEqual(['Rejected', 'Accepted', 'Accepted'])
  })

  test('a team whose status an admin sets to pending leaves the waiting list', async () => {
    const game = await aGame(context.db, { acceptWithoutReview: true, teamLimit: 1 })
    const [first, second, third] = await joined(game.id, 3)
    await review(game.id, second!, 'Pending')
    expect((await placesInReview(game.id)).get(second!.team.id)).toBeNull()
    await review(game.id, first!, 'Rejected')
    expect(await statuses(game.id)).toEqual(['Rejected', 'Pending', 'Accepted'])
    expect((await rowOf(game.id, third!)).isWaiting).toBe(false)
  })

  test('a team enters the waiting list after its review, or at once if its division requires no review', async () => {
    const reviewRight = 4
    const game = await aGame(context.db, {
      teamLimit: 1,
      divisions: [
        { name: 'Reviewed', permissions: 1 | reviewRight },
        { name: 'Free', permissions: 1 },
      ],
    })
    const [reviewed] = await joined(game.id, 1, { organization: 'Reviewed' })
    const [, second] = await joined(game.id, 2, { organization: 'Free' })
    expect(await statuses(game.id)).toEqual(['Pending', 'Accepted', 'Pending'])
    const places = await placesInReview(game.id)
    expect([reviewed, second].map((captain) => places.get(captain!.team.id))).toEqual([null, 1])
    await review(game.id, reviewed!, 'Accepted', '?withinLimit=true')
    expect((await placesInReview(game.id)).get(reviewed!.team.id)).toBe(1)
  })

  test('a waiting team remains approved when a team mate joins', async () => {
    const game = await aGame(context.db, { teamLimit: 1 })
    await aParticipation(context.db, { gameId: game.id })
    const mate = await signInAsNewUser(context)
    const captain = await signInAsNewUser(context)
    const team = await aTeam(context.db, { captainId: captain.user.id, memberIds: [mate.user.id] })
    await join({ ...captain, team }, game.id)
    await review(game.id, { ...captain, team }, 'Accepted', '?withinLimit=true')
    expect((await join({ ...mate, team }, game.id)).statusCode).toBe(200)
    expect(await rowOf(game.id, { ...captain, team })).toMatchObject({ status: 'Pending', isWaiting: true })
  })
})

test('a waiting team replaces a rejected team, even if other waiting teams leave at the same time', async () => {
  const game = await aGame(context.db, { acceptWithoutReview: true, teamLimit: 1 })
  const [first, ...waiting] = await joined(game.id, 6)
  const answers = await Promise.all([
    review(game.id, first!, 'Rejected'),
    ...waiting.slice(0, 3).map(({ client }) => client.delete(`/api/game/${game.id}`)),
  ])
  // A team cannot leave after it was accepted. The request to leave is refused if a concurrent promotion accepts the team first.
  for (const { statusCode } of answers) expect([200, 400]).toContain(statusCode)
  const [stored] = await context.db.select().from(games).where(eq(games.id, game.id))
  expect(stored!.teamLimit).toBe(1)
  expect((await statuses(game.id)).filter((status) => status === 'Accepted')).toHaveLength(1)
})
