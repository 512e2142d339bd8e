import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readyStateOf, startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, anInstance } from '../../testing/organizing-factories.ts'
import { aPlayer, aTeamMate } from '../../testing/playing-factories.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())
beforeEach(() => {
  context.runtime.become(readyStateOf)
  context.clock.set(new Date())
})

function aShop(gameId?: number) {
  return aChallenge(context.db, {
    ...{ type: 'StaticContainer', category: 'Web', containerImage: 'shop:1', port: 8080, title: 'Shop' },
    ...(gameId !== undefined && { gameId }),
  })
}

/** Creates a captain and a mate of one team, and a challenge that they can start. */
async function aTeamAtPlay() {
  const challenge = await aShop()
  const captain = await aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })
  const mate = await aTeamMate(context, captain)
  const path = `/api/game/${challenge.gameId}/container/${challenge.id}`
  return { challenge, captain, mate, path, list: `/api/game/${challenge.gameId}/instances` }
}

function newsOf(gameId: number) {
  return context.messages.flatMap((message) =>
    message.kind === 'team-instances' && message.gameId === gameId ? [[...message.userIds].sort()] : [],
  )
}

test('a member sees which instance a team mate started, who started it and how long it runs', async () => {
  const { challenge, captain, mate, path, list } = await aTeamAtPlay()
  await mate.client.post(path)
  const response = await captain.client.get(list)
  const now = context.clock.now().getTime()
  expect([response.statusCode, response.json()]).toEqual([
    200,
    [
      {
        challengeId: challenge.id,
        title: 'Shop',
        category: 'Web',
        state: 'Running',
        startedBy: mate.user.userName,
        startedAt: new Date(now).toISOString(),
        expectStopAt: new Date(now + 120 * 60_000).toISOString(),
      },
    ],
  ])
})

test('lists an instance that is starting, and no instance that has ended', async () => {
  context.runtime.become(() => ({ kind: 'pending', reason: 'Pulling', message: 'Pulling' }))
  const { captain, mate, path, list } = await aTeamAtPlay()
  await captain.client.post(path)
  expect((await mate.client.get(list)).json()).toMatchObject([{ state: 'Starting', startedBy: captain.user.userName }])
  context.clock.set(new Date(context.clock.now().getTime() + 11_000))
  expect((await mate.client.delete(path)).statusCode).toBe(200)
  expect((await captain.client.get(list)).json()).toEqual([])
})

test('still lists an instance after the user who started it was deleted', async () => {
  const { captain, mate, path, list } = await aTeamAtPlay()
  await mate.client.post(path)
  await context.sql`delete from users where id = ${mate.user.id}`
  expect((await captain.client.get(list)).json()).toMatchObject([{ title: 'Shop', startedBy: null }])
})

describe('the list of instances', () => {
  test('the list shows a team only its own instances, and refuses a game that the team has not joined', async () => {
    const { challenge, captain, path, list } = await aTeamAtPlay()
    const rival = await aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })
    const elsewhere = await aShop()
    const test = await anInstance(context.db, { gameId: challenge.gameId, challengeId: challenge.id, startedBy: rival.user.id })
    expect(test.participationId).toBeNull()
    await captain.client.post(path)
    expect((await rival.client.get(list)).json()).toEqual([])
    expect((await captain.client.get(`/api/game/${elsewhere.gameId}/instances`)).json().code).toBe('participation.required')
  })

  test('the list of instances is refused to users who did not join with an accepted team', async () => {
    const { challenge, captain, path, list } = await aTeamAtPlay()
    await captain.client.post(path)
    const pending = await aPlayer(context, { gameId: challenge.gameId, status: 'Pending' })
    const suspended = await aPlayer(context, { gameId: challenge.gameId, status: 'Suspended' })
    const outsider = await signInAsNewUser(context)
    const { user, client } = await signInAsNewUser(context)
    await context.sql`insert into team_members (team_id, user_id) values (${captain.team.id}, ${user.id})`
    const codes = await Promise.all(
      [pending.client, suspended.client, outsider.client, client].map(async (who) => (await who.get(list)).json().code),
    )
    expect(codes).toEqual([
      'participation.not-accepted',
      'participation.suspended',
      'participation.required',
      'participation.required',
    ])
  })

  test('the list of instances contains neither addresses of instances nor disabled challenges', async () => {
    const { challenge, captain, path, list } = await aTeamAtPlay()
    const { entry } = (await captain.client.post(path)).json()
    expect((await captain.client.get(list)).body).not.toContain(entry)
    await context.sql`update challenges set is_enabled = false where id = ${challenge.id}`
    expect((await captain.client.get(list)).json()).toEqual([])
  })
})

test('only team members are notified, without details, when an instance starts, is extended or ends', async () => {
  const { challenge, captain, mate, path } = await aTeamAtPlay()
  await aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })
  const team = [captain.user.id, mate.user.id].sort()
  const expectNotified = async (action: () => Promise<{ readonly statusCode: number }>) => {
    const before = newsOf(challenge.gameId).length
    expect((await action()).statusCode).toBe(200)
    await expect.poll(() => newsOf(challenge.gameId).length).toBeGreaterThan(before)
  }
  await expectNotified(() => captain.client.post(path))
  context.clock.set(new Date(context.clock.now().getTime() + 115 * 60_000))
  await expectNotified(() => mate.client.post(`${path}/extend`))
  await expectNotified(() => mate.client.delete(path))
  for (const userIds of newsOf(challenge.gameId)) expect(userIds).toEqual(team)
  const ofTeams = context.messages.filter(({ kind }) => kind === 'team-instances')
  expect(new Set(ofTeams.flatMap((message) => Object.keys(message)))).toEqual(new Set(['kind', 'gameId', 'userIds']))
})
