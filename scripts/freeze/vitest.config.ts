import path from 'node:path'
import process from 'node:process'
import { defineConfig } from 'vitest/config'
import { freezeFilters, removeFreezeFilter } from './filters.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** Runs the leak test without the freeze filter whose name is in `CAPSTAN_TEST_WITHOUT_FILTER`. */
const removed = freezeFilters.filter(({ name }) => name === process.env.CAPSTAN_TEST_WITHOUT_FILTER)

function filtersOf(id: string) {
  return removed.filter(({ file }) => path.join(root, file) === id)
}

export default defineConfig({
  root,
  plugins: [
    {
      name: 'remove-freeze-filter',
      enforce: 'pre',
      transform: (source, id) => filtersOf(id).reduce(removeFreezeFilter, source),
      // Do not cache a modified source file, because the next run needs the original file.
      configureVitest({ defineCacheKeyGenerator }) {
        defineCacheKeyGenerator(({ id }) => (filtersOf(id).length > 0 ? false : undefined))
      },
    },
  ],
  test: {
    include: ['services/api/src/testing/suite/freeze-leaks.int.test.ts'],
    provide: { databaseServer: process.env.CAPSTAN_TEST_DATABASE_SERVER ?? '' },
    testNamePattern: 'during a freeze',
    testTimeout: 600_000,
    hookTimeout: 600_000,
    bail: 1,
  },
})
