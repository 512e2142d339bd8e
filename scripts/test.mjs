#!/usr/bin/env node
// Usage: npm test -- [PROJECT ...] [vitest arguments]     all tests for which this machine has the required programs
//        npm run test:cluster -- [vitest arguments]       operator, chart and product on the cluster of KUBECONFIG
//
// Projects are unit, integration, web and browser. For example, `npm test -- unit integration teams` runs the files of the first
// two projects whose path contains "teams". `--only unit,integration` also selects these projects. The script installs and builds
// missing parts, runs Vitest, and lists skipped tests with the reason. With CI=true a skipped test is a failure. The last line is
// `N passed, N failed`.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import {
  buildPlatform,
  buildWeb,
  environmentWithPinnedNode,
  PlainError,
  prepareNodeProgram,
  root,
  runCommand,
  runMain,
  runStep,
} from './bootstrap.mjs'

const local = ['unit', 'integration', 'web', 'browser']
const onCluster = ['cluster']

/**
 * Parses the arguments. The names of projects follow `--only`, or they are the first arguments. All other arguments are passed to
 * Vitest.
 */
function readArguments() {
  const args = process.argv.slice(2)
  const cluster = args.includes('--cluster')
  if (cluster && !process.env.KUBECONFIG) throw new PlainError('npm run test:cluster needs a cluster: set KUBECONFIG')
  const rest = args.filter((arg) => arg !== '--cluster')
  const onlyAt = rest.indexOf('--only')
  if (onlyAt >= 0) {
    const [, only = ''] = rest.splice(onlyAt, 2)
    return { projects: only.split(','), rest }
  }
  if (cluster) return { projects: onCluster, rest }
  const firstOther = rest.findIndex((arg) => !local.includes(arg))
  const named = rest.splice(0, firstOther >= 0 ? firstOther : rest.length)
  return { projects: named.length > 0 ? named : local, rest }
}

/** Returns one line for each failed test of a file: the file, the title, and the first line of the error. */
function describeFailures({ name, status, message, assertionResults }) {
  const file = path.relative(root, name)
  const failed = assertionResults.filter((test) => test.status === 'failed')
  if (status === 'failed' && failed.length === 0) return [`${file}: ${message.split('\n', 1)[0]}`]
  return failed.map(
    ({ fullName, failureMessages: [error = ''] }) => `${file}: ${fullName}: ${error.split('\n', 1)[0].slice(0, 300)}`,
  )
}

/**
 * Returns the numbers of passed and failed tests from a JSON report of Vitest. A file that could not be loaded counts as one
 * failure.
 */
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

await runMain(async () => {
  const { projects, rest } = readArguments()
  const node = await prepareNodeProgram()
  let platform
  if (projects.includes('browser')) {
    await runStep('Building the web client', () => buildWeb(node))
    platform = await runStep('Building the platform', () => buildPlatform(node))
  }
  const results = path.join(root, 'test-results')
  // Include the paths in the name of the report, because several runs with different paths may take place at the same time.
  const paths = rest.filter((arg) => !arg.startsWith('-')).map((arg) => arg.replaceAll(/[^\w.]+/g, '-'))
  const reportFile = path.join(results, `${[...projects, ...paths].join('-')}.json`)
  mkdirSync(results, { recursive: true })
  rmSync(reportFile, { force: true })

  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
  const args = [vitest, 'run', ...projects.flatMap((project) => ['--project', project]), ...reporters, ...rest]
  // Use a compile cache, because tests start hundreds of processes with the same sources.
  const env = {
    NODE_COMPILE_CACHE: path.join(root, 'node_modules', '.cache', 'compiled'),
    ...(platform && { CAPSTAN_TEST_PLATFORM: platform }),
    ...environmentWithPinnedNode(node),
  }
  const { code } = await runCommand(node, args, { show: true, env })

  const { passed, failed, failures: described, skipped } = readReport(reportFile)
  for (const failure of described) console.log(`failed: ${failure}`)
  for (const title of skipped) console.log(`skipped: ${title}`)
  const refusedSkips = process.env.CI === 'true' ? skipped.length : 0
  if (refusedSkips > 0) console.log('CI=true: skipped tests count as failed')
  const failures = failed + refusedSkips + (code !== 0 && failed === 0 ? 1 : 0)
  console.log(`${passed} passed, ${failures} failed`)
  return failures > 0 ? 1 : 0
})
