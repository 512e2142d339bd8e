import { describe, expect, it } from 'vitest'
import { drawnPart, grownPart } from './seen-part.ts'

const rows = { count: 5000, size: 40, around: 2, block: 1 }

describe('the part of a line that is drawn', () => {
  it('is what the window shows, and some around it', () => {
    expect(drawnPart(rows, 0, 400)).toEqual({ from: 0, to: 12 })
    expect(drawnPart(rows, 4000, 400)).toEqual({ from: 98, to: 112 })
  })

  it('is the beginning while the line begins further down', () => {
    expect(drawnPart(rows, -200, 400)).toEqual({ from: 0, to: 7 })
    expect(drawnPart(rows, -4000, 400)).toEqual({ from: 0, to: 0 })
  })

  it('ends with the line', () => {
    expect(drawnPart(rows, 5000 * 40 - 400, 400)).toEqual({ from: 4988, to: 5000 })
    expect(drawnPart({ ...rows, count: 3 }, 0, 400)).toEqual({ from: 0, to: 3 })
    expect(drawnPart({ ...rows, count: 0 }, 0, 400)).toEqual({ from: 0, to: 0 })
  })

  it('has whole blocks', () => {
    expect(drawnPart({ ...rows, block: 8 }, 4000, 400)).toEqual({ from: 96, to: 112 })
    expect(drawnPart({ ...rows, block: 8 }, 4100, 400)).toEqual({ from: 96, to: 120 })
  })

  it('is the end when there are fewer than before', () => {
    expect(drawnPart({ ...rows, count: 20 }, 4000, 400)).toEqual({ from: 8, to: 20 })
  })
})

describe('a part that grows towards another', () => {
  it('keeps what both share and goes on after it, then before it', () => {
    expect(grownPart({ from: 0, to: 50 }, { from: 30, to: 62 }, 8)).toEqual({ from: 30, to: 58 })
    expect(grownPart({ from: 30, to: 58 }, { from: 30, to: 62 }, 8)).toEqual({ from: 30, to: 62 })
    expect(grownPart({ from: 30, to: 62 }, { from: 25, to: 62 }, 8)).toEqual({ from: 25, to: 62 })
  })

  it('begins anew where they share nothing', () => {
    expect(grownPart({ from: 0, to: 50 }, { from: 90, to: 140 }, 8)).toEqual({ from: 90, to: 98 })
  })
})
