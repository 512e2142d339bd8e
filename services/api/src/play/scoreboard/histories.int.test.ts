import type { Scoreboard } from '@capstan/contract/scoreboard'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildNaiveScoreboard } from '../../rules/scoring/testing/naive-scoreboard.ts'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { aTeam, aUser } from '../../testing/factories.ts'
import { countRandomCases } from '../../testing/full-run.ts'
import { aChallenge, aGame, aParticipation } from '../../testing/organizing-factories.ts'
import { loadBoardFactsFromRows } from '../../testing/stored-facts.ts'
import { recomputeBoardLines } from '../../testing/verify-board.ts'
import { createChainReader, firstLineOfChain } from '../public-chain/chain-lines.ts'
import { extendChains, findChainEnd } from '../public-chain/service.ts'
import { createBoard } from './board.ts'
import { type BoardMaker, createBoardMaker } from './board-maker.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())

const histories = countRandomCases({ short: 2, full: 200 })
const stepMs = 1_000
const teams = 3
const challenges = 3

const team = fc.integer({ min: 0, max: teams - 1 })
const challenge = fc.integer({ min: 0, max: challenges - 1 })
const minutes = fc.integer({ min: 0, max: 2 })
const changes = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('solve' as const), team, challenge }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('take back' as const), team, challenge }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('award' as const), team, points: fc.integer({ min: -50, max: 50 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('revoke' as const), team }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('hint' as const), team, challenge }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('status' as const), team }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('division' as const), team }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('rights' as const), bits: fc.integer({ min: 0, max: 8191 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('edit' as const), challenge, points: fc.constantFrom(100, 700) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const), minutes }) },
  ),
  { minLength: 9, maxLength: 9, size: 'max' },
)
type Change = ReturnType<typeof changes.generate>['value'][number]

async function aScene() {
  const game = await aGame(context.db, { divisions: [{ name: 'Open' }] })
  const ids: number[] = []
  for (let index = 0; index < challenges; index += 1)
    ids.push((await aChallenge(context.db, { gameId: game.id, isValueFixed: index === 0, curve: 'linear', decay: 5 })).id)
  const players: Readonly<{
    user: { readonly id: string }
    participation: Awaited<ReturnType<typeof aParticipation>>
  }>[] = []
  for (let index = 0; index < teams; index += 1) {
    const user = await aUser(context.db)
    const team = await aTeam(context.db, { captainId: user.id })
    players.push({ user, participation: await aParticipation(context.db, { gameId: game.id, teamId: team.id }) })
  }
  return { game, ids, players, baseMs: Date.now() + stepMs }
}
type Scene = Awaited<ReturnType<typeof aScene>>

/** Makes a change whose records have the given time. */
async function make(change: Change, { game, ids, players }: Scene, at: string): Promise<void> {
  await context.sql.begin(async (sql) => {
    await sql`select set_config('capstan.recorded_at', ${at}, true)`
    const { participation = undefined, user = undefined } = 'team' in change ? players[change.team]! : {}
    const [id = 0, cid = 0] = [participation?.id, 'challenge' in change ? ids[change.challenge] : 0]
    if (change.kind === 'solve')
      await sql`
        with sent as (
          insert into submissions (game_id, challenge_id, participation_id, team_id, user_id, answer, status, submitted_at)
          values (${game.id}, ${cid}, ${id}, ${participation!.teamId}, ${user!.id}, 'flag', 'Accepted', ${at}) returning *)
        insert into solves (game_id, challenge_id, participation_id, submission_id, user_id, solved_at)
        select game_id, challenge_id, participation_id, id, user_id, submitted_at from sent on conflict do nothing`
    if (change.kind === 'take back') await sql`delete from solves where participation_id = ${id} and challenge_id = ${cid}`
    if (change.kind === 'award')
      await sql`
        insert into awards (game_id, participation_id, title, points, awarded_at)
        values (${game.id}, ${id}, 'Talk', ${change.points}, ${at})`
    if (change.kind === 'revoke') await sql`update awards set revoked_at = ${at} where participation_id = ${id}`
    if (change.kind === 'hint')
      await sql`
        insert into hint_purchases (game_id, challenge_id, participation_id, hint_id, price, bought_at)
        values (${game.id}, ${cid}, ${id}, gen_random_uuid(), 7, ${at})`
    if (change.kind === 'status')
      await sql`update participations set status = case status when 'Accepted' then 'Suspended' else 'Accepted' end where id = ${id}`
    if (change.kind === 'division')
      await sql`update participations set division = case when division is null then 'Open' end where id = ${id}`
    if (change.kind === 'rights') await sql`update divisions set permissions = ${change.bits} where game_id = ${game.id}`
    if (change.kind === 'edit')
      await sql`update challenges set original_score = ${change.points}, title = ${at} where id = ${cid}`
    if (change.kind === 'end')
      await sql`update games set ends_at = ${at}::timestamptz + ${`${change.minutes} minutes`}::interval where id = ${game.id}`
  })
}

function withoutTime(board: Scoreboard) {
  return { ...board, updateTimeUtc: '' }
}
function boardIn(bytes: Uint8Array) {
  return withoutTime(JSON.parse(Buffer.from(bytes).toString()))
}

async function recomputeBoardFromChain({ game }: Scene) {
  await extendChains(context.deps)
  const last = await findChainEnd(context.deps, game.id)
  const lines = await createChainReader(context.deps).read(game, { after: 0, last })
  return recomputeBoardLines([firstLineOfChain(game), ...lines].join(''), game.publicKey)
}

test('replicas and the public chain have the expected board after each random change, and can rebuild past boards', async () => {
  const replicas = [createBoardMaker(context), createBoardMaker(context)]
  for (const [seed, history] of fc.sample(changes, { seed: 58, numRuns: histories }).entries()) {
    const scene = await aScene()
    const gameId = scene.game.id
    const known: (string | undefined)[] = [undefined, undefined]
    const present = async (replica: BoardMaker, index: number, now: Date) => {
      const tag = known[index]
      const made = await replica.make({ gameId, now, known: tag === undefined ? undefined : { live: tag, frozen: undefined } })
      if (!made?.live.content) return undefined
      known[index] = createBoard(made.live, undefined).answer.etag
      return boardIn(made.live.content.bytes)
    }
    const expected: Readonly<{ now: Date; board: Scoreboard }>[] = []
    let last: (Scoreboard | undefined)[] = [undefined, undefined]
    for (const [index, change] of history.entries()) {
      const now = new Date(scene.baseMs + index * stepMs)
      await make(change, scene, now.toISOString())
      const facts = await context.db.reader.snapshot((at) => loadBoardFactsFromRows(at, gameId))
      const board = withoutTime(buildNaiveScoreboard({ ...facts!, updatedAt: now }))
      expected.push({ now, board })
      // The second replica misses some changes and then catches up.
      const asked = index % 3 === 2 ? [0, 1] : [0]
      for (const place of asked) {
        const shown = await present(replicas[place]!, place, now)
        last = last.with(place, shown ?? last[place])
        expect(last[place], `history ${seed}, change ${index}, replica ${place}`).toEqual(board)
      }
      if (asked.length === 1) continue
      const rows = board.items.map(({ id, rank, score }) => `${rank}\t${id}\t${score}`)
      expect(await recomputeBoardFromChain(scene), `history ${seed}, change ${index}, chain`).toEqual(rows)
    }
    for (const { now, board } of expected)
      for (const replica of replicas) {
        const past = await replica.makePast({ gameId, instant: new Date(now.getTime() + 1) })
        expect(boardIn(past!.bytes), `history ${seed} at ${now.toISOString()}`).toEqual(board)
      }
  }
}, 900_000)
