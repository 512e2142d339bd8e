import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { startWorker } from '../worker.ts'
import type { InsertOrder } from './insert-rows.ts'

/** How many rows a second PostgreSQL takes, one to a transaction. */
export type CommitRate = Readonly<{
  /** What measures: pgbench with its place, or Node. */
  tool: string
  /** @returns committed rows per second */
  measure(clients: number, seconds: number): Promise<number>
  close(): Promise<void>
}>

/** A table with the columns of a submission and a primary key: no foreign keys and no other index, to be the harder limit. */
const table = `create table if not exists bench_rows (
  id integer primary key generated always as identity, game_id integer not null, challenge_id integer not null,
  participation_id integer not null, team_id integer not null, user_id uuid, answer text not null, status text not null,
  submitted_at timestamptz not null)`

/** Inserts one row like a wrong answer's. @param answer as SQL */
export function insertRow(answer: string): string {
  return `insert into bench_rows (game_id, challenge_id, participation_id, team_id, user_id, answer, status, submitted_at)
  values (1, 2, 3, 4, '00000000-0000-4000-8000-000000000000', ${answer}, 'WrongAnswer', now())`
}

const constant = "'flag{a-first-guess}'"

/** On the PATH, or where Debian keeps it; the newest of several. */
function findPgbench(): string | undefined {
  const onPath = (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, 'pgbench'))
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((left, right) => Number(right) - Number(left)) : []
  return [...versions.map((version) => path.join(debian, version, 'bin', 'pgbench')), ...onPath].find((file) => existsSync(file))
}

/** Rows a second that any machine takes. */
const firstRate = 2_000

async function withPgbench(url: string, program: string): Promise<CommitRate> {
  const folder = await mkdtemp(path.join(tmpdir(), 'capstan-pgbench-'))
  const script = path.join(folder, 'insert.sql')
  await writeFile(script, `${insertRow(constant).replaceAll('\n', ' ')};\n`)
  const run = async (clients: number, transactions: number): Promise<number> => {
    const jobs = Math.min(clients, availableParallelism())
    // A number of transactions, not a time: that would begin before the clients have connected, which takes long on a busy machine.
    const each = Math.max(1, Math.round(transactions / clients))
    const flags = ['-n', '-M', 'prepared', '-c', String(clients), '-j', String(jobs), '-t', String(each)]
    const { stdout } = await promisify(execFile)(program, [...flags, '-f', script, url])
    const rate = Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1])
    if (Number.isNaN(rate)) throw new Error(`pgbench gave no rate:\n${stdout}`)
    return rate
  }
  let lastRate: number | undefined
  return {
    tool: program,
    async measure(clients, seconds) {
      lastRate = await run(clients, (lastRate ?? firstRate) * seconds)
      return lastRate
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

function withNode(url: string): CommitRate {
  const worker = startWorker<InsertOrder, number>(new URL('insert-rows.ts', import.meta.url))
  return {
    tool: 'the postgres package (pgbench was not found)',
    measure: (clients, seconds) => worker.ask({ url, statement: insertRow(constant), clients, seconds }),
    close: worker.stop,
  }
}

export async function createCommitRate(url: string): Promise<CommitRate> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await sql.unsafe(table)
  await sql.end()
  const program = findPgbench()
  return program === undefined ? withNode(url) : withPgbench(url, program)
}
