import type { TimelineLine, TimelineSpan } from './timeline.ts'

/** Size of a chart and its margins, in pixels. */
export type ChartRoom = Readonly<{
  width: number
  height: number
  top: number
  right: number
  bottom: number
  left: number
}>

export type TimelineScale = Readonly<{
  x: (at: number) => number
  y: (score: number) => number
  /** Returns the time at a horizontal position, limited to the time span. */
  at: (x: number) => number
}>

/**
 * Creates the scale of a chart.
 * @param top score at the upper edge
 */
export function createChartScale(span: TimelineSpan, top: number, room: ChartRoom): TimelineScale {
  const across = Math.max(1, room.width - room.left - room.right)
  const down = Math.max(1, room.height - room.top - room.bottom)
  const length = span.end - span.start
  return {
    x: (at) => room.left + ((at - span.start) / length) * across,
    // A negative score is drawn at the bottom.
    y: (score) => room.top + (1 - Math.max(0, score) / top) * down,
    at: (x) => span.start + Math.min(1, Math.max(0, (x - room.left) / across)) * length,
  }
}

/** Returns the scores of the grid lines: at most `count` round steps from 0 to at least the highest score. */
export function listGridScores(lines: readonly TimelineLine[], count: number): readonly number[] {
  const most = Math.max(1, ...lines.flatMap(({ points }) => points.map(([, score]) => score)))
  const unit = 10 ** Math.floor(Math.log10(most / count))
  const step = Math.max(1, unit * ([1, 2, 5].find((each) => each * unit * count >= most) ?? 10))
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step)
}

const hour = 60
const day = 24 * hour
/** Possible steps of the time axis, in minutes. */
const steps = [1, 2, 5, 10, 15, 30, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day, 30 * day, 90 * day]

/** Returns at most `count` evenly spaced times for the labels of the time axis. */
export function listAxisTimes({ start, end }: TimelineSpan, count: number): readonly number[] {
  const minutes = (end - start) / 60_000
  const step = steps.find((each) => minutes / each <= count) ?? Math.ceil(minutes / count / day) * day
  const first = new Date(start)
  // Computes in local time, so that midnights are correct on days with a clock change.
  const moment = (index: number) => new Date(first.getFullYear(), first.getMonth(), first.getDate(), 0, index * step).getTime()
  const moments: number[] = []
  for (let index = 0; moment(index) <= end; index += 1) {
    const at = moment(index)
    if (at >= start && at > (moments.at(-1) ?? Number.NEGATIVE_INFINITY)) moments.push(at)
  }
  return moments.slice(0, count)
}

function rounded(pixels: number) {
  return Math.round(pixels * 10) / 10
}

/** Returns the path of a line for SVG and canvas (`Path2D`). Each score lasts until the next one. */
export function createStepPath({ points }: Pick<TimelineLine, 'points'>, { x, y }: TimelineScale): string {
  const [first, ...rest] = points
  if (!first) return ''
  const begin = `M${rounded(x(first[0]))} ${rounded(y(first[1]))}`
  return begin + rest.map(([at, score]) => `H${rounded(x(at))}V${rounded(y(score))}`).join('')
}
