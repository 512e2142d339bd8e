import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../app.ts'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame } from '../../testing/organizing-factories.ts'
import { aPlayer, aTeamMate } from '../../testing/playing-factories.ts'

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

type Player = Awaited<ReturnType<typeof aPlayer>>

/** Creates a challenge for 1000 points with three flags for 30, 70 and 0 points, and two teams. */
async function aScene() {
  const { db, sql } = context
  const game = await aGame(db, { bloodBonus: 0 })
  const flags = ['flag{one}', 'flag{two}', 'flag{three}']
  const challenge = await aChallenge(db, {
    gameId: game.id,
    type: 'StaticAttachment',
    points: 1000,
    minimumShare: 1,
    flags,
  })
  await sql`update flags set points = 30 where challenge_id = ${challenge.id} and flag = 'flag{one}'`
  await sql`update flags set points = 70 where challenge_id = ${challenge.id} and flag = 'flag{two}'`
  const player = await aPlayer(context, { gameId: game.id, challengeIds: [challenge.id] })
  const rival = await aPlayer(context, { gameId: game.id, challengeIds: [challenge.id] })
  const url = `/api/game/${game.id}/challenges/${challenge.id}`
  const edit = `/api/edit/games/${game.id}`
  const submit = async (flag: string, { client }: Pick<Player, 'client'> = player) =>
    (await client.post(`${url}/verdict`, { flag })).json()
  const found = async () => {
    const rows = await sql<{ team: number; flag: string }[]>`
      select participation_id as team, flag from found_flags join flags on flags.id = flag_id
      where found_flags.challenge_id = ${challenge.id} order by found_at, found_flags.id`
    return rows.map(({ team, flag }) => [team, flag])
  }
  const solvers = async () => {
    const rows = await sql<{ team: number }[]>`
      select participation_id as team from solves where challenge_id = ${challenge.id} order by solved_at, submission_id`
    return rows.map(({ team }) => team)
  }
  const scoreOf = async ({ team }: Player) => {
    const { items } = (await player.client.get(`/api/game/${game.id}/scoreboard`)).json()
    return items.find(({ id }: { id: number }) => id === team.id)?.score
  }
  return { game, challenge, player, rival, url, edit, submit, found, solvers, scoreOf }
}

test('each found flag scores at once, and the last flag solves the challenge', async () => {
  const { player, rival, url, submit, solvers, scoreOf } = await aScene()
  expect(await submit('flag{two}')).toMatchObject({
    ...{ status: 'Accepted', solve: null },
    found: { points: 70, isNew: true, found: 1, total: 3 },
  })
  await expect.poll(() => scoreOf(player)).toBe(70)
  expect((await player.client.get(url)).json().parts).toEqual([
    { points: 30, foundAt: null },
    { points: 70, foundAt: expect.any(Number) },
    { points: 0, foundAt: null },
  ])
  const progressOf = async ({ client }: Player) => (await client.get(url.replace(/challenges\/.*/, 'flags'))).json()
  expect(await progressOf(player)).toEqual([{ challengeId: expect.any(Number), found: 1, total: 3 }])
  expect(await progressOf(rival)).toEqual([])
  expect(await submit('flag{two}')).toMatchObject({ solve: null, found: { points: 0, isNew: false, found: 1, total: 3 } })
  expect(await submit('flag{three}')).toMatchObject({ solve: null, found: { points: 0, isNew: true, found: 2, total: 3 } })
  expect(await solvers()).toEqual([])
  expect(await submit('flag{one}')).toMatchObject({
    ...{ status: 'Accepted', solve: { score: 1000, type: 'FirstBlood' } },
    found: { points: 30, isNew: true, found: 3, total: 3 },
  })
  await expect.poll(() => scoreOf(player)).toBe(1100)
  expect(await submit('flag{four}')).toMatchObject({ status: 'WrongAnswer', solve: null, found: null })
})

test('stores one solve after 63 parallel submissions of two members on two replicas', async () => {
  const { game, challenge, player, found, solvers } = await aScene()
  const mate = await aTeamMate(context, player)
  const flags = ['flag{one}', 'flag{two}', 'flag{three}']
  const answers = await Promise.all(
    Array.from({ length: 63 }, (_, index) =>
      (index % 2 === 0 ? context.app : replica).inject({
        method: 'POST',
        url: `/api/game/${game.id}/challenges/${challenge.id}/verdict`,
        cookies: Object.fromEntries((index % 4 < 2 ? player : mate).client.cookies),
        payload: { flag: flags[index % 3] },
      }),
    ),
  )
  const verdicts = answers.map((answer) => answer.json())
  expect(new Set(verdicts.map(({ status }) => status))).toEqual(new Set(['Accepted']))
  expect(verdicts.filter(({ found: flag }) => flag.isNew)).toHaveLength(3)
  expect(await found()).toHaveLength(3)
  expect(await solvers()).toEqual([player.participation.id])
})

test('a correction that takes back the solve also removes the found flags, and a revoked correction restores them', async () => {
  const { edit, challenge, player, submit, found, solvers, scoreOf } = await aScene()
  for (const flag of ['flag{one}', 'flag{two}', 'flag{three}']) await submit(flag)
  const before = await found()
  const body = { teamId: player.team.id, challengeId: challenge.id, reason: 'Shared' }
  const { id } = (await admin.post(`${edit}/corrections`, { ...body, kind: 'TakenBack' })).json()
  expect([await found(), await solvers()]).toEqual([[], []])
  await expect.poll(() => scoreOf(player)).toBe(0)
  expect(await submit('flag{one}')).toMatchObject({ found: { points: 30, isNew: true, found: 1 } })
  await admin.delete(`${edit}/corrections/${id}`)
  expect([await found(), await solvers()]).toEqual([before, [player.participation.id]])
})

test('if an organizer grants a solve, the team gets the points of the challenge but no flag points', async () => {
  const { edit, challenge, player, found, scoreOf } = await aScene()
  await admin.post(`${edit}/corrections`, {
    teamId: player.team.id,
    challengeId: challenge.id,
    kind: 'Granted',
    reason: 'Broken',
  })
  await expect.poll(() => scoreOf(player)).toBe(1000)
  expect(await found()).toEqual([])
})

test('a rejudge computes found flags and solves from the answers, and an undo of the rejudge restores the former state', async () => {
  const { edit, challenge, player, rival, submit, found, solvers } = await aScene()
  const { sql } = context
  for (const flag of ['flag{one}', 'flag{two}', 'flag{three}']) await submit(flag)
  await submit('flag{one}', rival)
  await submit('flag{four}', rival)
  const before = [await found(), await solvers()]
  // The new flag matches an earlier answer of the rival. The rival has no solve, because some flags are still missing.
  await sql`insert into flags (challenge_id, flag) values (${challenge.id}, 'flag{four}')`
  const address = `${edit}/challenges/${challenge.id}`
  await admin.put(`${address}/recalculatesubmissions`)
  expect(await solvers()).toEqual([])
  expect((await found()).filter(([team]) => team === rival.participation.id)).toEqual([
    [rival.participation.id, 'flag{one}'],
    [rival.participation.id, 'flag{four}'],
  ])
  expect((await admin.post(`${address}/rejudge/undo`)).statusCode).toBe(200)
  expect([await found(), await solvers()]).toEqual(before)
  // Only one flag remains, so this flag alone solves the challenge.
  await sql`delete from flags where challenge_id = ${challenge.id} and flag <> 'flag{one}'`
  await admin.put(`${address}/recalculatesubmissions`)
  expect(await solvers()).toEqual([player.participation.id, rival.participation.id])
})

test('an edit of the flags retains found flags, and retains points that a client of an earlier version omits', async () => {
  const { edit, challenge, submit, found } = await aScene()
  await submit('flag{one}')
  const before = await found()
  const address = `${edit}/challenges/${challenge.id}/whole`
  const pointsAfter = async (change: (flag: { points?: number | null }) => object) => {
    const { challenge: value } = (await admin.get(address)).json()
    const saved = await admin.put(address, { challenge: { ...value, flags: value.flags.map(change) } })
    return saved.json().challenge.flags.map(({ points }: { points?: number }) => points)
  }
  expect(await pointsAfter(({ points: _, ...flag }) => flag)).toEqual([30, 70, undefined])
  expect(await pointsAfter((flag) => ({ ...flag, points: 5 }))).toEqual([5, 5, 5])
  expect(await pointsAfter((flag) => ({ ...flag, points: null }))).toEqual([undefined, undefined, undefined])
  expect(await found()).toEqual(before)
})

test('responses reveal nothing about missing flags other than their number and points', async () => {
  const { game, challenge, player, rival, url, submit, scoreOf } = await aScene()
  await submit('flag{one}')
  await expect.poll(() => scoreOf(player)).toBe(30)
  const clients = [player.client, rival.client, createTestClient(context.app)]
  const pages = ['', '/scoreboard', '/details', '/notices'].map((page) => `/api/game/${game.id}${page}`)
  const answers = async () => {
    const verdicts = [await submit('flag{one}'), await submit('flag{t'), await submit('flag{t', rival)]
    const reads = await Promise.all(clients.flatMap((client) => [url, ...pages].map((page) => client.get(page))))
    // Remove ids, numbers of attempts and times, because they differ between calls.
    return [JSON.stringify(verdicts), ...reads.map(({ body }) => body)].map((body) =>
      body.replaceAll(/"(id|attempts|updateTimeUtc|requestId)":[^,}]*/g, '$1'),
    )
  }
  const before = await answers()
  await context.sql`
    update flags set flag = 'flag[{]t.{1,90}', kind = 'Pattern' where challenge_id = ${challenge.id} and flag <> 'flag{one}'`
  expect(await answers()).toEqual(before)
  expect(before.join()).toContain('{"points":70,"foundAt":null}')
  expect(before.join()).not.toMatch(/flag\{(two|three)/)
})
