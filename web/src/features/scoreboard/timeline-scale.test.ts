import { describe, expect, it } from 'vitest'
import { createChartScale, createStepPath, listAxisTimes, listGridScores } from './timeline-scale.ts'

function lineTo(score: number) {
  return {
    teamId: 1,
    name: 'Anchors',
    place: 1,
    score,
    points: [
      [0, 0],
      [500, score],
      [1000, score],
    ] as const,
  }
}
const room = { width: 130, height: 120, top: 10, right: 10, bottom: 10, left: 20 }

describe('the scale of a chart', () => {
  const scale = createChartScale({ start: 0, end: 1000 }, 400, room)

  it('the scale maps times and scores to the available area', () => {
    expect([scale.x(0), scale.x(500), scale.x(1000)]).toEqual([20, 70, 120])
    expect([scale.y(0), scale.y(100), scale.y(400)]).toEqual([110, 85, 10])
  })

  it('the scale returns the time at a position, limited to the time span', () => {
    expect([scale.at(70), scale.at(0), scale.at(500)]).toEqual([500, 0, 1000])
  })

  it('the line of a team is horizontal between two score changes', () => {
    expect(createStepPath(lineTo(400), scale)).toBe('M20 110H70V10H120V10')
    expect(createStepPath({ points: [] }, scale)).toBe('')
  })
})

describe('the grid lines', () => {
  it('grid lines are at a few round scores, and span the range of all scores', () => {
    expect(listGridScores([lineTo(370)], 4)).toEqual([0, 100, 200, 300, 400])
    expect(listGridScores([lineTo(400), lineTo(90)], 4)).toEqual([0, 100, 200, 300, 400])
    expect(listGridScores([lineTo(9310)], 5)).toEqual([0, 2000, 4000, 6000, 8000, 10000])
  })

  it('grid lines are at whole points, even if scores are low', () => {
    expect(listGridScores([lineTo(2)], 4)).toEqual([0, 1, 2])
    expect(listGridScores([], 4)).toEqual([0, 1])
  })
})

describe('the times on the axis', () => {
  const local = (day: number, hours: number, minutes = 0) => new Date(2026, 4, day, hours, minutes).getTime()

  it('axis times are round and inside the time span', () => {
    expect(listAxisTimes({ start: local(1, 10, 20), end: local(1, 14, 10) }, 4)).toEqual([
      local(1, 11),
      local(1, 12),
      local(1, 13),
      local(1, 14),
    ])
  })

  it('axis times are at midnight if the span is days long', () => {
    expect(listAxisTimes({ start: local(1, 10), end: local(4, 9) }, 3)).toEqual([local(2, 0), local(3, 0), local(4, 0)])
  })

  it("the time axis has at most the requested number of labels, regardless of the game's length", () => {
    const start = local(1, 0)
    for (const days of [0.001, 1, 40, 400, 40_000])
      expect(listAxisTimes({ start, end: start + days * 86_400_000 }, 6).length).toBeLessThanOrEqual(6)
  })
})
