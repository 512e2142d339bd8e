import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, aParticipation, aSubmission } from '../../testing/organizing-factories.ts'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

test('the scoreboard shows the effects of reviews and of changes to divisions, challenges and the game', async () => {
  const game = await aGame(context.db, { bloodBonus: 0, divisions: [{ name: 'open' }] })
  const challenge = await aChallenge(context.db, { gameId: game.id, flags: ['f'], points: 100 })
  const participation = await aParticipation(context.db, { gameId: game.id })
  await aSubmission(context.db, participation, challenge.id, { solve: true, submittedAt: new Date(Date.now() - 60_000) })
  const visitor = createTestClient(context.app)
  const rows = async () =>
    (await visitor.get(`/api/game/${game.id}/scoreboard`))
      .json()
      .items.map(({ score, organization }: { score: number; organization: string | null }) => [score, organization])
  const becomes = (expected: unknown) => vi.waitFor(async () => expect(await rows()).toEqual(expected), { timeout: 120_000 })
  await becomes([[100, null]])

  await admin.put(`/api/admin/participation/${participation.id}/Suspended`)
  await becomes([])
  await admin.put(`/api/admin/participation/${participation.id}/Accepted`)
  await becomes([[100, null]])
  await admin.put(`/api/admin/participation/organization/${participation.id}/open`)
  await becomes([[100, 'open']])
  await admin.put(`/api/edit/games/${game.id}/challenges/${challenge.id}`, { originalScore: 200 })
  await becomes([[200, 'open']])
  const settings = (await admin.get(`/api/edit/games/${game.id}`)).json()
  await admin.put(`/api/edit/games/${game.id}`, { ...settings, bloodBonus: 100 << 20 })
  await becomes([[220, 'open']])
  await admin.delete(`/api/edit/games/${game.id}/challenges/${challenge.id}`)
  await becomes([[0, 'open']])
})

test('after an admin readmits a team, the scoreboard shows the current names of the team members', async () => {
  const game = await aGame(context.db)
  const challenge = await aChallenge(context.db, { gameId: game.id })
  const { user } = await signInAsNewUser(context)
  const participation = await aParticipation(context.db, { gameId: game.id })
  await aSubmission(context.db, participation, challenge.id, { solve: true, userId: user.id })
  const visitor = createTestClient(context.app)
  const solvers = async () =>
    (await visitor.get(`/api/game/${game.id}/scoreboard`))
      .json()
      .items.flatMap((row: { solvedChallenges: { userName: string }[] }) => row.solvedChallenges.map(({ userName }) => userName))
  const becomes = (expected: unknown) => vi.waitFor(async () => expect(await solvers()).toEqual(expected), { timeout: 120_000 })
  await becomes([user.userName])
  await admin.put(`/api/admin/participation/${participation.id}/Rejected`)
  await becomes([])
  const name = `${user.userName}2`
  await context.sql`update users set user_name = ${name} where id = ${user.id}`
  await admin.put(`/api/admin/participation/${participation.id}/Accepted`)
  await becomes([name])
})
