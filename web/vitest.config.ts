import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { replaceContractModule } from './plugins/lean-contract.ts'

export default defineConfig({
  plugins: [replaceContractModule()],
  define: {
    __BUILD__: JSON.stringify({
      version: 'develop',
      commit: '0123456789ab',
      builtAt: '2026-01-01T00:00:00.000Z',
      repository: 'https://git.example.org/capstan',
    }),
  },
  test: {
    name: 'web',
    root: import.meta.dirname,
    include: ['src/**/*.test.{ts,tsx}'],
    environment: 'jsdom',
    // Each test file has a new document, but all files share the same workers. A separate worker for each file took five times as
    // long.
    pool: 'vmThreads',
    // All Vitest projects of a run need the same number of workers.
    maxWorkers: Math.max(6, availableParallelism()),
    setupFiles: ['src/testing/setup.ts'],
    // The limits only end tests that hang. They are long, because a loaded machine is ten times slower than a quiet one.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
  },
})
