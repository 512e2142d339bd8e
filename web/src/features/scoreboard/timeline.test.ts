import { describe, expect, it } from 'vitest'
import { moveLabelsApart } from './spread.ts'
import { getScoreAt, getTimelineSpan, listEvenlySpacedTimes, rankLinesAt, timeOfFirstSolve, toChartLines } from './timeline.ts'

function at(clock: string) {
  return Date.parse(`2026-05-01T${clock}Z`)
}
const game = { start: '2026-05-01T10:00:00Z', end: '2026-05-01T18:00:00Z' }

describe('the time span of the chart', () => {
  it('the time span grows until the end of the game', () => {
    expect(getTimelineSpan(game, at('12:00:00'))).toEqual({ start: at('10:00:00'), end: at('12:00:00') })
    expect(getTimelineSpan(game, at('23:00:00'))).toEqual({ start: at('10:00:00'), end: at('18:00:00') })
  })

  it('the time span is at least one minute long', () => {
    expect(getTimelineSpan(game, at('10:00:00')).end).toBe(at('10:01:00'))
  })
})

describe('the start time of the lines in the chart', () => {
  it('lines start shortly before a late first solve, so that they are not flat for long', () => {
    // The 46 minutes after the solve take 92 % of the width, and the 4 minutes before it take 8 %.
    expect(getTimelineSpan(game, at('17:46:00'), at('17:00:00'))).toEqual({ start: at('16:56:00'), end: at('17:46:00') })
  })

  it('lines start at the start of the game if the first solve is early or missing', () => {
    const whole = { start: at('10:00:00'), end: at('14:00:00') }
    expect(getTimelineSpan(game, at('14:00:00'), at('11:00:00'))).toEqual(whole)
    expect(getTimelineSpan(game, at('14:00:00'), undefined)).toEqual(whole)
  })

  it('the start of the lines depends on the earliest solve of all lines', () => {
    const line = (id: number, ...times: string[]) => ({
      id,
      name: '',
      items: times.map((time) => ({ time: `2026-05-01T${time}Z`, score: 1 })),
    })
    expect(timeOfFirstSolve([line(1, '12:00:00', '13:00:00'), line(2), line(3, '11:30:00')])).toBe(at('11:30:00'))
    expect(timeOfFirstSolve([line(1), line(2)])).toBeUndefined()
  })
})

describe('the lines of the chart', () => {
  const span = getTimelineSpan(game, at('14:00:00'))
  const items = (...solves: readonly [string, number][]) =>
    solves.map(([clock, score]) => ({ time: `2026-05-01T${clock}Z`, score }))
  const lines = toChartLines(
    [
      { id: 7, name: 'Anchors', items: items(['11:00:00', 100], ['13:00:00', 350]) },
      { id: 8, name: 'Winches', items: items(['12:00:00', 300]) },
    ],
    span,
  )

  it('lines start with score 0 at the start of the game, and end now', () => {
    expect(lines[0]?.points).toEqual([
      [at('10:00:00'), 0],
      [at('11:00:00'), 100],
      [at('13:00:00'), 350],
      [at('14:00:00'), 350],
    ])
  })

  it("the chart shows awards from before or after the game at the ends of the team's line", () => {
    const [line] = toChartLines(
      [{ id: 7, name: 'Anchors', items: items(['09:00:00', 50], ['11:00:00', 150], ['17:00:00', 90]) }],
      span,
    )
    expect(line?.points).toEqual([
      [at('10:00:00'), 0],
      [at('10:00:00'), 50],
      [at('11:00:00'), 150],
      [at('14:00:00'), 90],
      [at('14:00:00'), 90],
    ])
  })

  it('the score at a given time is the score after the most recent change', () => {
    const [line] = lines
    expect(
      line && [getScoreAt(line, at('10:59:59')), getScoreAt(line, at('11:00:00')), getScoreAt(line, at('13:59:00'))],
    ).toEqual([0, 100, 350])
  })

  it('the lines are ranked by their scores at the hovered time', () => {
    expect(rankLinesAt(lines, at('12:30:00')).map(({ line, score }) => [line.name, score])).toEqual([
      ['Winches', 300],
      ['Anchors', 100],
    ])
  })

  it('the table contains the scores at equal intervals, including the end', () => {
    expect(listEvenlySpacedTimes(span, 4)).toEqual([at('11:00:00'), at('12:00:00'), at('13:00:00'), at('14:00:00')])
  })
})

describe('the labels beside the lines', () => {
  it('labels stay at their positions if there is room', () => {
    expect(moveLabelsApart([10, 60, 90], 20, 0, 100)).toEqual([10, 60, 90])
  })

  it('overlapping labels move apart in their order, within the bounds', () => {
    expect(moveLabelsApart([50, 52, 54], 20, 0, 100)).toEqual([50, 70, 90])
    expect(moveLabelsApart([95, 97, 99], 20, 0, 100)).toEqual([60, 80, 100])
  })

  it('labels are spread evenly if there is too little room', () => {
    expect(moveLabelsApart([100, 100, 100], 80, 0, 100)).toEqual([0, 50, 100])
  })

  it('there are no labels if there are no lines', () => {
    expect(moveLabelsApart([], 20, 0, 100)).toEqual([])
  })
})
