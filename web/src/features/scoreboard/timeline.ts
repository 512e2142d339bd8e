import type { TeamTimeline } from '@capstan/contract/scoreboard'

/** Time span that the chart shows, in ms since 1970. */
export type TimelineSpan = Readonly<{
  start: number
  end: number
}>

export type TimelineLine = Readonly<{
  teamId: number
  name: string
  place: number
  /**
   * Points of the line: a time, and the score from that time on. The first point has score 0, and the last is at the end of the
   * span.
   */
  points: readonly (readonly [at: number, score: number])[]
  score: number
}>

/** Maximum share of the chart's width for the time before the first solve. */
const maxFlatShare = 0.25
/** Share of the chart's width before the first solve, if the first solve is late. */
const leadShare = 0.08

/**
 * Returns the time span from the start of the game to its end, or to now. If the first solve is late, the span starts shortly
 * before this solve.
 * @param firstSolve time of the first solve, in ms. Undefined if there is no solve
 */
export function getTimelineSpan(game: Readonly<{ start: string; end: string }>, now: number, firstSolve?: number): TimelineSpan {
  const start = Date.parse(game.start)
  const end = Math.max(start + 60_000, Math.min(now, Date.parse(game.end)))
  if (firstSolve === undefined || firstSolve - start <= (end - start) * maxFlatShare || firstSolve >= end) return { start, end }
  const lead = ((end - firstSolve) * leadShare) / (1 - leadShare)
  return { start: Math.max(start, Math.min(firstSolve - lead, end - 60_000)), end }
}

/**
 * Returns the time of the first solve in these timelines, in ms.
 * @returns undefined if there is no solve
 */
export function timeOfFirstSolve(timelines: readonly TeamTimeline[]): number | undefined {
  const times = timelines.flatMap(({ items }) => items.slice(0, 1).map(({ time }) => Date.parse(time)))
  return times.length === 0 ? undefined : Math.min(...times)
}

/** Converts timelines to lines. The server sends only changes, so this function adds the start and the end of each line. */
export function toChartLines(timelines: readonly TeamTimeline[], { start, end }: TimelineSpan): readonly TimelineLine[] {
  return timelines.map(({ id, name, items }, index) => {
    const score = items.at(-1)?.score ?? 0
    // The chart shows awards from before or after the game at the ends of the team's line.
    const steps = items.map(({ time, score }) => [Math.max(start, Math.min(Date.parse(time), end)), score] as const)
    return { teamId: id, name, place: index + 1, points: [[start, 0], ...steps, [end, score]], score }
  })
}

export function getScoreAt({ points }: Pick<TimelineLine, 'points'>, at: number): number {
  let score = 0
  for (const [time, total] of points) {
    if (time > at) break
    score = total
  }
  return score
}

/** Returns the lines with their scores at the time `at`, best first. */
export function rankLinesAt(
  lines: readonly TimelineLine[],
  at: number,
): readonly Readonly<{ line: TimelineLine; score: number }>[] {
  return lines.map((line) => ({ line, score: getScoreAt(line, at) })).sort((one, other) => other.score - one.score)
}

/** Returns `count` evenly spaced times for table columns. The last one is the end of the span. */
export function listEvenlySpacedTimes({ start, end }: TimelineSpan, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => Math.round(start + ((end - start) * (index + 1)) / count))
}
