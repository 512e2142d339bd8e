import { surveyAnswers } from '@capstan/db/schema/surveys'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame } from '../../testing/organizing-factories.ts'
import { aPlayer, aTeamMate } from '../../testing/playing-factories.ts'

let context: TestApp
let monitor: TestClient
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp({ config: { publicOrigin: 'http://ctf.example.org' } })
  monitor = (await signInAsNewUser(context, 'Monitor')).client
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

function outcome(response: { statusCode: number; body: string }) {
  return [response.statusCode, JSON.parse(response.body).code]
}

async function aStage(survey: 'Off' | 'Named' | 'Anonymous', phase: 'running' | 'ended' = 'ended') {
  const game = await aGame(context.db, { phase, survey })
  const challenge = await aChallenge(context.db, { gameId: game.id, title: 'Knots' })
  const hidden = await aChallenge(context.db, { gameId: game.id, title: 'Secret', isEnabled: false })
  const player = await aPlayer(context, { gameId: game.id })
  const mate = await aTeamMate(context, player)
  const [path, desk] = [`/api/game/${game.id}/survey`, `/api/game/${game.id}/monitor/survey`]
  const answer = (client: TestClient, ...answers: object[]) => client.put(path, { mode: survey, answers })
  const results = async () => (await monitor.get(desk)).json()
  const rows = () => context.db.select().from(surveyAnswers).where(eq(surveyAnswers.gameId, game.id))
  /** Changes the survey mode by a call of an admin. */
  const setMode = async (mode: string) => {
    const stored = (await admin.get(`/api/edit/games/${game.id}`)).json()
    return admin.put(`/api/edit/games/${game.id}`, { ...stored, survey: mode })
  }
  return { game, challenge, hidden, player, mate, path, desk, answer, results, rows, setMode }
}

const aboutGame = { challengeId: null, rating: 4, text: 'Fine' }

describe('surveys', () => {
  test('each player has one answer for the game and for each challenge, and a new answer replaces it', async () => {
    const { challenge, player, mate, path, answer, rows } = await aStage('Named')
    expect((await player.client.get(path)).json()).toEqual({
      mode: 'Named',
      challenges: [{ id: challenge.id, title: 'Knots' }],
      answers: [],
    })
    const aboutKnots = { challengeId: challenge.id, rating: null, text: '  Too easy ' }
    const first = (await answer(player.client, aboutGame, aboutKnots)).json()
    expect(first.answers).toEqual([{ ...aboutKnots, text: 'Too easy' }, aboutGame])
    await answer(mate.client, { ...aboutGame, rating: 1 })
    const second = (await answer(player.client, { ...aboutGame, rating: 2 }, { ...aboutKnots, text: ' ' })).json()
    expect(second.answers).toEqual([{ ...aboutGame, rating: 2 }])
    expect((await player.client.get(path)).json()).toEqual(second)
    expect((await rows()).map(({ userId, rating }) => [userId, rating]).sort()).toEqual(
      [
        [player.user.id, 2],
        [mate.user.id, 1],
      ].sort(),
    )
  })

  test.each(['Named', 'Anonymous'] as const)('a player can send concurrent answers in the mode %s', async (mode) => {
    const { challenge, player, answer, rows } = await aStage(mode)
    const calls = Array.from({ length: 8 }, (_, index) =>
      answer(player.client, index % 2 === 0 ? aboutGame : { ...aboutGame, challengeId: challenge.id }),
    )
    for (const { statusCode } of await Promise.all(calls)) expect(statusCode).toBe(200)
    expect(await rows()).toHaveLength(1)
  })

  test('the api accepts survey answers only after the game, and only from accepted teams', async () => {
    const running = await aStage('Named', 'running')
    expect(outcome(await running.player.client.get(running.path))).toEqual([400, 'game.not-over'])
    expect(outcome(await running.answer(running.player.client, aboutGame))).toEqual([400, 'game.not-over'])
    const off = await aStage('Off')
    expect(outcome(await off.player.client.get(off.path))).toEqual([400, 'survey.off'])
    expect(outcome(await off.player.client.put(off.path, { mode: 'Named', answers: [aboutGame] }))).toEqual([400, 'survey.off'])
    const { game, answer, path, rows } = await aStage('Named')
    const waiting = await aPlayer(context, { gameId: game.id, status: 'Pending' })
    const stranger = await signInAsNewUser(context)
    expect(outcome(await answer(waiting.client, aboutGame))).toEqual([400, 'participation.not-accepted'])
    expect(outcome(await stranger.client.get(path))).toEqual([400, 'participation.required'])
    expect(await rows()).toEqual([])
  })

  test('ratings that do not exist, long texts, and challenges that the team does not see are refused', async () => {
    const { hidden, player, answer, rows } = await aStage('Named')
    for (const bad of [{ rating: 0 }, { rating: 6 }, { text: 'x'.repeat(1_001) }])
      expect((await answer(player.client, { ...aboutGame, ...bad })).statusCode).toBe(400)
    expect(outcome(await answer(player.client, { ...aboutGame, challengeId: hidden.id }))).toEqual([404, 'challenge.unknown'])
    expect(await rows()).toEqual([])
  })

  test('a survey with names shows the authors in the results of each challenge and in the spreadsheets', async () => {
    const { challenge, player, mate, desk, answer, results } = await aStage('Named')
    await answer(player.client, aboutGame, { challengeId: challenge.id, rating: 5, text: '' })
    await answer(mate.client, { ...aboutGame, rating: 1, text: '=1+1' }, { challengeId: challenge.id, rating: 4, text: '' })
    expect(await results()).toEqual({
      mode: 'Named',
      results: [
        {
          ...{ challengeId: null, title: null, answers: 2, ratings: [1, 0, 0, 1, 0], mean: 2.5, textCount: 2 },
          texts: [
            { rating: 1, text: '=1+1', author: mate.user.userName },
            { rating: 4, text: 'Fine', author: player.user.userName },
          ],
        },
        {
          ...{ challengeId: challenge.id, title: 'Knots', answers: 2, ratings: [0, 0, 0, 1, 1], mean: 4.5 },
          ...{ textCount: 0, texts: [] },
        },
      ],
    })
    const csv = (await monitor.get(`${desk}.csv`)).body
    expect(csv).toContain(player.user.userName)
    expect(csv).toContain("'=1+1")
    expect((await monitor.get(`${desk}.xlsx`)).rawPayload.subarray(0, 2).toString()).toBe('PK')
  })

  test('a survey without answers has empty results', async () => {
    const { results } = await aStage('Anonymous')
    const empty = { challengeId: null, title: null, answers: 0, ratings: [0, 0, 0, 0, 0], mean: null, textCount: 0, texts: [] }
    expect(await results()).toEqual({ mode: 'Anonymous', results: [empty] })
  })
})

describe('anonymous surveys', () => {
  test('an anonymous survey stores one answer of each player, and rows, results and spreadsheets contain no users', async () => {
    const { challenge, player, mate, path, desk, answer, results, rows } = await aStage('Anonymous')
    const aboutKnots = { challengeId: challenge.id, rating: 3, text: 'Zigzag' }
    await answer(player.client, { ...aboutGame, text: 'Zebra' }, aboutKnots)
    await answer(player.client, { ...aboutGame, text: 'Zebra' }, aboutKnots)
    await answer(mate.client, { ...aboutGame, text: 'Ant' })
    expect((await player.client.get(path)).json().answers).toHaveLength(2)
    expect(await rows()).toHaveLength(3)
    const shown = [JSON.stringify(await rows()), JSON.stringify(await results()), (await monitor.get(`${desk}.csv`)).body]
    for (const { user } of [player, mate])
      for (const text of shown) {
        expect(text).not.toContain(user.id)
        expect(text).not.toContain(user.userName)
      }
    // Texts are sorted alphabetically, which hides the order of the answers.
    expect((await results()).results[0].texts).toEqual([
      { rating: 4, text: 'Ant', author: null },
      { rating: 4, text: 'Zebra', author: null },
    ])
  })

  test('an anonymous survey stores different hashes for the same user in different games', async () => {
    const [first, second] = [await aStage('Anonymous'), await aStage('Anonymous')]
    const path = `/api/game/${second.game.id}/survey`
    await context.sql`
      insert into participation_members (participation_id, game_id, user_id)
      values (${second.player.participation.id}, ${second.game.id}, ${first.player.user.id})`
    await first.answer(first.player.client, aboutGame)
    expect((await first.player.client.put(path, { mode: 'Anonymous', answers: [aboutGame] })).statusCode).toBe(200)
    const [[one], [other]] = [await first.rows(), await second.rows()]
    expect(one!.authorHash).toMatch(/^[0-9a-f]{64}$/)
    expect(other!.authorHash).not.toBe(one!.authorHash)
  })

  test('an answer to an anonymous survey is refused if the survey now shows names', async () => {
    const { player, answer, setMode, rows } = await aStage('Anonymous')
    await setMode('Named')
    expect(outcome(await answer(player.client, aboutGame))).toEqual([409, 'survey.changed'])
    expect(await rows()).toEqual([])
  })

  test('an anonymous survey with answers cannot show names, but can be disabled and enabled again', async () => {
    const { player, path, answer, setMode, results } = await aStage('Anonymous')
    expect((await setMode('Named')).statusCode).toBe(200)
    expect((await setMode('Anonymous')).statusCode).toBe(200)
    await answer(player.client, aboutGame)
    expect(outcome(await setMode('Named'))).toEqual([400, 'survey.answered'])
    expect((await setMode('Off')).statusCode).toBe(200)
    expect(outcome(await setMode('Named'))).toEqual([400, 'survey.answered'])
    expect(outcome(await player.client.get(path))).toEqual([400, 'survey.off'])
    expect((await results()).results[0].answers).toBe(1)
    expect((await setMode('Anonymous')).json().survey).toBe('Anonymous')
    expect((await player.client.get(path)).json().answers).toEqual([aboutGame])
  })
})

describe('surveys with names', () => {
  test('a survey with names cannot become anonymous after it has answers', async () => {
    const { player, answer, setMode } = await aStage('Named')
    await answer(player.client, aboutGame)
    expect(outcome(await setMode('Anonymous'))).toEqual([400, 'survey.answered'])
  })
})

test('a copy of a game has the same survey setting and no answers', async () => {
  const { game, player, answer } = await aStage('Anonymous')
  await answer(player.client, aboutGame)
  const body = { title: 'Again', start: new Date().toISOString() }
  const copy = (await admin.post(`/api/edit/games/${game.id}/clone`, body)).json()
  expect(copy.survey).toBe('Anonymous')
  expect((await monitor.get(`/api/game/${copy.id}/monitor/survey`)).json().results).toMatchObject([{ answers: 0 }])
})
