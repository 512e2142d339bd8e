import { describe, expect, it } from 'vitest'
import { addedAtMost, atMost, formatTable, judge, milliseconds, perSecond, ratioAtLeast, skipped } from './report.ts'

describe('the table of the bench', () => {
  it('shows figure, limit, ratio, bar and whether it is met in aligned columns', () => {
    const table = formatTable([
      {
        job: 'scoreboard',
        ours: '9,000 /s',
        limit: '9,500 /s',
        ratio: 0.947,
        cpu: '0.04 ms + 0.00 ms',
        bar: '>= 0.9',
        isMet: true,
      },
      { job: 'submit', ours: '900 /s', limit: '5,000 /s', ratio: 0.18, bar: '>= 0.5', isMet: false },
    ])
    expect(table.split('\n')).toEqual([
      '  job         ours      limit     ratio  api + database     bar     met',
      '  ──────────  ────────  ────────  ─────  ─────────────────  ──────  ───',
      '  scoreboard  9,000 /s  9,500 /s  0.95   0.04 ms + 0.00 ms  >= 0.9  yes',
      '  submit      900 /s    5,000 /s  0.18                      >= 0.5  NO',
    ])
  })

  it('a skipped job says why and widens no column of the others', () => {
    const { rows } = skipped('proxy', 'there is no cluster to measure on')
    expect(formatTable(rows).split('\n').at(-1)).toBe('  proxy  skipped: there is no cluster to measure on')
    expect(formatTable(rows).split('\n')[0]).toBe('  job    ours  limit  ratio  api + database  bar  met')
  })

  it('a bar is met by the value, by the ratio to the limit or by what is beyond it, whichever it is about', () => {
    const bars = { answer: atMost(2, milliseconds), reads: ratioAtLeast(0.5, perSecond), late: addedAtMost(1, milliseconds) }
    const figures = { answer: { value: 2.5 }, reads: { value: 60, limit: 100 }, late: { value: 6, limit: 4, added: 0.9 } }
    const { rows, faults } = judge(bars, { figures })
    expect(rows).toEqual([
      { job: 'answer', ours: '2.5 ms', bar: '<= 2.0 ms', isMet: false },
      { job: 'reads', ours: '60 /s', limit: '100 /s', ratio: 0.6, bar: '>= 0.5', isMet: true },
      { job: 'late', ours: '6.0 ms', limit: '4.0 ms', ratio: 1.5, bar: '<= +1.0 ms', isMet: true },
    ])
    expect(judge(bars, { figures: { ...figures, late: { value: 6, limit: 4 } } }).rows[2]).toMatchObject({ isMet: false })
    expect(faults).toEqual([])
  })

  it('a bar that nothing was measured for is a fault, and a job that was skipped has none', () => {
    const bars = { answer: atMost(2, milliseconds) }
    expect(judge(bars, {}).faults).toEqual(['answer: there is a bar and no figure'])
    expect(judge(bars, skipped('answer', 'no cluster'))).toMatchObject({ rows: [{ job: 'answer' }], faults: [] })
    expect(judge({}, { figures: { answer: { value: 1 } } }).faults).toEqual(['answer: there is a figure and no bar'])
  })
})
