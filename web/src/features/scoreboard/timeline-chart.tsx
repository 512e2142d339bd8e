import type { ECharts } from 'echarts/core'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { ErrorState } from '../../components/ui/states.tsx'
import { formatDateTime, formatNumber } from '../../lib/format.ts'
import { TransportError } from '../../lib/http.ts'
import { whenIdle } from '../../lib/idle.ts'
import { retryOnce } from '../../lib/retry-once.ts'
import { resolveScheme, useColorScheme } from '../../stores/color-scheme.ts'
import styles from './chart.module.css'
import { lineColor } from './line-colors.ts'
import { spread } from './spread.ts'
import type { TimelineLine, TimelineSpan } from './timeline.ts'
import { inkOf, rankedAt, timelineOptions } from './timeline-options.ts'
import { useMedia } from './use-media.ts'

/** How far the labels reach over the canvas, pixels; see the style sheet. */
const overlap = 12

interface TimelineChartProps {
  readonly lines: readonly TimelineLine[]
  readonly span: TimelineSpan
  readonly ownTeamId: number | undefined
  /** For a projector: larger text, no controls. */
  readonly large?: boolean
  readonly onSelect?: (teamId: number) => void
  /** Given the chart when it is drawn, undefined when it goes: for the picture that can be saved. */
  readonly onChart?: (chart: ECharts | undefined) => void
}

/** The ten lines with their names beside them; hovering shows all totals at that time. */
export function TimelineChart({ lines, span, ownTeamId, large, onSelect, onChart }: TimelineChartProps) {
  const { t } = useTranslation('scoreboard')
  const scheme = useColorScheme(resolveScheme)
  const calm = useMedia('(prefers-reduced-motion: reduce)')
  const isNarrow = useMedia('(max-width: 760px)')
  const place = useRef<HTMLDivElement>(null)
  const [chart, setChart] = useState<ECharts>()
  const [failure, setFailure] = useState<TransportError>()
  /** Changes when the place of the lines on the screen does. */
  const [height, setHeight] = useState(0)
  const tell = useRef(onChart)
  tell.current = onChart

  useEffect(() => {
    const element = place.current
    if (!element) return
    let made: ECharts | undefined
    let gone = false
    const observer = new ResizeObserver(() => {
      made?.resize()
      setHeight(element.clientHeight)
    })
    const draw = (init: typeof import('./chart-library.ts').init) => {
      made = init(element, null, { renderer: 'canvas' })
      setChart(made)
      tell.current?.(made)
      observer.observe(element)
    }
    // In three steps, each when there is time: the rest of the page comes first.
    let forget = whenIdle(() => {
      void retryOnce(() => import('./chart-library.ts')).then(
        ({ init }) => {
          if (!gone) forget = whenIdle(() => draw(init))
        },
        () => !gone && setFailure(new TransportError('network', 'Network Error')),
      )
    })
    return () => {
      gone = true
      forget()
      observer.disconnect()
      tell.current?.(undefined)
      made?.dispose()
    }
  }, [])

  const size = large ? 18 : 12
  const [ends, setEnds] = useState<readonly number[]>([])
  /** Where the lines end, seen from where the labels begin, pixels. */
  const [reach, setReach] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new height moves the ends of the lines
  useEffect(() => {
    if (!chart || !place.current) return
    // Read here, not while rendering: by now the page wears the colors of the scheme.
    const ink = inkOf(place.current)
    const describe = (at: number) => bubble(lines, at, scheme)
    chart.setOption(timelineOptions({ lines, span, scheme, ink, ownTeamId, size, calm, isNarrow, describe }), {
      replaceMerge: ['series'],
    })
    setReach(Number(chart.convertToPixel({ xAxisIndex: 0 }, span.end)) - (chart.getWidth() - overlap))
    setEnds(lines.map(({ score }) => Number(chart.convertToPixel({ yAxisIndex: 0 }, score))))
  }, [chart, lines, span, scheme, ownTeamId, size, calm, isNarrow, height])

  const gap = large ? 34 : 25
  const labels = spread(ends, gap, gap / 2, Math.max(gap, height - gap / 2))
  const point = (teamId: number | undefined) => {
    chart?.dispatchAction({ type: 'downplay' })
    if (teamId !== undefined) chart?.dispatchAction({ type: 'highlight', seriesId: String(teamId) })
  }

  return (
    <div className={styles.chart} data-large={large || undefined}>
      {/* The chart library owns what is inside. */}
      <div ref={place} className={styles.canvas} role="img" aria-label={t('chart.summary', summary(lines))} />
      {!chart && <div className={styles.loading}>{failure ? <ErrorState error={failure} /> : <Skeleton height="100%" />}</div>}
      <ol className={styles.labels} aria-label={t('chart.leaders')}>
        {lines.map((line, index) => {
          const top = labels[index]
          if (top === undefined) return null
          const color = lineColor(scheme, line.place)
          const content = (
            <>
              <span className={styles.place} style={{ color }}>
                {line.place}
              </span>
              <bdi className="truncate">{line.name}</bdi>
              <span className={styles.score}>{formatNumber(line.score)}</span>
            </>
          )
          return (
            <li key={line.teamId} style={{ translate: `0 ${top - gap / 2}px` }} data-own={line.teamId === ownTeamId}>
              <Leader start={reach} from={(ends[index] ?? top) - top} color={color} />
              {onSelect ? (
                <button
                  type="button"
                  className={styles.label}
                  onClick={() => onSelect(line.teamId)}
                  onPointerEnter={() => point(line.teamId)}
                  onPointerLeave={() => point(undefined)}
                  onFocus={() => point(line.teamId)}
                  onBlur={() => point(undefined)}
                >
                  {content}
                </button>
              ) : (
                <span className={styles.label}>{content}</span>
              )}
            </li>
          )
        })}
      </ol>
    </div>
  )
}

interface LeaderProps {
  /** Where the line ends: along, and below the middle of the label, pixels. */
  readonly start: number
  readonly from: number
  readonly color: string
}

/** From the end of a line to its label. */
const Leader = ({ start, from, color }: LeaderProps) => (
  <svg className={styles.leader} aria-hidden width="18" height="1" viewBox="0 0 18 1">
    <path
      d={`M${start} ${from} C ${(start + 18) / 2} ${from}, ${(start + 18) / 2} 0, 18 0`}
      fill="none"
      stroke={color}
      strokeWidth="1.5"
      strokeOpacity="0.7"
    />
  </svg>
)

const summary = (lines: readonly TimelineLine[]) => ({
  count: lines.length,
  leaders: lines
    .slice(0, 3)
    .map(({ name, score }) => `${name} ${formatNumber(score)}`)
    .join(', '),
})

/** All totals at an instant, best first. Made of nodes: names are never read as markup. */
function bubble(lines: readonly TimelineLine[], at: number, scheme: 'dark' | 'light'): HTMLElement {
  const root = document.createElement('div')
  root.className = styles.bubble ?? ''
  const append = (parent: HTMLElement, tag: string, text = '') => {
    const element = document.createElement(tag)
    element.textContent = text
    parent.append(element)
    return element
  }
  append(root, 'b', formatDateTime(at))
  const list = append(root, 'ol')
  for (const { line, score } of rankedAt(lines, at)) {
    const row = append(list, 'li')
    append(row, 'i').style.background = lineColor(scheme, line.place)
    append(row, 'bdi', line.name)
    append(row, 'span', formatNumber(score))
  }
  return root
}
