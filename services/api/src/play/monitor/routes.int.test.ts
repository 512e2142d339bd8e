import { randomUUID } from 'node:crypto'
import { proxyConnections } from '@capstan/db/schema/instances'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { aUser, signInAsNewUser } from '../../testing/factories.ts'
import {
  aChallenge,
  aCheat,
  aGame,
  anAssignment,
  anEvent,
  anInstance,
  aParticipation,
  aSubmission,
} from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'

let context: TestApp
let monitor: TestClient
beforeAll(async () => {
  context = await startTestApp()
  monitor = (await signInAsNewUser(context, 'Monitor')).client
})
afterAll(() => context.close())

function at(seconds: number) {
  return new Date(Date.UTC(2030, 0, 1, 0, 0, seconds))
}

describe('events of a game', () => {
  test('the list of events is sorted newest first, contains names, and can be filtered and paged', async () => {
    const { id: gameId, team, teamId } = await aParticipation(context.db)
    const user = await aUser(context.db)
    const common = { gameId, userId: user.id, teamId }
    await anEvent(context.db, { ...common, type: 'ContainerStart', values: ['1', 'c'], occurredAt: at(1) })
    await anEvent(context.db, { ...common, type: 'FlagSubmit', values: ['Accepted', 'f', 'c', '1'], occurredAt: at(2) })
    await anEvent(context.db, { ...common, type: 'ContainerDestroy', values: ['1', 'c'], occurredAt: at(3) })
    await anEvent(context.db, { gameId, type: 'Normal', values: ['text'], occurredAt: at(4) })
    const list = (await monitor.get(`/api/game/${gameId}/events`)).json()
    expect(list.map(({ type }: { type: string }) => type)).toEqual(['Normal', 'ContainerDestroy', 'FlagSubmit', 'ContainerStart'])
    expect(list[2]).toEqual({
      time: '2030-01-01T00:00:02.000Z',
      user: user.userName,
      team: team.name,
      type: 'FlagSubmit',
      values: ['Accepted', 'f', 'c', '1'],
    })
    expect(list[0]).toMatchObject({ user: '', team: '' })
    const filtered = (await monitor.get(`/api/game/${gameId}/events?hideContainer=true&count=1&skip=1`)).json()
    expect(filtered.map(({ type }: { type: string }) => type)).toEqual(['FlagSubmit'])
  })

  /** Inserts events about a cheat, a wrong answer and an instance. Then renames the challenge and the teams. */
  const aRenamedScene = async () => {
    const challenge = await aChallenge(context.db, { title: 'Old title', type: 'DynamicContainer', containerImage: 'demo' })
    const { gameId, id: challengeId } = challenge
    const [thief, owner] = [await aPlayer(context, { gameId }), await aPlayer(context, { gameId })]
    await anAssignment(context.db, { participationId: thief.participation.id, challengeId, flag: 'flag{mine}' })
    await anAssignment(context.db, { participationId: owner.participation.id, challengeId, flag: 'flag{theirs}' })
    await thief.client.post(`/api/game/${gameId}/challenges/${challengeId}`, { flag: 'flag{theirs}' })
    const common = { gameId, teamId: thief.team.id }
    await anEvent(context.db, { ...common, type: 'ContainerStart', values: [String(challengeId), 'Old title'] })
    await context.sql`update challenges set title = 'New title' where id = ${challengeId}`
    const { client: admin } = await signInAsNewUser(context, 'Admin')
    const names = { thief: `Thief ${thief.team.id}`, owner: `Owner ${owner.team.id}` }
    await admin.put(`/api/admin/teams/${thief.team.id}`, { name: names.thief })
    await admin.put(`/api/admin/teams/${owner.team.id}`, { name: names.owner })
    const listed = async () =>
      (await monitor.get(`/api/game/${gameId}/events`)).json().map(({ values }: { values: string[] }) => values)
    return { challengeId, thief, owner, names, admin, listed }
  }

  test('events show the current names of teams and challenges', async () => {
    const { challengeId, names, listed } = await aRenamedScene()
    expect(await listed()).toEqual([
      [String(challengeId), 'New title'],
      ['New title', names.thief, names.owner],
      ['WrongAnswer', 'flag{theirs}', 'New title', String(challengeId)],
    ])
  })

  test('an event about a cheat is omitted after the deletion of the team to which the flag belongs', async () => {
    const { owner, names, admin, listed } = await aRenamedScene()
    await admin.delete(`/api/admin/teams/${owner.team.id}`)
    const left = await listed()
    expect(left).toHaveLength(2)
    expect(left.flat()).not.toContain(names.owner)
  })
})

describe('submissions of a game', () => {
  test('the list of submissions is sorted newest first, and can be filtered by status and paged', async () => {
    const challenge = await aChallenge(context.db, { title: 'Heap' })
    const participation = await aParticipation(context.db, { gameId: challenge.gameId })
    const user = await aUser(context.db)
    await aSubmission(context.db, participation, challenge.id, { answer: 'one', userId: user.id, submittedAt: at(1) })
    await aSubmission(context.db, participation, challenge.id, { answer: 'two', status: 'Accepted', submittedAt: at(2) })
    await aSubmission(context.db, participation, challenge.id, { answer: 'three', submittedAt: at(3) })
    const url = `/api/game/${challenge.gameId}/submissions`
    const list = (await monitor.get(url)).json()
    expect(list.map(({ answer }: { answer: string }) => answer)).toEqual(['three', 'two', 'one'])
    expect(list[2]).toEqual({
      answer: 'one',
      status: 'WrongAnswer',
      time: '2030-01-01T00:00:01.000Z',
      user: user.userName,
      team: participation.team.name,
      challenge: 'Heap',
    })
    const wrong = (await monitor.get(`${url}?type=wronganswer&count=1&skip=1`)).json()
    expect(wrong.map(({ answer }: { answer: string }) => answer)).toEqual(['one'])
    const all = (await monitor.get(`${url}?count=0&skip=1`)).json()
    expect(all.map(({ answer }: { answer: string }) => answer)).toEqual(['two', 'one'])
    expect((await monitor.get(`${url}?type=Other`)).statusCode).toBe(400)
    expect((await monitor.get(`${url}?skip=-1`)).statusCode).toBe(400)
  })

  test('the api returns all submissions if the query contains count=0', async () => {
    const challenge = await aChallenge(context.db)
    const { id, teamId } = await aParticipation(context.db, { gameId: challenge.gameId })
    await context.sql`
      insert into submissions (game_id, challenge_id, participation_id, team_id, answer, status, submitted_at, attempt)
      select ${challenge.gameId}, ${challenge.id}, ${id}, ${teamId}, 'guess ' || number, 'WrongAnswer', now(), gen_random_uuid()
      from generate_series(1, 2500) as number`
    const answer = await monitor.get(`/api/game/${challenge.gameId}/submissions?count=0`)
    const guesses = Array.from({ length: 2500 }, (_, index) => `guess ${2500 - index}`)
    expect(answer.json().map((submission: { answer: string }) => submission.answer)).toEqual(guesses)
    // The response has no Content-Length, because its start is sent before the last pages are read.
    expect([answer.headers['content-type'], answer.headers['content-length']]).toEqual([
      'application/json; charset=utf-8',
      undefined,
    ])
    const none = await monitor.get(`/api/game/${challenge.gameId}/submissions?count=0&type=Accepted`)
    expect(none.json()).toEqual([])
  })
})

test('the list of cheats contains at most the newest hundred cheats of each team', async () => {
  const challenge = await aChallenge(context.db)
  const { gameId } = challenge
  const owner = await aParticipation(context.db, { gameId })
  const cheat = async (submitterId: number, teamId: number, times: number) => context.sql`
    with stored as (
      insert into submissions (game_id, challenge_id, participation_id, team_id, answer, status, submitted_at, attempt)
      select ${gameId}, ${challenge.id}, ${submitterId}, ${teamId}, 'stolen ' || number, 'CheatDetected', now(), gen_random_uuid()
      from generate_series(1, ${times}::integer) as number returning id)
    insert into cheats (game_id, submission_id, submitter_id, owner_id)
    select ${gameId}, id, ${submitterId}, ${owner.id} from stored order by id`
  const [once, often] = [await aParticipation(context.db, { gameId }), await aParticipation(context.db, { gameId })]
  await cheat(once.id, once.teamId, 1)
  await cheat(often.id, often.teamId, 150)
  const list: { submission: { answer: string; team: string } }[] = (await monitor.get(`/api/game/${gameId}/cheatinfo`)).json()
  const ofOften = list.filter(({ submission }) => submission.team === often.team.name).map(({ submission }) => submission.answer)
  expect([list.length, ofOften.length, ofOften[0], ofOften.at(-1)]).toEqual([101, 100, 'stolen 150', 'stolen 51'])
})

test('a cheat contains the owner of the flag, the submitter and the submission', async () => {
  const challenge = await aChallenge(context.db, { title: 'Heap' })
  const owner = await aParticipation(context.db, { gameId: challenge.gameId, division: 'open' })
  const submitter = await aParticipation(context.db, { gameId: challenge.gameId, status: 'Suspended' })
  const submission = await aSubmission(context.db, submitter, challenge.id, { answer: 'stolen', status: 'CheatDetected' })
  await aCheat(context.db, {
    gameId: challenge.gameId,
    submissionId: submission.id,
    submitterId: submitter.id,
    ownerId: owner.id,
  })
  expect((await monitor.get(`/api/game/${challenge.gameId}/cheatinfo`)).json()).toEqual([
    {
      ownedTeam: {
        id: owner.id,
        team: { id: owner.teamId, name: owner.team.name, avatar: null },
        status: 'Accepted',
        ...{ organization: 'open', division: 'open', divisionId: null },
      },
      submitTeam: {
        id: submitter.id,
        team: { id: submitter.teamId, name: submitter.team.name, avatar: null },
        status: 'Suspended',
        ...{ organization: null, division: null, divisionId: null },
      },
      submission: {
        answer: 'stolen',
        status: 'CheatDetected',
        time: submission.submittedAt.toISOString(),
        user: '',
        team: submitter.team.name,
        challenge: 'Heap',
      },
    },
  ])
})

test('the list of connections is sorted newest first, and can be filtered by team, challenge and text, and for open connections', async () => {
  const challenge = await aChallenge(context.db, { title: 'Heap' })
  const { gameId, id: challengeId } = challenge
  const [team, other] = [await aParticipation(context.db, { gameId }), await aParticipation(context.db, { gameId })]
  const user = await aUser(context.db)
  const running = await anInstance(context.db, { gameId, challengeId, participationId: team.id })
  const ended = await anInstance(context.db, { gameId, challengeId, participationId: other.id, endedAt: at(9) })
  const test = await anInstance(context.db, { gameId, challengeId })
  const connect = async (instanceId: string, second: number, values: object = {}) =>
    context.db.insert(proxyConnections).values({
      ...{ id: randomUUID(), instanceId, clientAddress: `203.0.113.${second}`, openedAt: at(second), ...values },
    })
  await connect(running.id, 1, { closedAt: at(2), bytesSent: 12, bytesReceived: 34, userId: user.id, way: 'tls', port: 9000 })
  await connect(running.id, 3)
  await connect(ended.id, 5)
  await connect(test.id, 7)
  const list = async (query = '') => (await monitor.get(`/api/game/games/${gameId}/connections${query}`)).json()
  const addresses = async (query: string) =>
    (await list(query)).map(({ clientAddress }: { clientAddress: string }) => clientAddress.split('.')[3])
  expect(await addresses('')).toEqual(['5', '3', '1'])
  expect((await list()).at(-1)).toEqual({
    id: expect.any(String),
    instanceId: running.id,
    challengeId,
    challengeTitle: 'Heap',
    participationId: team.id,
    teamName: team.team.name,
    userName: user.userName,
    clientAddress: '203.0.113.1',
    way: 'tls',
    port: 9000,
    bytesSent: 12,
    bytesReceived: 34,
    openedAt: at(1).toISOString(),
    closedAt: at(2).toISOString(),
  })
  // The connection counts as closed when its instance ends, although no gateway reported the end of the connection.
  expect((await list())[0].closedAt).toBe(at(9).toISOString())
  expect(await addresses('?open=true')).toEqual(['3'])
  expect(await addresses(`?participation=${other.id}`)).toEqual(['5'])
  expect(await addresses(`?challenge=${challengeId + 1}`)).toEqual([])
  expect(await addresses(`?hint=${user.userName.toUpperCase()}`)).toEqual(['1'])
  expect(await addresses('?hint=%25')).toEqual([])
  expect(await addresses('?count=1&skip=1')).toEqual(['3'])
})

const sheets = ['scoreboardsheet', 'submissionsheet', 'scoreboard.csv', 'submissions.csv']
describe.each(['events', 'submissions', 'cheatinfo', ...sheets])('GET /api/game/{id}/%s', (list) => {
  test('the list is refused with 400 before the start, and is available after the end', async () => {
    const before = await aGame(context.db, { phase: 'upcoming' })
    const refused = await monitor.get(`/api/game/${before.id}/${list}`)
    expect([refused.statusCode, refused.json().status, refused.json().code]).toEqual([400, 400, 'game.before-start'])
    const over = await aParticipation(context.db, {
      gameId: (await aGame(context.db, { phase: 'ended', practiceMode: false })).id,
    })
    expect((await monitor.get(`/api/game/${over.gameId}/${list}`)).statusCode).toBe(200)
  })

  test('the list of an unknown game is answered with 404', async () => {
    expect((await monitor.get(`/api/game/999999/${list}`)).json().code).toBe('game.unknown')
  })

  test('only monitors and admins can read events, submissions and cheats, and download spreadsheets', async () => {
    const { gameId } = await aParticipation(context.db)
    const url = `/api/game/${gameId}/${list}`
    expect((await createTestClient(context.app).get(url)).statusCode).toBe(401)
    expect((await (await signInAsNewUser(context, 'User')).client.get(url)).statusCode).toBe(403)
    expect((await (await signInAsNewUser(context, 'Admin')).client.get(url)).statusCode).toBe(200)
  })
})
