import { describe, expect, it } from 'vitest'
import { growPart, visiblePart } from './seen-part.ts'

const rows = { count: 5000, size: 40, around: 2, block: 1 }

describe('the drawn part of a line', () => {
  it('covers the window and some cells around it', () => {
    expect(visiblePart(rows, 0, 400)).toEqual({ from: 0, to: 12 })
    expect(visiblePart(rows, 4000, 400)).toEqual({ from: 98, to: 112 })
  })

  it('is the beginning while the line starts below the window', () => {
    expect(visiblePart(rows, -200, 400)).toEqual({ from: 0, to: 7 })
    expect(visiblePart(rows, -4000, 400)).toEqual({ from: 0, to: 0 })
  })

  it('ends at the end of the line', () => {
    expect(visiblePart(rows, 5000 * 40 - 400, 400)).toEqual({ from: 4988, to: 5000 })
    expect(visiblePart({ ...rows, count: 3 }, 0, 400)).toEqual({ from: 0, to: 3 })
    expect(visiblePart({ ...rows, count: 0 }, 0, 400)).toEqual({ from: 0, to: 0 })
  })

  it('consists of whole blocks', () => {
    expect(visiblePart({ ...rows, block: 8 }, 4000, 400)).toEqual({ from: 96, to: 112 })
    expect(visiblePart({ ...rows, block: 8 }, 4100, 400)).toEqual({ from: 96, to: 120 })
  })

  it('is the end after the line became shorter', () => {
    expect(visiblePart({ ...rows, count: 20 }, 4000, 400)).toEqual({ from: 8, to: 20 })
  })
})

describe('growing a part towards another', () => {
  it('retains the overlap, then grows after it and before it', () => {
    expect(growPart({ from: 0, to: 50 }, { from: 30, to: 62 }, 8)).toEqual({ from: 30, to: 58 })
    expect(growPart({ from: 30, to: 58 }, { from: 30, to: 62 }, 8)).toEqual({ from: 30, to: 62 })
    expect(growPart({ from: 30, to: 62 }, { from: 25, to: 62 }, 8)).toEqual({ from: 25, to: 62 })
  })

  it('starts again without an overlap', () => {
    expect(growPart({ from: 0, to: 50 }, { from: 90, to: 140 }, 8)).toEqual({ from: 90, to: 98 })
  })
})
