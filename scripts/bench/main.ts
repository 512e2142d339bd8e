// Usage: node scripts/bench/main.ts [--only NAME,...] [--list] [--seconds N] [--profile DIR] [--growth [--write]] [--help]
//
// Runs the jobs one after the other and prints one table: ours, the limit on this machine, the ratio, the bar.
// Exit code 1 when something is broken (errors, lost submissions), never because a bar is missed. See scripts/bench.mjs.
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { type Bench, createBench, type Job } from './bench.ts'
import { measureGrowth } from './growth/measure.ts'
import { loadJobs, usualShareSeconds } from './jobs.ts'
import { formatTable, type JobResult, judge, megabytes, type Row } from './report.ts'

/** All jobs together, on a machine that does nothing else. */
const wholeSeconds = 15 * 60

const jobs = await loadJobs()

const help = `npm run bench -- [options]

  --only NAME,...  these jobs only
  --list           names the jobs
  --seconds N      length of one measurement (default 1.5); each job takes twelve
  --profile DIR    writes CPU profiles of api and operator into DIR
  --growth         measures instead how the cost grows with players, submissions, instances and replicas, in twenty minutes
  --write          puts what --growth measured into docs/operations.md
  --help           this text`

class UsageError extends Error {}

function parseOptions() {
  try {
    return parseArgs({
      options: {
        only: { type: 'string' },
        list: { type: 'boolean', default: false },
        seconds: { type: 'string', default: '1.5' },
        profile: { type: 'string' },
        growth: { type: 'boolean', default: false },
        write: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

function readOptions() {
  const values = parseOptions()
  const seconds = Number(values.seconds)
  if (!(seconds >= 0.5 && seconds <= 60)) throw new UsageError('--seconds takes a number from 0.5 to 60')
  const names = values.only?.split(',').map((name) => name.trim())
  const unknown = names?.filter((name) => !jobs.some((job) => job.name === name)) ?? []
  if (unknown.length > 0) throw new UsageError(`There is no job ${unknown.join(', ')}; --list names them`)
  const profileFolder = values.profile === undefined ? undefined : path.resolve(values.profile)
  return { ...values, seconds, profileFolder, chosen: jobs.filter(({ name }) => names?.includes(name) ?? true) }
}

const isTerminal = process.stdout.isTTY === true

type Outcome = JobResult &
  Readonly<{
    rows: readonly Row[]
    seconds: number
  }>

/** Runs one job and shows how long it took. What it throws becomes a fault, so that the other jobs are still measured. */
async function runJob(bench: Bench, { name, run: work, bars = {}, shareSeconds = usualShareSeconds }: Job): Promise<Outcome> {
  const startedAtMs = performance.now()
  if (isTerminal) process.stdout.write(`  ○ ${name} …`)
  let result: JobResult
  try {
    result = await work(bench)
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    result = { rows: [{ job: name, ours: 'failed' }], faults: [`${name}: ${text}`] }
  }
  const seconds = (performance.now() - startedAtMs) / 1000
  const line = `${name.padEnd(20)} ${seconds.toFixed(1).padStart(6)} s of ${shareSeconds} s${seconds > shareSeconds ? '  (longer than its share)' : ''}`
  process.stdout.write(`${isTerminal ? '\r\u001b[K' : ''}  ● ${line}\n`)
  return { ...result, ...judge(bars, result), seconds }
}

async function run(): Promise<number> {
  const { chosen, list, help: wantsHelp, seconds, profileFolder, growth, write } = readOptions()
  if (wantsHelp) {
    console.log(help)
    return 0
  }
  if (list) {
    const width = Math.max(...jobs.map(({ name }) => name.length))
    for (const { name, about, shareSeconds = usualShareSeconds } of jobs)
      console.log(`${name.padEnd(width)}  ${String(shareSeconds).padStart(4)} s  ${about}`)
    return 0
  }
  const [loadBefore = 0] = loadavg()
  const bench = createBench({ seconds, profileFolder })
  const stop = () => void bench.close().finally(() => process.exit(130))
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  if (growth) {
    try {
      await measureGrowth(bench, { write })
    } finally {
      await bench.close()
    }
    return 0
  }
  const results: Outcome[] = []
  try {
    for (const job of chosen) results.push(await runJob(bench, job))
  } finally {
    await bench.close()
  }
  const [cpu] = cpus()
  const rows = results.flatMap((result) => result.rows)
  const judged = rows.filter(({ isMet }) => isMet !== undefined)
  const took = results.reduce((sum, result) => sum + result.seconds, 0)
  console.log(`\n${formatTable(rows)}\n`)
  console.log(
    `  ${judged.filter(({ isMet }) => isMet).length} of ${judged.length} bars are met. It took ${(took / 60).toFixed(1)} of ${wholeSeconds / 60} minutes.`,
  )
  console.log(
    `  Machine: ${availableParallelism()} cores, ${cpu?.model.trim() ?? 'unknown'}, ${megabytes(totalmem())}; Node ${process.versions.node}; load average ${loadBefore.toFixed(1)} at the start`,
  )
  console.log(
    '  Ratio: median of the rounds; in each, ours and the limit were measured one after the other. api + database: CPU of an answer.',
  )
  for (const note of results.flatMap(({ notes = [] }) => notes)) console.log(`  ${note}`)
  const faults = results.flatMap(({ faults: list = [] }) => list)
  for (const fault of faults) console.error(`\nBroken: ${fault}`)
  return faults.length > 0 ? 1 : 0
}

try {
  process.exitCode = await run()
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(`${error.message}\n\n${help}`)
  process.exitCode = 1
}
