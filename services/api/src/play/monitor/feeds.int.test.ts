import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { aUser, signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aCheat, aGame, anEvent, aParticipation, aSubmission } from '../../testing/organizing-factories.ts'

let context: TestApp
let monitor: TestClient
beforeAll(async () => {
  context = await startTestApp()
  monitor = (await signInAsNewUser(context, 'Monitor')).client
})
afterAll(() => context.close())

function at(second: number) {
  return new Date(Date.UTC(2030, 0, 1, 0, 0, second))
}
function query(parts: Readonly<Record<string, string | number | boolean>>) {
  return Object.entries(parts)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')
}

/** Creates a game with two teams, two challenges and five submissions. */
async function aBusyGame() {
  const heap = await aChallenge(context.db, { title: 'Heap 100%' })
  const { gameId } = heap
  const rsa = await aChallenge(context.db, { gameId, title: 'Baby_RSA' })
  const reds = await aParticipation(context.db, { gameId })
  const blues = await aParticipation(context.db, { gameId })
  const mira = await aUser(context.db)
  await aSubmission(context.db, reds, heap.id, { answer: 'flag{a.b}', userId: mira.id, submittedAt: at(1) })
  await aSubmission(context.db, reds, rsa.id, { answer: 'flag{aXb}', status: 'Accepted', submittedAt: at(2) })
  await aSubmission(context.db, blues, heap.id, { answer: 'back\\slash', submittedAt: at(3) })
  await aSubmission(context.db, blues, rsa.id, { answer: '50%', status: 'CheatDetected', submittedAt: at(4) })
  await aSubmission(context.db, blues, rsa.id, { answer: 'a_b', submittedAt: at(5) })
  return { gameId, heap, rsa, reds, blues, mira }
}

describe('search for submissions', () => {
  const find = async (gameId: number, parts: Parameters<typeof query>[0] = {}) =>
    (await monitor.get(`/api/game/${gameId}/monitor/submissions?${query(parts)}`)).json()
  const answers = async (gameId: number, parts: Parameters<typeof query>[0]) =>
    (await find(gameId, parts)).data.map(({ answer }: { answer: string }) => answer)

  test('each submission contains the ids of team, user and challenge', async () => {
    const { gameId, heap, reds, mira } = await aBusyGame()
    const found = await find(gameId)
    expect(found.total).toBe(5)
    expect(found.data[4]).toEqual({
      id: expect.any(Number),
      answer: 'flag{a.b}',
      status: 'WrongAnswer',
      time: '2030-01-01T00:00:01.000Z',
      user: mira.userName,
      userId: mira.id,
      team: reds.team.name,
      teamId: reds.teamId,
      challenge: 'Heap 100%',
      challengeId: heap.id,
    })
    expect(found.data[0]).toMatchObject({ answer: 'a_b', user: '', userId: null })
  })

  test('each word of the search must match a field of the submission, and special characters have no effect', async () => {
    const { gameId, reds, mira } = await aBusyGame()
    expect(await answers(gameId, { hint: 'FLAG{A.B}' })).toEqual(['flag{a.b}'])
    expect(await answers(gameId, { hint: '100%' })).toEqual(['back\\slash', 'flag{a.b}'])
    expect(await answers(gameId, { hint: '0%' })).toEqual(['50%', 'back\\slash', 'flag{a.b}'])
    expect(await answers(gameId, { hint: 'a_b' })).toEqual(['a_b'])
    expect(await answers(gameId, { hint: '\\' })).toEqual(['back\\slash'])
    expect(await answers(gameId, { hint: '.*' })).toEqual([])
    expect(await answers(gameId, { hint: `baby ${reds.team.name.toUpperCase()}` })).toEqual(['flag{aXb}'])
    expect(await answers(gameId, { hint: mira.userName })).toEqual(['flag{a.b}'])
  })

  test('submissions can be filtered by team, challenge, status and time together', async () => {
    const { gameId, rsa, blues, reds } = await aBusyGame()
    expect(await answers(gameId, { team: reds.teamId })).toEqual(['flag{aXb}', 'flag{a.b}'])
    expect(await answers(gameId, { team: blues.teamId, challenge: rsa.id })).toEqual(['a_b', '50%'])
    expect(await answers(gameId, { team: blues.teamId, challenge: rsa.id, type: 'CheatDetected' })).toEqual(['50%'])
    expect(await answers(gameId, { type: 'WrongAnswer', until: at(3).toISOString() })).toEqual(['back\\slash', 'flag{a.b}'])
    expect(await answers(gameId, { from: at(2).toISOString(), until: at(4).toISOString() })).toEqual([
      '50%',
      'back\\slash',
      'flag{aXb}',
    ])
  })

  test('every filter returns only submissions of the given game', async () => {
    const { gameId } = await aBusyGame()
    const other = await aBusyGame()
    expect(await answers(gameId, { team: other.reds.teamId })).toEqual([])
    expect(await answers(gameId, { challenge: other.rsa.id })).toEqual([])
    expect(await answers(gameId, { hint: other.reds.team.name })).toEqual([])
  })

  test('submissions are paged, and every page has the total, even a page beyond the end', async () => {
    const { gameId } = await aBusyGame()
    const page = async (count: number, skip: number) => {
      const { data, total } = await find(gameId, { count, skip })
      return [data.map(({ answer }: { answer: string }) => answer), total]
    }
    expect(await page(2, 0)).toEqual([['a_b', '50%'], 5])
    expect(await page(2, 2)).toEqual([['back\\slash', 'flag{aXb}'], 5])
    expect(await page(2, 4)).toEqual([['flag{a.b}'], 5])
    expect(await page(2, 6)).toEqual([[], 5])
  })

  test('submissions are counted only up to the maximum', async () => {
    const challenge = await aChallenge(context.db)
    const { id, teamId } = await aParticipation(context.db, { gameId: challenge.gameId })
    await context.sql`
      insert into submissions (game_id, challenge_id, participation_id, team_id, answer, status, submitted_at, attempt)
      select ${challenge.gameId}, ${challenge.id}, ${id}, ${teamId}, 'guess ' || number, 'WrongAnswer', now(), gen_random_uuid()
      from generate_series(1, 10500) as number`
    expect((await find(challenge.gameId, { count: 1 })).total).toBe(10_001)
    const deep = await find(challenge.gameId, { count: 10, skip: 10_200 })
    expect([deep.data[0].answer, deep.total]).toEqual(['guess 300', 10_211])
    expect((await find(challenge.gameId, { count: 10, skip: 10_495 })).total).toBe(10_500)
  })

  test('a search for submissions with an invalid filter is refused', async () => {
    const { gameId } = await aBusyGame()
    for (const parts of [
      { team: 0 },
      { challenge: 'x' },
      { from: 'yesterday' },
      { type: 'Other' },
      { hint: ' ' },
      { hint: 'x'.repeat(257) },
    ]) {
      const answer = await monitor.get(`/api/game/${gameId}/monitor/submissions?${query(parts as Record<string, string>)}`)
      expect([parts, answer.statusCode, answer.json().code]).toEqual([parts, 400, 'request.invalid'])
    }
  })
})

describe('search for events', () => {
  /** Inserts one event of each type, oldest first. */
  const aStory = async () => {
    const heap = await aChallenge(context.db, { title: 'Heap' })
    const { gameId } = heap
    const reds = await aParticipation(context.db, { gameId })
    const mira = await aUser(context.db)
    const common = { gameId, teamId: reds.teamId, userId: mira.id }
    const id = String(heap.id)
    await anEvent(context.db, { ...common, type: 'ContainerStart', values: [id, 'Heap'], occurredAt: at(1) })
    await anEvent(context.db, { ...common, type: 'FlagSubmit', values: ['WrongAnswer', 'no', 'Heap', id], occurredAt: at(2) })
    const blues = await aParticipation(context.db, { gameId })
    const { id: submissionId } = await aSubmission(context.db, reds, heap.id, { status: 'CheatDetected', submittedAt: at(3) })
    await aCheat(context.db, { gameId, submissionId, submitterId: reds.id, ownerId: blues.id })
    const values = ['Old title', 'Old', 'Older']
    await anEvent(context.db, { ...common, type: 'CheatDetected', values, submissionId, occurredAt: at(3) })
    await anEvent(context.db, { ...common, type: 'ContainerDestroy', values: [id, 'Heap'], occurredAt: at(4) })
    await anEvent(context.db, { gameId, type: 'Normal', values: ['The heap is open'], occurredAt: at(5) })
    return { gameId, heap, reds, blues, mira }
  }
  const types = async (gameId: number, parts: Parameters<typeof query>[0]) =>
    (await monitor.get(`/api/game/${gameId}/monitor/events?${query(parts)}`))
      .json()
      .data.map(({ type }: { type: string }) => type)

  test('each event contains the ids of team, user and challenge', async () => {
    const { gameId, heap, reds, blues, mira } = await aStory()
    const { data, total } = (await monitor.get(`/api/game/${gameId}/monitor/events`)).json()
    expect(total).toBe(5)
    expect(data.map(({ challengeId }: { challengeId: number | null }) => challengeId)).toEqual([
      null,
      heap.id,
      heap.id,
      heap.id,
      heap.id,
    ])
    expect(data[2].values).toEqual(['Heap', reds.team.name, blues.team.name])
    expect(data[3]).toEqual({
      id: expect.any(Number),
      time: '2030-01-01T00:00:02.000Z',
      type: 'FlagSubmit',
      values: ['WrongAnswer', 'no', 'Heap', String(heap.id)],
      user: mira.userName,
      userId: mira.id,
      team: reds.team.name,
      teamId: reds.teamId,
      challengeId: heap.id,
    })
  })

  test('events can be filtered by kind, text, team, challenge and time', async () => {
    const { gameId, heap, reds, blues, mira } = await aStory()
    const other = await aChallenge(context.db, { gameId, title: 'Other' })
    expect(await types(gameId, { kind: 'flags' })).toEqual(['FlagSubmit'])
    expect(await types(gameId, { kind: 'instances' })).toEqual(['ContainerDestroy', 'ContainerStart'])
    expect(await types(gameId, { kind: 'cheats' })).toEqual(['CheatDetected'])
    expect(await types(gameId, { kind: 'other' })).toEqual(['Normal'])
    expect(await types(gameId, { hideContainer: true })).toEqual(['Normal', 'CheatDetected', 'FlagSubmit'])
    expect(await types(gameId, { team: reds.teamId, hint: blues.team.name })).toEqual(['CheatDetected'])
    expect(await types(gameId, { hint: mira.userName, from: at(4).toISOString() })).toEqual(['ContainerDestroy'])
    expect(await types(gameId, { challenge: heap.id })).toEqual([
      'ContainerDestroy',
      'CheatDetected',
      'FlagSubmit',
      'ContainerStart',
    ])
    expect(await types(gameId, { challenge: other.id })).toEqual([])
    expect(await types(gameId, { hint: '%' })).toEqual([])
    expect(await types(gameId, { until: at(2).toISOString(), count: 1, skip: 1 })).toEqual(['ContainerStart'])
  })
})

describe('search for cheats', () => {
  const find = async (gameId: number, parts: Parameters<typeof query>[0] = {}) =>
    (await monitor.get(`/api/game/${gameId}/monitor/cheats?${query(parts)}`)).json()

  /**
   * Creates a game in which the team `blues` submits two flags of `reds`. `reds` submits one flag of `blues`, and `greens` submits
   * one flag of `reds`.
   */
  const aSharing = async () => {
    const heap = await aChallenge(context.db, { title: 'Heap' })
    const { gameId } = heap
    const rsa = await aChallenge(context.db, { gameId, title: 'RSA' })
    const [reds, blues, greens] = [
      await aParticipation(context.db, { gameId, division: 'open' }),
      await aParticipation(context.db, { gameId, status: 'Suspended' }),
      await aParticipation(context.db, { gameId }),
    ]
    const cheat = async (submitter: typeof reds, owner: typeof reds, challengeId: number, answer: string, second: number) => {
      const values = { answer, status: 'CheatDetected', submittedAt: at(second) } as const
      const { id: submissionId } = await aSubmission(context.db, submitter, challengeId, values)
      await aCheat(context.db, { gameId, submissionId, submitterId: submitter.id, ownerId: owner.id })
    }
    await cheat(blues, reds, heap.id, 'one', 1)
    await cheat(blues, reds, rsa.id, 'two', 2)
    await cheat(reds, blues, heap.id, 'three', 3)
    await cheat(greens, reds, heap.id, 'four', 4)
    return { gameId, heap, rsa, reds, blues, greens }
  }
  const summary = async (gameId: number, parts: Parameters<typeof query>[0] = {}) => {
    const { data, total } = await find(gameId, parts)
    return [
      data.map(
        ({ count, isMutual, records }: { count: number; isMutual: boolean; records: { submission: { answer: string } }[] }) => [
          count,
          isMutual,
          ...records.map(({ submission }) => submission.answer),
        ],
      ),
      total,
    ]
  }

  test('cheats are grouped by pair of teams in either direction, and the largest group is first', async () => {
    const { gameId, reds, blues } = await aSharing()
    expect(await summary(gameId)).toEqual([
      [
        [3, true, 'three', 'two', 'one'],
        [1, false, 'four'],
      ],
      2,
    ])
    const { data } = await find(gameId)
    expect(data[0].owner).toEqual({
      id: blues.id,
      team: { id: blues.teamId, name: blues.team.name, avatar: null },
      status: 'Suspended',
      ...{ organization: null, division: null, divisionId: null },
    })
    expect(data[0].submitter).toMatchObject({ id: reds.id, organization: 'open' })
    expect(data[0].records[2]).toMatchObject({ ownerTeamId: reds.teamId, submission: { answer: 'one', teamId: blues.teamId } })
  })

  test('cheats can be filtered by team, challenge, text and time, and only matches are counted', async () => {
    const { gameId, rsa, heap, blues, greens } = await aSharing()
    expect(await summary(gameId, { team: greens.teamId })).toEqual([[[1, false, 'four']], 1])
    expect(await summary(gameId, { challenge: rsa.id })).toEqual([[[1, false, 'two']], 1])
    expect(await summary(gameId, { hint: blues.team.name, challenge: heap.id })).toEqual([[[2, true, 'three', 'one']], 1])
    expect(await summary(gameId, { from: at(2).toISOString(), until: at(3).toISOString() })).toEqual([
      [[2, true, 'three', 'two']],
      1,
    ])
    expect(await summary(gameId, { hint: '_' })).toEqual([[], 0])
    expect(await summary(gameId, { count: 1, skip: 1 })).toEqual([[[1, false, 'four']], 2])
  })
})

test('lists all teams of a game with their names and statuses', async () => {
  const { id: gameId } = await aGame(context.db)
  const accepted = await aParticipation(context.db, { gameId })
  const suspended = await aParticipation(context.db, { gameId, status: 'Suspended' })
  await aParticipation(context.db)
  const list = (await monitor.get(`/api/game/${gameId}/monitor/teams`)).json()
  const expected = [accepted, suspended].map(({ teamId, team, status }) => ({ id: teamId, name: team.name, status }))
  expect(list).toHaveLength(2)
  expect(list).toEqual(expect.arrayContaining(expected))
})

describe.each(['submissions', 'events', 'cheats'])('search by monitors for %s', (list) => {
  test('the search is refused before the start of the game', async () => {
    const before = await aGame(context.db, { phase: 'upcoming' })
    const refused = await monitor.get(`/api/game/${before.id}/monitor/${list}`)
    expect([refused.statusCode, refused.json().code]).toEqual([400, 'game.before-start'])
    expect((await monitor.get(`/api/game/999999/monitor/${list}`)).json().code).toBe('game.unknown')
  })

  test('the search is refused to visitors and players', async () => {
    const { gameId } = await aParticipation(context.db)
    const url = `/api/game/${gameId}/monitor/${list}`
    expect((await createTestClient(context.app).get(url)).statusCode).toBe(401)
    expect((await (await signInAsNewUser(context, 'User')).client.get(url)).statusCode).toBe(403)
  })
})
