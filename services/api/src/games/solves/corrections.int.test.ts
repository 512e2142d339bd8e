import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { isFullRun } from '../../testing/full-run.ts'
import { aChallenge, aGame } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'

let context: TestApp
let admin: TestClient
let adminName: string
beforeAll(async () => {
  context = await startTestApp()
  const { client, user } = await signInAsNewUser(context, 'Admin')
  admin = client
  adminName = user.userName
})
afterAll(() => context.close())

function outcome(response: { statusCode: number; body: string }) {
  return [response.statusCode, JSON.parse(response.body).code]
}

type Player = Awaited<ReturnType<typeof aPlayer>>

async function aStage(values: { players?: number; phase?: 'running' | 'ended'; submissionLimit?: number } = {}) {
  const { players = 2, phase = 'running', submissionLimit = 0 } = values
  const game = await aGame(context.db, { title: 'Autumn Cup', phase })
  const challenge = await aChallenge(context.db, {
    ...{ gameId: game.id, title: 'Ropes', category: 'Web', points: 1000, flags: ['flag{right}'], submissionLimit },
  })
  const list: Player[] = []
  for (let index = 0; index < players; index += 1)
    list.push(await aPlayer(context, { gameId: game.id, challengeIds: [challenge.id] }))
  const path = `/api/edit/games/${game.id}/corrections`
  const correct = (player: Player, kind: 'Granted' | 'TakenBack', body: object = {}) =>
    admin.post(path, { teamId: player.team.id, challengeId: challenge.id, kind, reason: 'The flag was wrong', ...body })
  const revoke = (id: number) => admin.delete(`${path}/${id}`)
  /** Submits an answer. @returns the verdict, with the id of the submission */
  const submit = async ({ client, participation }: Player, flag = 'flag{right}') => {
    const verdict = (await client.post(`/api/game/${game.id}/challenges/${challenge.id}/verdict`, { flag })).json()
    const [row] = await context.sql`
      select id from submissions where participation_id = ${participation.id} and number = ${verdict.id}`
    return { ...verdict, id: row?.id }
  }
  /** Returns the solves without their generated ids, and the accepted count. */
  const stored = async () => {
    const solves = await context.sql`
      select participation_id, submission_id, user_id, floor(extract(epoch from solved_at) * 1000)::float8 as solved_at
      from solves where game_id = ${game.id} order by participation_id`
    const [row] = await context.sql`select accepted_count from challenges where id = ${challenge.id}`
    return { solves: [...solves], accepted: row?.accepted_count }
  }
  const board = async () => (await list[0]!.client.get(`/api/game/${game.id}/scoreboard`)).json()
  const seen = async () => {
    const { items, challenges } = await board()
    const [{ solved, score, bloods }] = challenges.Web
    const teams = items.map(({ id, solvedChallenges }: { id: number; solvedChallenges: { type: string; score: number }[] }) => [
      id,
      ...solvedChallenges.map(({ type, score: points }) => [type, points]),
    ])
    return { solved, score, bloods: bloods.map(({ id }: { id: number }) => id), teams }
  }
  return { game, challenge, players: list, path, correct, revoke, submit, stored, seen }
}

describe('a solve that is taken back', () => {
  test('if an admin takes back a solve, the blood moves to the next solve', async () => {
    const { players, correct, revoke, submit, stored, seen } = await aStage()
    const [first, second] = players as [Player, Player]
    await submit(first)
    context.clock.advanceMs(60_000)
    await submit(second)
    // With two solvers the value of the challenge is 864. The bonus is 5 % for the first and 3 % for the second team.
    const both = {
      ...{ solved: 2, score: 864, bloods: [first.team.id, second.team.id] },
      teams: [
        [first.team.id, ['FirstBlood', 907]],
        [second.team.id, ['SecondBlood', 890]],
      ],
    }
    await expect.poll(seen, { timeout: 60_000 }).toEqual(both)
    const before = await stored()
    const { id } = (await correct(first, 'TakenBack')).json()
    expect(await stored()).toEqual({ solves: before.solves.slice(1), accepted: 1 })
    await expect.poll(seen, { timeout: 60_000 }).toEqual({
      ...{ solved: 1, score: 1000, bloods: [second.team.id] },
      teams: [[second.team.id, ['FirstBlood', 1050]], [first.team.id]],
    })
    await revoke(id)
    expect(await stored()).toEqual(before)
    await expect.poll(seen, { timeout: 60_000 }).toEqual(both)
  })

  test('taking a solve back leaves the number of attempts unchanged, and the team may solve again', async () => {
    const { game, challenge, players, correct, revoke, submit, stored } = await aStage({ players: 1, submissionLimit: 4 })
    const [player] = players as [Player]
    const attempts = async () => (await player.client.get(`/api/game/${game.id}/challenges/${challenge.id}`)).json().attempts
    await submit(player, 'flag{wrong}')
    await submit(player)
    const before = await stored()
    const { id } = (await correct(player, 'TakenBack')).json()
    expect(await attempts()).toBe(2)
    context.clock.advanceMs(60_000)
    expect((await submit(player)).status).toBe('Accepted')
    expect((await stored()).solves).toMatchObject([{ solved_at: context.clock.now().getTime() }])
    expect(await attempts()).toBe(3)
    const again = (await correct(player, 'TakenBack')).json()
    expect((await stored()).solves).toEqual([])
    await revoke(id)
    expect((await stored()).solves).toEqual([])
    await revoke(again.id)
    expect(await stored()).toEqual(before)
  })
})

describe('a granted solve', () => {
  test('a granted solve counts at the given time, takes the blood, and disappears after the revocation', async () => {
    const { players, correct, revoke, submit, stored, seen } = await aStage()
    const [first, second] = players as [Player, Player]
    await submit(first)
    const before = await stored()
    const solvedAt = context.clock.now().getTime() - 1_800_000
    const { id } = (await correct(second, 'Granted', { solvedAt })).json()
    expect((await stored()).solves[1]).toMatchObject({ user_id: null, solved_at: solvedAt })
    await expect.poll(seen, { timeout: 60_000 }).toMatchObject({ bloods: [second.team.id, first.team.id] })
    await revoke(id)
    expect(await stored()).toEqual(before)
  })

  test('a granted solve is not an attempt, and after its revocation a later right answer becomes the solve', async () => {
    const { game, challenge, players, correct, revoke, submit, stored } = await aStage({ players: 1, submissionLimit: 2 })
    const [player] = players as [Player]
    const base = `/api/game/${game.id}/challenges/${challenge.id}`
    const { id } = (await correct(player, 'Granted')).json()
    expect((await player.client.get(base)).json().attempts).toBe(0)
    expect((await player.client.get(`${base}/attempts`)).json()).toEqual([])
    context.clock.advanceMs(60_000)
    const answered = await submit(player)
    expect(answered).toMatchObject({ status: 'Accepted', solve: null })
    await revoke(id)
    expect((await stored()).solves).toMatchObject([{ submission_id: answered.id }])
  })

  test('a granted solve is stored only once if 64 parallel calls grant it', async () => {
    const { players, correct, stored, seen } = await aStage({ players: 1 })
    const answers = await Promise.all(Array.from({ length: 64 }, () => correct(players[0]!, 'Granted')))
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
    expect(outcome(answers.find(({ statusCode }) => statusCode !== 200)!)).toEqual([400, 'correction.solved'])
    expect(await stored()).toMatchObject({ solves: [{}], accepted: 1 })
    await expect.poll(seen, { timeout: 60_000 }).toMatchObject({ solved: 1 })
  })

  test('parallel grants and right answers leave exactly one solve', async () => {
    const { players, correct, submit, stored } = await aStage({ players: 1 })
    const [player] = players as [Player]
    await Promise.all(Array.from({ length: 32 }, (_, index) => (index % 2 ? correct(player, 'Granted') : submit(player))))
    expect(await stored()).toMatchObject({ solves: [{}], accepted: 1 })
  })

  test.each([
    ['before the start', (start: number) => start - 1, [400, 'correction.time']],
    ['at the start', (start: number) => start, [200, undefined]],
    ['just before the end', (_start: number, end: number) => end - 1, [200, undefined]],
    ['at the end', (_start: number, end: number) => end, [400, 'correction.time']],
    ['after the largest time', () => Number.MAX_SAFE_INTEGER, [400, 'correction.time']],
  ])('accepts or refuses a granted solve by its time: %s', async (_what, timeOf, expected) => {
    const { game, players, correct } = await aStage({ players: 1, phase: 'ended' })
    const solvedAt = timeOf(game.startsAt.getTime(), game.endsAt.getTime())
    expect(outcome(await correct(players[0]!, 'Granted', { solvedAt }))).toEqual(expected)
  })

  test('a grant with the time of the deadline is refused, and a grant with a time just before the deadline is accepted', async () => {
    const { challenge, players, correct } = await aStage({ players: 1 })
    const deadline = context.clock.now().getTime() - 60_000
    await context.sql`update challenges set deadline_at = ${new Date(deadline).toISOString()} where id = ${challenge.id}`
    expect(outcome(await correct(players[0]!, 'Granted', { solvedAt: deadline }))).toEqual([400, 'correction.time'])
    expect(outcome(await correct(players[0]!, 'Granted', { solvedAt: deadline - 1 }))).toEqual([200, undefined])
  })

  test('a grant is refused if its time is in the future, or if it has no time and the game has ended', async () => {
    const running = await aStage({ players: 1 })
    const solvedAt = context.clock.now().getTime() + 1
    expect(outcome(await running.correct(running.players[0]!, 'Granted', { solvedAt }))).toEqual([400, 'correction.time'])
    const over = await aStage({ players: 1, phase: 'ended' })
    expect(outcome(await over.correct(over.players[0]!, 'Granted'))).toEqual([400, 'correction.time'])
  })
})

describe('a correction', () => {
  test('a correction is listed and logged with author and revocation', async () => {
    const { game, challenge, players, path, correct, revoke } = await aStage()
    const [player, rival] = players as [Player, Player]
    const now = context.clock.now().getTime()
    const correction = (await correct(player, 'Granted', { reason: ' Typo in the flag ' })).json()
    expect(correction).toEqual({
      ...{ id: expect.any(Number), teamId: player.team.id, team: player.team.name, challengeId: challenge.id },
      ...{ challenge: 'Ropes', kind: 'Granted', reason: 'Typo in the flag', solvedAt: now, time: now },
      ...{ author: adminName, revokedAt: null, revokedBy: null },
    })
    const revoked = (await revoke(correction.id)).json()
    expect(revoked).toEqual({ ...correction, revokedAt: now, revokedBy: adminName })
    expect(outcome(await revoke(correction.id))).toEqual([400, 'correction.revoked'])
    expect((await admin.get(path)).json()).toEqual({ data: [revoked], length: 1, total: 1 })
    expect((await admin.get(`${path}?teamId=${rival.team.id}`)).json()).toEqual({ data: [], length: 0, total: 0 })
    expect(context.logLines.map(({ message }) => message).slice(-2)).toEqual([
      `Granted the solve of "Ropes" by team "${player.team.name}" in "${game.title}": Typo in the flag`,
      `Revoked the granted solve of "Ropes" by team "${player.team.name}" in "${game.title}": Typo in the flag`,
    ])
  })

  test('a correction is refused if the solve, team, challenge or correction does not exist', async () => {
    const { players, correct, revoke } = await aStage({ players: 1 })
    const [player] = players as [Player]
    const elsewhere = await aStage({ players: 1 })
    expect(outcome(await correct(player, 'TakenBack'))).toEqual([400, 'correction.unsolved'])
    expect(outcome(await correct(elsewhere.players[0]!, 'Granted'))).toEqual([404, 'participation.unknown'])
    const challengeId = elsewhere.challenge.id
    expect(outcome(await correct(player, 'Granted', { challengeId }))).toEqual([404, 'challenge.unknown'])
    const { id } = (await elsewhere.correct(elsewhere.players[0]!, 'Granted')).json()
    expect(outcome(await revoke(id))).toEqual([404, 'correction.unknown'])
  })

  test('a correction remains valid after a rejudge, and after an organizer changes the end of the game', async () => {
    const { game, challenge, players, correct, submit, stored } = await aStage()
    const [taken, granted] = players as [Player, Player]
    await submit(taken)
    await context.sql`update flags set flag = 'flag{other}' where challenge_id = ${challenge.id}`
    const base = `/api/edit/games/${game.id}/challenges/${challenge.id}`
    await admin.put(`${base}/recalculatesubmissions`)
    await context.sql`update flags set flag = 'flag{right}' where challenge_id = ${challenge.id}`
    await correct(granted, 'Granted')
    expect(outcome(await admin.post(`${base}/rejudge/undo`))).toEqual([400, 'rejudge.outdated'])
    await admin.put(`${base}/recalculatesubmissions`)
    await correct(taken, 'TakenBack')
    const corrected = await stored()
    expect(corrected.solves).toMatchObject([{ participation_id: granted.participation.id }])
    expect((await admin.put(`${base}/recalculatesubmissions`)).json()).toMatchObject({ changed: 0, accepted: 1 })
    expect(await stored()).toEqual(corrected)
    const { body } = await admin.get(`/api/edit/games/${game.id}`)
    const settings = JSON.parse(body)
    const withEnd = (end: Date) => admin.put(`/api/edit/games/${game.id}`, { ...settings, end: end.toISOString() })
    await withEnd(new Date(game.startsAt.getTime() + 60_000))
    expect((await stored()).solves).toEqual([])
    await withEnd(game.endsAt)
    expect(await stored()).toEqual(corrected)
  })
})

/** Number of random steps (CONTRIBUTING, "Short and full runs"). */
const steps = isFullRun ? 400 : 120

test('any history of submissions and corrections results in the same solves as a simple second implementation', async () => {
  const { challenge, players, correct, revoke, submit, stored } = await aStage({ players: 3 })
  type Correction = { id: number; team: number; kind: string; at: number; isRevoked: boolean }
  type Right = { id: number; team: number; at: number; correction?: number }
  const [corrections, right]: [Correction[], Right[]] = [[], []]
  const step = fc.record({
    what: fc.constantFrom('submit', 'submit', 'Granted', 'TakenBack', 'revoke'),
    team: fc.integer({ min: 0, max: 2 }),
    pick: fc.nat(),
  })
  const [list = []] = fc.sample(fc.array(step, { minLength: steps, maxLength: steps, size: 'max' }), { seed: 8, numRuns: 1 })
  /**
   * Returns the first right submission that no active correction takes back. A granted submission counts until its correction is
   * revoked.
   */
  const solveOf = (team: number) => {
    const counted = right.filter((one) => {
      if (one.team !== team) return false
      if (one.correction !== undefined && corrections.some(({ id, isRevoked }) => id === one.correction && isRevoked))
        return false
      return !corrections.some(
        (correction) =>
          correction.team === team && correction.kind === 'TakenBack' && !correction.isRevoked && correction.at > one.at,
      )
    })
    return counted[0]?.id
  }
  for (const [at, { what, team, pick }] of list.entries()) {
    const player = players[team]!
    context.clock.advanceMs(1_000)
    if (what === 'submit') right.push({ id: (await submit(player)).id, team, at })
    else if (what === 'revoke') {
      const open = corrections.filter(({ isRevoked }) => !isRevoked)
      const chosen = open[pick % Math.max(1, open.length)]
      if (chosen) {
        expect((await revoke(chosen.id)).statusCode).toBe(200)
        chosen.isRevoked = true
      }
    } else {
      const isPossible = (solveOf(team) === undefined) === (what === 'Granted')
      const answer = await correct(player, what as 'Granted' | 'TakenBack')
      expect(answer.statusCode).toBe(isPossible ? 200 : 400)
      if (isPossible) {
        const { id } = answer.json()
        corrections.push({ id, team, kind: what, at, isRevoked: false })
        const [row] = await context.sql`select submission_id from solve_corrections where id = ${id}`
        if (what === 'Granted') right.push({ id: row!.submission_id, team, at, correction: id })
      }
    }
    const { solves, accepted } = await stored()
    const expected = players.flatMap(({ participation }, index) => {
      const submissionId = solveOf(index)
      return submissionId === undefined ? [] : [{ participation_id: participation.id, submission_id: submissionId }]
    })
    expect(solves.map(({ participation_id, submission_id }) => ({ participation_id, submission_id }))).toEqual(expected)
    expect(accepted).toBe(expected.length)
  }
  const [row] = await context.sql`select count(*)::int as n from solve_corrections where challenge_id = ${challenge.id}`
  expect(row!.n).toBe(corrections.length)
})
