import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// Many tests wait, for processes, the database or a page. All projects agree on it, so that one begins while another ends.
const parallel = { maxWorkers: Math.max(3, availableParallelism()) }

// Against hanging, not measures: machines are shared and slow at times. What is polled for one second unless told gets more.
const patience = { expect: { poll: { timeout: 15_000 } } }

/**
 * One test entry. Projects by what they need: nothing (unit), a real PostgreSQL (integration), a DOM (web), a running
 * product and a browser (browser), a cluster (cluster).
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...patience,
          ...parallel,
          name: 'unit',
          // Files of a worker share their modules: loading them anew for each took longer than the tests.
          isolate: false,
          include: ['{services,operator,scripts,e2e,charts}/**/*.test.ts'],
          exclude: ['**/*.int.test.ts', '**/*.cluster.test.ts', '**/*.browser.test.ts', '**/node_modules/**'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          ...patience,
          ...parallel,
          name: 'integration',
          isolate: false,
          include: ['{services,operator,scripts}/**/*.int.test.ts'],
          exclude: ['**/node_modules/**'],
          globalSetup: ['services/db/src/testing/global-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      'web/vitest.config.ts',
      {
        test: {
          ...patience,
          ...parallel,
          name: 'browser',
          isolate: false,
          include: ['e2e/tests/**/*.browser.test.ts'],
          globalSetup: ['e2e/support/start-platform.ts'],
          testTimeout: 90_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          ...patience,
          name: 'cluster',
          include: ['{services,operator,charts,e2e}/**/*.cluster.test.ts'],
          // Restarts the API server, which disturbs every other file: only where somebody gives the command, and alone.
          exclude: [
            '**/node_modules/**',
            ...(process.env.CAPSTAN_TEST_APISERVER_RESTART ? [] : ['operator/**/restart.cluster.test.ts']),
          ],
          testTimeout: 120_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
    ],
  },
})
