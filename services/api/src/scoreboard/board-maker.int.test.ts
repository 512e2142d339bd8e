import type { BoardChanges } from '@capstan/contract/board-changes'
import { followBoardChanges } from '@capstan/contract/board-rules'
import type { Scoreboard } from '@capstan/contract/scoreboard'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../testing/app.ts'
import { aChallenge, aGame } from '../testing/organizing-factories.ts'
import { aPlayer } from '../testing/playing-factories.ts'
import { createBoard, type KeptBoard } from './board.ts'
import { type BoardMaker, createBoardMaker } from './board-maker.ts'
import { createBoardThread } from './board-thread.ts'
import { buildPresentScoreboard } from './present-board.ts'
import { scoreboardRepository } from './repository.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())

const silent = { warn: () => {}, info: () => {} }
const openThread = (options: { program?: URL; timeoutMs?: number } = {}) =>
  createBoardThread({ databaseUrl: context.deps.config.databaseUrl, log: silent, ...options })

const aStage = async (players = 6, challengeCount = 4) => {
  const game = await aGame(context.db, { divisions: [{ name: 'Open' }] })
  const challengeIds: number[] = []
  for (let index = 0; index < challengeCount; index += 1) {
    const values = { gameId: game.id, title: `Challenge ${index % 2}`, flags: ['flag{x}'], difficulty: 1 + index }
    challengeIds.push((await aChallenge(context.db, values)).id)
  }
  const list: Awaited<ReturnType<typeof aPlayer>>[] = []
  for (let index = 0; index < players; index += 1) {
    const division = index % 3 === 0 ? { division: 'Open' } : {}
    list.push(await aPlayer(context, { gameId: game.id, challengeIds, ...division }))
  }
  const solve = async (player: number, challenge: number) => {
    const path = `/api/game/${game.id}/challenges/${challengeIds[challenge]}`
    const answer = await list[player]!.client.post(path, { flag: 'flag{x}' })
    // Whoever does not take part now is refused, and so is who asks for a challenge that is off.
    expect([200, 400, 404]).toContain(answer.statusCode)
  }
  const announce = () => scoreboardRepository(context.db).bump(game.id)
  return { game, challengeIds, players: list, solve, announce }
}

/** A process' own board of a game. @param isSparing the memory of the board before is that of the next one */
const createReplica = (maker: BoardMaker, gameId: number, { isSparing = false } = {}) => {
  let board: KeptBoard | undefined
  let spare: SharedArrayBuffer | undefined
  return async (isWhole = false): Promise<KeptBoard> => {
    const before = board
    const known = before && { ...before.history, etag: before.answer.etag }
    const made = await maker.make({ gameId, now: context.clock.now(), isWhole, known, spare })
    board = createBoard(made!, before)
    if (isSparing && made!.content) spare = before?.answer.takeBack()
    return board
  }
}

const jsonOf = ({ answer }: KeptBoard) => String(answer.in('identity'))
const changesOf = (board: KeptBoard, since: string) =>
  JSON.parse(String(board.changesSince(since).in('identity'))) as BoardChanges
const withoutTime = (board: Scoreboard) => JSON.stringify({ ...board, updateTimeUtc: '' })
const present = async (gameId: number) => withoutTime((await buildPresentScoreboard(context.db, gameId, context.clock.now()))!)

/** Changes of the game in a row (CONTRIBUTING, "Short and full runs"). */
const turns = process.env.CAPSTAN_TEST_FULL === 'true' ? 60 : 20

const happening = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('solve' as const),
      pairs: fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 3 })), { minLength: 1, maxLength: 3 }),
      laterMs: fc.constantFrom(0, 0, 1, 60_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('status' as const), index: fc.integer({ min: 0, max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('division' as const), index: fc.integer({ min: 0, max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('challenge' as const), index: fc.integer({ min: 0, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('recount' as const), index: fc.integer({ min: 0, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const), minutes: fc.integer({ min: -1, max: 30 }) }) },
)

test('whatever happens, the boards of two replicas are what is stored, and whoever follows either has the same', async () => {
  const { game, challengeIds, players, solve, announce } = await aStage()
  const { sql, clock } = context
  const thread = openThread()
  const isSparing = true
  const replicas = [createBoardMaker(context), thread].map((maker) => createReplica(maker, game.id, { isSparing }))
  const [list = []] = fc.sample(fc.array(happening, { minLength: turns, maxLength: turns, size: 'max' }), {
    seed: 24,
    numRuns: 1,
  })
  const first = await replicas[0]!()
  let followed = { version: first.version, board: JSON.parse(jsonOf(first)) as Scoreboard }
  let byChanges = 0
  for (const [turn, what] of list.entries()) {
    if (what.kind === 'solve') {
      await Promise.all(what.pairs.map(([player, challenge]) => solve(player, challenge)))
      clock.advanceMs(what.laterMs)
    } else {
      if (what.kind === 'status')
        await sql`update participations set status = case status when 'Accepted' then 'Suspended' else 'Accepted' end
          where id = ${players[what.index]!.participation.id}`
      if (what.kind === 'division')
        await sql`update participations set division = case when division is null then 'Open' end
          where id = ${players[what.index]!.participation.id}`
      if (what.kind === 'challenge')
        await sql`update challenges set is_enabled = not is_enabled, title = title || 'x' where id = ${challengeIds[what.index]!}`
      if (what.kind === 'recount') await sql`delete from solves where challenge_id = ${challengeIds[what.index]!}`
      if (what.kind === 'end')
        await sql`update games set ends_at = ${new Date(clock.now().getTime() + what.minutes * 60_000).toISOString()}
          where id = ${game.id}`
      await announce()
    }
    // Now this one builds, now the other; each has missed what came between.
    const board = await replicas[turn % 3 === 0 ? 0 : 1]!()
    expect(withoutTime(JSON.parse(jsonOf(board)))).toBe(await present(game.id))
    const changes = changesOf(board, followed.version)
    if (changes.whole) {
      followed = { version: board.version, board: JSON.parse(jsonOf(board)) }
    } else {
      const next = followBoardChanges(followed.board, changes)
      expect(withoutTime(next)).toBe(await present(game.id))
      if (changes.solves.length > 0) byChanges += 1
      followed = { version: changes.version, board: next }
    }
  }
  // The histories are random: a short one may have few turns with nothing but solves.
  expect(byChanges).toBeGreaterThan(turns / 20)
  await thread.close()
})

test('a solve is taken up alone, and its changes are small', async () => {
  const { game, players, challengeIds, solve } = await aStage()
  const build = createReplica(createBoardMaker(context), game.id)
  const before = await build()
  await solve(1, 0)
  // Seen only by whoever reads everything again.
  await context.sql`update teams set bio = 'changed by hand' where id = ${players[2]!.team.id}`
  const after = await build()
  expect(jsonOf(after)).not.toContain('changed by hand')
  expect(changesOf(after, before.version)).toEqual({
    version: after.version,
    whole: false,
    updateTimeUtc: context.clock.now().toISOString(),
    challenges: [{ id: challengeIds[0], score: 1000 }],
    solves: [
      {
        ...{ team: players[1]!.team.id, challenge: challengeIds[0], userName: players[1]!.user.userName },
        ...{ time: context.clock.now().toISOString(), place: 1, at: 0 },
      },
    ],
    ties: [],
  })
  expect(after.changesSince(before.version)).toBe(after.changesSince(before.version))
  expect(jsonOf(await build(true))).toContain('changed by hand')
})

test('a replica that is behind has nothing new, one that knows another origin or nothing sends for the whole', async () => {
  const { game, solve, announce } = await aStage(2, 1)
  const [slow, quick] = [createReplica(createBoardMaker(context), game.id), createReplica(createBoardMaker(context), game.id)]
  const old = await slow()
  await solve(0, 0)
  const late = await quick()
  const changes = changesOf(old, late.version)
  expect([changes.version, changes.whole, changes.solves]).toEqual([late.version, false, []])
  for (const since of ['', 'x', '1.1.abcdefghijkl', `9${'9'.repeat(40)}.1.abcdefghijkl`])
    expect(changesOf(late, since).whole).toBe(true)
  await announce()
  expect(changesOf(await quick(), late.version)).toMatchObject({ whole: true, solves: [], challenges: [] })
})

test('a process that starts later knows what came since, as long as nothing else has changed', async () => {
  const { game, solve } = await aStage(3, 2)
  const first = await createReplica(createBoardMaker(context), game.id)()
  for (const [player, challenge] of [
    [0, 0],
    [1, 0],
    [1, 1],
  ] as const)
    await solve(player, challenge)
  // Started after everything, and yet it knows what came since.
  const fresh = await createReplica(createBoardMaker(context), game.id)()
  const changes = changesOf(fresh, first.version)
  expect([changes.whole, changes.solves.length]).toEqual([false, 3])
  expect(withoutTime(followBoardChanges(JSON.parse(jsonOf(first)), changes))).toBe(await present(game.id))
})

test('a name that nobody announced is seen when everything is read, and followers are sent for the whole', async () => {
  const { game, players, solve } = await aStage(2, 1)
  const build = createReplica(createBoardMaker(context), game.id)
  await solve(0, 0)
  const before = await build()
  await context.sql`update users set user_name = 'another name' where id = ${players[0]!.user.id}`
  const after = await build(true)
  expect(jsonOf(after)).toContain('another name')
  expect(changesOf(after, before.version).whole).toBe(true)
  const again = await build(true)
  expect([again.version, again.answer]).toEqual([after.version, after.answer])
})

test('a solve that carries no version, written as before there were any, is taken up too', async () => {
  const { game, challengeIds, players, announce } = await aStage(2, 1)
  await announce()
  const build = createReplica(createBoardMaker(context), game.id)
  await build()
  const participation = players[0]!.participation
  await context.sql`with submission as (
      insert into submissions (game_id, challenge_id, participation_id, team_id, answer, status, submitted_at)
      values (${game.id}, ${challengeIds[0]!}, ${participation.id}, ${participation.teamId}, 'x', 'Accepted', now()) returning id)
    insert into solves (game_id, challenge_id, participation_id, submission_id, solved_at)
    select ${game.id}, ${challengeIds[0]!}, ${participation.id}, id, now() from submission`
  await announce()
  const board = await build()
  expect(withoutTime(JSON.parse(jsonOf(board)))).toBe(await present(game.id))
  expect(board.challenges.Misc![0]!.solved).toBe(1)
})

test('a board is written into the memory of an earlier one, and is never sent from there twice', async () => {
  const { game, solve } = await aStage(3, 2)
  const thread = openThread()
  const order = { gameId: game.id, now: context.clock.now(), isWhole: false }
  const first = (await thread.make({ ...order, known: undefined }))!
  await solve(0, 0)
  const spare = new SharedArrayBuffer(Math.ceil(first.content!.bytes.length * 1.5))
  const { history, content } = (await thread.make({ ...order, known: { ...first.history, etag: first.content!.etag }, spare }))!
  expect(Buffer.from(new Uint8Array(spare, 0, content!.bytes.length)).equals(content!.bytes)).toBe(true)
  expect(new TextDecoder().decode(new Uint8Array(first.content!.bytes))).toContain('"solvedCount":0')
  const known = { ...history, etag: content!.etag }
  expect((await thread.make({ ...order, known, spare: new SharedArrayBuffer(spare.byteLength) }))!.content).toBeUndefined()
  // Somebody else who knows nothing gets bytes of his own.
  const again = (await thread.make({ ...order, known: undefined }))!.content!
  new Uint8Array(spare).fill(0)
  expect(again.etag).toBe(content!.etag)
  expect(Buffer.from(again.bytes).toString()).toContain('"solvedCount":1')
  await thread.close()
})

test('a game that is not there has no board', async () => {
  const thread = openThread()
  const order = { gameId: 99_999, now: new Date(), isWhole: false, known: undefined }
  expect(await thread.make(order)).toBeUndefined()
  await thread.close()
  await expect(thread.make(order)).rejects.toThrow('No boards are built any more')
})

test('a thread that breaks or hangs fails its board, and the next board has another', async () => {
  const { game } = await aStage(1, 1)
  const order = { gameId: game.id, now: new Date(), isWhole: false, known: undefined }
  const broken = openThread({ program: new URL('data:text/javascript,throw new Error("broken")') })
  await expect(broken.make(order)).rejects.toThrow('has ended')
  await expect(broken.make(order)).rejects.toThrow('has ended')
  await broken.close()
  const program = new URL('data:text/javascript,import{parentPort}from"node:worker_threads";parentPort.on("message",()=>{})')
  const hanging = openThread({ program, timeoutMs: 200 })
  await expect(hanging.make(order)).rejects.toThrow('has ended')
  await hanging.close()
})
