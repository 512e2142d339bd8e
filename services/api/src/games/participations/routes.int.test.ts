import { RateLimits } from '@capstan/contract/limits'
import { assignments } from '@capstan/db/schema/challenges'
import { games, participationMembers, participations } from '@capstan/db/schema/games'
import { instances } from '@capstan/db/schema/instances'
import { teams } from '@capstan/db/schema/teams'
import { and, eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refuseInvalidTeamToken } from '../../rules/signing/team-token.ts'
import { blobKeys } from '../../server/files/blob-keys.ts'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { aTeam, signInAsNewUser } from '../../testing/factories.ts'
import { aCapture, aChallenge, aGame, anInstance, aParticipation } from '../../testing/organizing-factories.ts'
import { aQuestion } from '../../testing/questions.ts'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

/** Creates a team with a captain and `others` further members, who are all signed in. */
async function aSignedInTeam(others = 0) {
  const people = await Promise.all(Array.from({ length: others + 1 }, () => signInAsNewUser(context)))
  const [captain, ...rest] = people
  const team = await aTeam(context.db, { captainId: captain!.user.id, memberIds: rest.map(({ user }) => user.id) })
  return { team, captain: captain!, members: rest, people }
}

function join(client: TestClient, gameId: number, teamId: number, more: object = {}) {
  return client.post(`/api/game/${gameId}`, { teamId, ...more })
}
function outcome(response: { statusCode: number; body: string }) {
  return response.body === '' ? response.statusCode : [response.statusCode, JSON.parse(response.body).code]
}
async function participationOf(gameId: number, teamId: number) {
  return (
    await context.db
      .select()
      .from(participations)
      .where(and(eq(participations.gameId, gameId), eq(participations.teamId, teamId)))
  )[0]
}
async function membersOf(participationId: number) {
  return (
    await context.db.select().from(participationMembers).where(eq(participationMembers.participationId, participationId))
  ).map(({ userId }) => userId)
}

describe('joining', () => {
  test('creates a pending participation whose token matches the public key of the game', async () => {
    const { team, captain } = await aSignedInTeam()
    const game = await aGame(context.db)
    const response = await join(captain.client, game.id, team.id)
    expect([response.statusCode, response.body]).toEqual([200, ''])
    const participation = await participationOf(game.id, team.id)
    expect(participation).toMatchObject({ status: 'Pending', division: null })
    expect(participation!.token.startsWith(`${team.id}:`)).toBe(true)
    expect(refuseInvalidTeamToken(participation!.token, game.publicKey)).toBeUndefined()
    expect((await captain.client.get(`/api/game/${game.id}`)).json().status).toBe('Pending')
  })

  test('in a game without review, a team that joins is accepted and locked at once, and gets every enabled challenge', async () => {
    const { team, captain } = await aSignedInTeam()
    const game = await aGame(context.db, { acceptWithoutReview: true })
    const enabled = await aChallenge(context.db, { gameId: game.id })
    await aChallenge(context.db, { gameId: game.id, isEnabled: false })
    await join(captain.client, game.id, team.id)
    const participation = await participationOf(game.id, team.id)
    expect(participation!.status).toBe('Accepted')
    const [row] = await context.db.select().from(teams).where(eq(teams.id, team.id))
    expect(row!.locked).toBe(true)
    const given = await context.db.select().from(assignments).where(eq(assignments.participationId, participation!.id))
    expect(given.map(({ challengeId }) => challengeId)).toEqual([enabled.id])
  })

  test('answers 404 for an unknown game', async () => {
    const { team, captain } = await aSignedInTeam()
    expect(outcome(await join(captain.client, 999_999, team.id))).toEqual([404, 'game.unknown'])
  })

  test('joining is refused after the end of a game without practice mode, with status 400 and code 10002', async () => {
    const { team, captain } = await aSignedInTeam()
    const over = await aGame(context.db, { phase: 'ended', practiceMode: false })
    const refused = await join(captain.client, over.id, team.id)
    expect([refused.statusCode, refused.json().status, refused.json().code]).toEqual([400, 10002, 'game.ended'])
    const practice = await aGame(context.db, { phase: 'ended', practiceMode: true })
    expect(outcome(await join(captain.client, practice.id, team.id))).toBe(200)
  })

  test('a team can join before the start', async () => {
    const { team, captain } = await aSignedInTeam()
    expect(outcome(await join(captain.client, (await aGame(context.db, { phase: 'upcoming' })).id, team.id))).toBe(200)
  })

  test('joining requires the code of the game or of the division', async () => {
    const { team, captain } = await aSignedInTeam()
    const game = await aGame(context.db, {
      inviteCode: 'game code',
      divisions: [{ name: 'own', inviteCode: 'division code' }, { name: 'plain' }],
    })
    const attempt = (organization: string, inviteCode?: string) =>
      join(captain.client, game.id, team.id, { organization, inviteCode })
    expect(outcome(await attempt('plain'))).toEqual([400, 'join.code'])
    expect(outcome(await attempt('own', 'game code'))).toEqual([400, 'join.code'])
    expect(outcome(await attempt('nowhere', 'game code'))).toEqual([400, 'join.division'])
    expect(outcome(await attempt('own', 'division code'))).toBe(200)
    expect((await participationOf(game.id, team.id))!.division).toBe('own')
  })

  test('joining requires a division if the game has divisions', async () => {
    const { team, captain } = await aSignedInTeam()
    const game = await aGame(context.db, { divisions: [{ name: 'open' }] })
    expect(outcome(await join(captain.client, game.id, team.id))).toEqual([400, 'join.division'])
    expect(outcome(await join(captain.client, game.id, team.id, { organization: 'open' }))).toBe(200)
  })

  test('joining requires that the team exists and the caller is a member', async () => {
    const { captain } = await aSignedInTeam()
    const game = await aGame(context.db)
    expect(outcome(await join(captain.client, game.id, 999_999))).toEqual([404, 'team.unknown'])
    const other = await aTeam(context.db)
    expect(outcome(await join(captain.client, game.id, other.id))).toEqual([400, 'team.not-member'])
  })

  test('a user who has joined cannot join again, with the same or another team', async () => {
    const { team, captain } = await aSignedInTeam()
    const second = await aTeam(context.db, { memberIds: [captain.user.id] })
    const game = await aGame(context.db)
    await join(captain.client, game.id, team.id)
    expect(outcome(await join(captain.client, game.id, team.id))).toEqual([400, 'join.already'])
    expect(outcome(await join(captain.client, game.id, second.id))).toEqual([400, 'join.already'])
  })

  test('joining is refused if the team would have more members than the game allows', async () => {
    const { team, people } = await aSignedInTeam(2)
    const game = await aGame(context.db, { teamMemberCountLimit: 2 })
    const answers = []
    for (const { client } of people) answers.push(outcome(await join(client, game.id, team.id)))
    expect(answers).toEqual([200, 200, [400, 'join.team-full']])
  })

  test('a rejected team that joins again is pending, with the division of the new request', async () => {
    const { team, captain } = await aSignedInTeam()
    const game = await aGame(context.db, { divisions: [{ name: 'a' }, { name: 'b' }] })
    const { id } = await aParticipation(context.db, { gameId: game.id, teamId: team.id, status: 'Rejected', division: 'a' })
    expect(outcome(await join(captain.client, game.id, team.id, { organization: 'b' }))).toBe(200)
    expect(await participationOf(game.id, team.id)).toMatchObject({ id, status: 'Pending', division: 'b' })
    expect(await membersOf(id)).toEqual([captain.user.id])
  })

  test('if a member of a rejected team joins with another team, the old membership is deleted', async () => {
    const { team, captain } = await aSignedInTeam()
    const game = await aGame(context.db)
    const former = await aParticipation(context.db, { gameId: game.id, teamId: team.id, status: 'Rejected' })
    const second = await aTeam(context.db, { memberIds: [captain.user.id] })
    expect(outcome(await join(captain.client, game.id, second.id))).toBe(200)
    expect(await membersOf(former.id)).toEqual([])
  })

  test('a suspended team retains status and division when a member joins', async () => {
    const { team, captain, members } = await aSignedInTeam(1)
    const game = await aGame(context.db, { acceptWithoutReview: true, divisions: [{ name: 'a' }, { name: 'b' }] })
    await aParticipation(context.db, {
      gameId: game.id,
      teamId: team.id,
      status: 'Suspended',
      division: 'a',
      memberIds: [captain.user.id],
    })
    const mate = members[0]!.client
    expect(outcome(await join(mate, game.id, team.id, { organization: 'b' }))).toEqual([400, 'join.division-fixed'])
    expect(outcome(await join(mate, game.id, team.id, { organization: 'a' }))).toBe(200)
    expect((await participationOf(game.id, team.id))!.status).toBe('Suspended')
  })

  test('a join writes a log entry', async () => {
    const { team, captain } = await aSignedInTeam()
    const game = await aGame(context.db)
    await join(captain.client, game.id, team.id)
    expect(context.logLines).toContainEqual(
      expect.objectContaining({ name: captain.user.userName, message: `Joined "${game.title}" with team "${team.name}"` }),
    )
  })
})

describe('concurrent calls', () => {
  test('only one of several joins gets the last place in a team', async () => {
    const { team, people } = await aSignedInTeam(9)
    const game = await aGame(context.db, { teamMemberCountLimit: 3 })
    const answers = await Promise.all(people.map(({ client }) => join(client, game.id, team.id)))
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(3)
    const refused = answers.filter(({ statusCode }) => statusCode !== 200)
    expect(new Set(refused.map(({ body }) => JSON.parse(body).code))).toEqual(new Set(['join.team-full']))
    expect(await membersOf((await participationOf(game.id, team.id))!.id)).toHaveLength(3)
  })

  test('two joins of team mates create one participation', async () => {
    const { team, people } = await aSignedInTeam(5)
    const game = await aGame(context.db)
    const answers = await Promise.all(people.map(({ client }) => join(client, game.id, team.id)))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(people.map(() => 200))
    const rows = await context.db.select().from(participations).where(eq(participations.gameId, game.id))
    expect(rows).toHaveLength(1)
    expect(await membersOf(rows[0]!.id)).toHaveLength(6)
  })

  test('a user who joins with several teams at once joins with only one team', async () => {
    const { user, client } = await signInAsNewUser(context)
    const list = await Promise.all(Array.from({ length: 5 }, () => aTeam(context.db, { memberIds: [user.id] })))
    const game = await aGame(context.db)
    const answers = await Promise.all(list.map(({ id }) => join(client, game.id, id)))
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 400, 400, 400, 400])
    expect(new Set(answers.filter((a) => a.statusCode === 400).map((a) => a.json().code))).toEqual(new Set(['join.already']))
  })

  test('reviews of a team by several admins result in one status and no error', async () => {
    const game = await aGame(context.db)
    await aChallenge(context.db, { gameId: game.id })
    const { id } = await aParticipation(context.db, { gameId: game.id, status: 'Pending' })
    const wishes = ['Accepted', 'Accepted', 'Suspended', 'Rejected', 'Accepted', 'Pending']
    const answers = await Promise.all(wishes.map((status) => admin.put(`/api/admin/participation/${id}/${status}`)))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(wishes.map(() => 200))
    const given = await context.db.select().from(assignments).where(eq(assignments.participationId, id))
    expect(given).toHaveLength(1)
  })

  test('users who leave and join at the same time leave no participation without members', async () => {
    const { team, people } = await aSignedInTeam(3)
    const game = await aGame(context.db)
    await Promise.all(people.map(({ client }) => join(client, game.id, team.id)))
    const answers = await Promise.all(people.map(({ client }) => client.delete(`/api/game/${game.id}`)))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
    expect(await participationOf(game.id, team.id)).toBeUndefined()
  })
})

describe('leaving', () => {
  test('when the last member of a pending or rejected team leaves, its writeup and captures are deleted', async () => {
    const { team, captain, members } = await aSignedInTeam(1)
    const game = await aGame(context.db)
    const { hash } = (
      await admin.upload('POST', '/api/assets', [{ field: 'files', name: 'w.pdf', content: 'a writeup that goes' }])
    ).json()[0]
    const participation = await aParticipation(context.db, {
      gameId: game.id,
      teamId: team.id,
      status: 'Rejected',
      writeupHash: hash,
      writeupName: 'w.pdf',
      memberIds: [captain.user.id, members[0]!.user.id],
    })
    const challenge = await aChallenge(context.db, { gameId: game.id })
    const capture = { challengeId: challenge.id, participationId: participation.id, fileName: 'a.pcap' }
    await aCapture(context.db, capture)
    const captureKey = blobKeys.capture(challenge.id, participation.id, 'a.pcap')
    context.blobs.contents.set(captureKey, Buffer.from('recorded'))
    expect(outcome(await captain.client.delete(`/api/game/${game.id}`))).toBe(200)
    expect(await membersOf(participation.id)).toEqual([members[0]!.user.id])
    expect(context.blobs.contents.has(captureKey)).toBe(true)
    expect((await admin.get(`/assets/${hash}/w.pdf`)).statusCode).toBe(200)
    expect(outcome(await members[0]!.client.delete(`/api/game/${game.id}`))).toBe(200)
    expect(await participationOf(game.id, team.id)).toBeUndefined()
    expect((await admin.get(`/assets/${hash}/w.pdf`)).statusCode).toBe(404)
    expect(context.blobs.contents.has(captureKey)).toBe(false)
  })

  test.each(['Accepted', 'Suspended'] as const)('a member of a team with status %s cannot leave', async (status) => {
    const { team, captain } = await aSignedInTeam()
    const { gameId } = await aParticipation(context.db, { teamId: team.id, status })
    expect(outcome(await captain.client.delete(`/api/game/${gameId}`))).toEqual([400, 'leave.too-late'])
  })

  test('a pending team can leave after the end', async () => {
    const { team, captain } = await aSignedInTeam()
    const game = await aGame(context.db, { phase: 'ended', practiceMode: false })
    await aParticipation(context.db, { gameId: game.id, teamId: team.id, status: 'Pending' })
    expect(outcome(await captain.client.delete(`/api/game/${game.id}`))).toBe(200)
  })

  test('leaving a game returns 400 if the team has not joined, and 404 if the game is unknown', async () => {
    const { client } = await signInAsNewUser(context)
    expect(outcome(await client.delete(`/api/game/${(await aGame(context.db)).id}`))).toEqual([400, 'leave.not-joined'])
    expect(outcome(await client.delete('/api/game/999999'))).toEqual([404, 'game.unknown'])
  })
})

describe('reviewing', () => {
  const put = async (id: number, status: string) => admin.put(`/api/admin/participation/${id}/${status}`)
  const statuses = ['Pending', 'Accepted', 'Suspended', 'Rejected'] as const

  test.each(statuses)('a review can change a %s team to any of the four statuses', async (from) => {
    for (const to of statuses) {
      const { id } = await aParticipation(context.db, { status: from })
      expect(outcome(await put(id, to))).toBe(200)
      const [row] = await context.db.select().from(participations).where(eq(participations.id, id))
      expect(row!.status).toBe(to)
    }
  })

  test('accepting a team locks it and assigns every enabled challenge', async () => {
    const challenge = await aChallenge(context.db)
    const { id, teamId } = await aParticipation(context.db, { gameId: challenge.gameId, status: 'Pending' })
    await put(id, 'accepted')
    const [team] = await context.db.select().from(teams).where(eq(teams.id, teamId))
    expect(team!.locked).toBe(true)
    expect(await context.db.select().from(assignments).where(eq(assignments.participationId, id))).toHaveLength(1)
  })

  test('suspending a team stops its containers in this game', async () => {
    const challenge = await aChallenge(context.db, { type: 'StaticContainer' })
    const { id } = await aParticipation(context.db, { gameId: challenge.gameId })
    const instance = await anInstance(context.db, { gameId: challenge.gameId, challengeId: challenge.id, participationId: id })
    await put(id, 'Suspended')
    const [row] = await context.db.select().from(instances).where(eq(instances.id, instance.id))
    expect([row!.status, row!.endedAt]).toEqual(['Destroyed', context.clock.now()])
    await expect.poll(() => context.messages).toContainEqual({ kind: 'instance-ended', instanceId: instance.id })
  })

  test('a review refuses the status Unsubmitted, unknown statuses and unknown participations', async () => {
    const { id } = await aParticipation(context.db)
    expect(outcome(await put(id, 'Unsubmitted'))).toEqual([400, 'participation.status'])
    expect(outcome(await put(id, 'Great'))).toEqual([400, 'request.invalid'])
    expect(outcome(await put(999_999, 'Accepted'))).toEqual([404, 'participation.unknown'])
  })

  test('lists teams by id with full profiles and the members who joined', async () => {
    const game = await aGame(context.db)
    const mate = await signInAsNewUser(context, 'User', { realName: 'Ada', phone: '+49 1', stdNumber: 's1' })
    const later = await aTeam(context.db)
    const team = await aTeam(context.db, { memberIds: [mate.user.id], bio: 'we', locked: true })
    await aParticipation(context.db, { gameId: game.id, teamId: team.id, division: 'open', memberIds: [mate.user.id] })
    await aParticipation(context.db, { gameId: game.id, teamId: later.id, status: 'Pending' })
    const list = (await admin.get(`/api/game/${game.id}/participations`)).json()
    expect(list.map((record: { team: { id: number } }) => record.team.id)).toEqual([later.id, team.id])
    expect(list[1]).toMatchObject({
      status: 'Accepted',
      organization: 'open',
      registeredMembers: [mate.user.id],
      team: { id: team.id, name: team.name, bio: 'we', locked: true, captainId: team.captainId },
    })
    const ada = list[1].team.members.find(({ userId }: { userId: string }) => userId === mate.user.id)
    expect(ada).toEqual({
      userId: mate.user.id,
      userName: mate.user.userName,
      email: mate.user.email,
      bio: '',
      phone: '+49 1',
      realName: 'Ada',
      stdNumber: 's1',
      avatar: null,
      role: 'User',
    })
    expect((await admin.get('/api/game/999999/participations')).json().code).toBe('game.unknown')
  })

  test('rejecting a team clears its division', async () => {
    const game = await aGame(context.db, { divisions: [{ name: 'open' }] })
    const { id, teamId } = await aParticipation(context.db, { gameId: game.id, division: 'open' })
    expect(outcome(await admin.put(`/api/admin/participation/${id}/Rejected`))).toBe(200)
    expect(await participationOf(game.id, teamId)).toMatchObject({ status: 'Rejected', division: null })
  })

  test('a team of any status can be moved to another division', async () => {
    const game = await aGame(context.db, { divisions: [{ name: 'one two' }] })
    const { id } = await aParticipation(context.db, { gameId: game.id, status: 'Suspended', division: 'gone' })
    const move = (to: number, name: string) =>
      admin.put(`/api/admin/participation/organization/${to}/${encodeURIComponent(name)}`)
    expect(outcome(await move(id, 'one two'))).toBe(200)
    const [row] = await context.db.select().from(participations).where(eq(participations.id, id))
    expect(row!.division).toBe('one two')
    expect(outcome(await move(id, 'gone'))).toEqual([400, 'participation.division'])
    expect(outcome(await move(id, ' '))).toEqual([400, 'request.invalid'])
    expect(outcome(await move(999_999, 'one two'))).toEqual([404, 'participation.unknown'])
    const { id: without } = await aParticipation(context.db)
    expect(outcome(await move(without, 'one two'))).toEqual([400, 'participation.division'])
  })
})

describe('participations', () => {
  test.each([
    ['a visitor', undefined, 401],
    ['a user', 'User', 403],
    ['a monitor', 'Monitor', 403],
  ] as const)('participations cannot be listed or reviewed by %s', async (_who, role, status) => {
    const client = role ? (await signInAsNewUser(context, role)).client : createTestClient(context.app)
    const { id, gameId } = await aParticipation(context.db)
    const answers = await Promise.all([
      client.get(`/api/game/${gameId}/participations`),
      client.put(`/api/admin/participation/${id}/Suspended`),
      client.put(`/api/admin/participation/organization/${id}/a`),
    ])
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([status, status, status])
  })

  test('joining and leaving require a session of a user who is not banned', async () => {
    const { id } = await aGame(context.db)
    const visitor = createTestClient(context.app)
    expect([(await join(visitor, id, 1)).statusCode, (await visitor.delete(`/api/game/${id}`)).statusCode]).toEqual([401, 401])
    const { client } = await signInAsNewUser(context, 'Banned')
    expect([(await join(client, id, 1)).statusCode, (await client.delete(`/api/game/${id}`)).statusCode]).toEqual([403, 403])
  })

  test('deleting a game while users join leaves no row behind', async () => {
    const { team, people } = await aSignedInTeam(4)
    const game = await aGame(context.db)
    const answers = await Promise.all([
      ...people.map(({ client }) => join(client, game.id, team.id)),
      admin.delete(`/api/edit/games/${game.id}`),
    ])
    for (const { statusCode } of answers) expect([200, 404]).toContain(statusCode)
    expect(await context.db.select().from(games).where(eq(games.id, game.id))).toEqual([])
  })

  test('joining causes no score records and no board update if the team leaves or is deleted while it is pending', async () => {
    const game = await aGame(context.db)
    const { team, captain } = await aSignedInTeam()
    const traces = async () => [
      await context.sql`select kind from score_records where game_id = ${game.id}`,
      await context.sql`select key from changes where starts_with(key, ${`board ${game.id} `})`,
    ]
    const before = await traces()
    for (let round = 0; round < 3; round += 1) {
      expect(outcome(await join(captain.client, game.id, team.id))).toBe(200)
      expect(outcome(await captain.client.delete(`/api/game/${game.id}`))).toBe(200)
    }
    await join(captain.client, game.id, team.id)
    expect(outcome(await admin.delete(`/api/admin/teams/${team.id}`))).toBe(200)
    expect(await traces()).toEqual(before)
  })

  test('a team that is accepted and then rejected has one score record for each review', async () => {
    const game = await aGame(context.db)
    const { id } = await aParticipation(context.db, { gameId: game.id, status: 'Pending' })
    for (const status of ['Accepted', 'Rejected', 'Pending', 'Rejected'])
      expect(outcome(await admin.put(`/api/admin/participation/${id}/${status}`))).toBe(200)
    await context.db.delete(participations).where(eq(participations.id, id))
    const records = await context.sql`
      select value ->> 'status' as status from score_records where game_id = ${game.id} and kind = 'participation' order by id`
    expect(records.map(({ status }) => status)).toEqual(['Accepted', null])
  })

  test('a user cannot register for a game more often than the limit, but can register for another game', async () => {
    const limited = await startTestApp({ config: { rateLimits: true }, deps: { sleep: async () => {} } })
    try {
      const { user, client } = await signInAsNewUser(limited)
      const team = await aTeam(limited.db, { captainId: user.id })
      const [game, other] = [await aGame(limited.db), await aGame(limited.db)]
      for (let count = 0; count < RateLimits.registration.count; count += 1) {
        expect(outcome(await join(client, game.id, team.id))).toBe(200)
        expect(outcome(await client.delete(`/api/game/${game.id}`))).toBe(200)
      }
      const refused = await join(client, game.id, team.id)
      expect(outcome(refused)).toEqual([429, 'request.rate-limited'])
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
      expect(outcome(await join(client, other.id, team.id))).toBe(200)
    } finally {
      await limited.close()
    }
  })

  test('joins that are refused for a missing answer do not count toward the limit of registrations', async () => {
    const limited = await startTestApp({ config: { rateLimits: true }, deps: { sleep: async () => {} } })
    try {
      const { user, client } = await signInAsNewUser(limited)
      const team = await aTeam(limited.db, { captainId: user.id })
      const question = aQuestion({ scope: 'Team', required: true })
      const game = await aGame(limited.db, { questions: [question] })
      for (let count = 0; count < RateLimits.registration.count; count += 1)
        expect(outcome(await join(client, game.id, team.id, { answers: [] }))).toEqual([400, 'answer.required'])
      const answers = [{ questionId: question.id, values: ['ETH'] }]
      expect(outcome(await join(client, game.id, team.id, { answers }))).toBe(200)
    } finally {
      await limited.close()
    }
  })
})
