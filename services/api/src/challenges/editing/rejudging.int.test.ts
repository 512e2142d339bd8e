import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, anAssignment, aParticipation, aSubmission } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

function minutesAgo(minutes: number) {
  return new Date(Date.now() - minutes * 60_000)
}

type World = Readonly<{
  gameId: number
  id: number
}>

function base({ gameId, id }: World) {
  return `/api/edit/games/${gameId}/challenges/${id}`
}
async function forecast(world: World) {
  return (await admin.get(`${base(world)}/rejudge`)).json()
}
async function rejudge(world: World) {
  return (await admin.put(`${base(world)}/recalculatesubmissions`)).json()
}
function undo(world: World) {
  return admin.post(`${base(world)}/rejudge/undo`)
}

/** Returns all rows that a rejudge may change. Generated ids are omitted. */
async function stateOf({ id }: World) {
  const statuses = await context.sql`select id, status from submissions where challenge_id = ${id} order by id`
  const solves = await context.sql`
    select participation_id, submission_id, user_id, solved_at from solves where challenge_id = ${id} order by participation_id`
  const [challenge] = await context.sql`select accepted_count from challenges where id = ${id}`
  return { statuses: [...statuses], solves: [...solves], accepted: challenge?.accepted_count }
}

async function setFlags({ id }: World, ...flags: string[]) {
  await context.sql`delete from flags where challenge_id = ${id}`
  for (const flag of flags) await context.sql`insert into flags (challenge_id, flag) values (${id}, ${flag})`
}

/**
 * Creates a challenge with the flag `old`. Two accepted teams and a suspended team submitted `old` and solved the challenge.
 * Another team submitted `new` and later solved the challenge with `old`. Two teams submitted only `new`.
 */
async function aMisjudgedChallenge(values: { phase?: 'running' | 'ended' } = {}) {
  const game = await aGame(context.db, values)
  const inTime = (minutes: number) => new Date(game.startsAt.getTime() + minutes * 60_000)
  const challenge = await aChallenge(context.db, { gameId: game.id, flags: ['old'], acceptedCount: 3 })
  const aTeamIn = async (status: 'Accepted' | 'Suspended' = 'Accepted') => {
    const team = await aParticipation(context.db, { gameId: game.id, status })
    await anAssignment(context.db, { participationId: team.id, challengeId: challenge.id })
    return team
  }
  const submit = (team: Awaited<ReturnType<typeof aTeamIn>>, answer: string, minutes: number, solve = false) =>
    aSubmission(context.db, team, challenge.id, { answer, submittedAt: inTime(minutes), solve })
  const solvers = [await aTeamIn(), await aTeamIn()]
  for (const [index, team] of solvers.entries()) await submit(team, 'old', 10 + index, true)
  const mover = await aTeamIn()
  await submit(mover, 'new', 5)
  await submit(mover, 'old', 20, true)
  const triers = [await aTeamIn(), await aTeamIn()]
  for (const [index, team] of triers.entries()) await submit(team, 'new', 30 + index)
  await submit(await aTeamIn('Suspended'), 'old', 12, true)
  return { gameId: game.id, id: challenge.id, solvers, mover, triers }
}

describe('a forecast of a rejudge', () => {
  test('the forecast of a rejudge counts the answers that would change, and writes no data', async () => {
    const world = await aMisjudgedChallenge()
    await setFlags(world, 'new')
    const before = await stateOf(world)
    expect(await forecast(world)).toEqual({
      ...{ total: 7, changed: 7, newlyCorrect: 3, newlyIncorrect: 4 },
      ...{ gaining: 2, losing: 2, moving: 1, accepted: 3, last: null },
    })
    expect(await stateOf(world)).toEqual(before)
  })

  test('the forecast of a rejudge equals the effect of the rejudge', async () => {
    const [patterns, dynamic] = [await aMisjudgedChallenge(), await aMisjudgedChallenge()]
    await context.sql`update flags set flag = 'n[aeiou]w', kind = 'Pattern' where challenge_id = ${patterns.id}`
    await context.sql`update challenges set type = 'DynamicContainer' where id = ${dynamic.id}`
    await context.sql`update assignments set flag = 'new' where challenge_id = ${dynamic.id} and participation_id <> ${dynamic.triers[0]!.id}`
    for (const [world, gaining] of [
      [patterns, 2],
      [dynamic, 1],
    ] as const) {
      const expected = await forecast(world)
      expect([expected.gaining, expected.losing, expected.moving]).toEqual([gaining, 2, 1])
      const { total, changed, accepted } = expected
      expect(await rejudge(world)).toEqual({ total, changed, accepted })
      const after = await forecast(world)
      expect([after.changed, after.gaining, after.losing, after.moving]).toEqual([0, 0, 0, 0])
      expect(after.last).toMatchObject({ changed, gaining, losing: 2, moving: 1, canUndo: true })
    }
  })

  test('a forecast takes no lock, even if it compares thousands of answers', async () => {
    const world = await aMisjudgedChallenge()
    const [team] = world.triers
    await context.sql`
      insert into submissions (game_id, challenge_id, participation_id, team_id, answer, status, submitted_at)
      select ${world.gameId}, ${world.id}, ${team!.id}, ${team!.teamId}, 'guess' || place, 'WrongAnswer', now() from generate_series(1, 4100) as place`
    const locking = await context.sql.reserve()
    await locking`begin`
    await locking`select id from games where id = ${world.gameId} for update`
    await locking`select id from challenges where id = ${world.id} for update`
    await locking`select id from submissions where challenge_id = ${world.id} for update`
    expect(await forecast(world)).toMatchObject({ total: 4107, changed: 0 })
    await locking`rollback`
    locking.release()
  })

  test('answers 404 for an unknown game or challenge', async () => {
    const { gameId } = await aChallenge(context.db)
    expect((await forecast({ gameId: 999_999, id: 1 })).code).toBe('game.unknown')
    expect((await forecast({ gameId, id: 999_999 })).code).toBe('challenge.unknown')
  })
})

describe('undoing a rejudge', () => {
  test.each(['running', 'ended'] as const)(
    'undoing a rejudge restores the exact statuses, solves and counts in a game in phase %s',
    async (phase) => {
      const world = await aMisjudgedChallenge({ phase })
      const before = await stateOf(world)
      await setFlags(world, 'new')
      await rejudge(world)
      expect(await stateOf(world)).not.toEqual(before)
      const undone = await undo(world)
      expect([undone.statusCode, undone.json()]).toEqual([200, { changed: 7, accepted: 3 }])
      expect(await stateOf(world)).toEqual(before)
      expect((await forecast(world)).last).toBeNull()
      expect((await undo(world)).json().code).toBe('rejudge.none')
    },
  )

  test('undoing a rejudge restores the scoreboard with its bloods, and announces nothing', async () => {
    const world = await aMisjudgedChallenge()
    const bloods = async () => {
      const board = (await admin.get(`/api/game/${world.gameId}/scoreboard`)).json()
      return Object.values<{ id: number; bloods: { id: number }[] }[]>(board.challenges)
        .flat()
        .flatMap((challenge) => challenge.bloods.map(({ id }) => id))
    }
    const teamIds = (list: readonly { teamId: number }[]) => list.map(({ teamId }) => teamId)
    const before = [...teamIds(world.solvers), world.mover.teamId]
    await expect.poll(bloods, { timeout: 60_000 }).toEqual(before)
    const messages = context.messages.length
    await setFlags(world, 'new')
    await rejudge(world)
    await expect.poll(bloods, { timeout: 60_000 }).toEqual([world.mover.teamId, ...teamIds(world.triers)])
    await undo(world)
    await expect.poll(bloods, { timeout: 60_000 }).toEqual(before)
    const announced = context.messages.slice(messages).filter(({ kind }) => kind === 'notice' || kind === 'submission')
    expect(announced).toEqual([])
  })

  test('an undo reverts only the last rejudge that changed something', async () => {
    const world = await aMisjudgedChallenge()
    await setFlags(world, 'new')
    await rejudge(world)
    const second = await stateOf(world)
    await setFlags(world, 'old', 'new')
    await rejudge(world)
    expect((await rejudge(world)).changed).toBe(0)
    expect((await undo(world)).statusCode).toBe(200)
    expect(await stateOf(world)).toEqual(second)
    expect((await undo(world)).json().code).toBe('rejudge.none')
  })

  test('an undo retains submissions that were sent after the rejudge, and their solves', async () => {
    const game = await aGame(context.db)
    const challenge = await aChallenge(context.db, { gameId: game.id, flags: ['old'] })
    const world = { gameId: game.id, id: challenge.id }
    const players = await Promise.all(
      Array.from({ length: 4 }, () => aPlayer(context, { gameId: game.id, challengeIds: [challenge.id] })),
    )
    /** Submits a flag. @returns the id of the submission */
    const submit = async (player: number, flag: string): Promise<number> => {
      await players[player]!.client.post(`/api/game/${game.id}/challenges/${challenge.id}`, { flag })
      const [row] = await context.sql`select max(id) as id from submissions where challenge_id = ${challenge.id}`
      return row?.id
    }
    const lost = await submit(0, 'old')
    const gained = await submit(1, 'new')
    await admin.post(`${base(world)}/flags`, [{ flag: 'new' }])
    await context.sql`delete from flags where challenge_id = ${challenge.id} and flag = 'old'`
    await rejudge(world)
    const again = await submit(0, 'new')
    const repeated = await submit(1, 'new')
    const first = await submit(2, 'new')
    const wrong = await submit(3, 'old')
    expect((await undo(world)).json()).toEqual({ changed: 2, accepted: 3 })
    const { statuses, solves } = await stateOf(world)
    expect(statuses).toEqual([
      { id: lost, status: 'Accepted' },
      { id: gained, status: 'WrongAnswer' },
      { id: again, status: 'Accepted' },
      { id: repeated, status: 'Accepted' },
      { id: first, status: 'Accepted' },
      { id: wrong, status: 'WrongAnswer' },
    ])
    expect(solves.map((solve) => solve.submission_id).toSorted((one, other) => one - other)).toEqual([lost, repeated, first])
  })

  test('undoing a rejudge is refused if the end of the game or a verdict has changed since the rejudge', async () => {
    const moved = await aMisjudgedChallenge()
    await setFlags(moved, 'new')
    await rejudge(moved)
    await context.sql`update games set ends_at = ends_at + interval '1 minute' where id = ${moved.gameId}`
    const judged = await aMisjudgedChallenge()
    await setFlags(judged, 'new')
    await rejudge(judged)
    await context.sql`update submissions set status = 'CheatDetected' where challenge_id = ${judged.id} and answer = 'old'`
    for (const world of [moved, judged]) {
      const before = await stateOf(world)
      expect((await forecast(world)).last.canUndo).toBe(false)
      const refused = await undo(world)
      expect([refused.statusCode, refused.json().code]).toEqual([400, 'rejudge.outdated'])
      expect(await stateOf(world)).toEqual(before)
    }
  })

  test('an undo ignores data of a team that was deleted after the rejudge', async () => {
    const world = await aMisjudgedChallenge()
    await setFlags(world, 'new')
    await rejudge(world)
    await context.sql`delete from participations where id = ${world.solvers[0]!.id}`
    expect((await undo(world)).json()).toEqual({ changed: 6, accepted: 2 })
  })
})

describe('concurrent calls', () => {
  test('two rejudges and two undos at the same time leave one consistent state', async () => {
    const world = await aMisjudgedChallenge()
    const before = await stateOf(world)
    await setFlags(world, 'new')
    await rejudge(world)
    const after = await stateOf(world)
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all([
        admin.put(`${base(world)}/recalculatesubmissions`),
        undo(world),
        admin.put(`${base(world)}/recalculatesubmissions`),
        undo(world),
      ])
      for (const { statusCode } of answers) expect([200, 404]).toContain(statusCode)
      // The last call was either a rejudge or an undo. After a rejudge, a record exists, and another rejudge would change no
      // status. After an undo, no record exists.
      const { changed, last } = await forecast(world)
      expect(await stateOf(world)).toEqual(changed === 0 ? after : before)
      expect(last !== null).toBe(changed === 0)
      if (changed > 0) await rejudge(world)
    }
  })

  test('submissions during a rejudge lose no solve, and an undo retains the new solves', async () => {
    const game = await aGame(context.db)
    const challenge = await aChallenge(context.db, { gameId: game.id, flags: ['old'] })
    const world = { gameId: game.id, id: challenge.id }
    const players = await Promise.all(
      Array.from({ length: 12 }, () => aPlayer(context, { gameId: game.id, challengeIds: [challenge.id] })),
    )
    for (const { participation } of players.slice(0, 4))
      await aSubmission(context.db, participation, challenge.id, { answer: 'new', submittedAt: minutesAgo(3) })
    await admin.post(`${base(world)}/flags`, [{ flag: 'new' }])
    const submit = ({ client }: (typeof players)[number]) =>
      client.post(`/api/game/${game.id}/challenges/${challenge.id}`, { flag: 'new' })
    await Promise.all([rejudge(world), ...players.map(submit), rejudge(world)])
    const solved = async () => (await stateOf(world)).solves.map(({ participation_id }) => participation_id)
    const everybody = players.map(({ participation }) => participation.id).toSorted((one, other) => one - other)
    expect(await solved()).toEqual(everybody)
    expect((await forecast(world)).changed).toBe(0)
    await Promise.all([undo(world), ...players.map(submit)])
    expect(await solved()).toEqual(everybody)
    const { accepted } = await stateOf(world)
    expect(accepted).toBe(12)
  })
})
