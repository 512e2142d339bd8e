import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { applyBoardChanges } from '@capstan/contract/board-rules'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../app.ts'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { waitForOlderTransactions } from '../../testing/older-transactions.ts'
import { aChallenge, aGame, aParticipation, aSubmission } from '../../testing/organizing-factories.ts'
import { aPastGame, aPlayer, aTeamMate } from '../../testing/playing-factories.ts'
import { createBoardMaker } from './board-maker.ts'
import { createScoreboardService } from './service.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())

function read(gameId: number, headers: Record<string, string> = {}) {
  return context.app.inject({ url: `/api/game/${gameId}/scoreboard`, headers })
}

const silent = { warn: () => {} }
function deps() {
  return { ...context.deps, boardMaker: createBoardMaker(context.deps) }
}

test('the board shows the ranked teams to visitors', async () => {
  const game = await aGame(context.db)
  const challenge = await aChallenge(context.db, { gameId: game.id, category: 'Pwn', title: 'Stack' })
  const [winner, loser] = [await aPlayer(context, { gameId: game.id }), await aPlayer(context, { gameId: game.id })]
  await aPlayer(context, { gameId: game.id, status: 'Suspended' })
  await aSubmission(context.db, winner.participation, challenge.id, { solve: true, userId: winner.user.id })
  const response = await read(game.id)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  const board = response.json()
  expect(board.items.map(({ id, rank, score }: { id: number; rank: number; score: number }) => [id, rank, score])).toEqual([
    [winner.team.id, 1, 1050],
    [loser.team.id, 2, 0],
  ])
  expect(board.items[0].solvedChallenges).toMatchObject([
    { id: challenge.id, score: 1050, type: 'FirstBlood', userName: winner.user.userName },
  ])
  expect(board.challenges.Pwn).toMatchObject([{ title: 'Stack', solved: 1, bloods: [{ id: winner.team.id }] }])
})

test('the board is refused with 400 before the start, and with 404 for an unknown game', async () => {
  const before = await read((await aGame(context.db, { phase: 'upcoming' })).id)
  expect([before.statusCode, before.json().status]).toEqual([400, 400])
  expect((await read(99_999)).statusCode).toBe(404)
})

test('the board is available after the end, even if the game has no practice mode', async () => {
  expect((await read((await aPastGame(context.db, { practiceMode: false })).id)).statusCode).toBe(200)
})

test.each([
  ['br, gzip', 'br', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
  ['br;q=0, *', 'gzip', gunzipSync],
] as const)('a client that accepts %s gets the same board in the encoding %s', async (accepted, encoding, decompress) => {
  const game = await aGame(context.db)
  // Boards smaller than the compression threshold are sent uncompressed.
  for (const title of ['One', 'Two', 'Three', 'Four', 'Five'])
    await aChallenge(context.db, { gameId: game.id, title, flags: ['flag{x}'] })
  for (let team = 0; team < 3; team += 1) await aPlayer(context, { gameId: game.id })
  const plain = await read(game.id)
  expect(plain.headers['content-encoding']).toBeUndefined()
  const packed = await read(game.id, { 'accept-encoding': accepted })
  expect([packed.headers['content-encoding'], packed.headers.vary]).toEqual([encoding, 'accept-encoding'])
  expect(decompress(packed.rawPayload).toString()).toBe(plain.body)
})

test('the board is answered with 304 to a client that has the current board, and with 200 after a change', async () => {
  const game = await aGame(context.db)
  const challenge = await aChallenge(context.db, { gameId: game.id, flags: ['flag{x}'] })
  const player = await aPlayer(context, { gameId: game.id, challengeIds: [challenge.id] })
  const etag = String((await read(game.id)).headers.etag)
  const again = await read(game.id, { 'if-none-match': etag })
  expect([again.statusCode, again.body]).toEqual([304, ''])
  await player.client.post(`/api/game/${game.id}/challenges/${challenge.id}`, { flag: 'flag{x}' })
  await expect.poll(async () => (await read(game.id, { 'if-none-match': etag })).statusCode).toBe(200)
})

test('a rebuilt board that is equal retains ETag and build time', async () => {
  const game = await aGame(context.db)
  const service = createScoreboardService({
    ...deps(),
    log: silent,
    timings: { pauseMs: 10 },
  })
  service.start()
  const first = await service.read(game.id, 'live')
  context.clock.advanceMs(60_000)
  await context.sql`update games set writeup_deadline = writeup_deadline + interval '1 hour' where id = ${game.id}`
  const deadlineNow = async () => (await service.read(game.id, 'live'))?.times.writeupDeadline
  await expect.poll(deadlineNow).not.toEqual(first?.times.writeupDeadline)
  const second = await service.read(game.id, 'live')
  expect(second?.answer).toBe(first?.answer)
  await service.close()
})

test('one build of a board includes 100 changes, and clients get the previous board during a build', async () => {
  const game = await aGame(context.db)
  const { team } = await aParticipation(context.db, { gameId: game.id })
  const maker = createBoardMaker(context.deps)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  let builds = 0
  const service = createScoreboardService({
    ...context.deps,
    boardMaker: {
      ...maker,
      async make(order) {
        builds += 1
        // An open transaction of another test causes further builds, which wait for the end of the test.
        if (builds > 1) await (builds === 2 ? released : ended)
        return maker.make(order)
      },
    },
    log: silent,
    timings: { pauseMs: 50 },
  })
  const first = await service.read(game.id, 'live')
  service.start()
  for (let index = 0; index < 100; index += 1) await context.sql`update teams set bio = ${`Bio ${index}`} where id = ${team.id}`
  await expect.poll(() => builds).toBe(2)
  expect(await service.read(game.id, 'live')).toBe(first)
  release()
  await expect.poll(async () => (await service.read(game.id, 'live'))?.standingOf(team.id)?.bio).toBe('Bio 99')
  end()
  await service.close()
})

test('concurrent readers share the first build', async () => {
  const game = await aGame(context.db)
  let builds = 0
  const service = createScoreboardService({
    ...deps(),
    log: silent,
    onRebuilt: () => {
      builds += 1
    },
  })
  await Promise.all(Array.from({ length: 20 }, () => service.read(game.id, 'live')))
  expect(builds).toBe(1)
  await service.close()
})

test('after a change, calls for a current board share the next build, and without a change they start no build', async () => {
  const game = await aGame(context.db)
  const maker = createBoardMaker(context.deps)
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  let builds = 0
  const boardMaker = {
    ...maker,
    async make(order: Parameters<typeof maker.make>[0]) {
      builds += 1
      begun.resolve()
      await gate.promise
      return maker.make(order)
    },
  }
  const service = createScoreboardService({ ...context.deps, boardMaker, log: context.app.log })
  const first = service.readCurrent(game.id)
  await begun.promise
  const { team } = await aParticipation(context.db, { gameId: game.id })
  await waitForOlderTransactions(context)
  const others = Array.from({ length: 10 }, () => service.readCurrent(game.id))
  gate.resolve()
  await first
  for (const built of await Promise.all(others)) expect(built?.live.standingOf(team.id)?.id).toBe(team.id)
  expect(builds).toBe(2)
  for (let call = 0; call < 5; call += 1) expect((await service.readCurrent(game.id))?.live.teamCount).toBe(1)
  expect(builds).toBe(2)
  await service.close()
})

test('the board shows a solve that another replica judged', async () => {
  const replica = await buildApp(context.deps)
  await replica.ready()
  const game = await aGame(context.db)
  const challenge = await aChallenge(context.db, { gameId: game.id, flags: ['flag{x}'] })
  const player = await aPlayer(context, { gameId: game.id, challengeIds: [challenge.id] })
  const scoreOn = async () => (await replica.inject(`/api/game/${game.id}/scoreboard`)).json().items[0].score
  expect(await scoreOn()).toBe(0)
  await player.client.post(`/api/game/${game.id}/challenges/${challenge.id}`, { flag: 'flag{x}' })
  await expect.poll(scoreOn).toBe(1050)
  await replica.close()
})

test('even the first reader after the start of a process gets only the changed row', async () => {
  const game = await aGame(context.db)
  for (let other = 0; other < 4; other += 1) await aParticipation(context.db, { gameId: game.id })
  const { team } = await aParticipation(context.db, { gameId: game.id })
  await waitForOlderTransactions(context)
  const service = createScoreboardService({ ...deps(), log: silent, timings: { pauseMs: 10 } })
  service.start()
  const first = await service.read(game.id, 'live')
  await context.sql`update teams set bio = 'Changed' where id = ${team.id}`
  await expect.poll(async () => (await service.read(game.id, 'live'))?.standingOf(team.id)?.bio).toBe('Changed')
  const board = await service.read(game.id, 'live')
  const changes = JSON.parse(String((await service.changesSince(board!, String(first?.position))).in('identity')))
  expect(changes).toMatchObject({ whole: false, teams: [{ id: team.id }] })
  await service.close()
})

test('boards of finished games are dropped if they are too large in total, but boards of running games remain', async () => {
  const maker = createBoardMaker(context.deps)
  const boardMaker = {
    ...maker,
    async make(order: Parameters<typeof maker.make>[0]) {
      const made = await maker.make(order)
      const content = made?.live.content
      if (!content) return made
      const bytes = new Uint8Array(30 * 1024 * 1024).fill(' '.charCodeAt(0))
      bytes.set(content.bytes)
      return { ...made, live: { ...made.live, content: { ...content, bytes } } }
    },
  }
  const service = createScoreboardService({ ...context.deps, boardMaker, log: silent })
  const running = await aGame(context.db)
  await service.read(running.id, 'live')
  const finished = [0, 1, 2, 3].map(() => aGame(context.db, { phase: 'ended' }))
  for (const game of await Promise.all(finished)) await service.read(game.id, 'live')
  const isCached = ({ id }: { id: number }) => service.ready(id, 'live') !== undefined
  expect((await Promise.all(finished)).map(isCached)).toEqual([false, false, true, true])
  expect(isCached(running)).toBe(true)
  await service.close()
})

test('the board of a deleted game is answered with 404 after the next poll of the change feed', async () => {
  const game = await aGame(context.db)
  expect((await read(game.id)).statusCode).toBe(200)
  await context.sql`delete from games where id = ${game.id}`
  await expect.poll(async () => (await read(game.id)).statusCode).toBe(404)
})

test('a failed build of the board is retried at the next request', async () => {
  const game = await aGame(context.db)
  let isBroken = true
  const db = new Proxy(context.db, {
    get: (target, name) => {
      if (isBroken && name === 'reader') throw new Error('The database cannot be reached')
      return Reflect.get(target, name)
    },
  })
  const service = createScoreboardService({
    ...deps(),
    db,
    boardMaker: createBoardMaker({ db }),
    log: silent,
  })
  await expect(service.read(game.id, 'live')).rejects.toThrow('Could not build the scoreboard')
  isBroken = false
  expect(await service.read(game.id, 'live')).toBeDefined()
  await service.close()
})

test('boards of games that start within eight minutes are built before the first request for them', async () => {
  const soon = await aGame(context.db, {
    startsAt: new Date(context.clock.now().getTime() + 7 * 60_000),
    endsAt: new Date('2099-01-01'),
  })
  const later = await aGame(context.db, {
    startsAt: new Date(context.clock.now().getTime() + 9 * 60_000),
    endsAt: new Date('2099-01-01'),
  })
  let builds = 0
  const service = createScoreboardService({
    ...deps(),
    log: silent,
    onRebuilt: () => {
      builds += 1
    },
  })
  await service.prebuild()
  const prebuilt = builds
  await service.read(soon.id, 'live')
  expect([prebuilt, builds]).toEqual([1, 1])
  await service.read(later.id, 'live')
  expect(builds).toBe(2)
  await service.close()
})

async function rowsOf(gameId: number, version: unknown) {
  return (await context.app.inject(`/api/game/${gameId}/scoreboard/rows?since=${String(version)}`)).json()
}

test('the changes contain the row that a solve changed, and the version for the next request', async () => {
  const game = await aGame(context.db)
  const challenge = await aChallenge(context.db, { gameId: game.id, flags: ['flag{x}'] })
  const player = await aPlayer(context, { gameId: game.id, challengeIds: [challenge.id] })
  for (let other = 0; other < 4; other += 1) await aParticipation(context.db, { gameId: game.id })
  // Wait for older transactions. While an older transaction is open, the version of a board is lower than the number of the last
  // change.
  const isSettled = async () => {
    const changes = await rowsOf(game.id, (await read(game.id)).headers['x-board-version'])
    return !changes.whole && changes.teams.length === 0
  }
  await expect.poll(isSettled).toBe(true)
  const whole = await read(game.id)
  const version = whole.headers['x-board-version']
  await player.client.post(`/api/game/${game.id}/challenges/${challenge.id}`, { flag: 'flag{x}' })
  await expect.poll(async () => (await rowsOf(game.id, version)).teams.length).toBe(1)
  const changes = await rowsOf(game.id, version)
  expect(changes.teams).toMatchObject([{ id: player.team.id, rank: 1, solvedCount: 1 }])
  expect(changes.challenges).toEqual([{ id: challenge.id, score: 1000, solved: 1, bloods: [player.team.id] }])
  const after = await read(game.id)
  expect(applyBoardChanges(whole.json(), changes)).toEqual(after.json())
  const again = await context.app.inject(`/api/game/${game.id}/scoreboard/rows?since=${changes.version}`)
  expect([again.headers.etag, again.json().whole]).toEqual([undefined, false])
})

test('changes require the same access as the board, and an unknown version is answered with the full board', async () => {
  const upcoming = await aGame(context.db, { phase: 'upcoming' })
  const since = async (id: number, version: string) =>
    (await context.app.inject(`/api/game/${id}/scoreboard/rows?since=${version}`)).statusCode
  expect([await since(upcoming.id, 'x'), await since(99_999, 'x')]).toEqual([400, 404])
  const game = await aGame(context.db)
  expect([await since(game.id, ''), await since(game.id, 'x'.repeat(65)), await since(game.id, 'x')]).toEqual([400, 400, 200])
  // Each version is malformed, or higher than all transaction numbers of this database. The client then needs the full board.
  for (const version of ['x', '5.3.abcdefghijkl', '999999999999', `9${'9'.repeat(40)}`])
    expect(await rowsOf(game.id, version)).toMatchObject({ whole: true, teams: [] })
})

test.each(['by themselves', 'by an admin', 'by a list', 'who are deleted'])(
  'the board shows the new user name after changes of accounts %s',
  async (who) => {
    const game = await aGame(context.db)
    const challenge = await aChallenge(context.db, { gameId: game.id, flags: ['flag{x}'] })
    const player = await aPlayer(context, { gameId: game.id, challengeIds: [challenge.id] })
    const mate = await aTeamMate(context, player)
    await mate.client.post(`/api/game/${game.id}/challenges/${challenge.id}`, { flag: 'flag{x}' })
    const nameNow = async () => (await read(game.id)).json().items[0].solvedChallenges[0]?.userName
    await expect.poll(nameNow).toBe(mate.user.userName)
    const version = (await read(game.id)).headers['x-board-version']
    const admin = (await signInAsNewUser(context, 'Admin')).client
    const userName = `renamed${mate.user.userName}`.slice(0, 15)
    if (who === 'by themselves') expect((await mate.client.put('/api/account/update', { userName })).statusCode).toBe(200)
    else if (who === 'by an admin')
      expect((await admin.put(`/api/admin/users/${mate.user.id}`, { userName })).statusCode).toBe(200)
    else if (who === 'by a list') {
      const row = { userName, email: mate.user.email, password: 'Listed-pass-1' }
      expect((await admin.post('/api/admin/users', [row])).statusCode).toBe(200)
    } else expect((await admin.delete(`/api/admin/users/${mate.user.id}`)).statusCode).toBe(200)
    await expect.poll(nameNow).toBe(who === 'who are deleted' ? null : userName)
    // The version increases after all older transactions have ended.
    await expect.poll(async () => (await rowsOf(game.id, version)).version).not.toBe(version)
  },
)

test.each([{}, { 'accept-encoding': 'br' }])(
  'a request with the headers %j gets the same response with and without a cookie',
  async (headers) => {
    const game = await aGame(context.db)
    const answers = [await read(game.id, headers), await read(game.id, { ...headers, cookie: 'a=b' })]
    const [without, having] = answers.map(({ statusCode, rawPayload, headers: { date: _, ...sent } }) => [
      statusCode,
      rawPayload,
      sent,
    ])
    expect(without).toEqual(having)
    expect(answers[0]!.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'content-language': 'en-US' })
  },
)
