import process from 'node:process'
import type { Bench, BenchDatabase, Job } from '../bench.ts'
import { addGame, type FurtherGame } from '../further-game.ts'
import { createCommitRate } from '../limits/commit-rate.ts'
import type { LoadReport, LoadRequest } from '../load/order.ts'
import { readEndedCpuMs, withTreeCpu } from '../process-usage.ts'
import type { Row } from '../report.ts'
import { alternate, type Comparison } from '../rounds.ts'
import { median } from '../statistics.ts'
import { captureAnswer, cpuEachMs, faultsOf } from './http.ts'
import { bareInsert } from './submit.ts'

/** More than any machine answers. */
const plannedPerSecond = 4_000

type Measured = LoadReport & { readonly cpuMs: number }

/** CPU time of api and database for one answer, in ms. */
function cpuOfAnswers(job: string, measures: readonly Measured[], mostMs: number): Row {
  const eachMs = cpuEachMs(measures)
  if (Number.isNaN(eachMs)) return { job, ours: 'skipped: this system has no /proc' }
  return { job, ours: `${eachMs.toFixed(2)} ms CPU`, bar: `<= ${mostMs} ms`, isMet: eachMs <= mostMs }
}

/** Whoever has an answer that the list does not expect. */
function unexpected(job: string, report: LoadReport, expected: string): string[] {
  const others = report.bodies.filter(([, body]) => body !== expected)
  return others.length === 0 ? [] : [`${job}: ${others.length} answers were not ${expected} but ${others[0]?.[1]}`]
}

/** Puts load on the api. */
async function measure(bench: Bench, requests: readonly LoadRequest[]): Promise<Measured> {
  const [{ port }, { clients, seconds }] = [await bench.api(), bench]
  const report = await bench.load({ port, clients, seconds, requests, keepsBodies: true })
  return { ...report, cpuMs: report.cpu.apiMs + report.cpu.databaseMs }
}

function requestsOf({ world }: BenchDatabase, game: FurtherGame) {
  const pathOf = (challenge: number) => `/api/game/${game.id}/challenges/${game.challengeIds[challenge]}`
  const headersOf = (player: number) => ({ cookie: world.players[player]?.cookie ?? '' })
  return {
    view: (player: number, challenge: number): LoadRequest => ({
      method: 'GET',
      path: pathOf(challenge),
      headers: headersOf(player),
    }),
    submit: (player: number, challenge: number, flag: string): LoadRequest => ({
      method: 'POST',
      path: pathOf(challenge),
      headers: headersOf(player),
      body: JSON.stringify({ flag }),
      thenGet: `${pathOf(challenge)}/status/`,
    }),
  }
}

/** Answers to a POST alone, by CPU time, beside what the same machine needs to store a row. */
async function comparePosts(bench: Bench, database: BenchDatabase, nextGuesses: () => LoadRequest[]) {
  const { clients, seconds } = bench
  const reports: LoadReport[] = []
  const post = async () => {
    const report = await measure(
      bench,
      nextGuesses().map(({ thenGet: _, ...request }) => request),
    )
    reports.push(report)
    return report
  }
  const bare = await bareInsert(bench, database)
  const insert = () => withTreeCpu([bare.pid, database.pid], bare.load)
  const rate = await createCommitRate(database.url)
  bench.onClose(rate.close)
  const countRows = async () =>
    (await database.sql<{ count: number }[]>`select count(*)::integer as count from bench_rows`)[0]?.count ?? 0
  /** With the CPU time of pgbench, which has ended by then. */
  const commit = async () => {
    const [rowsBefore, endedBefore] = [await countRows(), await readEndedCpuMs(process.pid)]
    const { cpuMs } = await withTreeCpu([database.pid], async () => ({ perSecond: await rate.measure(clients, seconds) }))
    const ended = (await readEndedCpuMs(process.pid)) - endedBefore
    return { cpuMs: cpuMs + ended, answered: (await countRows()) - rowsBefore }
  }
  const [besideInsert, besideCommit] = [await alternate(2, post, insert), await alternate(2, post, commit)]
  const rowOf = (limit: string, comparison: Comparison<{ cpuMs: number; answered: number }>, leastRatio: number): Row => {
    const job = `wrong flag, POST alone, beside ${limit}`
    const [ours, best] = [cpuEachMs(comparison.ours), cpuEachMs(comparison.limit)]
    if (Number.isNaN(ours + best)) return { job, ours: 'skipped: this system has no /proc' }
    const ratio = best / ours
    const figures = { ours: `${ours.toFixed(2)} ms CPU`, limit: `${best.toFixed(2)} ms CPU`, ratio }
    return { job, ...figures, bar: `>= ${leastRatio}`, isMet: ratio >= leastRatio }
  }
  return {
    rows: [
      rowOf('Fastify inserting one row', besideInsert, 0.5),
      rowOf(rate.tool.includes('pgbench') ? 'pgbench' : 'Node inserting one row', besideCommit, 0.25),
    ],
    reports,
  }
}

/** Right answers of a game in their order, each once. */
function createSolver(bench: Bench, database: BenchDatabase, game: FurtherGame) {
  const { submit } = requestsOf(database, game)
  let position = 0
  return async (): Promise<Measured> => {
    const planned = game.unsolved.slice(position, position + Math.ceil(plannedPerSecond * bench.seconds))
    const report = await measure(
      bench,
      planned.map(({ player, challenge }) => submit(player, challenge, game.flagOf(challenge))),
    )
    position += report.answered
    return report
  }
}

function allOf({ ours, limit }: Comparison<Measured>): readonly Measured[] {
  return [...ours, ...limit]
}

/** Late in a game beside early in it. */
function growthRow(job: string, { ours: early, limit: late }: Comparison<Measured>, most?: number): Row[] {
  const ratio = median(late.map((report, round) => cpuEachMs([report]) / cpuEachMs([early[round] ?? report])))
  if (Number.isNaN(ratio)) return []
  const row = { job, ours: `${cpuEachMs(late).toFixed(2)} ms CPU`, limit: `${cpuEachMs(early).toFixed(2)} ms CPU`, ratio }
  return [most === undefined ? row : { ...row, bar: `<= ${most}`, isMet: ratio <= most }]
}

/** What a flag costs from the submission to the verdict, wrong and right, early in a game and late. */
export const judgingJob: Job = {
  name: 'judging',
  about: 'flags from their submission until the verdict is read, at 5,000 and at 25,000 solves, by CPU of api and database',
  shareSeconds: 60,
  place: 43,
  async run(bench) {
    const database = await bench.database()
    const { secretKey } = bench
    const [early, late] = [
      await addGame(database, { secretKey, challenges: 100, solvedByTeam: 10, isSeen: true }),
      await addGame(database, { secretKey, challenges: 100, solvedByTeam: 50, isSeen: true }),
    ]
    const rounds = 3
    let serial = 0
    const nextGuesses = (): LoadRequest[] => {
      const { submit } = requestsOf(database, early)
      return Array.from({ length: Math.ceil(plannedPerSecond * bench.seconds) }, () => {
        serial += 1
        return submit(serial % database.world.players.length, serial % early.challengeIds.length, `flag{no-${serial}}`)
      })
    }
    const guess = () => measure(bench, nextGuesses())
    const wrong = await alternate(2, guess, guess)
    const posts = await comparePosts(bench, database, nextGuesses)
    const [solveEarly, solveLate] = [createSolver(bench, database, early), createSolver(bench, database, late)]
    const right = await alternate(rounds, solveEarly, solveLate)
    // From now on somebody watches both boards: each is built anew once a second while it changes.
    const { port } = await bench.api()
    for (const { id } of [early, late]) await captureAnswer(port, `/api/game/${id}/scoreboard`)
    const watched = await alternate(1, solveEarly, solveLate)
    return {
      rows: [
        cpuOfAnswers('wrong flag until judged', allOf(wrong), 0.9),
        ...posts.rows,
        cpuOfAnswers('right flag until judged, at 5,000 solves', right.ours, 1.3),
        cpuOfAnswers('right flag until judged, at 25,000 solves', right.limit, 1.3),
        ...growthRow('right flag, 25,000 beside 5,000 solves', right, 1.2),
        ...growthRow('the same while both boards are watched', watched),
      ],
      faults: [
        ...faultsOf('judging', [...allOf(wrong), ...posts.reports, ...allOf(right), ...allOf(watched)]),
        ...allOf(wrong).flatMap((report) => unexpected('wrong flag', report, '"WrongAnswer"')),
        ...[...allOf(right), ...allOf(watched)].flatMap((report) => unexpected('right flag', report, '"Accepted"')),
      ],
    }
  },
}

/** A challenge as a team opens it for the first time, and again. */
export const viewsJob: Job = {
  name: 'views',
  about: 'views of challenges by teams, the first and later ones, by CPU of api and database',
  shareSeconds: 25,
  place: 41,
  async run(bench) {
    const database = await bench.database()
    const game = await addGame(database, { secretKey: bench.secretKey, challenges: 100, solvedByTeam: 0, isSeen: false })
    const { view } = requestsOf(database, game)
    const planned = game.unsolved.map(({ player, challenge }) => view(player, challenge))
    let seen = 0
    const firstViews = async () => {
      const report = await measure(bench, planned.slice(seen, seen + Math.ceil(plannedPerSecond * bench.seconds)))
      seen += report.answered
      return report
    }
    const laterViews = () => measure(bench, planned.slice(0, Math.min(seen, 2_000)))
    const { ours: first, limit: later } = await alternate(2, firstViews, laterViews)
    return {
      rows: [cpuOfAnswers('challenge, first view', first, 1.2), cpuOfAnswers('challenge, later views', later, 0.5)],
      faults: faultsOf('views', [...first, ...later]),
    }
  },
}
