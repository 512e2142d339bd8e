import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import {
  ask,
  type Bench,
  type BenchDatabase,
  cpuEachMs,
  cpuText,
  type Job,
  type Measured,
  measure,
  type Target,
} from '../bench.ts'
import { browserHeaders, faultsOf, type LoadRequest } from '../load.ts'
import { alternate, type Comparison, summarize } from '../statistics.ts'
import { atMost, fineMilliseconds, type Row, ratioAtLeast, ratioAtMost, skipped } from '../table.ts'
import { readCpuMs, readEndedCpuMs } from '../usage.ts'
import type { World } from '../world.ts'

const maxWrongMs = 1.1
const maxRightMs = 1.3
const maxGrowth = 1.2
const minBesideInsert = 0.5
const minBesidePgbench = 0.25
const flagsPerRound = 1_280
const clients = 64
/** Rows of each pgbench client, so that the CPU time of its connection is a small part. */
const rowsPerClient = 300

/** Returns submissions whose verdict is read until it is there. */
const submissionOf = (world: World, team: number, challenge: number, flag: string): LoadRequest => ({
  method: 'POST',
  path: world.path(challenge),
  headers: { cookie: world.cookie(team) },
  body: JSON.stringify({ flag }),
  thenGet: `${world.path(challenge)}/status/`,
})

const withoutVerdict = ({ thenGet: _, ...request }: LoadRequest): LoadRequest => request

/** Returns a function that submits the next right flags of a game. */
const createSolver = (api: Target, world: World, faults: string[]) => {
  let first = 0
  return (): Promise<Measured> => {
    const pairs = world.unsolved(first, flagsPerRound)
    first += flagsPerRound
    return measure(api, {
      clients,
      requests: pairs.map(({ team, challenge }) => submissionOf(world, team, challenge, world.flag(challenge))),
      onAnswer: (_, verdict) => verdict === '"Accepted"' || faults.push(`flags: a right flag was judged ${verdict}`),
    })
  }
}

const createGuesses = ({ size, ...world }: World) => {
  let serial = 0
  return (): LoadRequest[] =>
    Array.from({ length: flagsPerRound }, () => {
      serial += 1
      return submissionOf({ size, ...world }, serial % size.teams, serial % size.challenges, `flag{guess-${serial}}`)
    })
}

/** Table with the columns of a submission, without foreign keys and further indexes. */
const createRows = `create table bench_rows (
  id integer primary key generated always as identity, game_id integer not null, challenge_id integer not null,
  participation_id integer not null, team_id integer not null, user_id uuid, answer text not null, status text not null,
  submitted_at timestamptz not null)`
const insertRow = `insert into bench_rows (game_id, challenge_id, participation_id, team_id, user_id, answer, status, submitted_at)
  values (1, 2, 3, 4, '00000000-0000-4000-8000-000000000000', 'flag{a-first-guess}', 'WrongAnswer', now()) returning id`

/** Inserts rows with pgbench, one per transaction. @returns undefined without pgbench */
const insertWithPgbench = async (bench: Bench, database: BenchDatabase): Promise<Measured | undefined> => {
  const script = path.join(await bench.folder(), 'insert.sql')
  await writeFile(script, `${insertRow.replaceAll('\n', ' ')};\n`)
  const read = async () => [await readEndedCpuMs(process.pid), await readCpuMs(database.pid)] as const
  const [own, server] = await read()
  const args = ['-n', '-M', 'prepared', '-c', String(clients), '-t', String(rowsPerClient), '-f', script, database.url]
  const PATH = `${process.env.PATH}:${['18', '17', '16', '15'].map((version) => `/usr/lib/postgresql/${version}/bin`).join(':')}`
  const done = await promisify(execFile)('pgbench', args, { env: { ...process.env, PATH } }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    },
  )
  if (!done) return undefined
  const [ownAfter, serverAfter] = await read()
  const cpu = { cpuMs: ownAfter - own, databaseMs: serverAfter - server }
  return { answered: clients * rowsPerClient, failures: {}, elapsedMs: 0, latenciesMs: [], bytes: 0, ...cpu }
}

/** Compares the CPU time of wrong answers with that of plain rows. */
const comparePosts = async (bench: Bench, database: BenchDatabase, post: () => Promise<Measured>): Promise<Row[]> => {
  await database.sql.unsafe(createRows)
  const bare = await bench.startBare({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    bytes: Buffer.from('1'),
    query: { url: database.url, statement: insertRow },
  })
  const request = { method: 'POST' as const, path: '/', body: '{"flag":"flag{a-first-guess}"}' }
  const insert = () => measure({ ...bare, databasePid: database.pid }, { clients, requests: [request], amount: flagsPerRound })
  const perCpuSecond = (comparison: Comparison<Measured>) => summarize(comparison, (report) => 1000 / cpuEachMs([report]))
  const format = (rate: number) => fineMilliseconds(1000 / rate)
  const rows = [
    ratioAtLeast(
      'flag stored, beside Fastify inserting a row',
      perCpuSecond(await alternate(2, post, insert)),
      minBesideInsert,
      format,
    ),
  ]
  const name = 'flag stored, beside pgbench'
  if (!(await insertWithPgbench(bench, database))) return [...rows, skipped(name, 'pgbench is not installed')]
  const commit = async () => (await insertWithPgbench(bench, database)) as Measured
  return [...rows, ratioAtLeast(name, perCpuSecond(await alternate(2, post, commit)), minBesidePgbench, format)]
}

/** Finds acknowledged submissions that are not stored as sent. */
const findLost = async ({ sql }: BenchDatabase, sent: ReadonlyMap<number, string>): Promise<string[]> => {
  const [found] = await sql<{ stored: number }[]>`
    select count(*)::int as stored from submissions
    join unnest(${[...sent.keys()]}::int[], ${[...sent.values()]}::text[]) as sent (id, answer) using (id, answer)`
  const lost = sent.size - (found?.stored ?? 0)
  return lost === 0 ? [] : [`flags: ${lost} of ${sent.size} acknowledged submissions are not stored as they were sent`]
}

export const flagsJob: Job = {
  name: 'flags',
  about: 'wrong and right flags from submission to verdict, at 5,000 and 25,000 solves of 500 teams, by CPU of api and database',
  async run(bench) {
    const database = await bench.database()
    const api = await bench.api()
    // 500 teams x 10 and x 50 solves.
    const early = await bench.addGame({ challenges: 100, solvedByTeam: 10 })
    const late = await bench.addGame({ challenges: 100, solvedByTeam: 50 })
    const faults: string[] = []
    const nextGuesses = createGuesses(early)
    const guess = () =>
      measure(api, {
        clients,
        requests: nextGuesses(),
        onAnswer: (_, verdict) => verdict === '"WrongAnswer"' || faults.push(`flags: a wrong flag was judged ${verdict}`),
      })
    const wrong = await alternate(2, guess, guess)
    const sent = new Map<number, string>()
    const post = () =>
      measure(api, {
        clients,
        requests: nextGuesses().map(withoutVerdict),
        onAnswer: ({ body = '' }, id) => sent.set(Number(id), JSON.parse(body).flag),
      })
    const stored = await comparePosts(bench, database, post)
    const [solveEarly, solveLate] = [createSolver(api, early, faults), createSolver(api, late, faults)]
    const right = await alternate(3, solveEarly, solveLate)
    // Both boards are rebuilt every second from now on.
    for (const { gameId } of [early, late]) await ask(api, `/api/game/${gameId}/scoreboard`, browserHeaders)
    const watched = await alternate(1, solveEarly, solveLate)
    const row = (job: string, reports: readonly Measured[], max: number) =>
      atMost(job, cpuEachMs(reports), max, fineMilliseconds, { cpu: cpuText(reports) })
    const growth = summarize({ ours: right.limit, limit: right.ours }, (report) => cpuEachMs([report]))
    return {
      rows: [
        row('wrong flag until judged', [...wrong.ours, ...wrong.limit], maxWrongMs),
        row('right flag until judged, 5,000 solves', right.ours, maxRightMs),
        row('right flag until judged, 25,000 solves', right.limit, maxRightMs),
        ratioAtMost('right flag, 25,000 beside 5,000 solves', growth, maxGrowth, fineMilliseconds),
        { job: 'the same, watched, 5,000 solves', ours: fineMilliseconds(cpuEachMs(watched.ours)), cpu: cpuText(watched.ours) },
        {
          job: 'the same, watched, 25,000 solves',
          ours: fineMilliseconds(cpuEachMs(watched.limit)),
          cpu: cpuText(watched.limit),
        },
        ...stored,
      ],
      notes: [`flags: ${clients} clients; ${sent.size} acknowledged submissions were looked up in the database.`],
      faults: [
        ...faultsOf(
          'flags',
          [wrong, right, watched].flatMap(({ ours, limit }) => [...ours, ...limit]),
        ),
        ...new Set(faults),
        ...(await findLost(database, sent)),
      ],
    }
  },
}
