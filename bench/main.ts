// Usage: npm run bench -- [JOB ...] [--help]
//
// Runs the jobs one after another and prints one table: ours, the limit of this machine, ratio, CPU, bar. The exit code is 1 for
// faults such as errors and lost submissions, and 0 for missed bars.
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { type Bench, createBench, type Job } from './bench.ts'
import { jobs } from './jobs.ts'
import { formatTable, type JobResult, megabytes } from './table.ts'

const help = `npm run bench -- [JOB ...] [--help]

  JOB     runs these jobs only
  --help  prints this text

${jobs.map(({ name, about }) => `  ${name.padEnd(14)} ${about}`).join('\n')}`

/** Runs one job. An error becomes a fault, so that the other jobs run too. */
const runJob = async (bench: Bench, { name, run }: Job): Promise<JobResult> => {
  const startedAtMs = performance.now()
  const result = await run(bench).catch((error: unknown): JobResult => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { rows: [{ job: name, ours: 'failed' }], faults: [`${name}: ${text}`] }
  })
  console.log(`  ● ${name.padEnd(14)} ${((performance.now() - startedAtMs) / 1000).toFixed(1).padStart(6)} s`)
  return result
}

const runJobs = async (chosen: readonly Job[]): Promise<number> => {
  const bench = createBench()
  const stop = () => void bench.close().finally(() => process.exit(130))
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  const [loadBefore = 0] = loadavg()
  const results: JobResult[] = []
  try {
    for (const job of chosen) results.push(await runJob(bench, job))
  } finally {
    await bench.close()
  }
  const rows = results.flatMap((result) => result.rows)
  const judged = rows.filter(({ isMet }) => isMet !== undefined)
  console.log(`\n${formatTable(rows)}\n\n  ${judged.filter(({ isMet }) => isMet).length} of ${judged.length} bars are met.`)
  console.log(
    `  Machine: ${availableParallelism()} cores, ${cpus()[0]?.model.trim() ?? 'unknown'}, ${megabytes(totalmem())}; Node ${process.versions.node}; load average ${loadBefore.toFixed(1)} at the start.`,
  )
  for (const note of results.flatMap(({ notes = [] }) => notes)) console.log(`  ${note}`)
  const faults = results.flatMap((result) => result.faults ?? [])
  for (const fault of faults) console.error(`\nBroken: ${fault}`)
  return faults.length > 0 ? 1 : 0
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', default: false } },
})
const unknown = positionals.filter((name) => !jobs.some((job) => job.name === name))
if (values.help) {
  console.log(help)
} else if (unknown.length > 0) {
  console.error(`There is no job ${unknown.join(', ')}.\n\n${help}`)
  process.exitCode = 1
} else {
  const chosen = jobs.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  process.exitCode = await runJobs(chosen)
}
