import { serverNow } from '../../lib/clock.ts'
import { formatDate, formatDay, formatDayTime, formatNumber, formatTime } from '../../lib/format.ts'
import type { TimelineLine, TimelineSpan } from './timeline.ts'
import { createChartScale, listAxisTimes, listGridScores, type TimelineScale } from './timeline-scale.ts'

type Mark = Readonly<{
  place: number
  text: string
}>

/** Layout of a chart on the page or in a picture. */
export type DrawnTimeline = Readonly<{
  scale: TimelineScale
  /** Edges of the area that contains the lines, in pixels. */
  area: Readonly<{ left: number; right: number; top: number; bottom: number }>
  levels: readonly Mark[]
  moments: readonly Mark[]
}>

type TimelineSize = Readonly<{
  width: number
  height: number
  size: number
  /** True if the chart is narrow. In a narrow chart, numbers are abbreviated. */
  isNarrow?: boolean
}>

const digit = 0.64
const dateWidth = 4.2
const dayTimeWidth = 7.6
/** Space between the ends of the lines and their labels. */
const besideLines = 12

function isMidnight(at: number) {
  const date = new Date(at)
  return date.getHours() === 0 && date.getMinutes() === 0
}

/** Returns the marks of the time axis. If the chart ends before today and contains no midnight, one mark names the day. */
function listMoments(
  times: readonly number[],
  { scale, end, size, width }: Readonly<{ scale: TimelineScale; end: number; size: number; width: number }>,
) {
  const half = (size * dateWidth) / 2
  const shown = times.map((at) => ({ at, place: scale.x(at) })).filter(({ place }) => place >= half && place <= width - half)
  const isDayKnown = formatDate(end) === formatDate(serverNow()) || shown.some(({ at }) => isMidnight(at))
  const named = isDayKnown ? undefined : shown.find(({ place }) => place >= (size * dayTimeWidth) / 2)
  return shown.map(({ at, place }) => ({
    place,
    text: at === named?.at ? formatDayTime(at) : isMidnight(at) ? formatDay(at) : formatTime(at),
  }))
}

export function layOutTimeline(
  lines: readonly TimelineLine[],
  span: TimelineSpan,
  { width, height, size, isNarrow = false }: TimelineSize,
): DrawnTimeline {
  const totals = listGridScores(lines, height < 260 ? 3 : 5)
  const texts = totals.map((total) => formatNumber(total, { notation: isNarrow ? 'compact' : 'standard' }))
  const left = Math.ceil(Math.max(...texts.map(({ length }) => length)) * size * digit) + size
  const room = { width, height, top: size, right: besideLines, bottom: size * 2, left }
  const scale = createChartScale(span, totals.at(-1) ?? 1, room)
  const count = Math.max(2, Math.floor((width - left - besideLines) / (size * dateWidth * 1.4)))
  return {
    scale,
    area: { left, right: width - besideLines, top: room.top, bottom: height - room.bottom },
    levels: totals.map((total, index) => ({ place: scale.y(total), text: texts[index] ?? '' })),
    moments: listMoments(listAxisTimes(span, count), { scale, end: span.end, size, width }),
  }
}
