import type { BoardChanges } from '@capstan/contract/board-changes'
import { applyBoardChanges } from '@capstan/contract/board-rules'
import type { Scoreboard } from '@capstan/contract/scoreboard'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { isFullRun } from '../../testing/full-run.ts'
import { waitForOlderTransactions } from '../../testing/older-transactions.ts'
import { aChallenge, aGame } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'
import { buildStoredScoreboard } from '../../testing/stored-facts.ts'
import { type BuiltBoard, createBoard } from './board.ts'
import { type BoardMaker, createBoardMaker } from './board-maker.ts'
import { createBoardThread } from './board-thread.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())

const silent = { warn: () => {}, info: () => {} }
function openThread(options: { program?: URL; timeoutMs?: number } = {}) {
  return createBoardThread({ databaseUrl: context.deps.config.databaseUrl, log: silent, ...options })
}

async function aStage(players = 6, challengeCount = 4) {
  const game = await aGame(context.db, { divisions: [{ name: 'Open' }] })
  const challengeIds: number[] = []
  for (let index = 0; index < challengeCount; index += 1) {
    const values = { gameId: game.id, title: `Challenge ${index % 2}`, flags: ['flag{x}'], decay: 1 + index }
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
    // The api refuses calls of suspended teams and calls about disabled challenges.
    expect([200, 400, 404]).toContain(answer.statusCode)
  }
  await waitForOlderTransactions(context)
  return { game, challengeIds, players: list, solve }
}

function createReplica(maker: BoardMaker, gameId: number) {
  let board: BuiltBoard | undefined
  return async (isFull = false): Promise<BuiltBoard> => {
    const known = isFull || !board ? undefined : { live: board.answer.etag, frozen: undefined }
    const made = await maker.make({ gameId, now: context.clock.now(), known })
    board = createBoard(made!.live, board)
    return board
  }
}

function jsonOf({ answer }: BuiltBoard) {
  return String(answer.in('identity'))
}
function changesOf(board: BuiltBoard, since: number | undefined) {
  return JSON.parse(String(board.changesSince(since).in('identity'))) as BoardChanges
}
function withoutTime(board: Scoreboard) {
  return JSON.stringify({ ...board, updateTimeUtc: '' })
}
async function present(gameId: number) {
  return withoutTime((await buildStoredScoreboard(context.db, gameId, context.clock.now()))!)
}

/** Returns a client that has read the full board and then applies changes. */
function createFollower(first: BuiltBoard) {
  let known = { position: first.position, board: JSON.parse(jsonOf(first)) as Scoreboard }
  return (board: BuiltBoard): { json: string; isFull: boolean } => {
    const changes = changesOf(board, known.position)
    const hasRows = changes.teams.length > 0 || changes.removed.length > 0
    if (changes.whole) known = { position: board.position, board: JSON.parse(jsonOf(board)) }
    else known = { position: Number(changes.version), board: hasRows ? applyBoardChanges(known.board, changes) : known.board }
    return { json: withoutTime(known.board), isFull: changes.whole }
  }
}

/** Number of random changes (CONTRIBUTING, "Short and full runs"). */
const turns = isFullRun ? 80 : 30

const player = fc.integer({ min: 0, max: 5 })
const challenge = fc.integer({ min: 0, max: 3 })
const happening = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('solve' as const),
      pairs: fc.array(fc.tuple(player, challenge), { minLength: 1, maxLength: 3 }),
      laterMs: fc.constantFrom(0, 0, 1, 60_000),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('status' as const, 'division' as const, 'team' as const, 'user' as const, 'award' as const),
      index: player,
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('challenge' as const, 'recount' as const), index: challenge }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const), minutes: fc.integer({ min: -1, max: 30 }) }) },
)

test.each([
  ['current', false],
  ['fixed', true],
])('two replicas and their common client have the correct board after any change (%s values)', async (_, isFixed) => {
  const { game, challengeIds, players, solve } = await aStage()
  const { sql, clock } = context
  await sql`update challenges set curve = 'rctf', is_value_fixed = ${isFixed} where game_id = ${game.id} and id % 2 = 0`
  await sql`update challenges set is_value_fixed = ${isFixed} where id = ${challengeIds[1]!}`
  const thread = openThread()
  const replicas = [createBoardMaker(context), thread].map((maker) => createReplica(maker, game.id))
  const [list = []] = fc.sample(fc.array(happening, { minLength: turns, maxLength: turns, size: 'max' }), {
    seed: 24,
    numRuns: 1,
  })
  for (const build of replicas) await build()
  const follow = createFollower(await replicas[0]!())
  let byRows = 0
  for (const [turn, what] of list.entries()) {
    if (what.kind === 'solve') {
      await Promise.all(what.pairs.map(([one, solved]) => solve(one, solved)))
      clock.advanceMs(what.laterMs)
    } else if (what.kind === 'end') {
      const end = new Date(clock.now().getTime() + what.minutes * 60_000)
      await sql`update games set ends_at = ${end.toISOString()} where id = ${game.id}`
    } else {
      const { participation, team, user } = players[what.index]!
      const { id } = participation
      if (what.kind === 'status')
        await sql`update participations set status = case status when 'Accepted' then 'Suspended' else 'Accepted' end where id = ${id}`
      if (what.kind === 'division')
        await sql`update participations set division = case when division is null then 'Open' end where id = ${id}`
      if (what.kind === 'team')
        await sql`update teams set name = ${`Team ${turn}`}, bio = ${`Turn ${turn}`} where id = ${team.id}`
      if (what.kind === 'user')
        await sql`update users set user_name = ${`player-${isFixed ? 'a' : 'b'}-${turn}`} where id = ${user.id}`
      if (what.kind === 'award')
        await sql`insert into awards (game_id, participation_id, title, points, awarded_at)
          values (${game.id}, ${id}, 'Talk', ${turn - 10}, now())`
      if (what.kind === 'challenge')
        await sql`update challenges set is_enabled = not is_enabled, title = title || 'x' where id = ${challengeIds[what.index]!}`
      if (what.kind === 'recount') await sql`delete from solves where challenge_id = ${challengeIds[what.index]!}`
    }
    // Each replica misses some of the changes and then catches up.
    const board = await replicas[turn % 3 === 0 ? 0 : 1]!()
    const stored = await present(game.id)
    expect(withoutTime(JSON.parse(jsonOf(board)))).toBe(stored)
    const { json, isFull } = follow(board)
    expect(json).toBe(stored)
    if (!isFull) byRows += 1
  }
  // After some of the random changes, the response is the full board. The number of responses with changed rows therefore
  // varies.
  expect(byRows).toBeGreaterThan(isFixed ? 0 : turns / 20)
  await thread.close()
})

test('after a solve, a replica sends only the changed row and the values of all challenges', async () => {
  const { game, players, challengeIds, solve } = await aStage(5, 2)
  const build = createReplica(createBoardMaker(context), game.id)
  const before = await build()
  await solve(1, 0)
  await waitForOlderTransactions(context)
  const after = await build()
  const changes = changesOf(after, before.position)
  expect(changes).toMatchObject({
    ...{ version: String(after.position), whole: false, removed: [], ties: [] },
    challenges: [
      { id: challengeIds[0], score: 1000, solved: 1, bloods: [players[1]!.team.id] },
      { id: challengeIds[1], score: 1000, solved: 0, bloods: [] },
    ],
  })
  expect(changes.teams).toEqual([after.standingOf(players[1]!.team.id)])
  expect(after.changesSince(before.position)).toBe(after.changesSince(before.position))
  expect(changesOf(after, after.position)).toMatchObject({ whole: false, teams: [], challenges: [] })
})

test('a replica sends a row that changed twice between two builds, even if the second change restores the row', async () => {
  const { game, players } = await aStage(2, 1)
  const [slow, quick] = [createReplica(createBoardMaker(context), game.id), createReplica(createBoardMaker(context), game.id)]
  await slow()
  const { team } = players[0]!
  const rename = (name: string) => context.sql`update teams set name = ${name} where id = ${team.id}`
  await rename('Another')
  const follow = createFollower(await quick())
  await rename(team.name)
  const board = await slow()
  const { json, isFull } = follow(board)
  expect([json, isFull]).toEqual([await present(game.id), false])
})

test('if the suspension of a team changes the points of other teams, clients get the full board', async () => {
  const { game, players, challengeIds, solve } = await aStage(3, 1)
  await context.sql`update challenges set curve = 'linear', difficulty = 50, is_value_fixed = true where id = ${challengeIds[0]!}`
  await waitForOlderTransactions(context)
  const [slow, quick] = [createReplica(createBoardMaker(context), game.id), createReplica(createBoardMaker(context), game.id)]
  await solve(0, 0)
  // Without this wait, an open transaction of another test could raise the floor above the position of the first board.
  await waitForOlderTransactions(context)
  const follow = createFollower(await slow())
  await solve(1, 0)
  expect(follow(await slow())).toEqual({ json: await present(game.id), isFull: false })
  const set = (status: string) =>
    context.sql`update participations set status = ${status} where id = ${players[0]!.participation.id}`
  await set('Suspended')
  expect(follow(await quick())).toEqual({ json: await present(game.id), isFull: true })
  // The slow replica never builds a board with the suspension, but its clients may have read such a board from the quick replica.
  await set('Accepted')
  expect(follow(await slow())).toEqual({ json: await present(game.id), isFull: true })
})

test('a new api replica sends the full board if a team was suspended while another transaction was open', async () => {
  const { game, players, challengeIds, solve } = await aStage(3, 1)
  await context.sql`update challenges set curve = 'linear', difficulty = 50, is_value_fixed = true where id = ${challengeIds[0]!}`
  for (const player of [0, 1]) await solve(player, 0)
  await waitForOlderTransactions(context)
  const older = await context.sql.reserve()
  await older`begin`
  await older`select pg_current_xact_id()`
  const follow = createFollower(await createReplica(createBoardMaker(context), game.id)())
  await context.sql`update participations set status = 'Suspended' where id = ${players[0]!.participation.id}`
  const late = await createReplica(createBoardMaker(context), game.id)()
  await older`commit`
  older.release()
  expect(follow(late)).toEqual({ json: await present(game.id), isFull: true })
})

test('clients remove a suspended team from the board, and add the team again after its acceptance', async () => {
  const { game, players } = await aStage(3, 1)
  const build = createReplica(createBoardMaker(context), game.id)
  const before = await build()
  const follow = createFollower(before)
  const { participation, team } = players[1]!
  const set = (status: string) => context.sql`update participations set status = ${status} where id = ${participation.id}`
  await set('Suspended')
  const without = await build()
  expect(changesOf(without, before.position)).toMatchObject({ whole: false, teams: [], removed: [team.id] })
  expect(follow(without)).toEqual({ json: await present(game.id), isFull: false })
  await set('Accepted')
  expect(follow(await build())).toEqual({ json: await present(game.id), isFull: false })
})

test('sends the changes of transactions that commit in a different order than they began', async () => {
  const { game, players } = await aStage(12, 1)
  const build = createReplica(createBoardMaker(context), game.id)
  const follow = createFollower(await build())
  const slow = await context.sql.reserve()
  await slow`begin`
  await slow`update teams set bio = 'began first' where id = ${players[0]!.team.id}`
  await context.sql`update teams set bio = 'committed first' where id = ${players[1]!.team.id}`
  expect(follow(await build()).json).toBe(await present(game.id))
  await slow`commit`
  slow.release()
  expect(follow(await build())).toEqual({ json: await present(game.id), isFull: false })
})

test('a lagging replica sends no changes, and sends the full board for an unknown or outdated version', async () => {
  const { game, solve } = await aStage(2, 1)
  const [slow, quick] = [createReplica(createBoardMaker(context), game.id), createReplica(createBoardMaker(context), game.id)]
  const old = await slow()
  await solve(0, 0)
  const late = await quick()
  expect(changesOf(old, late.position)).toMatchObject({ version: String(late.position), whole: false, teams: [] })
  expect([changesOf(late, undefined).whole, changesOf(late, 1).whole]).toEqual([true, true])
  await context.sql`update games set blood_bonus = 0 where id = ${game.id}`
  expect(changesOf(await quick(), late.position)).toMatchObject({ whole: true, teams: [], challenges: [] })
})

test('sends the full board after a replica has started', async () => {
  const { game, solve } = await aStage(3, 2)
  const startReplica = () => createReplica(createBoardMaker(context), game.id)()
  const first = await startReplica()
  await solve(0, 0)
  await waitForOlderTransactions(context)
  const fresh = await startReplica()
  expect(changesOf(fresh, first.position).whole).toBe(true)
  expect(changesOf(fresh, fresh.position).whole).toBe(false)
})

test.each([
  ['sends changed rows', 'room', 1_000, false],
  ['sends the full board', 'no room', 1, true],
])('a replica %s if the cache has %s for the records of two games', async (_, _room, maxRecords, isFull) => {
  const [{ game, solve }, { game: other }] = [await aStage(3, 1), await aStage(1, 1)]
  const maker = createBoardMaker({ db: context.db, maxRecords })
  const build = createReplica(maker, game.id)
  const first = await build()
  await createReplica(maker, other.id)()
  await solve(0, 0)
  await waitForOlderTransactions(context)
  expect(changesOf(await build(), first.position).whole).toBe(isFull)
})

test('the board thread returns no bytes if nothing changed since the last build', async () => {
  const { game } = await aStage(2, 1)
  const thread = openThread()
  const order = { gameId: game.id, now: context.clock.now() }
  const first = (await thread.make({ ...order, known: undefined }))!
  const { content } = first.live
  expect(JSON.parse(Buffer.from(content!.bytes).toString()).items).toHaveLength(2)
  expect((await thread.make({ ...order, known: { live: content!.etag, frozen: undefined } }))!.live.content).toBeUndefined()
  // A caller that no longer has the board receives the bytes again.
  expect((await thread.make({ ...order, known: undefined }))!.live.content!.etag).toBe(content!.etag)
  await thread.close()
})

test('builds no board of an unknown game', async () => {
  const thread = openThread()
  const order = { gameId: 99_999, now: new Date(), known: undefined }
  expect(await thread.make(order)).toBeUndefined()
  await thread.close()
  await expect(thread.make(order)).rejects.toThrow('The board thread is closed')
})

test('a build fails if its thread breaks or hangs, and the next build starts another thread', async () => {
  const { game } = await aStage(1, 1)
  const order = { gameId: game.id, now: new Date(), known: undefined }
  const broken = openThread({ program: new URL('data:text/javascript,throw new Error("broken")') })
  await expect(broken.make(order)).rejects.toThrow('The board thread exited')
  await expect(broken.make(order)).rejects.toThrow('The board thread exited')
  await broken.close()
  const program = new URL('data:text/javascript,import{parentPort}from"node:worker_threads";parentPort.on("message",()=>{})')
  const hanging = openThread({ program, timeoutMs: 200 })
  await expect(hanging.make(order)).rejects.toThrow('The board thread exited')
  await hanging.close()
})

function programOf(body: string) {
  return new URL(
    `data:text/javascript,import{parentPort}from"node:worker_threads";parentPort.on("message",({kind,order})=>{if(kind==="close"){parentPort.close();return}${body};parentPort.postMessage({kind:"made",made:kind})})`,
  )
}
function order(gameId: number) {
  return { gameId, now: new Date(0), known: undefined }
}
const pastOrder = { gameId: 1, instant: new Date(0) }

test('the board thread builds present boards before past boards in the queue', async () => {
  const thread = openThread({ program: programOf('') })
  const built: string[] = []
  const add = (made: unknown) => void built.push(String(made))
  await Promise.all([thread.makePast(pastOrder).then(add), thread.makePast(pastOrder).then(add), thread.make(order(1)).then(add)])
  await thread.close()
  expect(built).toEqual(['makePast', 'make', 'makePast'])
})

test('the time in the queue does not count toward the timeout of a board build', async () => {
  const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0,500);'
  const thread = openThread({ program: programOf(wait), timeoutMs: 8_000 })
  const built = await Promise.all(Array.from({ length: 20 }, () => thread.make(order(1))))
  await thread.close()
  expect(built).toEqual(Array(20).fill('make'))
})

test('builds that wait for a hanging build do not fail', async () => {
  const thread = openThread({ program: programOf('if(order.gameId===1)return'), timeoutMs: 10_000 })
  const outcomes = await Promise.allSettled([thread.make(order(1)), thread.make(order(2))])
  await thread.close()
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
})
