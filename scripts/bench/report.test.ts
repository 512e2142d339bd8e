import { describe, expect, it } from 'vitest'
import { formatTable, skipped } from './report.ts'

describe('the table of the bench', () => {
  it('shows figure, limit, ratio, bar and whether it is met in aligned columns', () => {
    const table = formatTable([
      { job: 'scoreboard', ours: '9,000 /s', limit: '9,500 /s', ratio: 0.947, bar: '>= 0.9', isMet: true },
      { job: 'submit', ours: '900 /s', limit: '5,000 /s', ratio: 0.18, bar: '>= 0.5', isMet: false },
    ])
    expect(table.split('\n')).toEqual([
      '  job         ours      limit     ratio  bar     met',
      '  ──────────  ────────  ────────  ─────  ──────  ───',
      '  scoreboard  9,000 /s  9,500 /s  0.95   >= 0.9  yes',
      '  submit      900 /s    5,000 /s  0.18   >= 0.5  NO',
    ])
  })

  it('a skipped job says why and widens no column of the others', () => {
    const { rows } = skipped('proxy', 'there is no cluster to measure on')
    expect(formatTable(rows).split('\n').at(-1)).toBe('  proxy  skipped: there is no cluster to measure on')
    expect(formatTable(rows).split('\n')[0]).toBe('  job    ours  limit  ratio  bar  met')
  })
})
