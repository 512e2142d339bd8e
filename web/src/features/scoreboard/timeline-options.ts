import type { EChartsCoreOption } from 'echarts/core'
import { formatDay, formatNumber, formatTime } from '../../lib/format.ts'
import type { Scheme } from '../../lib/palette.ts'
import { lineColor } from './line-colors.ts'
import { scoreAt, type TimelineLine, type TimelineSpan } from './timeline.ts'

/** Colors and font of the page, for the canvas. */
export interface ChartInk {
  readonly text: string
  readonly faint: string
  readonly line: string
  readonly font: string
}

/** The page's own values at this moment. */
export function inkOf(element: Element): ChartInk {
  const style = getComputedStyle(element)
  const value = (name: string) => style.getPropertyValue(name).trim()
  return { text: value('--text-2'), faint: value('--text-3'), line: value('--line'), font: style.fontFamily }
}

export interface TimelineLook {
  readonly lines: readonly TimelineLine[]
  readonly span: TimelineSpan
  readonly scheme: Scheme
  readonly ink: ChartInk
  readonly ownTeamId: number | undefined
  /** Text size, CSS pixels. */
  readonly size: number
  readonly calm: boolean
  /** A phone: short figures. */
  readonly isNarrow: boolean
  /** Content of the bubble at an instant. */
  readonly describe: (at: number) => HTMLElement
}

const padding = { top: 14, bottom: 4, left: 2, right: 12 } as const

const timeText = (at: number) => {
  const date = new Date(at)
  if (date.getHours() === 0 && date.getMinutes() === 0) return formatDay(at)
  return formatTime(at)
}

/** Everything the chart library has to know. */
export function timelineOptions({
  lines,
  span,
  scheme,
  ink,
  ownTeamId,
  size,
  calm,
  isNarrow,
  describe,
}: TimelineLook): EChartsCoreOption {
  const label = { color: ink.faint, fontSize: size, fontFamily: ink.font }
  return {
    animation: !calm,
    animationDuration: 0,
    animationDurationUpdate: 180,
    textStyle: { fontFamily: ink.font },
    grid: { ...padding, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
    tooltip: {
      trigger: 'axis',
      confine: true,
      transitionDuration: 0,
      // The bubble brings its own look.
      padding: 0,
      borderWidth: 0,
      backgroundColor: 'transparent',
      extraCssText: 'box-shadow: none',
      axisPointer: { type: 'line', lineStyle: { color: ink.faint, type: 'solid', width: 1 } },
      formatter: (params: unknown) => {
        const first: unknown = Array.isArray(params) ? params[0] : params
        const at = typeof first === 'object' && first !== null && 'axisValue' in first ? Number(first.axisValue) : span.end
        return describe(at)
      },
    },
    xAxis: {
      type: 'time',
      min: span.start,
      max: span.end,
      axisLine: { lineStyle: { color: ink.line } },
      axisTick: { show: false },
      axisLabel: { ...label, hideOverlap: true, formatter: timeText },
      splitLine: { show: false },
    },
    yAxis: {
      type: 'value',
      min: 0,
      minInterval: 1,
      splitNumber: 4,
      axisLabel: { ...label, formatter: (value: number) => formatNumber(value, { notation: isNarrow ? 'compact' : 'standard' }) },
      splitLine: { lineStyle: { color: ink.line } },
    },
    // The first team is drawn last, above the others.
    series: lines.toReversed().map((line) => {
      const own = line.teamId === ownTeamId
      return {
        id: String(line.teamId),
        name: line.name,
        type: 'line',
        step: 'end',
        data: line.points.map((point) => [...point]),
        symbol: 'circle',
        symbolSize: 6,
        showSymbol: false,
        color: lineColor(scheme, line.place),
        lineStyle: { width: own ? 3.5 : 2 },
        z: own ? 4 : 3,
        emphasis: { focus: 'series', lineStyle: { width: own ? 4.5 : 3.5 } },
        blur: { lineStyle: { opacity: 0.16 } },
      }
    }),
  }
}

/** Lines with their totals at an instant, best first. */
export const rankedAt = (
  lines: readonly TimelineLine[],
  at: number,
): readonly { readonly line: TimelineLine; readonly score: number }[] =>
  lines.map((line) => ({ line, score: scoreAt(line, at) })).sort((one, other) => other.score - one.score)
