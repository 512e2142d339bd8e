import { createPrivateKey, sign } from 'node:crypto'
import { games, participationMembers, participations } from '@capstan/db/schema/games'
import { teams } from '@capstan/db/schema/teams'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blobKeys } from '../../server/files/blob-keys.ts'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { aTeam, aUser, signInAsNewUser } from '../../testing/factories.ts'
import { aCapture, aChallenge } from '../../testing/organizing-factories.ts'

let context: TestApp
let visitor: TestClient
beforeAll(async () => {
  context = await startTestApp()
  visitor = createTestClient(context.app)
})
afterAll(() => context.close())

/** Creates a team with a signed-in captain and a signed-in mate. */
async function aCrew() {
  const captain = await signInAsNewUser(context)
  const mate = await signInAsNewUser(context)
  const team = await aTeam(context.db, { captainId: captain.user.id, memberIds: [mate.user.id] })
  return { captain, mate, team }
}

/** Makes the team participate in a game that ends in `endsInMs`. */
async function takePart(teamId: number, memberIds: string[], endsInMs: number, status: 'Pending' | 'Accepted' = 'Accepted') {
  const now = context.clock.now().getTime()
  const [game] = await context.db
    .insert(games)
    .values({
      ...{ title: 'Game', startsAt: new Date(now - 7_200_000), endsAt: new Date(now + endsInMs) },
      ...{ writeupDeadline: new Date(now), publicKey: 'k', privateKey: 'k' },
    })
    .returning()
  const [participation] = await context.db
    .insert(participations)
    .values({ gameId: game!.id, teamId, status, token: 't' })
    .returning()
  for (const userId of memberIds)
    await context.db.insert(participationMembers).values({ participationId: participation!.id, gameId: game!.id, userId })
  return participation!
}

function codeOf(response: { json(): { code: string } }) {
  return response.json().code
}

describe('creating a team', () => {
  test('creating a team makes the caller its captain and only member', async () => {
    const { client, user } = await signInAsNewUser(context)
    const response = await client.post('/api/team', { name: 'Crew', bio: 'We sail' })
    expect(response.statusCode).toBe(200)
    expect(response.json()).toEqual({
      ...{ id: expect.any(Number), name: 'Crew', bio: 'We sail', avatar: null, locked: false },
      members: [{ id: user.id, userName: user.userName, bio: '', avatar: null, captain: true }],
    })
    expect((await client.get('/api/team')).json()).toEqual([response.json()])
  })

  test('a team name needs 1 to 20 characters', async () => {
    const { client } = await signInAsNewUser(context)
    expect(codeOf(await client.post('/api/team', { name: '  ' }))).toBe('team.name-required')
    expect(codeOf(await client.post('/api/team', {}))).toBe('team.name-required')
    expect((await client.post('/api/team', { name: 'x'.repeat(21) })).statusCode).toBe(400)
    expect((await client.post('/api/team', { name: '🏴‍☠️🦜⛵️'.normalize() })).statusCode).toBe(200)
  })

  test('only one team is created if a captain sends ten requests at the same time', async () => {
    const { client } = await signInAsNewUser(context)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => client.post('/api/team', { name: `Crew ${index}` })),
    )
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, ...Array(9).fill(400)])
    expect((await client.get('/api/team')).json()).toHaveLength(1)
  })
})

describe('the page of a team', () => {
  test('the page of a team shows the members without real names, student numbers and addresses', async () => {
    const captain = await aUser(context.db, { realName: 'Ada Real', stdNumber: 'S-1', phone: '+1 23', bio: 'hi' })
    const team = await aTeam(context.db, { captainId: captain.id })
    const { body } = await visitor.get(`/api/team/${team.id}`)
    expect(body).toContain(captain.userName)
    for (const secret of ['Ada Real', 'S-1', '+1 23', captain.email, team.inviteToken]) expect(body).not.toContain(secret)
  })

  test('answers 404 for an unknown team', async () => {
    expect(codeOf(await visitor.get('/api/team/999999'))).toBe('team.unknown')
  })
})

describe('the captain', () => {
  test('when the captain updates the team, an empty name changes nothing, and the bio is replaced', async () => {
    const { captain, team } = await aCrew()
    expect((await captain.client.put(`/api/team/${team.id}`, { name: '', bio: 'new' })).json()).toMatchObject({
      name: team.name,
      bio: 'new',
    })
    expect((await captain.client.put(`/api/team/${team.id}`, { name: 'Renamed' })).json()).toMatchObject({
      name: 'Renamed',
      bio: null,
    })
  })

  test('only the captain may update the team: members and strangers get 403, visitors 401, unknown teams 404', async () => {
    const { mate, team } = await aCrew()
    const { client: stranger } = await signInAsNewUser(context)
    for (const client of [mate.client, stranger]) {
      expect(codeOf(await client.put(`/api/team/${team.id}`, { name: 'x' }))).toBe('team.not-captain')
      expect(codeOf(await client.get(`/api/team/${team.id}/invite`))).toBe('team.not-captain')
      expect(codeOf(await client.put(`/api/team/${team.id}/invite`))).toBe('team.not-captain')
      expect(codeOf(await client.delete(`/api/team/${team.id}`))).toBe('team.not-captain')
      expect(codeOf(await client.post(`/api/team/${team.id}/kick/${mate.user.id}`))).toBe('team.not-captain')
      expect(codeOf(await client.put(`/api/team/${team.id}/transfer`, { newCaptainId: mate.user.id }))).toBe('team.not-captain')
    }
    expect((await visitor.get(`/api/team/${team.id}/invite`)).statusCode).toBe(401)
    expect(codeOf(await stranger.get('/api/team/999999/invite'))).toBe('team.unknown')
  })
})

describe('an invitation', () => {
  test('an invitation admits users after the team was renamed or locked, until its code is renewed', async () => {
    const { captain, team } = await aCrew()
    const old = (await captain.client.get(`/api/team/${team.id}/invite`)).json()
    expect(old).toBe(`${team.name}:${team.id}:${team.inviteToken}`)
    await context.db.update(teams).set({ locked: true }).where(eq(teams.id, team.id))
    const { client: first } = await signInAsNewUser(context)
    expect((await first.post('/api/team/accept', `Old name${old.slice(team.name.length)}`)).statusCode).toBe(200)
    expect(codeOf(await first.post('/api/team/accept', old))).toBe('team.already-member')
    const renewed = (await captain.client.put(`/api/team/${team.id}/invite`)).json()
    const { client: second } = await signInAsNewUser(context)
    expect(codeOf(await second.post('/api/team/accept', old))).toBe('team.invite')
    expect((await second.post('/api/team/accept', renewed)).statusCode).toBe(200)
    expect((await visitor.get(`/api/team/${team.id}`)).json().members).toHaveLength(4)
  })

  test('an invitation is accepted once if a user sends it twice at the same time', async () => {
    const { captain, team } = await aCrew()
    const code = (await captain.client.get(`/api/team/${team.id}/invite`)).json()
    const { client } = await signInAsNewUser(context)
    const answers = await Promise.all([1, 2, 3, 4].map(() => client.post('/api/team/accept', code)))
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
  })

  test('an invitation is refused if it is malformed or its team is unknown', async () => {
    const { client } = await signInAsNewUser(context)
    for (const code of ['x', 'a:1:zz', `a:999999:${'0'.repeat(32)}`])
      expect((await client.post('/api/team/accept', code)).statusCode).toBe(400)
  })
})

describe('a member', () => {
  test('a kick removes the member from the team and its games', async () => {
    const { captain, mate, team } = await aCrew()
    await takePart(team.id, [mate.user.id], -3_600_000)
    const page = (await captain.client.post(`/api/team/${team.id}/kick/${mate.user.id}`)).json()
    expect(page.members).toHaveLength(1)
    expect(await context.db.$count(participationMembers, eq(participationMembers.userId, mate.user.id))).toBe(0)
  })

  test('a member can leave, but a captain must first transfer the team', async () => {
    const { captain, mate, team } = await aCrew()
    expect(codeOf(await captain.client.post(`/api/team/${team.id}/leave`))).toBe('team.captain-stays')
    expect((await mate.client.post(`/api/team/${team.id}/leave`)).statusCode).toBe(200)
    expect(codeOf(await mate.client.post(`/api/team/${team.id}/leave`))).toBe('team.not-member')
  })

  test('deletes a pending participation and its traffic captures when the last member leaves the game', async () => {
    const { mate, team } = await aCrew()
    const participation = await takePart(team.id, [mate.user.id], 3_600_000, 'Pending')
    const { id: challengeId } = await aChallenge(context.db, { gameId: participation.gameId })
    await aCapture(context.db, { challengeId, participationId: participation.id, fileName: 'a.pcap' })
    const key = blobKeys.capture(challengeId, participation.id, 'a.pcap')
    context.blobs.contents.set(key, Buffer.from('recorded'))
    expect((await mate.client.post(`/api/team/${team.id}/leave`)).statusCode).toBe(200)
    expect(await context.db.$count(participations, eq(participations.teamId, team.id))).toBe(0)
    expect(context.blobs.contents.has(key)).toBe(false)
  })
})

describe('the lock of a team', () => {
  test('a locked team, its members and its captain cannot be changed until the game has ended', async () => {
    const { captain, mate, team } = await aCrew()
    await takePart(team.id, [captain.user.id, mate.user.id], 3_600_000)
    await context.db.update(teams).set({ locked: true }).where(eq(teams.id, team.id))
    expect(codeOf(await captain.client.post(`/api/team/${team.id}/kick/${mate.user.id}`))).toBe('team.locked')
    expect(codeOf(await mate.client.post(`/api/team/${team.id}/leave`))).toBe('team.locked')
    expect(codeOf(await captain.client.put(`/api/team/${team.id}/transfer`, { newCaptainId: mate.user.id }))).toBe('team.locked')
    expect(codeOf(await captain.client.delete(`/api/team/${team.id}`))).toBe('team.locked')
  })

  test('the lock of a team is removed when all games of the team have ended', async () => {
    const { captain, mate, team } = await aCrew()
    await takePart(team.id, [mate.user.id], -1_000)
    await context.db.update(teams).set({ locked: true }).where(eq(teams.id, team.id))
    expect((await captain.client.put(`/api/team/${team.id}/transfer`, { newCaptainId: mate.user.id })).json().locked).toBe(false)
  })
})

describe('a transfer of a team', () => {
  test('a transfer makes the member captain', async () => {
    const { captain, mate, team } = await aCrew()
    const page = (await captain.client.put(`/api/team/${team.id}/transfer`, { newCaptainId: mate.user.id })).json()
    expect(page.members.find(({ captain: isCaptain }: { captain: boolean }) => isCaptain).id).toBe(mate.user.id)
    expect((await captain.client.get(`/api/team/${team.id}/invite`)).statusCode).toBe(403)
  })

  test('refuses a transfer if the new captain is a stranger or already leads three teams', async () => {
    const { captain, mate, team } = await aCrew()
    const { user: stranger } = await signInAsNewUser(context)
    expect(codeOf(await captain.client.put(`/api/team/${team.id}/transfer`, { newCaptainId: stranger.id }))).toBe(
      'team.member-unknown',
    )
    for (let index = 0; index < 3; index += 1) await aTeam(context.db, { captainId: mate.user.id })
    expect(codeOf(await captain.client.put(`/api/team/${team.id}/transfer`, { newCaptainId: mate.user.id }))).toBe(
      'team.captain-of-too-many',
    )
  })

  test('a transfer never results in a team without a captain, even if the new captain leaves at the same time', async () => {
    const { captain, mate, team } = await aCrew()
    await Promise.all([
      captain.client.put(`/api/team/${team.id}/transfer`, { newCaptainId: mate.user.id }),
      mate.client.post(`/api/team/${team.id}/leave`),
    ])
    const { members } = (await visitor.get(`/api/team/${team.id}`)).json()
    expect(members.filter((member: { captain: boolean }) => member.captain)).toHaveLength(1)
  })
})

test('deletes a disbanded team with its participations', async () => {
  const { captain, mate, team } = await aCrew()
  await takePart(team.id, [mate.user.id], -1_000)
  expect((await captain.client.delete(`/api/team/${team.id}`)).statusCode).toBe(200)
  expect((await visitor.get(`/api/team/${team.id}`)).statusCode).toBe(404)
  expect(await context.db.$count(participations, eq(participations.teamId, team.id))).toBe(0)
})

test('checks a team token against the public key of the game', async () => {
  // Key pair from test 1 in RFC 8032, section 7.1.
  const seed = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'
  const publicKey = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex').toString('base64')
  const key = createPrivateKey({
    key: Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex'),
    format: 'der',
    type: 'pkcs8',
  })
  const teamToken = `42:${sign(null, Buffer.from('TEAM_42'), key).toString('base64')}`
  expect((await visitor.post('/api/team/verify', { teamToken, publicKey })).statusCode).toBe(200)
  expect(codeOf(await visitor.post('/api/team/verify', { teamToken: `43${teamToken.slice(2)}`, publicKey }))).toBe(
    'team.token-signature',
  )
  expect(codeOf(await visitor.post('/api/team/verify', { teamToken: 'nonsense', publicKey }))).toBe('team.token-form')
  expect(codeOf(await visitor.post('/api/team/verify', { teamToken, publicKey: 'AAAA' }))).toBe('team.token-form')
})

describe('calls for admins', () => {
  test('admins list, search, change, lock and delete teams', async () => {
    const { client: admin } = await signInAsNewUser(context, 'Admin')
    const team = await aTeam(context.db, { name: '100%_sure', locked: true })
    const other = await aTeam(context.db, { name: '100 xx sure' })
    const page = (await admin.get('/api/admin/teams?count=1000')).json()
    expect(page.total).toBe(page.length)
    expect(page.data.map(({ id }: { id: number }) => id)).toEqual(
      [...page.data.map(({ id }: { id: number }) => id)].sort((a, b) => a - b),
    )
    const found = (
      await admin.inject({ method: 'POST', url: `/api/admin/teams/search?hint=${encodeURIComponent('0%_S')}` })
    ).json()
    expect(found.data.map(({ id }: { id: number }) => id)).toEqual([team.id])
    const byId = (await admin.inject({ method: 'POST', url: `/api/admin/teams/search?hint=${other.id}` })).json()
    expect(byId.data.map(({ id }: { id: number }) => id)).toContain(other.id)
    expect((await admin.put(`/api/admin/teams/${team.id}`, { name: '', bio: null, locked: false })).statusCode).toBe(200)
    expect((await visitor.get(`/api/team/${team.id}`)).json()).toMatchObject({ name: '100%_sure', locked: false })
    expect((await admin.delete(`/api/admin/teams/${team.id}`)).statusCode).toBe(200)
    expect((await visitor.get(`/api/team/${team.id}`)).statusCode).toBe(404)
    expect(codeOf(await admin.delete(`/api/admin/teams/${team.id}`))).toBe('team.unknown')
  })

  test('calls for admins refuse monitors and users', async () => {
    for (const role of ['User', 'Monitor'] as const) {
      const { client } = await signInAsNewUser(context, role)
      expect((await client.get('/api/admin/teams')).statusCode).toBe(403)
      expect((await client.delete('/api/admin/teams/1')).statusCode).toBe(403)
    }
  })
})
