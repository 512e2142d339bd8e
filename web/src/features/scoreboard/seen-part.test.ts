import { describe, expect, it } from 'vitest'
import { getCellRangeToRender, growCellRange } from './seen-part.ts'

const rows = { count: 5000, size: 40, around: 2, block: 1 }

describe('the rendered range of a list', () => {
  it('the range contains the cells in the window and some cells around it', () => {
    expect(getCellRangeToRender(rows, 0, 400)).toEqual({ from: 0, to: 12 })
    expect(getCellRangeToRender(rows, 4000, 400)).toEqual({ from: 98, to: 112 })
  })

  it('the range starts at 0 while the list begins below the top of the window', () => {
    expect(getCellRangeToRender(rows, -200, 400)).toEqual({ from: 0, to: 7 })
    expect(getCellRangeToRender(rows, -4000, 400)).toEqual({ from: 0, to: 0 })
  })

  it('the range stops at the end of the list', () => {
    expect(getCellRangeToRender(rows, 5000 * 40 - 400, 400)).toEqual({ from: 4988, to: 5000 })
    expect(getCellRangeToRender({ ...rows, count: 3 }, 0, 400)).toEqual({ from: 0, to: 3 })
    expect(getCellRangeToRender({ ...rows, count: 0 }, 0, 400)).toEqual({ from: 0, to: 0 })
  })

  it('the range is extended to complete blocks of cells', () => {
    expect(getCellRangeToRender({ ...rows, block: 8 }, 4000, 400)).toEqual({ from: 96, to: 112 })
    expect(getCellRangeToRender({ ...rows, block: 8 }, 4100, 400)).toEqual({ from: 96, to: 120 })
  })

  it('the range covers the end of the list after the list became shorter', () => {
    expect(getCellRangeToRender({ ...rows, count: 20 }, 4000, 400)).toEqual({ from: 8, to: 20 })
  })
})

describe('growing the rendered range towards a target range', () => {
  it('each step retains the cells inside the target range, and adds missing cells first at the end, then at the beginning', () => {
    expect(growCellRange({ from: 0, to: 50 }, { from: 30, to: 62 }, 8)).toEqual({ from: 30, to: 58 })
    expect(growCellRange({ from: 30, to: 58 }, { from: 30, to: 62 }, 8)).toEqual({ from: 30, to: 62 })
    expect(growCellRange({ from: 30, to: 62 }, { from: 25, to: 62 }, 8)).toEqual({ from: 25, to: 62 })
  })

  it('rendering restarts at the target range if the rendered range and the target range do not overlap', () => {
    expect(growCellRange({ from: 0, to: 50 }, { from: 90, to: 140 }, 8)).toEqual({ from: 90, to: 98 })
  })
})
