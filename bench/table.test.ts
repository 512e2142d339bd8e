import { describe, expect, it } from 'vitest'
import {
  createRowWithMaxDifference,
  createRowWithMaximum,
  createRowWithMinRatio,
  createSkippedRow,
  formatBenchTable,
  milliseconds,
  perSecond,
} from './table.ts'

const summary = { ours: 60, limit: 100, ratio: 0.6, added: -40 }

describe('the table of the bench', () => {
  it('aligns figure, limit, ratio, bar and verdict in columns', () => {
    const rows = [
      createSkippedRow('proxy', 'KUBECONFIG is not set'),
      {
        ...createRowWithMinRatio('board', { ...summary, ours: 9_000, limit: 9_500, ratio: 0.947 }, 0.9, perSecond),
        cpu: '0.04 + 0.00 ms',
      },
      createRowWithMinRatio('submit', { ...summary, ours: 900, limit: 5_000, ratio: 0.18 }, 0.5, perSecond),
    ]
    expect(formatBenchTable(rows).split('\n')).toEqual([
      '  job     ours      limit     ratio  api + database  bar     met',
      '  proxy   skipped                                            KUBECONFIG is not set',
      '  board   9,000 /s  9,500 /s  0.95   0.04 + 0.00 ms  >= 0.9  yes',
      '  submit  900 /s    5,000 /s  0.18                   >= 0.5  NO',
    ])
  })

  it('a row of the report can have a maximum value, a minimum ratio or a maximum difference', () => {
    expect(createRowWithMaximum('answer', 2.5, 2, milliseconds)).toMatchObject({ ours: '2.5 ms', bar: '<= 2.0 ms', met: false })
    expect(createRowWithMinRatio('reads', summary, 0.5, perSecond)).toMatchObject({ ratio: 0.6, bar: '>= 0.5', met: true })
    expect(createRowWithMaxDifference('late', { ours: 6, limit: 4, ratio: 1.5, added: 2 }, 1, milliseconds)).toMatchObject({
      bar: '<= +1.0 ms',
      met: false,
    })
  })

  it('marks a row as skipped if this system cannot measure its figure', () => {
    expect(createRowWithMaximum('memory', Number.NaN, 2, milliseconds)).toEqual(
      createSkippedRow('memory', 'this system has no /proc'),
    )
  })
})
