import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, aSubmission } from '../../testing/organizing-factories.ts'
import { aPlayer, aTeamMate } from '../../testing/playing-factories.ts'

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
function pathOf(gameId: number, id?: number) {
  return `/api/edit/games/${gameId}/awards${id === undefined ? '' : `/${id}`}`
}

async function aStage() {
  const game = await aGame(context.db, { title: 'Autumn Cup' })
  const [player, rival] = [await aPlayer(context, { gameId: game.id }), await aPlayer(context, { gameId: game.id })]
  const give = async (body: object) => admin.post(pathOf(game.id), { teamId: player.team.id, reason: 'A talk', ...body })
  const boardRow = async () => {
    const { items } = (await player.client.get(`/api/game/${game.id}/scoreboard`)).json()
    return items.find(({ id }: { id: number }) => id === player.team.id)
  }
  return { game, player, rival, give, boardRow }
}

describe('an award', () => {
  test('an award counts on the board from its time on, and its revocation restores the board', async () => {
    const { game, player, rival, give, boardRow } = await aStage()
    const challenge = await aChallenge(context.db, { gameId: game.id, points: 1000, hasBloods: false })
    const solvedAt = new Date(context.clock.now().getTime() - 60_000)
    await aSubmission(context.db, rival.participation, challenge.id, { solve: true, submittedAt: solvedAt })
    await aSubmission(context.db, player.participation, challenge.id, { solve: true, submittedAt: solvedAt })
    await expect.poll(async () => (await boardRow())?.solvedCount, { timeout: 60_000 }).toBe(1)
    const before = await boardRow()
    expect(before.awards).toBeUndefined()
    const award = (await give({ points: 40 })).json()
    await give({ points: -5, reason: 'Noise' })
    await expect.poll(async () => (await boardRow()).score, { timeout: 60_000 }).toBe(before.score + 35)
    expect(await boardRow()).toMatchObject({
      lastSubmissionTime: before.lastSubmissionTime,
      awards: [{ points: 40, time: award.time }, { points: -5 }],
    })
    const { timeLines } = (await player.client.get(`/api/game/${game.id}/scoreboard`)).json()
    const line = timeLines.all.find(({ id }: { id: number }) => id === player.team.id)
    expect(line.items.map(({ score }: { score: number }) => score)).toEqual([before.score, before.score + 40, before.score + 35])
    for (const { id } of (await admin.get(pathOf(game.id))).json().data) await admin.delete(pathOf(game.id, id))
    await expect.poll(boardRow, { timeout: 60_000 }).toEqual(before)
  })

  test('an award remains in the list after its revocation, with author and time of the revocation', async () => {
    const { game, player, rival, give } = await aStage()
    const award = (await give({ points: 40, reason: '  A talk ' })).json()
    expect(award).toEqual({
      ...{ id: expect.any(Number), teamId: player.team.id, team: player.team.name, points: 40, reason: 'A talk' },
      ...{ isReasonShown: true, time: context.clock.now().getTime(), author: adminName, revokedAt: null, revokedBy: null },
    })
    const hidden = (await give({ teamId: rival.team.id, points: -7, isReasonShown: false })).json()
    const revoked = (await admin.delete(pathOf(game.id, award.id))).json()
    expect(revoked).toEqual({ ...award, revokedAt: context.clock.now().getTime(), revokedBy: adminName })
    expect((await admin.get(pathOf(game.id))).json()).toEqual({ data: [hidden, revoked], length: 2, total: 2 })
    expect((await admin.get(`${pathOf(game.id)}?teamId=${player.team.id}&count=1`)).json()).toEqual({
      ...{ data: [revoked], length: 1, total: 1 },
    })
    expect(context.logLines.map(({ message }) => message).slice(-3)).toEqual([
      `Gave 40 points to team "${player.team.name}" in "Autumn Cup": A talk`,
      `Took 7 points from team "${rival.team.name}" in "Autumn Cup": A talk`,
      `Revoked an award of 40 points of team "${player.team.name}" in "Autumn Cup": A talk`,
    ])
  })

  test('members see the awards of their team, but not the reasons that an organizer hides', async () => {
    const { game, player, rival, give } = await aStage()
    await give({ teamId: rival.team.id, points: 7 })
    const shown = (await give({ points: 40 })).json()
    await give({ teamId: rival.team.id, points: 7 })
    const hidden = (await give({ points: -5, isReasonShown: false })).json()
    const revoked = (await give({ points: 9 })).json()
    await admin.delete(pathOf(game.id, revoked.id))
    const last = (await give({ points: 3 })).json()
    const list = async (client: TestClient) => (await client.get(`/api/game/${game.id}/awards`)).json()
    expect(await list(player.client)).toEqual([
      { id: 1, points: 40, reason: 'A talk', time: shown.time },
      { id: 2, points: -5, reason: null, time: hidden.time },
      { id: 4, points: 3, reason: 'A talk', time: last.time },
    ])
    expect(await list((await aTeamMate(context, player)).client)).toHaveLength(3)
    expect((await list(rival.client)).map(({ id }: { id: number }) => id)).toEqual([1, 2])
    expect(await list((await signInAsNewUser(context)).client)).toEqual([])
  })

  test('an award can be revoked only once, even by 64 parallel calls', async () => {
    const { game, give } = await aStage()
    const { id } = (await give({ points: 40 })).json()
    const answers = await Promise.all(Array.from({ length: 64 }, () => admin.delete(pathOf(game.id, id))))
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
    expect(outcome(answers.find(({ statusCode }) => statusCode !== 200)!)).toEqual([400, 'award.revoked'])
  })

  test.each([
    ['of 0 points', { points: 0 }, [400, 'award.zero']],
    ['with a blank reason', { points: 5, reason: '  ' }, [400, 'request.invalid']],
    ['with too many points', { points: 1_000_001 }, [400, 'request.invalid']],
    ['with a fraction', { points: 0.5 }, [400, 'request.invalid']],
    ['with a long reason', { points: 5, reason: 'x'.repeat(201) }, [400, 'request.invalid']],
    ['for a team of no game', { points: 5, teamId: 2_000_000_000 }, [404, 'participation.unknown']],
  ])('%s is refused', async (_what, body, expected) => {
    const { give } = await aStage()
    expect(outcome(await give(body))).toEqual(expected)
  })

  test('an award of another game is not found', async () => {
    const { give } = await aStage()
    const { id } = (await give({ points: 40 })).json()
    const { game } = await aStage()
    expect(outcome(await admin.delete(pathOf(game.id, id)))).toEqual([404, 'award.unknown'])
  })
})
