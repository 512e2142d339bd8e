import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { freezeFilters, removeFreezeFilter } from './filters.ts'

const root = path.resolve(import.meta.dirname, '../..')

test.each(freezeFilters.map((filter) => [filter.name, filter] as const))(
  'the source contains exactly once the filter that hides %s',
  async (_, filter) => {
    const source = await readFile(path.join(root, filter.file), 'utf8')
    expect(removeFreezeFilter(source, filter)).not.toBe(source)
  },
)

test('the filters have different names', () => {
  expect(new Set(freezeFilters.map(({ name }) => name)).size).toBe(freezeFilters.length)
})
