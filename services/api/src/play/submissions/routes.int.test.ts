import { createHash } from 'node:crypto'
import type { StatementCounter } from '@capstan/db/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, anAttachment, anInstance, aSubmission } from '../../testing/organizing-factories.ts'
import { aPastGame, aPlayer, aTeamMate } from '../../testing/playing-factories.ts'
import { createPlayState } from './deps.ts'
import { getPlayerBoard } from './player-board.ts'

let context: TestApp
const counter: StatementCounter = { statements: 0 }
beforeAll(async () => {
  context = await startTestApp({ counter })
})
afterAll(() => context.close())

const hash = createHash('sha256').update('a file').digest('hex')
async function aFile(sizeBytes: number) {
  await context.sql`insert into files (hash, name, size_bytes) values (${hash}, 'stored', ${sizeBytes}) on conflict do nothing`
}

async function flagOf(participationId: number, challengeId: number): Promise<string | undefined> {
  const [row] = await context.sql`
    select flag from assignments where participation_id = ${participationId} and challenge_id = ${challengeId}`
  return row?.flag
}

/** Creates a DynamicAttachment challenge with one remote file per flag. */
async function aFileChallenge(count: number, gameId?: number) {
  const challenge = await aChallenge(context.db, {
    ...(gameId !== undefined && { gameId }),
    type: 'DynamicAttachment',
    flags: Array.from({ length: count }, (_, index) => `flag{file ${index}}`),
  })
  for (let index = 0; index < count; index += 1) {
    const attachment = await anAttachment(context.db, { type: 'Remote', remoteUrl: `https://files.example/${index}` })
    await context.sql`
      update flags set attachment_id = ${attachment.id} where challenge_id = ${challenge.id} and flag = ${`flag{file ${index}}`}`
  }
  return challenge
}

test('a challenge shows its text, its hints and the file that all teams get', async () => {
  await aFile(2048)
  const attachment = await anAttachment(context.db, { type: 'Local', fileHash: hash, fileName: 'notes & more.txt' })
  const challenge = await aChallenge(context.db, {
    title: 'Reading',
    content: '# Read',
    category: 'Crypto',
    hints: ['look closer'],
    attachmentId: attachment.id,
    flags: ['flag{secret}'],
  })
  const player = await aPlayer(context, { gameId: challenge.gameId })
  const response = await player.client.get(`/api/game/${challenge.gameId}/challenges/${challenge.id}`)
  expect(response.json()).toEqual({
    id: challenge.id,
    title: 'Reading',
    content: '# Read',
    category: 'Crypto',
    hints: ['look closer'],
    hintOffers: [],
    parts: [],
    score: 1000,
    deadline: null,
    limit: 0,
    attempts: 0,
    nextAttemptAt: null,
    type: 'StaticAttachment',
    context: { closeTime: null, instanceEntry: null, url: `/assets/${hash}/notes%20%26%20more.txt`, fileSize: 2048 },
  })
})

test('the value of a challenge decreases with each solver, as on the scoreboard', async () => {
  const challenge = await aChallenge(context.db, { points: 1000, minimumShare: 0.25, decay: 5 })
  const player = await aPlayer(context, { gameId: challenge.gameId })
  for (const _ of [1, 2, 3]) {
    const solver = await aPlayer(context, { gameId: challenge.gameId })
    await aSubmission(context.db, solver.participation, challenge.id, { solve: true })
  }
  // 1000 * (0.25 + 0.75 * exp(-2 / 5)) = 752.74
  const view = (await player.client.get(`/api/game/${challenge.gameId}/challenges/${challenge.id}`)).json()
  expect(view.score).toBe(752)
})

test('the flag of a DynamicContainer challenge is generated at the first read, and is retained', async () => {
  const challenge = await aChallenge(context.db, { type: 'DynamicContainer', flagTemplate: 'flag{[GUID]}' })
  const player = await aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })
  const path = `/api/game/${challenge.gameId}/challenges/${challenge.id}`
  const answers = await Promise.all(Array.from({ length: 10 }, () => player.client.get(path)))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(10).fill(200))
  const flag = await flagOf(player.participation.id, challenge.id)
  expect(flag).toMatch(/^flag\{[0-9a-f-]{36}\}$/)
  await player.client.get(path)
  expect(await flagOf(player.participation.id, challenge.id)).toBe(flag)
  expect(answers.some(({ body }) => body.includes(flag!))).toBe(false)
})

test('the first read of a challenge creates the missing assignment of a team', async () => {
  const challenge = await aChallenge(context.db, { type: 'DynamicContainer' })
  const player = await aPlayer(context, { gameId: challenge.gameId })
  await player.client.get(`/api/game/${challenge.gameId}/challenges/${challenge.id}`)
  expect(await flagOf(player.participation.id, challenge.id)).toMatch(/^flag\{/)
})

test('the file of a flag is served under the file name of the challenge', async () => {
  await aFile(2048)
  const challenge = await aChallenge(context.db, { type: 'DynamicAttachment', fileName: 'vault.zip', flags: ['flag{a}'] })
  const attachment = await anAttachment(context.db, { type: 'Local', fileHash: hash, fileName: 'flag{a}' })
  await context.sql`update flags set attachment_id = ${attachment.id} where challenge_id = ${challenge.id}`
  const player = await aPlayer(context, { gameId: challenge.gameId })
  const view = (await player.client.get(`/api/game/${challenge.gameId}/challenges/${challenge.id}`)).json()
  expect(view.context).toEqual({ closeTime: null, instanceEntry: null, url: `/assets/${hash}/vault.zip`, fileSize: 2048 })
})

test('20 concurrent teams get 20 different files, the 21st gets 404, and a warning is logged', async () => {
  const challenge = await aFileChallenge(20)
  const path = `/api/game/${challenge.gameId}/challenges/${challenge.id}`
  const players = await Promise.all(
    Array.from({ length: 20 }, () => aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })),
  )
  const read = () =>
    Promise.all(
      players
        .flatMap(({ client }) => [client.get(path), client.get(path)])
        .map(async (answer) => (await answer).json().context.url),
    )
  const urls = await read()
  expect(new Set(urls).size).toBe(20)
  expect(await read()).toEqual(urls)
  const late = await aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })
  const refused = await late.client.get(path)
  expect([refused.statusCode, refused.json().code]).toEqual([404, 'challenge.attachments-exhausted'])
  const warnings = () => context.logLines.filter(({ message }) => message.includes(`No free file`))
  const message = expect.stringContaining(`team "${late.team.name}"`)
  expect(warnings()).toMatchObject([{ level: 'Warning', message }])
  await late.client.get(path)
  expect(warnings()).toHaveLength(1)
  context.clock.advanceMs(3_600_000)
  await late.client.get(path)
  expect(warnings()).toHaveLength(2)
})

test('a challenge shows the end and UUID of its running instance', async () => {
  const challenge = await aChallenge(context.db, { type: 'StaticContainer', containerImage: 'demo' })
  const player = await aPlayer(context, { gameId: challenge.gameId })
  const expiresAt = new Date('2030-01-02T03:04:05.000Z')
  const participationId = player.participation.id
  const instance = await anInstance(context.db, {
    gameId: challenge.gameId,
    challengeId: challenge.id,
    participationId,
    expiresAt,
  })
  const mate = await aTeamMate(context, player)
  const view = (await mate.client.get(`/api/game/${challenge.gameId}/challenges/${challenge.id}`)).json()
  expect(view.context).toEqual({ closeTime: '2030-01-02T03:04:05.000Z', instanceEntry: instance.id, url: null, fileSize: null })
})

test.each([
  ['an unknown game', async () => [99_999, 1], 404, 404],
  ['an unknown challenge', async (gameId: number) => [gameId, 99_999], 404, 404],
  [
    'a disabled challenge',
    async (gameId: number) => [gameId, (await aChallenge(context.db, { gameId, isEnabled: false })).id],
    404,
    404,
  ],
  ['a challenge of another game', async (gameId: number) => [gameId, (await aChallenge(context.db)).id], 404, 404],
] as const)('refuses to show %s', async (_name, target, httpStatus, status) => {
  const player = await aPlayer(context)
  const [gameId, challengeId] = await target(player.participation.gameId)
  const response = await player.client.get(`/api/game/${gameId}/challenges/${challengeId}`)
  expect([response.statusCode, response.json().status]).toEqual([httpStatus, status])
})

test.each(['details', 'challenges/1'])(
  'refuses %s to visitors, to users without a team and in the wrong phase, with the errors in the documented order',
  async (call) => {
    const game = await aGame(context.db, { phase: 'upcoming' })
    const path = `/api/game/${game.id}/${call}`
    const statusOf = async (client: {
      get: (url: string) => Promise<{ statusCode: number; json: () => { status: number } }>
    }) => {
      const response = await client.get(path)
      return [response.statusCode, response.json().status]
    }
    const { client: stranger } = await signInAsNewUser(context)
    expect((await context.app.inject(path)).statusCode).toBe(401)
    expect(await statusOf(stranger)).toEqual([400, 400])
    expect(await statusOf((await aPlayer(context, { gameId: game.id, status: 'Pending' })).client)).toEqual([400, 400])
    expect(await statusOf((await aPlayer(context, { gameId: game.id })).client)).toEqual([400, 10001])
    const over = await aPastGame(context.db, { practiceMode: false })
    const late = await (await aPlayer(context, { gameId: over.id })).client.get(`/api/game/${over.id}/${call}`)
    expect([late.statusCode, late.json().status]).toEqual([400, 10002])
  },
)

test('a challenge is shown in practice mode', async () => {
  const game = await aPastGame(context.db, { practiceMode: true })
  const challenge = await aChallenge(context.db, { gameId: game.id })
  const player = await aPlayer(context, { gameId: game.id })
  expect((await player.client.get(`/api/game/${game.id}/challenges/${challenge.id}`)).statusCode).toBe(200)
})

test('the board of a player needs at most six SQL statements, and has an ETag', async () => {
  const game = await aGame(context.db, { writeupRequired: true, writeupDeadline: new Date('2030-05-06T07:08:09.000Z') })
  const challenge = await aChallenge(context.db, { gameId: game.id, title: 'One', category: 'Web' })
  await aChallenge(context.db, { gameId: game.id, title: 'Hidden canary', isEnabled: false })
  const player = await aPlayer(context, { gameId: game.id, division: 'Juniors' })
  await aSubmission(context.db, player.participation, challenge.id, { solve: true, userId: player.user.id })
  const path = `/api/game/${game.id}/details`
  const first = await player.client.get(path)
  const before = counter.statements
  const response = await player.client.get(path)
  expect(counter.statements - before).toBeLessThanOrEqual(6)
  const details = response.json()
  expect(details).toMatchObject({
    challengeCount: 1,
    teamToken: player.participation.token,
    writeupRequired: true,
    writeupDeadline: '2030-05-06T07:08:09.000Z',
  })
  expect(details.challenges).toMatchObject({ Web: [{ id: challenge.id, title: 'One', score: 1000, solved: 1 }] })
  // The score is 1000 plus 5 % for the first solver.
  expect(details.rank).toMatchObject({ id: player.team.id, rank: 1, organizationRank: 1, score: 1050, solvedCount: 1 })
  expect(response.body).not.toContain('canary')
  expect(response.headers.etag).toBe(first.headers.etag)
  const again = await player.client.inject({ url: path, headers: { 'if-none-match': String(response.headers.etag) } })
  expect([again.statusCode, again.body]).toEqual([304, ''])
})

test('a team that is not on the board yet has rank 0', async () => {
  const game = await aGame(context.db)
  await context.app.inject(`/api/game/${game.id}/scoreboard`)
  const player = await aPlayer(context, { gameId: game.id })
  const { rank } = (await player.client.get(`/api/game/${game.id}/details`)).json()
  expect(rank).toMatchObject({ id: player.team.id, name: player.team.name, rank: 0, score: 0, solvedChallenges: [] })
})

test('the members of a team share the cached board until a value of the team changes', async () => {
  const { app, deps, db, sql } = context
  const { gameId } = await aChallenge(db)
  const player = await aPlayer(context, { gameId })
  const mate = await aTeamMate(context, player)
  const { scoreboards, players, changes } = app
  const boardDeps = { ...deps, ...createPlayState({ db, changes }), scoreboards, players }
  let written = 0
  const serialize = (board: object) => {
    written += 1
    return JSON.stringify(board)
  }
  const read = async () => {
    await changes.catchUp()
    for (const { id } of [player.user, mate.user, player.user, mate.user]) await getPlayerBoard(boardDeps, gameId, id, serialize)
    return written
  }
  await scoreboards.readCurrent(gameId)
  expect(await read()).toBe(1)
  await sql`update participations set token = 'another' where id = ${player.participation.id}`
  expect(await read()).toBe(2)
})
