#!/usr/bin/env node
// Usage: npm test -- [--only PROJECT,...] [vitest arguments]     everything that needs npm packages alone, and what else is there
//        npm run test:cluster -- [vitest arguments]              operator, chart and product on the cluster of KUBECONFIG
//
// Installs and builds what is missing, runs Vitest, and names what was skipped and why. With CI=true a skip is a failure.
// The last line is `N passed, N failed`.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { buildWeb, execute, PlainError, pinnedEnvironment, prepare, root, run, step } from './bootstrap.mjs'

const local = ['unit', 'integration', 'web', 'browser']
const onCluster = ['cluster']

function readArguments() {
  const args = process.argv.slice(2)
  const cluster = args.includes('--cluster')
  const onlyAt = args.indexOf('--only')
  const only = onlyAt >= 0 ? args[onlyAt + 1]?.split(',') : undefined
  const rest = args.filter((arg, index) => arg !== '--cluster' && !(onlyAt >= 0 && (index === onlyAt || index === onlyAt + 1)))
  if (cluster && !process.env.KUBECONFIG) throw new PlainError('npm run test:cluster needs a cluster: set KUBECONFIG')
  return { projects: only ?? (cluster ? onCluster : local), rest }
}

/** One line for each failed test of a file: where it stands, what it says, and the first line of its error. */
function describeFailures({ name, status, message, assertionResults }) {
  const file = path.relative(root, name)
  const failed = assertionResults.filter((test) => test.status === 'failed')
  if (status === 'failed' && failed.length === 0) return [`${file}: ${message.split('\n', 1)[0]}`]
  return failed.map(
    ({ fullName, failureMessages: [error = ''] }) => `${file}: ${fullName}: ${error.split('\n', 1)[0].slice(0, 300)}`,
  )
}

/** Counts of a Vitest JSON report. A file that failed to load counts as one failure. */
function readReport(file) {
  const report = JSON.parse(readFileSync(file, 'utf8'))
  const cases = report.testResults.flatMap((suite) => suite.assertionResults)
  const skipped = cases.filter(({ status }) => status === 'skipped' || status === 'pending' || status === 'todo')
  const brokenFiles = report.testResults.filter(
    (suite) => suite.status === 'failed' && suite.assertionResults.every(({ status }) => status !== 'failed'),
  )
  return {
    passed: cases.filter(({ status }) => status === 'passed').length,
    failed: cases.filter(({ status }) => status === 'failed').length + brokenFiles.length,
    failures: report.testResults.flatMap(describeFailures),
    skipped: [...new Set(skipped.map(({ ancestorTitles, title }) => ancestorTitles[0] ?? title))],
  }
}

await run(async () => {
  const { projects, rest } = readArguments()
  const node = await prepare()
  if (projects.includes('browser')) await step('Building the web client', () => buildWeb(node))
  const results = path.join(root, 'test-results')
  const reportFile = path.join(results, `${projects.join('-')}.json`)
  mkdirSync(results, { recursive: true })
  rmSync(reportFile, { force: true })

  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
  const args = [vitest, 'run', ...projects.flatMap((project) => ['--project', project]), ...reporters, ...rest]
  const { code } = await execute(node, args, { show: true, env: pinnedEnvironment(node) })

  const { passed, failed, failures: described, skipped } = readReport(reportFile)
  for (const failure of described) console.log(`failed: ${failure}`)
  for (const title of skipped) console.log(`skipped: ${title}`)
  const refusedSkips = process.env.CI === 'true' ? skipped.length : 0
  if (refusedSkips > 0) console.log('CI=true: what is skipped counts as failed')
  const failures = failed + refusedSkips + (code !== 0 && failed === 0 ? 1 : 0)
  console.log(`${passed} passed, ${failures} failed`)
  return failures > 0 ? 1 : 0
})
