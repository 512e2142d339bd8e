import { describe, expect, it } from 'vitest'
import { readPrintedTable } from './printed-table.ts'

describe('tables printed by other measurements', () => {
  it('are read by the columns of their header, empty cells included', () => {
    const text = [
      'some line before',
      'job              ours      limit    ratio ',
      'fan-out, p50     200.0 ms  190 ms   0.95  ',
      'memory, clients  230 MB             9.1 KB',
      '',
    ].join('\n')
    expect(readPrintedTable(text)).toEqual([
      { job: 'fan-out, p50', ours: '200.0 ms', limit: '190 ms', ratio: '0.95' },
      { job: 'memory, clients', ours: '230 MB', limit: '', ratio: '9.1 KB' },
    ])
  })

  it('are empty where there is no header', () => {
    expect(readPrintedTable('nothing here\n')).toEqual([])
  })
})
