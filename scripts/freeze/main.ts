// Usage: npm run mutate:freeze -- [WORD ...]
//
// Removes each freeze filter of the sources in turn, only in memory, and runs the leak test, which must then fail. Words limit the
// run to the filters whose names contain one of them. The exit code is 1 if the test passes without a filter.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import startServer from '@capstan/db/testing/global-setup'
import type { TestProject } from 'vitest/node'
import { type FreezeFilter, freezeFilters } from './filters.ts'

const root = path.resolve(import.meta.dirname, '../..')
const vitest = path.join(root, 'node_modules/vitest/vitest.mjs')

let databaseServer = ''
// Start one database server, which all runs of the test share.
const stopServer = await startServer({
  provide: (_: string, url: string) => {
    databaseServer = url
  },
} as unknown as TestProject)

type Report = Readonly<{
  numPassedTests: number
  testResults: readonly {
    readonly assertionResults: readonly Readonly<{ status: string; failureMessages: string[] }>[]
  }[]
}>

/** Runs the leak test. @param name filter to remove, or undefined to remove none @returns the first failure, if any */
async function findLeak(name: string | undefined): Promise<string | undefined> {
  const env = {
    ...process.env,
    ...{ CAPSTAN_PROPERTY_RUNS: '0', CAPSTAN_TEST_DATABASE_SERVER: databaseServer, CAPSTAN_TEST_WITHOUT_FILTER: name },
    // Some filters affect only users whose responses a short run does not collect.
    CAPSTAN_TEST_FULL: 'true',
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'capstan-freeze-'))
  const file = path.join(folder, 'report.json')
  const args = [vitest, 'run', '--config', 'scripts/freeze/vitest.config.ts', '--reporter=json', `--outputFile.json=${file}`]
  // Ignore the exit code, which is 1 if a test fails. The report describes the failure.
  await promisify(execFile)(process.execPath, args, { cwd: root, env, maxBuffer: 2 ** 30 }).catch(() => undefined)
  const { numPassedTests, testResults } = JSON.parse(await readFile(file, 'utf8')) as Report
  await rm(folder, { recursive: true })
  const failures = testResults.flatMap(({ assertionResults }) =>
    assertionResults.flatMap(({ failureMessages }) => failureMessages),
  )
  if (failures.length === 0 && numPassedTests === 0) throw new Error('The leak test did not run')
  return failures[0]?.split('\n', 1)[0]
}

const words = process.argv.slice(2)
const chosen = freezeFilters.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
const survivors: FreezeFilter[] = []

async function check(filter: FreezeFilter): Promise<void> {
  const leak = await findLeak(filter.name)
  if (!leak) survivors.push(filter)
  console.log(`${leak ? 'killed  ' : 'SURVIVED'}  ${filter.name} (${filter.file})${leak ? `: ${leak.slice(0, 200)}` : ''}`)
}

async function checkWithAll(): Promise<void> {
  const leak = await findLeak(undefined)
  if (leak) throw new Error(`The leak test fails with all filters: ${leak}`)
}

const checks = [checkWithAll, ...chosen.map((filter) => () => check(filter))].values()
async function runChecks(): Promise<void> {
  for (const run of checks) await run()
}
await Promise.all(Array.from({ length: availableParallelism() }, runChecks)).finally(stopServer)
console.log(`${chosen.length - survivors.length} of ${chosen.length} removed filters make the leak test fail.`)
process.exitCode = survivors.length > 0 ? 1 : 0
