import { memo, type PointerEvent, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { cx } from '../../components/ui/cx.ts'
import { formatDateTime, formatNumber } from '../../lib/format.ts'
import type { Scheme } from '../../lib/palette.ts'
import { useMediaQuery } from '../../lib/use-media.ts'
import { resolveColorScheme, useColorScheme } from '../../stores/color-scheme.ts'
import styles from './chart.module.css'
import { getLineColor } from './line-colors.ts'
import { moveLabelsApart } from './spread.ts'
import { getScoreAt, rankLinesAt, type TimelineLine, type TimelineSpan } from './timeline.ts'
import { type DrawnTimeline, layOutTimeline } from './timeline-axes.ts'
import { createStepPath } from './timeline-scale.ts'
import { useSize } from './use-size.ts'

type TimelineChartProps = Readonly<{
  lines: readonly TimelineLine[]
  span: TimelineSpan
  ownTeamId: number | undefined
  /** Height in pixels. By default the style sheet sets it. */
  height?: number
  /** True for a projector: larger text, no controls, and the full height of the container. */
  large?: boolean
  onSelect?: (teamId: number) => void
}>

/** Minimum height of a clickable label, in pixels (WCAG 2.5.8). */
const minTarget = 24

/** Maximum distance between the pointer and the line that the pointer selects, in pixels. */
const reach = 10

/** Chart with the lines and labels of the ten leading teams. On hover it shows all scores at the time under the pointer. */
export function TimelineChart({ lines, span, ownTeamId, height, large = false, onSelect }: TimelineChartProps) {
  const { t } = useTranslation('scoreboard')
  const scheme = useColorScheme(resolveColorScheme)
  const isNarrow = useMediaQuery('(max-width: 760px)')
  const place = useRef<HTMLDivElement>(null)
  const room = useSize(place)
  const [pointer, setPointer] = useState<Readonly<{ x: number; y: number }>>()
  /** Id of the team whose label has the pointer or the focus. */
  const [pointedId, setPointedId] = useState<number>()

  const hasLargeText = large && !isNarrow
  const size = hasLargeText ? 18 : 12
  const drawn = useMemo(
    () => (room && room.width > 0 ? layOutTimeline(lines, span, { ...room, size, isNarrow }) : undefined),
    [room, lines, span, size, isNarrow],
  )
  const at = drawn && pointer && drawn.scale.at(pointer.x)
  const emphasizedId = pointedId ?? (drawn && pointer ? nearestLine(lines, drawn, pointer) : undefined)
  const point = ({ currentTarget, clientX, clientY }: PointerEvent) => {
    const { left, top } = currentTarget.getBoundingClientRect()
    setPointer({ x: clientX - left, y: clientY - top })
  }
  const leave = () => setPointer(undefined)

  return (
    <div
      className={styles.chart}
      data-large={large || undefined}
      style={height === undefined ? undefined : { blockSize: height }}
    >
      <div
        ref={place}
        className={styles.drawing}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={leave}
        onPointerCancel={leave}
      >
        {drawn && room && (
          <>
            <svg
              role="img"
              aria-label={t('chart.summary', summary(lines))}
              width={room.width}
              height={room.height}
              fontSize={size}
              className={styles.canvas}
            >
              <Axes drawn={drawn} />
              <Lines drawn={drawn} lines={lines} scheme={scheme} ownTeamId={ownTeamId} emphasizedId={emphasizedId} />
              {at !== undefined && <Moment drawn={drawn} lines={lines} scheme={scheme} at={at} />}
            </svg>
            {at !== undefined && <Bubble lines={lines} scheme={scheme} at={at} x={drawn.scale.x(at)} width={room.width} />}
          </>
        )}
      </div>
      {drawn && room && (
        <Labels
          {...{ lines, drawn, scheme, ownTeamId, onSelect }}
          height={room.height}
          gap={hasLargeText ? 34 : 25}
          onPoint={setPointedId}
        />
      )}
    </div>
  )
}

/** Returns the id of the team whose line is under the pointer. */
function nearestLine(
  lines: readonly TimelineLine[],
  { scale }: DrawnTimeline,
  { x, y }: Readonly<{ x: number; y: number }>,
): number | undefined {
  const distances = lines.map((line) => ({ line, distance: Math.abs(scale.y(getScoreAt(line, scale.at(x))) - y) }))
  const [nearest] = distances.sort((one, other) => one.distance - other.distance)
  return nearest && nearest.distance <= reach ? nearest.line.teamId : undefined
}

const Axes = memo(function Axes({ drawn: { area, levels, moments } }: { readonly drawn: DrawnTimeline }) {
  return (
    <g className={styles.axes}>
      {levels.map(({ place, text }) => (
        <g key={text}>
          <line x1={area.left} x2={area.right} y1={Math.round(place)} y2={Math.round(place)} />
          <text x={area.left} y={place} dx="-0.6em" dy="0.35em" textAnchor="end">
            {text}
          </text>
        </g>
      ))}
      {moments.map(({ place, text }) => (
        <text key={place} x={place} y={area.bottom} dy="1.5em" textAnchor="middle">
          {text}
        </text>
      ))}
    </g>
  )
})

type LinesProps = Readonly<{
  drawn: DrawnTimeline
  lines: readonly TimelineLine[]
  scheme: Scheme
  ownTeamId: number | undefined
  emphasizedId: number | undefined
}>

/**
 * Draws the lines of the teams. The line of the first team is above the lines of the other teams. The line of the user's team is
 * above all other lines.
 */
const Lines = memo(function Lines({ drawn, lines, scheme, ownTeamId, emphasizedId }: LinesProps) {
  const paths = useMemo(() => new Map(lines.map((line) => [line.teamId, createStepPath(line, drawn.scale)])), [lines, drawn])
  const ordered = lines.toReversed().sort((one, other) => Number(one.teamId === ownTeamId) - Number(other.teamId === ownTeamId))
  return (
    <g fill="none" strokeLinejoin="round">
      {ordered.map(({ teamId, place }) => (
        <path
          key={teamId}
          d={paths.get(teamId)}
          stroke={getLineColor(scheme, place)}
          strokeWidth={(teamId === ownTeamId ? 3.5 : 2) + (teamId === emphasizedId ? 1.5 : 0)}
          strokeOpacity={emphasizedId === undefined || teamId === emphasizedId ? 1 : 0.16}
        />
      ))}
    </g>
  )
})

type MomentProps = Readonly<{
  drawn: DrawnTimeline
  lines: readonly TimelineLine[]
  scheme: Scheme
  at: number
}>

/** Marks the time under the pointer, and the points where the lines are at that time. */
function Moment({ drawn: { area, scale }, lines, scheme, at }: MomentProps) {
  const x = scale.x(at)
  return (
    <g>
      <line x1={x} x2={x} y1={area.top} y2={area.bottom} className={styles.pointer} />
      {lines.toReversed().map((line) => (
        <circle key={line.teamId} cx={x} cy={scale.y(getScoreAt(line, at))} r={3.5} fill={getLineColor(scheme, line.place)} />
      ))}
    </g>
  )
}

type BubbleProps = Readonly<{
  lines: readonly TimelineLine[]
  scheme: Scheme
  at: number
  /** Horizontal position in the chart that corresponds to the time, in pixels. */
  x: number
  width: number
}>

/**
 * Box with the scores of all lines at the time under the pointer, best first. The box is on the side of the pointer that has more
 * room.
 */
function Bubble({ lines, scheme, at, x, width }: BubbleProps) {
  return (
    <div className={cx('float small', styles.bubble)} style={x < width / 2 ? { left: x + 14 } : { right: width - x + 14 }}>
      <b className="muted tiny medium">{formatDateTime(at)}</b>
      <ol className="stack gap-0">
        {rankLinesAt(lines, at).map(({ line, score }) => (
          <li key={line.teamId}>
            <i style={{ background: getLineColor(scheme, line.place) }} />
            <bdi className="truncate">{line.name}</bdi>
            <span className="number strong end">{formatNumber(score)}</span>
          </li>
        ))}
      </ol>
    </div>
  )
}

type LabelsProps = Readonly<{
  lines: readonly TimelineLine[]
  drawn: DrawnTimeline
  scheme: Scheme
  ownTeamId: number | undefined
  height: number
  gap: number
  onSelect: ((teamId: number) => void) | undefined
  onPoint: (teamId: number | undefined) => void
}>

const Labels = memo(function Labels({ lines, drawn, scheme, ownTeamId, height, gap, onSelect, onPoint }: LabelsProps) {
  const { t } = useTranslation('scoreboard')
  const ends = lines.map(({ score }) => drawn.scale.y(score))
  const step = Math.min(gap, height / Math.max(1, lines.length))
  const places = moveLabelsApart(ends, step, step / 2, height - step / 2)
  const isTarget = onSelect !== undefined && step >= minTarget
  return (
    <ol className={styles.labels} aria-label={t('chart.leaders')}>
      {lines.map((line, index) => {
        const top = places[index] ?? 0
        const color = getLineColor(scheme, line.place)
        const content = (
          <>
            <span className={cx('number', styles.place)} style={{ color }}>
              {line.place}
            </span>
            <bdi className="truncate">{line.name}</bdi>
            <span className={cx('muted number', styles.score)}>{formatNumber(line.score)}</span>
          </>
        )
        return (
          <li
            key={line.teamId}
            style={{ blockSize: step, translate: `0 ${top - step / 2}px` }}
            data-own={line.teamId === ownTeamId}
          >
            <Leader from={(ends[index] ?? top) - top} color={color} />
            {isTarget ? (
              <button
                type="button"
                className={cx('grow small', styles.label)}
                onClick={() => onSelect(line.teamId)}
                onPointerEnter={() => onPoint(line.teamId)}
                onPointerLeave={() => onPoint(undefined)}
                onFocus={() => onPoint(line.teamId)}
                onBlur={() => onPoint(undefined)}
              >
                {content}
              </button>
            ) : (
              <span className={cx('grow small', styles.label)}>{content}</span>
            )}
          </li>
        )
      })}
    </ol>
  )
})

type LeaderProps = Readonly<{
  /** Vertical distance from the end of the line to the middle of the label, in pixels. */
  from: number
  color: string
}>

/** Curve that connects the end of a line with its label. */
function Leader({ from, color }: LeaderProps) {
  return (
    <svg className={styles.leader} aria-hidden width="18" height="1" viewBox="0 0 18 1">
      <path d={`M0 ${from} C 9 ${from}, 9 0, 18 0`} fill="none" stroke={color} strokeWidth="1.5" strokeOpacity="0.7" />
    </svg>
  )
}

function summary(lines: readonly TimelineLine[]) {
  return {
    count: lines.length,
    leaders: lines
      .slice(0, 3)
      .map(({ name, score }) => `${name} ${formatNumber(score)}`)
      .join(', '),
  }
}
