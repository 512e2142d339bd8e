import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

test('the solve of a guest does not count, so the next team gets the blood, the notice and the first rank', async () => {
  const { db } = context
  // Guests may join (1), see challenges (256), submit flags (512) and get points (1024), but not bloods.
  const game = await aGame(db, { divisions: [{ name: 'Guests', permissions: 1 + 256 + 512 + 1024 }, { name: 'Open' }] })
  const challenge = await aChallenge(db, { gameId: game.id, category: 'Web', points: 1000, flags: ['flag{right}'] })
  const guest = await aPlayer(context, { gameId: game.id, division: 'Guests', challengeIds: [challenge.id] })
  const team = await aPlayer(context, { gameId: game.id, division: 'Open', challengeIds: [challenge.id] })
  const judge = async ({ client }: typeof guest) =>
    (await client.post(`/api/game/${game.id}/challenges/${challenge.id}/verdict`, { flag: 'flag{right}' })).json().solve
  expect(await judge(guest)).toMatchObject({ type: 'Normal', score: 1000 })
  // Guests do not count as solvers, so the value is still 1000. The first blood adds 5 percent.
  expect(await judge(team)).toMatchObject({ type: 'FirstBlood', score: 1050 })

  const notices = (await team.client.get(`/api/game/${game.id}/notices`)).json()
  expect(notices.map(({ type, values }: { type: string; values: string[] }) => [type, values[0]])).toEqual([
    ['FirstBlood', team.team.name],
  ])
  const board = (await team.client.get(`/api/game/${game.id}/scoreboard`)).json()
  expect(board.items).toMatchObject([
    { id: team.team.id, rank: 1, score: 1050, organization: 'Open', organizationRank: 1 },
    { id: guest.team.id, rank: 0, score: 1000, organization: 'Guests', organizationRank: 1 },
  ])
  expect(board.challenges.Web).toMatchObject([{ solved: 1, score: 1000, bloods: [{ id: team.team.id }] }])

  const [guests] = (await admin.get(`/api/edit/games/${game.id}/divisions`)).json()
  await admin.put(`/api/edit/games/${game.id}/divisions/${guests.id}`, { defaultPermissions: 2147483647 })
  await expect
    .poll(
      async () => (await team.client.get(`/api/game/${game.id}/scoreboard`)).json().items.map(({ id }: { id: number }) => id),
      { message: 'the guest ranks first', timeout: 60_000 },
    )
    .toEqual([guest.team.id, team.team.id])
})
