import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../app.ts'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'

/** Two api processes that share a database but no bus. Only the database can propagate changes. */
let context: TestApp
let replica: FastifyInstance
beforeAll(async () => {
  context = await startTestApp()
  replica = await buildApp(context.deps)
  await replica.ready()
})
afterAll(async () => {
  await replica.close()
  await context.close()
})

async function scene() {
  const game = await aGame(context.db)
  const challenge = await aChallenge(context.db, { gameId: game.id, flags: ['flag{right}'] })
  const player = await aPlayer(context, { gameId: game.id, challengeIds: [challenge.id] })
  const cookies = Object.fromEntries(player.client.cookies)
  const onReplica = (method: 'GET' | 'POST', url: string, payload?: object) =>
    replica.inject({ method, url, cookies, ...(payload && { payload }) })
  const calls = {
    board: () => onReplica('GET', `/api/game/${game.id}/details`),
    view: () => onReplica('GET', `/api/game/${game.id}/challenges/${challenge.id}`),
    submit: (flag = 'guess') => onReplica('POST', `/api/game/${game.id}/challenges/${challenge.id}`, { flag }),
    profile: () => onReplica('GET', '/api/account/profile'),
  }
  // Fill the caches of the other process with the results of all these calls.
  for (const call of Object.values(calls)) expect((await call()).statusCode).toBe(200)
  const status = async (call: keyof typeof calls) => (await calls[call]()).statusCode
  const answerTo = async (flag: string) => {
    const { body } = await calls.submit(flag)
    return (await onReplica('GET', `/api/game/${game.id}/challenges/${challenge.id}/status/${body}`)).json()
  }
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  return { game, challenge, player, status, answerTo, calls, admin }
}

function ok(response: { statusCode: number; body: string }) {
  return expect([response.statusCode, response.body]).toEqual([200, expect.any(String)])
}

describe('changes that another process must see at the next call', () => {
  test('another process sees a ban', async () => {
    const { player, status, admin } = await scene()
    ok(await admin.put(`/api/admin/users/${player.user.id}`, { role: 'Banned' }))
    expect([await status('board'), await status('submit'), await status('profile')]).toEqual([403, 403, 403])
  })

  test('another process sees that a new password has ended the session', async () => {
    const { player, status, admin } = await scene()
    ok(await admin.delete(`/api/admin/users/${player.user.id}/password`))
    expect([await status('board'), await status('profile')]).toEqual([401, 401])
  })

  test('another process sees a log-out', async () => {
    const { player, status } = await scene()
    ok(await player.client.post('/api/account/logout'))
    expect(await status('profile')).toBe(401)
  })

  test('another process sees that a team was suspended and readmitted', async () => {
    const { player, status, admin } = await scene()
    ok(await admin.put(`/api/admin/participation/${player.participation.id}/suspended`))
    expect([await status('board'), await status('view'), await status('submit')]).toEqual([400, 400, 400])
    ok(await admin.put(`/api/admin/participation/${player.participation.id}/accepted`))
    expect([await status('board'), await status('view'), await status('submit')]).toEqual([200, 200, 200])
  })

  test('another process sees that a challenge was disabled', async () => {
    const { game, challenge, status, admin } = await scene()
    ok(await admin.put(`/api/edit/games/${game.id}/challenges/${challenge.id}`, { isEnabled: false }))
    expect([await status('view'), await status('submit')]).toEqual([404, 404])
  })

  test('another process sees a new flag', async () => {
    const { game, challenge, answerTo, admin } = await scene()
    const flags = `/api/edit/games/${game.id}/challenges/${challenge.id}/flags`
    expect(await answerTo('flag{new}')).toBe('WrongAnswer')
    ok(await admin.post(flags, [{ flag: 'flag{new}', attachmentType: 'None' }]))
    expect(await answerTo('flag{new}')).toBe('Accepted')
  })

  test('another process sees the end of a game', async () => {
    const { game, status } = await scene()
    const past = [new Date(context.clock.now().getTime() - 7_200_000), new Date(context.clock.now().getTime() - 3_600_000)]
    await context.sql`update games set starts_at = ${past[0]!.toISOString()}, ends_at = ${past[1]!.toISOString()}, practice_mode = false where id = ${game.id}`
    expect(await status('submit')).toBe(400)
  })

  test('another process sees the new name of an account', async () => {
    const { player, calls, admin } = await scene()
    ok(await admin.put(`/api/admin/users/${player.user.id}`, { userName: 'renamed' }))
    expect((await calls.profile()).json().userName).toBe('renamed')
  })

  test('another process sees that a deleted team is no longer in any game', async () => {
    const { player, status } = await scene()
    await context.sql`delete from teams where id = ${player.team.id}`
    expect([await status('board'), await status('submit')]).toEqual([400, 400])
  })
})
