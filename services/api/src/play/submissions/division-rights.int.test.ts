import { divisionChallenges } from '@capstan/db/schema/challenges'
import { divisions } from '@capstan/db/schema/games'
import { eq } from 'drizzle-orm'
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

const see = 256
const submit = 512

/** Creates a player of the division Guests with the given rights, and a challenge of each category. */
async function aGuest(permissions: number) {
  const game = await aGame(context.db, { divisions: [{ name: 'Guests', permissions }] })
  const web = await aChallenge(context.db, { gameId: game.id, category: 'Web', flags: ['flag{web}'] })
  const misc = await aChallenge(context.db, { gameId: game.id, category: 'Misc', flags: ['flag{misc}'] })
  const player = await aPlayer(context, { gameId: game.id, division: 'Guests' })
  const [division] = await context.db.select().from(divisions).where(eq(divisions.gameId, game.id))
  const { client } = player
  return {
    ...{ game, web, misc, division: division!, client },
    async details() {
      const { challenges, challengeCount } = (await client.get(`/api/game/${game.id}/details`)).json()
      return [Object.keys(challenges), challengeCount]
    },
    look: async (id: number) => outcome(await client.get(`/api/game/${game.id}/challenges/${id}`)),
    send: async (id: number, flag: string) => outcome(await client.post(`/api/game/${game.id}/challenges/${id}`, { flag })),
    start: async (id: number) => outcome(await client.post(`/api/game/${game.id}/container/${id}`)),
  }
}

function outcome({ statusCode, body }: { statusCode: number; body: string }) {
  const code = body.startsWith('{') ? JSON.parse(body).code : undefined
  return code === undefined ? statusCode : [statusCode, code]
}

test('a player does not see challenges that the division may not see', async () => {
  const { details, look, send, start, web, misc, division } = await aGuest(see + submit)
  expect(await details()).toEqual([['Misc', 'Web'], 2])
  await context.db.insert(divisionChallenges).values({ divisionId: division.id, challengeId: web.id, permissions: submit })
  expect(await details()).toEqual([['Misc'], 1])
  const unknown = [404, 'challenge.unknown']
  expect([await look(web.id), await send(web.id, 'flag{web}'), await start(web.id)]).toEqual([unknown, unknown, unknown])
  expect([await look(misc.id), await send(misc.id, 'flag{misc}')]).toEqual([200, 200])
})

test('flags are refused if the division may only see challenges', async () => {
  const { game, details, look, send, web, division } = await aGuest(see)
  expect(await details()).toEqual([['Misc', 'Web'], 2])
  expect([await look(web.id), await send(web.id, 'flag{web}')]).toEqual([200, [400, 'division.submit']])
  await admin.put(`/api/edit/games/${game.id}/divisions/${division.id}`, {
    challengeConfigs: [{ challengeId: web.id, permissions: see + submit }],
  })
  expect(await send(web.id, 'flag{web}')).toBe(200)
})

test('new rights of a division apply to its players at once, and players of a deleted division have all rights', async () => {
  const { game, details, division } = await aGuest(0)
  expect(await details()).toEqual([[], 0])
  await admin.put(`/api/edit/games/${game.id}/divisions/${division.id}`, { defaultPermissions: see })
  expect(await details()).toEqual([['Misc', 'Web'], 2])
  await admin.put(`/api/edit/games/${game.id}/divisions/${division.id}`, { defaultPermissions: 0 })
  expect(await details()).toEqual([[], 0])
  await admin.delete(`/api/edit/games/${game.id}/divisions/${division.id}`)
  expect(await details()).toEqual([['Misc', 'Web'], 2])
})
