// Usage: npm run bench -- [JOB ...] [--profile DIR] [--help]
// Runs the jobs one after another and prints one table with these columns: our figure, the limit of this machine, their ratio, CPU,
// and the bar (required value) that the figure must meet. The exit code is 1 after failed requests or lost
// submissions, and 0 even if bars are missed.
import { readdir } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { createBench, type Job } from './bench.ts'
import { formatBenchTable, megabytes, type Row } from './table.ts'

const folder = new URL('jobs/', import.meta.url)
const files = (await readdir(folder)).toSorted()
const jobs: Job[] = await Promise.all(files.map(async (file) => (await import(new URL(file, folder).href)).job))

const help = `npm run bench -- [JOB ...] [--profile DIR] [--help]

  JOB            runs these jobs only
  --profile DIR  writes CPU profiles of the measured servers into DIR
  --help         prints this text

${jobs.map(({ name, about }) => `  ${name.padEnd(14)} ${about}`).join('\n')}`

/**
 * Runs jobs and prints their rows. If a job fails, the other jobs still run.
 * @returns the exit code
 */
async function runJobs(chosen: readonly Job[], profileFolder: string | undefined): Promise<number> {
  const [loadBefore = 0] = loadavg()
  const bench = createBench(profileFolder)
  const stop = () => void bench.close().finally(() => process.exit(130))
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  const [rows, failed]: [Row[], string[]] = [[], []]
  for (const { name, run } of chosen) {
    const startedAtMs = performance.now()
    try {
      rows.push(...(await run(bench)))
    } catch (error) {
      console.error(`${name}:`, error)
      failed.push(name)
    }
    console.log(`  ● ${name.padEnd(14)} ${((performance.now() - startedAtMs) / 1000).toFixed(1).padStart(6)} s`)
  }
  await bench.close()
  const bars = rows.filter(({ met }) => typeof met === 'boolean')
  console.log(`\n${formatBenchTable(rows)}\n\n  ${bars.filter(({ met }) => met).length} of ${bars.length} bars are met.`)
  console.log(
    `  Machine: ${availableParallelism()} cores, ${cpus()[0]?.model.trim() ?? 'unknown'}, ${megabytes(totalmem())}; Node ${process.versions.node}; load average ${loadBefore.toFixed(1)} at the start.`,
  )
  if (failed.length === 0) return 0
  console.error(`\nFailed: ${failed.join(', ')}`)
  return 1
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', default: false }, profile: { type: 'string' } },
})
const unknown = positionals.filter((name) => !jobs.some((job) => job.name === name))
if (values.help) {
  console.log(help)
} else if (unknown.length > 0) {
  console.error(`There is no job ${unknown.join(', ')}.\n\n${help}`)
  process.exitCode = 1
} else {
  const chosen = jobs.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  process.exitCode = await runJobs(chosen, values.profile && path.resolve(values.profile))
}
