import { describe, expect, it } from 'vitest'
import { drawnPart, scrollTo } from './seen-part.ts'

const rows = { count: 5000, size: 40, before: 100, offset: 0, around: 2, block: 1 }

describe('the part of a line that is drawn', () => {
  it('is what fits behind the fixed part, and some around it', () => {
    expect(drawnPart(rows, 0, 500)).toEqual({ from: 0, to: 12 })
    expect(drawnPart(rows, 4000, 500)).toEqual({ from: 98, to: 112 })
  })

  it('ends with the line', () => {
    expect(drawnPart(rows, 5000 * 40 - 400, 500)).toEqual({ from: 4988, to: 5000 })
    expect(drawnPart({ ...rows, count: 3 }, 0, 500)).toEqual({ from: 0, to: 3 })
    expect(drawnPart({ ...rows, count: 0 }, 0, 500)).toEqual({ from: 0, to: 0 })
  })

  it('has whole blocks', () => {
    expect(drawnPart({ ...rows, block: 8 }, 4000, 500)).toEqual({ from: 96, to: 112 })
    expect(drawnPart({ ...rows, block: 8 }, 4100, 500)).toEqual({ from: 96, to: 120 })
  })

  it('is the end when there are fewer than before', () => {
    expect(drawnPart({ ...rows, count: 20 }, 4000, 500)).toEqual({ from: 8, to: 20 })
  })

  it('begins where what scrolls away ends', () => {
    expect(drawnPart({ ...rows, offset: 200 }, 0, 500)).toEqual({ from: 0, to: 7 })
    expect(drawnPart({ ...rows, offset: 200 }, 4200, 500)).toEqual({ from: 98, to: 112 })
  })
})

describe('scrolling to a cell', () => {
  it('moves only as far as needed', () => {
    expect(scrollTo(rows, 5, 0, 500)).toBe(0)
    expect(scrollTo(rows, 10, 0, 500)).toBe(40)
    expect(scrollTo(rows, 5, 400, 500)).toBe(200)
  })
})
