import { participations } from '@capstan/db/schema/games'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { aTeam, signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, aParticipation } from '../../testing/organizing-factories.ts'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

function outcome(response: { statusCode: number; body: string }) {
  return response.body === '' ? response.statusCode : [response.statusCode, JSON.parse(response.body).code]
}
function pathOf(gameId: number, id?: number) {
  return `/api/edit/games/${gameId}/divisions${id === undefined ? '' : `/${id}`}`
}
async function create(gameId: number, body: object) {
  return (await admin.post(pathOf(gameId), body)).json()
}
async function listed(gameId: number) {
  return (await admin.get(pathOf(gameId))).json()
}
async function divisionOf(participationId: number) {
  const [row] = await context.db.select().from(participations).where(eq(participations.id, participationId))
  return row!.division
}

describe('the divisions of a game', () => {
  test('new divisions have all rights, and the list is sorted by id', async () => {
    const game = await aGame(context.db)
    const challenge = await aChallenge(context.db, { gameId: game.id })
    const open = await create(game.id, { name: ' Open ' })
    expect(open).toEqual({
      id: expect.any(Number),
      name: 'Open',
      inviteCode: null,
      defaultPermissions: 2147483647,
      challengeConfigs: [],
    })
    const configs = [{ challengeId: challenge.id, permissions: 0 }]
    const body = { name: 'Guests', inviteCode: 'guest-code', defaultPermissions: 769, challengeConfigs: configs }
    const guests = await create(game.id, body)
    expect(guests).toEqual({ id: expect.any(Number), ...body })
    expect(await listed(game.id)).toEqual([open, guests])
    expect((await admin.get(`/api/edit/games/${game.id}`)).json()).toMatchObject({
      organizations: ['Open', 'Guests'],
      organizationCodes: { Open: null, Guests: 'guest-code' },
    })
  })

  test.each([
    ['without a name', { name: ' ' }, [400, 'request.invalid']],
    ['with the name all', { name: 'all' }, [400, 'game.divisions']],
    ['with the name of another division', { name: 'Open' }, [400, 'game.divisions']],
    ['with a short code', { name: 'New', inviteCode: '12345' }, [400, 'game.division-code']],
    ['with negative rights', { name: 'New', defaultPermissions: -1 }, [400, 'request.invalid']],
    [
      'with an unknown challenge',
      { name: 'New', challengeConfigs: [{ challengeId: 999_999, permissions: 0 }] },
      [400, 'division.challenge'],
    ],
  ])('a division %s is refused', async (_, body, expected) => {
    const game = await aGame(context.db, { divisions: [{ name: 'Open' }] })
    expect(outcome(await admin.post(pathOf(game.id), body))).toEqual(expected)
    expect(outcome(await admin.post(pathOf(999_999), { name: 'New' }))).toEqual([404, 'game.unknown'])
  })

  test('an update retains values whose fields are absent or null, and a blank code removes the code', async () => {
    const game = await aGame(context.db)
    const challenge = await aChallenge(context.db, { gameId: game.id })
    const configs = [{ challengeId: challenge.id, permissions: 256 }]
    const { id } = await create(game.id, {
      name: 'Open',
      inviteCode: 'open-code',
      defaultPermissions: 3,
      challengeConfigs: configs,
    })
    const put = async (body: object) => (await admin.put(pathOf(game.id, id), body)).json()
    const before = { id, name: 'Open', inviteCode: 'open-code', defaultPermissions: 3, challengeConfigs: configs }
    expect(await put({})).toEqual(before)
    expect(await put({ name: null, inviteCode: null, defaultPermissions: null, challengeConfigs: null })).toEqual(before)
    expect(await put({ inviteCode: '', defaultPermissions: 0, challengeConfigs: [] })).toEqual({
      ...{ id, name: 'Open', inviteCode: null, defaultPermissions: 0, challengeConfigs: [] },
    })
    expect(outcome(await admin.put(pathOf(game.id, 999_999), {}))).toEqual([404, 'division.unknown'])
  })

  test('renaming a division also changes the division name of its teams', async () => {
    const game = await aGame(context.db, { divisions: [{ name: 'Open' }, { name: 'Guests' }] })
    const [open] = await listed(game.id)
    const member = await aParticipation(context.db, { gameId: game.id, division: 'Open' })
    const guest = await aParticipation(context.db, { gameId: game.id, division: 'Guests' })
    expect((await admin.put(pathOf(game.id, open.id), { name: 'Everyone' })).json()).toMatchObject({
      id: open.id,
      name: 'Everyone',
    })
    expect([await divisionOf(member.id), await divisionOf(guest.id)]).toEqual(['Everyone', 'Guests'])
    expect(outcome(await admin.put(pathOf(game.id, open.id), { name: 'Guests' }))).toEqual([400, 'game.divisions'])
  })

  test('deleting a division leaves its teams without a division', async () => {
    const game = await aGame(context.db, { divisions: [{ name: 'Open' }] })
    const [open] = await listed(game.id)
    const { id } = await aParticipation(context.db, { gameId: game.id, division: 'Open' })
    expect(outcome(await admin.delete(pathOf(game.id, open.id)))).toBe(200)
    expect([await divisionOf(id), await listed(game.id)]).toEqual([null, []])
    expect(outcome(await admin.delete(pathOf(game.id, open.id)))).toEqual([404, 'division.unknown'])
  })

  test('a game edit that contains only division names does not change the rights of divisions', async () => {
    const game = await aGame(context.db, { divisions: [{ name: 'Open' }, { name: 'Gone' }] })
    const guests = await create(game.id, { name: 'Guests', inviteCode: 'guest-code', defaultPermissions: 256 })
    const times = { start: '2031-01-01T00:00:00Z', end: '2031-01-02T00:00:00Z' }
    await admin.put(`/api/edit/games/${game.id}`, { title: 'Quals', ...times, organizations: ['Guests', 'Open', 'New'] })
    const after: { name: string; defaultPermissions: number }[] = await listed(game.id)
    expect(after.map(({ name, defaultPermissions }) => [name, defaultPermissions])).toEqual([
      ['Open', 2147483647],
      ['Guests', 256],
      ['New', 2147483647],
    ])
    expect(after[1]).toEqual(guests)
    await admin.put(`/api/edit/games/${game.id}`, { title: 'Quals', ...times, acceptWithoutReview: true })
    expect((await listed(game.id)).map((each: { defaultPermissions: number }) => each.defaultPermissions)).toEqual([
      ...[2147483643, 256, 2147483643],
    ])
  })

  test('a copy of the game has the same divisions, with their rights for each challenge', async () => {
    const game = await aGame(context.db)
    const challenge = await aChallenge(context.db, { gameId: game.id })
    const configs = [{ challengeId: challenge.id, permissions: 256 }]
    await create(game.id, { name: 'Guests', defaultPermissions: 257, challengeConfigs: configs })
    const copy = (await admin.post(`/api/edit/games/${game.id}/clone`, { title: 'Copy', start: '2031-01-01T00:00:00Z' })).json()
    const [copied] = (await admin.get(`/api/edit/games/${copy.id}/challenges`)).json()
    expect(copied.id).not.toBe(challenge.id)
    expect(await listed(copy.id)).toMatchObject([
      { name: 'Guests', defaultPermissions: 257, challengeConfigs: [{ challengeId: copied.id, permissions: 256 }] },
    ])
  })

  test('export and import retain the divisions and their rights', async () => {
    const game = await aGame(context.db, { title: 'Packed', divisions: [{ name: 'Open' }] })
    const challenge = await aChallenge(context.db, { gameId: game.id, flags: ['flag{a}'] })
    const configs = [{ challengeId: challenge.id, permissions: 256 }]
    await create(game.id, { name: 'Guests', defaultPermissions: 257, challengeConfigs: configs })
    const archive = (await admin.post(`/api/edit/games/${game.id}/export`)).rawPayload
    const response = await admin.upload('POST', '/api/edit/games/import', [
      { name: 'game.zip', type: 'application/zip', content: archive },
    ])
    const id = response.json<number>()
    const [imported] = (await admin.get(`/api/edit/games/${id}/challenges`)).json()
    expect(await listed(id)).toMatchObject([
      { name: 'Open', defaultPermissions: 2147483647, challengeConfigs: [] },
      { name: 'Guests', defaultPermissions: 257, challengeConfigs: [{ challengeId: imported.id, permissions: 256 }] },
    ])
  })
})

describe('a player', () => {
  test('a player sees all divisions and may choose those that can be joined', async () => {
    const game = await aGame(context.db, {
      inviteCode: 'game-code',
      divisions: [{ name: 'Open' }, { name: 'Guests', inviteCode: 'guest-code', permissions: 256 }],
    })
    const [open, guests] = await listed(game.id)
    const { user, client } = await signInAsNewUser(context)
    const team = await aTeam(context.db, { captainId: user.id })
    expect((await client.get(`/api/game/${game.id}`)).json()).toMatchObject({
      organizations: ['Open'],
      organizationCodesRequired: [],
      divisions: [
        { id: open.id, name: 'Open', inviteCodeRequired: true },
        { id: guests.id, name: 'Guests', inviteCodeRequired: true },
      ],
      division: null,
    })
    const check = async () => (await client.get(`/api/game/${game.id}/check`)).json()
    expect(await check()).toEqual({ joinedTeams: [], joinableDivisions: [open.id] })
    const join = (body: object) => client.post(`/api/game/${game.id}`, { teamId: team.id, inviteCode: 'game-code', ...body })
    expect(outcome(await join({}))).toEqual([400, 'join.division'])
    expect(outcome(await join({ divisionId: guests.id, inviteCode: 'guest-code' }))).toEqual([400, 'join.division'])
    expect(outcome(await join({ divisionId: open.id }))).toBe(200)
    expect((await client.get(`/api/game/${game.id}`)).json()).toMatchObject({ organization: 'Open', division: open.id })
    expect(await check()).toEqual({ joinedTeams: [{ id: team.id, division: open.id }], joinableDivisions: [open.id] })
    expect((await admin.get(`/api/game/${game.id}/participations`)).json()).toMatchObject([
      { organization: 'Open', divisionId: open.id },
    ])
  })

  test('a player needs a review if the rights of the chosen division require a review, even if the game requires no review', async () => {
    const game = await aGame(context.db, {
      acceptWithoutReview: true,
      divisions: [
        { name: 'Reviewed', permissions: 5 },
        { name: 'Open', permissions: 1 },
      ],
    })
    const status = async (organization: string) => {
      const { user, client } = await signInAsNewUser(context)
      const team = await aTeam(context.db, { captainId: user.id })
      await client.post(`/api/game/${game.id}`, { teamId: team.id, organization })
      return (await client.get(`/api/game/${game.id}`)).json().status
    }
    expect([await status('Reviewed'), await status('Open')]).toEqual(['Pending', 'Accepted'])
  })
})
