import type { TeamTimeline } from '@capstan/contract/scoreboard'

/** When the lines begin and where they stop now; milliseconds. */
export type TimelineSpan = Readonly<{
  start: number
  end: number
}>

export type TimelineLine = Readonly<{
  teamId: number
  name: string
  /** 1 = top of this timeline. */
  place: number
  /** Instant and total from then on; begins with 0 at the start, ends at the end of the span. */
  points: readonly (readonly [at: number, score: number])[]
  score: number
}>

/** Largest share of the chart that may pass before the first solve. */
const maxFlatShare = 0.25
/** Share of the chart before the first solve where the start of the game is left out. */
const leadShare = 0.08

/**
 * From the start of the game to now, or to its end when that is over. After a late first solve it begins shortly before it.
 * @param firstSolve milliseconds; undefined: nothing is solved
 */
export function spanOf(game: { readonly start: string; readonly end: string }, now: number, firstSolve?: number): TimelineSpan {
  const start = Date.parse(game.start)
  const end = Math.max(start + 60_000, Math.min(now, Date.parse(game.end)))
  if (firstSolve === undefined || firstSolve - start <= (end - start) * maxFlatShare || firstSolve >= end) return { start, end }
  const lead = ((end - firstSolve) * leadShare) / (1 - leadShare)
  return { start: Math.max(start, Math.min(firstSolve - lead, end - 60_000)), end }
}

/** When the first of these lines rises, milliseconds; undefined: none does. */
export function firstSolveOf(timelines: readonly TeamTimeline[]): number | undefined {
  const times = timelines.flatMap(({ items }) => items.slice(0, 1).map(({ time }) => Date.parse(time)))
  return times.length === 0 ? undefined : Math.min(...times)
}

/** The server sends solves only; start and end of each line are drawn here. */
export function linesOf(timelines: readonly TeamTimeline[], { start, end }: TimelineSpan): readonly TimelineLine[] {
  return timelines.map(({ id, name, items }, index) => {
    const score = items.at(-1)?.score ?? 0
    const solves = items.map(({ time, score }) => [Math.min(Date.parse(time), end), score] as const)
    return { teamId: id, name, place: index + 1, points: [[start, 0], ...solves, [end, score]], score }
  })
}

/** Total of a line at an instant. */
export function scoreAt({ points }: Pick<TimelineLine, 'points'>, at: number): number {
  let score = 0
  for (const [time, total] of points) {
    if (time > at) break
    score = total
  }
  return score
}

/** Lines with their totals at an instant, best first. */
export function rankedAt(
  lines: readonly TimelineLine[],
  at: number,
): readonly { readonly line: TimelineLine; readonly score: number }[] {
  return lines.map((line) => ({ line, score: scoreAt(line, at) })).sort((one, other) => other.score - one.score)
}

/** `count` instants over the span, the first after its start and the last at its end: columns of the table. */
export function momentsOf({ start, end }: TimelineSpan, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => Math.round(start + ((end - start) * (index + 1)) / count))
}
