import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { processNames, settingsOfProcess } from './processes.ts'
import { formatSettingsTable, replaceTable } from './table.ts'

const readme = readFileSync(path.join(import.meta.dirname, '..', '..', 'README.md'), 'utf8')

it('every setting of every process has a row in the table', () => {
  const rows = formatSettingsTable().split('\n')
  for (const name of processNames)
    for (const { name: variable, about } of settingsOfProcess(name)) {
      const row = rows.filter((line) => {
        const [, first, readers = '', ...rest] = line.split(' | ').map((part) => part.replace(/^\| | \|$/g, ''))
        return (
          first !== undefined &&
          line.startsWith(`| \`${variable}\` |`) &&
          [first, readers].join().split(/, ?/).includes(name) &&
          rest.length > 0
        )
      })
      expect(row, `${variable} of ${name}`).toHaveLength(1)
      expect(row[0]).toContain(about)
    }
})

it('a setting that means the same for several processes has one row in the table', () => {
  expect(formatSettingsTable()).toContain('| `CAPSTAN_INTERNAL_TOKEN` | api, gateway, web, live check | required |')
  expect(formatSettingsTable()).toContain('| `REDIS_URL` | api | none |')
  expect(formatSettingsTable()).toContain('| `REDIS_URL` | gateway | required |')
})

it('a new table replaces the old table in the README, and nothing else changes', () => {
  expect(replaceTable(readme, formatSettingsTable())).toBe(readme)
  const replaced = replaceTable(readme, '| new |')
  expect(replaced).toContain('\n| new |\n')
  expect(replaced).not.toContain('CAPSTAN_S3_BUCKET')
  expect(replaced.split('\n').at(0)).toBe('# Capstan')
  expect(replaced).toContain('## License')
})

it('a README without a place for the table, or with two places, is refused', () => {
  expect(() => replaceTable('# Capstan', '')).toThrow('The README must have one table of settings')
  expect(() => replaceTable(readme + readme, '')).toThrow('The README must have one table of settings')
})
