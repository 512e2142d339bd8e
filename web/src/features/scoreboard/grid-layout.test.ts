import { describe, expect, it } from 'vitest'
import { computeGridLayout, toGridCssProperties } from './grid-layout.ts'

const needs = { hasOverallRank: false, isNarrow: false, isTall: false, titleLetters: 10, columnCount: 30 }
function totalOf(columnCount: number, width: number) {
  return toGridCssProperties(computeGridLayout({ ...needs, columnCount, width }), columnCount)['--total']
}

describe('the columns of the board', () => {
  it('columns have minimum widths if the board is narrow or its width is unknown', () => {
    expect(computeGridLayout({ ...needs, width: 0 })).toMatchObject({ column: 30, team: 236 })
    expect(computeGridLayout({ ...needs, width: 1300 })).toMatchObject({ column: 30, team: 236 })
  })

  it('columns fill a wide window: challenge columns grow first, then names', () => {
    // The minimum is 574 + 30 * 30 + 96 = 1,570 px.
    expect(computeGridLayout({ ...needs, width: 1800 })).toMatchObject({ column: 37, team: 256 })
    expect(totalOf(30, 1800)).toBe('1800px')
  })

  it.each([
    // The height of the header allows titles of 45 / sin 30° = 90 px. The right edge allows longer titles: 111 px / cos 30°.
    { width: 1300, slope: '-30deg', title: '90px' },
    // In columns of 52 px, the height allows titles of 45 / sin 17° = 153 px. The right edge allows only 122 px / cos 17° = 127 px.
    { width: 2400, slope: '-17deg', title: '127px' },
  ])('titles of columns have a smaller angle and more letters in a wider window ($width px)', ({ width, slope, title }) => {
    const layout = computeGridLayout({ ...needs, titleLetters: 30, width })
    expect(toGridCssProperties(layout, 30)).toMatchObject({ '--slope': slope, '--title': title })
  })

  it('columns have a maximum width, so that rows are easy to follow', () => {
    expect(computeGridLayout({ ...needs, columnCount: 5, width: 1800 })).toMatchObject({ column: 52, team: 400 })
  })
})
