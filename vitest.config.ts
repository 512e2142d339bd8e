import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { bundlePrograms } from './scripts/lib/bundle-programs.ts'

// Run at least six files at a time, because many tests only wait for processes, the database or a page. All projects have the same
// number of workers. Vitest can then start a project before the previous one has ended.
const parallel = { maxWorkers: Math.max(6, availableParallelism()) }

/** Order of the test files. In each project, files that mostly wait start first. Otherwise, only these files would run at the end. */
class WaitingFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isWaiting = ({ moduleId }: TestSpecification) => moduleId.includes('/lifecycle/container-runtime')
    return [...Map.groupBy(sorted, ({ project }) => project).values()].flatMap((own) => [
      ...own.filter(isWaiting),
      ...own.filter((file) => !isWaiting(file)),
    ])
  }
}

// These time limits are long, because a loaded machine is ten times slower than an idle one. They only stop tests that hang.
const limits = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 120_000 } } }

/**
 * All tests, grouped into projects by the environment that they need. The environment is nothing (unit), a real PostgreSQL
 * (integration), a DOM (web), a running product and a browser (browser), or a cluster (cluster).
 */
export default defineConfig({
  test: {
    sequence: { sequencer: WaitingFilesFirst },
    projects: [
      {
        test: {
          ...limits,
          ...parallel,
          name: 'unit',
          // Share the modules between the files of a worker, because loading them again for each file would take longer than the
          // tests.
          isolate: false,
          include: ['{services,operator,scripts,e2e,charts,bench}/**/*.test.ts'],
          exclude: ['**/*.int.test.ts', '**/*.cluster.test.ts', '**/*.browser.test.ts', '**/node_modules/**'],
        },
      },
      {
        plugins: [bundlePrograms()],
        test: {
          ...limits,
          ...parallel,
          name: 'integration',
          isolate: false,
          include: ['{services,operator,scripts}/**/*.int.test.ts'],
          exclude: ['**/node_modules/**'],
          globalSetup: ['services/db/src/testing/global-setup.ts'],
        },
      },
      'web/vitest.config.ts',
      {
        test: {
          ...limits,
          ...parallel,
          name: 'browser',
          isolate: false,
          include: ['e2e/tests/**/*.browser.test.ts'],
          globalSetup: ['e2e/support/start-platform.ts'],
        },
      },
      {
        test: {
          ...limits,
          name: 'cluster',
          include: ['{services,operator,charts,e2e}/**/*.cluster.test.ts'],
          // `restart.cluster.test.ts` restarts the API server, which also interrupts the tests in other files. It is therefore
          // excluded unless CAPSTAN_TEST_APISERVER_RESTART contains the restart command.
          exclude: [
            '**/node_modules/**',
            ...(process.env.CAPSTAN_TEST_APISERVER_RESTART ? [] : ['operator/**/restart.cluster.test.ts']),
          ],
          fileParallelism: false,
        },
      },
    ],
  },
})
