import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { isProgramInstalled } from '../../e2e/support/browser.ts'
import { forEachConcurrently, sendRequest } from '../ask.ts'
import type { Bench, BenchDatabase, Job } from '../bench.ts'
import { measureCpuOfWork, type Target, toRatePerCpuSecond } from '../measure.ts'
import { measureAlternately, summarizeByMedian } from '../statistics.ts'
import { count, createRowWithMinRatio, createSkippedRow, perSecond } from '../table.ts'
import { readCpuMs, readEndedCpuMs } from '../usage.ts'

const minBesideInsert = 0.5
const minBesidePgbench = 0.25
const flagsPerRound = 1_280
const clients = 64

/** Table with the columns of a submission, but without foreign keys and with only the index of the primary key. */
const createRows = 'create table bench_rows (like submissions including defaults including identity, primary key (id))'
const insertRow = `insert into bench_rows (game_id, challenge_id, participation_id, team_id, user_id, answer, status, submitted_at)
  values (1, 2, 3, 4, '00000000-0000-4000-8000-000000000000', 'flag{a-first-guess}', 'WrongAnswer', now()) returning id`

/**
 * Inserts each row in a separate transaction with pgbench.
 * @returns the CPU time per row that pgbench and the database use together
 */
async function insertWithPgbench(bench: Bench, { url, pid }: BenchDatabase): Promise<{ cpuMs: number }> {
  const script = path.join(await bench.folder(), 'insert.sql')
  await writeFile(script, `${insertRow.replaceAll('\n', ' ')};\n`)
  const readCpu = async () => (await readEndedCpuMs(process.pid)) + (await readCpuMs(pid))
  const before = await readCpu()
  const count = ['-c', String(clients), '-t', String(flagsPerRound / clients)]
  await promisify(execFile)('pgbench', ['-n', '-M', 'prepared', ...count, '-f', script, url])
  return { cpuMs: ((await readCpu()) - before) / flagsPerRound }
}

export const job: Job = {
  name: 'stored-flags',
  about: 'submissions of 64 clients, compared with Fastify and with pgbench that insert one row, and whether all were stored',
  async run(bench) {
    const [api, database, world] = [await bench.api(), await bench.database(), await bench.addGame()]
    await database.sql.unsafe(createRows)
    const query = { url: database.url, statement: insertRow }
    const bare = await bench.startBare({ headers: { 'content-type': 'application/json' }, bytes: Buffer.from('1'), query })
    const sent = new Map<number, string>()
    const submitTo = (target: Target) => () =>
      measureCpuOfWork(target, flagsPerRound, () =>
        forEachConcurrently(world.takeGuesses(flagsPerRound), clients, async (submission) => {
          const id = Number((await sendRequest(target, submission)).text())
          if (target === api) sent.set(id, JSON.parse(submission.body ?? '').flag)
        }),
      )
    const submit = submitTo(api)
    const inserts = await measureAlternately(2, submit, submitTo({ ...bare, databasePid: database.pid }))
    const pgbench =
      isProgramInstalled('pgbench') && (await measureAlternately(2, submit, () => insertWithPgbench(bench, database)))
    const [found] = await database.sql<{ stored: number }[]>`
      select count(*)::int as stored from submissions
      join unnest(${[...sent.keys()]}::int[], ${[...sent.values()]}::text[]) as sent (id, answer) using (id, answer)`
    if (found?.stored !== sent.size) throw new Error(`Only ${found?.stored} of ${sent.size} acknowledged submissions are stored`)
    const [insertJob, pgbenchJob] = ['flag stored, beside Fastify inserting a row', 'flag stored, beside pgbench']
    return [
      createRowWithMinRatio(insertJob, summarizeByMedian(inserts, toRatePerCpuSecond), minBesideInsert, perSecond),
      pgbench
        ? createRowWithMinRatio(pgbenchJob, summarizeByMedian(pgbench, toRatePerCpuSecond), minBesidePgbench, perSecond)
        : createSkippedRow(pgbenchJob, 'pgbench is not installed'),
      { job: 'acknowledged submissions, all stored', ours: count(sent.size) },
    ]
  },
}
