import { createTestDatabase } from '@capstan/db/testing/test-database'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../app.ts'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'

/** Direct connection to the shared database of two api processes. */
let direct: Awaited<ReturnType<typeof createTestDatabase>>
let context: TestApp
let replica: FastifyInstance
beforeAll(async () => {
  direct = await createTestDatabase()
  context = await startTestApp({ deps: { db: direct.db } })
  replica = await buildApp(context.deps)
  await replica.ready()
})
afterAll(async () => {
  await replica.close()
  await context.close()
  await direct.drop()
})

const flag = 'flag{right}'

function waitForBlockedSession() {
  return expect
    .poll(() => direct.sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`, {
      timeout: 60_000,
    })
    .toHaveLength(1)
}

async function aPlayedGame(teams: number, challengeCount = 1) {
  const game = await aGame(direct.db)
  const challenges = await Promise.all(
    Array.from({ length: challengeCount }, () => aChallenge(direct.db, { gameId: game.id, flags: [flag] })),
  )
  const challengeIds = challenges.map(({ id }) => id)
  const players = await Promise.all(
    Array.from({ length: teams }, () => aPlayer({ ...context, db: direct.db }, { gameId: game.id, challengeIds })),
  )
  /** Submits an answer. @returns the id of the submission */
  const submit = async (on: FastifyInstance, team: number, challenge: number, answer: string): Promise<number> => {
    const response = await on.inject({
      method: 'POST',
      url: `/api/game/${game.id}/challenges/${challengeIds[challenge]}`,
      cookies: Object.fromEntries(players[team]?.client.cookies ?? []),
      payload: { flag: answer },
    })
    expect([response.statusCode, response.body]).toEqual([200, expect.stringMatching(/^\d+$/)])
    return response.json()
  }
  const solve = (on: FastifyInstance, team: number, challenge = 0) => submit(on, team, challenge, flag)
  const bloods = async () =>
    (await direct.sql`select type, values[1] as team from notices where game_id = ${game.id} order by id`).map(
      ({ type, team }) => [type, players.findIndex((player) => player.team.name === team)],
    )
  const solved = async (challenge = 0) => {
    const [counts] = await direct.sql`
      select accepted_count as counted, (select count(*)::int from solves where challenge_id = challenges.id) as solves,
        (select count(*)::int from submissions where challenge_id = challenges.id and status = 'Accepted') as submissions
      from challenges where id = ${challengeIds[challenge] ?? 0}`
    return counts
  }
  return { game, players, challengeIds, submit, solve, bloods, solved }
}

test('right answers to two processes get bloods in order, and each team gets one solve', async () => {
  const { solve, bloods, solved } = await aPlayedGame(4)
  await solve(context.app, 0)
  await solve(replica, 1)
  await solve(context.app, 2)
  await solve(replica, 3)
  await solve(context.app, 1)
  await solve(replica, 0)
  expect(await bloods()).toEqual([
    ['FirstBlood', 0],
    ['SecondBlood', 1],
    ['ThirdBlood', 2],
  ])
  expect(await solved()).toEqual({ counted: 4, solves: 4, submissions: 6 })
})

test('the solve of a suspended team does not affect which blood the next team gets', async () => {
  const { players, solve, bloods } = await aPlayedGame(3)
  const { client: admin } = await signInAsNewUser({ ...context, db: direct.db }, 'Admin')
  await solve(context.app, 0)
  await solve(context.app, 1)
  const response = await admin.put(`/api/admin/participation/${players[0]?.participation.id}/suspended`)
  expect(response.statusCode).toBe(200)
  await solve(context.app, 2)
  expect(await bloods()).toEqual([
    ['FirstBlood', 0],
    ['SecondBlood', 1],
    ['SecondBlood', 2],
  ])
})

test('solves that a rejudge removed do not affect later bloods', async () => {
  const { game, challengeIds, solve, bloods, solved } = await aPlayedGame(2)
  const { client: admin } = await signInAsNewUser({ ...context, db: direct.db }, 'Admin')
  await solve(context.app, 0)
  // Change the stored answer, so that the next rejudge counts the answer as wrong.
  await direct.sql`update submissions set answer = 'flag{other}' where challenge_id = ${challengeIds[0] ?? 0}`
  const recalculated = await admin.put(`/api/edit/games/${game.id}/challenges/${challengeIds[0]}/recalculatesubmissions`)
  expect([recalculated.statusCode, await solved()]).toEqual([200, { counted: 0, solves: 0, submissions: 0 }])
  await solve(context.app, 1)
  await solve(context.app, 0)
  expect((await bloods()).map(([type]) => type)).toEqual(['FirstBlood', 'FirstBlood', 'SecondBlood'])
  expect(await solved()).toEqual({ counted: 2, solves: 2, submissions: 2 })
})

test('a database lock on one challenge does not delay answers to another challenge', async () => {
  const { challengeIds, solve, solved } = await aPlayedGame(2, 2)
  await solve(context.app, 0, 0)
  await solve(context.app, 0, 1)
  const locking = await direct.sql.reserve()
  await locking`begin`
  await locking`select id from challenges where id = ${challengeIds[0] ?? 0} for no key update`
  let isSettled = false
  const waiting = solve(context.app, 1, 0).finally(() => {
    isSettled = true
  })
  await waitForBlockedSession()
  await solve(context.app, 1, 1)
  expect(await solved(1)).toEqual({ counted: 2, solves: 2, submissions: 2 })
  expect(isSettled).toBe(false)
  await locking`update challenges set accepted_count = 10 where id = ${challengeIds[0] ?? 0}`
  await locking`commit`
  locking.release()
  await waiting
  expect(await solved(0)).toEqual({ counted: 11, solves: 2, submissions: 2 })
})

test('64 concurrent right flags during edits result in three bloods and one solve per team', async () => {
  const teams = 16
  const { game, challengeIds, solve, bloods, solved } = await aPlayedGame(teams)
  const { client: admin } = await signInAsNewUser({ ...context, db: direct.db }, 'Admin')
  const url = `/api/edit/games/${game.id}/challenges/${challengeIds[0]}`
  const edits = Array.from({ length: 8 }, (_, index) => admin.put(url, { content: `Edit ${index}` }))
  const flags = Array.from({ length: 4 * teams }, async (_, index) => {
    const team = index >> 2
    return `${team} ${await solve(index % 2 === 0 ? context.app : replica, team)}`
  })
  expect(new Set((await Promise.all(edits)).map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
  expect(new Set(await Promise.all(flags)).size).toBe(4 * teams)
  expect(await solved()).toEqual({ counted: teams, solves: teams, submissions: 4 * teams })
  const announced = await bloods()
  expect(announced.map(([type]) => type)).toEqual(['FirstBlood', 'SecondBlood', 'ThirdBlood'])
  expect(new Set(announced.map(([, team]) => team)).size).toBe(3)
})

test('refuses a right flag if the challenge is deleted during the judgment', async () => {
  const { game, players, challengeIds } = await aPlayedGame(1)
  const locking = await direct.sql.reserve()
  await locking`begin`
  await locking`delete from challenges where id = ${challengeIds[0] ?? 0}`
  const answer = context.app.inject({
    method: 'POST',
    url: `/api/game/${game.id}/challenges/${challengeIds[0]}`,
    cookies: Object.fromEntries(players[0]?.client.cookies ?? []),
    payload: { flag },
  })
  await waitForBlockedSession()
  await locking`commit`
  locking.release()
  expect([(await answer).statusCode, (await answer).json().code]).toEqual([404, 'challenge.unknown'])
})

test('concurrent flags at two processes result in one solve per team, three bloods, and ids in order of time', async () => {
  const teams = 16
  const challenges = 3
  const { game, challengeIds, solve, bloods, solved } = await aPlayedGame(teams, challenges)
  const solveAll = (team: number) =>
    challengeIds.flatMap((_, challenge) => [solve(context.app, team, challenge), solve(replica, team, challenge)])
  for (let team = 0; team < teams; team += 4)
    await Promise.all([team, team + 1, team + 2, team + 3].flatMap((one) => solveAll(one)))
  for (const challenge of challengeIds.keys())
    expect(await solved(challenge)).toEqual({ counted: teams, solves: teams, submissions: 2 * teams })
  const types = (await bloods()).map(([type]) => type).toSorted()
  expect(types).toEqual(['FirstBlood', 'SecondBlood', 'ThirdBlood'].flatMap((type) => Array(challenges).fill(type)))
  const backwards = await direct.sql`
    select later.id from solves as later join solves as earlier using (challenge_id)
    where later.game_id = ${game.id} and later.submission_id > earlier.submission_id and later.solved_at < earlier.solved_at`
  expect(backwards).toEqual([])
})

test('concurrent matches of a pattern at two processes result in three bloods and one solve per team', async () => {
  const { submit, bloods, solved, challengeIds } = await aPlayedGame(6)
  await direct.sql`update flags set kind = 'Pattern', flag = ${String.raw`flag\{(right|[0-9]+)\}`} where challenge_id = ${challengeIds[0] ?? 0}`
  const answers = Array.from({ length: 6 }, (_, team) =>
    [context.app, replica].map((on, process) => submit(on, team, 0, `flag{${team}${process}}`)),
  )
  await Promise.all(answers.flat())
  expect(await solved()).toEqual({ counted: 6, solves: 6, submissions: 12 })
  expect((await bloods()).map(([type]) => type)).toEqual(['FirstBlood', 'SecondBlood', 'ThirdBlood'])
})
