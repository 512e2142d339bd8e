import type { ScoreboardTeam, SolvedChallenge } from '@capstan/contract/scoreboard'
import { type BloodType, bloodTypes } from '@capstan/contract/vocabulary'
import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useTranslation } from 'react-i18next'
import { cx } from '../../components/ui/cx.ts'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { useMediaQuery } from '../../lib/use-media.ts'
import { CellCard } from './cell-card.tsx'
import styles from './grid.module.css'
import {
  computeGridLayout,
  hasPinnedOwnRow,
  isLongerThanSight,
  toGridCssProperties,
  widthBeforeFirstChallenge,
  widthOfFixedColumns,
} from './grid-layout.ts'
import { markScale } from './row-marks.ts'
import type { CellRange, Line } from './seen-part.ts'
import { type ChallengeColumn, getStanding, listColumnGroups, overall, type Standing } from './standings.ts'
import { StandingsHead } from './standings-head.tsx'
import { MarksRow, StandingsRow } from './standings-row.tsx'
import { useRenderedRows } from './use-rows-in-sight.ts'
import { useSynchronizedScroll } from './use-scroll-together.ts'
import { useSize } from './use-size.ts'
import { VirtualRowGroup, VirtualTable } from './virtual-table.tsx'

type StandingsGridProps = Readonly<{
  teams: readonly ScoreboardTeam[]
  columns: readonly ChallengeColumn[]
  division: string
  own: Standing | undefined
  /**
   * True if `own` is undefined now but may be known soon. A placeholder then reserves the space for the team's row at the top.
   */
  isOwnExpected?: boolean
  /** Solves of the user's team since the freeze. The frozen board does not count them, so the team's row shows them separately. */
  ownLater?: readonly SolvedChallenge[] | undefined
  risen: ReadonlySet<number>
  onOpen: (teamId: number) => void
  /** Content above the headings of the fixed columns. */
  corner?: ReactNode
  /** Content to show if there are no rows. */
  empty?: ReactNode
}>

const pageRows = 10

function indexesOf({ from, to }: CellRange) {
  return Array.from({ length: to - from }, (_, offset) => from + offset)
}

/** Cell under the pointer. A heading has no row index, and the cell of a team name has no column. */
type Pointed = Readonly<{
  /** Index of the row. Undefined for a column heading and for the pinned row. */
  row: number | undefined
  column: number | undefined
  teamId: number | undefined
  rect: DOMRect
}>

/**
 * Table that renders only visible rows. It scrolls vertically with the page. The challenge columns scroll horizontally beside fixed
 * columns. Each row draws its marks as a picture, and contains them as hidden text for screen readers.
 */
export function StandingsGrid(props: StandingsGridProps) {
  const { teams, columns, division, own, isOwnExpected, ownLater, risen, onOpen, corner, empty } = props
  const { t } = useTranslation('scoreboard')
  const isNarrow = useMediaQuery('(max-width: 1000px)')
  const isTall = useMediaQuery('(min-height: 1000px)')
  const showOverallRank = division !== overall
  const titleLetters = useMemo(() => Math.max(0, ...columns.map(({ title }) => title.length)), [columns])
  const board = useRef<HTMLDivElement>(null)
  const size = useSize(board)
  const width = size?.width ?? 0
  const columnCount = columns.length
  const layout = useMemo(
    () => computeGridLayout({ hasOverallRank: showOverallRank, isNarrow, isTall, titleLetters, columnCount, width }),
    [showOverallRank, isNarrow, isTall, titleLetters, columnCount, width],
  )
  const lead = widthBeforeFirstChallenge(layout)
  const pinned = own && hasPinnedOwnRow(own.team.id, teams) ? own : undefined
  const isPinnedExpected = isOwnExpected === true && isLongerThanSight(teams)
  const head = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const bar = useRef<HTMLDivElement>(null)
  useSynchronizedScroll(head, body, bar)

  // Team whose row is in the tab order. This row is always rendered, so that it never loses the focus.
  const [activeTeam, setActiveTeam] = useState<number>()
  const activeIndex = useMemo(
    () =>
      activeTeam === undefined
        ? 0
        : Math.max(
            0,
            teams.findIndex(({ id }) => id === activeTeam),
          ),
    [teams, activeTeam],
  )
  const line: Line = { count: teams.length, size: layout.row, around: 12, block: 2 }
  const { drawn, settled } = useRenderedRows(body, line)
  const shownRows = indexesOf(drawn)
  if (teams.length > 0 && !shownRows.includes(activeIndex)) shownRows.push(activeIndex)

  // Each response contains new challenge objects, but the ids rarely change. Rows depend only on the ids, so cache the columns by
  // id.
  const order = useMemo(() => columns.map(({ id }) => id).join(), [columns])
  // biome-ignore lint/correctness/useExhaustiveDependencies: `order` contains the ids of all columns
  const places = useMemo(() => new Map(columns.map(({ id }, index) => [id, index])), [order])
  const markNames = useMemo(() => (['Normal', ...bloodTypes] as const).map((type) => t(`blood.${type}`)), [t])
  const countBloods = useCallback((type: BloodType, count: number) => t(`blood.count.${type}`, { count }), [t])
  const gradient = useId()

  const wantsFocus = useRef(false)
  useLayoutEffect(() => {
    if (!wantsFocus.current || activeTeam === undefined) return
    wantsFocus.current = false
    const button = body.current?.querySelector<HTMLElement>(`[data-team="${activeTeam}"] button`)
    button?.focus({ preventScroll: true })
    button?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [activeTeam])
  const moveTo = (index: number) => {
    const team = teams[Math.min(teams.length - 1, Math.max(0, index))]?.id
    if (team === undefined) return
    wantsFocus.current = true
    setActiveTeam(team)
  }
  const steps: Readonly<Record<string, () => void>> = {
    ArrowDown: () => moveTo(activeIndex + 1),
    ArrowUp: () => moveTo(activeIndex - 1),
    PageDown: () => moveTo(activeIndex + pageRows),
    PageUp: () => moveTo(activeIndex - pageRows),
    Home: () => moveTo(0),
    End: () => moveTo(teams.length - 1),
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key]
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    step()
  }
  useShortcuts({ j: () => moveTo(activeTeam === undefined ? 0 : activeIndex + 1), k: () => moveTo(activeIndex - 1) })

  const [pointed, setPointed] = useState<Pointed>()
  const leave = useCallback(() => setPointed(undefined), [])
  const isPointed = pointed !== undefined
  useEffect(() => {
    if (!isPointed) return
    addEventListener('scroll', leave, { capture: true, passive: true, once: true })
    return () => removeEventListener('scroll', leave, { capture: true })
  }, [isPointed, leave])
  const pointAt = (event: PointerEvent<HTMLDivElement>) => {
    if (event.pointerType === 'touch') return
    const bounds = event.currentTarget.getBoundingClientRect()
    const inside = event.clientX - bounds.left
    const across = Math.floor((inside + event.currentTarget.scrollLeft - lead) / layout.column)
    const column = inside < widthOfFixedColumns(layout) || across < 0 || across >= columns.length ? undefined : across
    const isRow = event.currentTarget === body.current
    const down = event.clientY - bounds.top
    const isPinnedRow = !isRow && down >= layout.head
    const row = isRow ? Math.min(teams.length - 1, Math.max(0, Math.floor(down / layout.row))) : undefined
    const teamId = row === undefined ? (isPinnedRow ? own?.team.id : undefined) : teams[row]?.id
    if (pointed && pointed.row === row && pointed.column === column && pointed.teamId === teamId) return
    const left = bounds.left + lead + across * layout.column - event.currentTarget.scrollLeft
    const top = bounds.top + (row === undefined ? (isPinnedRow ? layout.head : 0) : row * layout.row)
    const rect = new DOMRect(left, top, layout.column, isRow || isPinnedRow ? layout.row : layout.head)
    setPointed({ row, column, teamId, rect })
  }
  const pointedColumn = pointed?.column === undefined ? undefined : columns[pointed.column]
  const pointedTeam = pointed?.teamId === own?.team.id ? own?.team : teams.find(({ id }) => id === pointed?.teamId)

  /** Opens the team of a row if the user clicks the row outside of its buttons. */
  const openRow = (event: MouseEvent<HTMLDivElement>) => {
    if (!(event.target instanceof Element) || event.target.closest('button') || getSelection()?.type === 'Range') return
    const isPinnedRow = event.target.closest('[data-pinned-row]') !== null
    const down = event.clientY - (body.current?.getBoundingClientRect().top ?? 0)
    const team = isPinnedRow ? own?.team : teams[Math.floor(down / layout.row)]
    if (team) onOpen(team.id)
  }

  const later = useMemo(() => new Map(ownLater?.map((solve) => [solve.id, solve])), [ownLater])
  const words = { markNames, countBloods, noBloods: t('blood.none'), ownName: t('own'), showOverallRank, onOpen }
  const laterName = t('freeze.later')
  const marksOf = { places, columnWidth: layout.column, rowHeight: layout.row, categoriesPaint: `url(#${gradient})` }
  const rows = shownRows.flatMap((index) => {
    const team = teams[index]
    if (!team) return []
    const isOwn = team.id === own?.team.id
    return [
      {
        index,
        id: team.id,
        row: {
          ...{ standing: getStanding(team, division), top: index * layout.row, own: isOwn, risen: risen.has(team.id), places },
          ...(isOwn && { later, laterName }),
        },
      },
    ]
  })
  const pinnedRow = pinned && {
    ...{ standing: pinned, top: undefined, own: true, risen: risen.has(pinned.team.id), places, later, laterName },
  }
  return (
    <div
      ref={board}
      className={styles.board}
      style={toGridCssProperties(layout, columns.length) as CSSProperties}
      data-pinned={pinned !== undefined || isPinnedExpected}
      data-measured={size !== undefined}
    >
      <div className={styles.corner}>{corner}</div>
      <VirtualTable
        aria-label={t('table')}
        aria-rowcount={teams.length + 1}
        aria-colcount={columns.length + (showOverallRank ? 6 : 5)}
        className={styles.grid}
        data-moving={risen.size > 0}
        onKeyDown={onKeyDown}
        onFocus={(event) => {
          const row = event.target.closest<HTMLElement>('[data-team]')
          if (row && !event.target.hasAttribute('data-pinned')) setActiveTeam(Number(row.dataset.team))
        }}
        onClick={openRow}
      >
        <div ref={head} role="presentation" className={styles.head} onPointerMove={pointAt} onPointerLeave={leave}>
          <CategoriesPaint id={gradient} columns={columns} columnWidth={layout.column} />
          <StandingsHead {...{ columns, showOverallRank }} columnWidth={layout.column} columnsStart={lead} />
          {pinnedRow && (
            <VirtualRowGroup className={styles.pinned} aria-label={t('pinned')} data-pinned-row>
              <div role="presentation" className={styles.frozen}>
                <StandingsRow {...words} {...pinnedRow} rowIndex={pinnedRow.standing.rank + 1} isSettled reachable />
              </div>
              <div aria-hidden className={styles.marks}>
                <MarksRow {...marksOf} {...pinnedRow} />
              </div>
            </VirtualRowGroup>
          )}
          {isPinnedExpected && (
            <div role="presentation" className={cx('line', styles.expected)}>
              <Skeleton width="240px" height="14px" />
            </div>
          )}
        </div>
        <div ref={body} role="presentation" className={styles.body} onPointerMove={pointAt} onPointerLeave={leave}>
          <VirtualRowGroup className={styles.rows} style={{ blockSize: `${teams.length * layout.row}px` }}>
            <div role="presentation" className={styles.frozen}>
              {rows.map(({ index, id, row }) => (
                <StandingsRow
                  {...words}
                  {...row}
                  key={id}
                  rowIndex={index + 2}
                  isSettled={index >= settled.from && index < settled.to}
                  reachable={index === activeIndex}
                />
              ))}
            </div>
            <div aria-hidden className={styles.marks}>
              {rows.map(({ id, row }) => (
                <MarksRow {...marksOf} {...row} key={id} />
              ))}
              {pointed?.column !== undefined && (
                <div
                  className={styles.pointedColumn}
                  style={{ insetInlineStart: `${lead + pointed.column * layout.column}px` }}
                />
              )}
            </div>
            {pointed?.row !== undefined && (
              <div aria-hidden className={styles.pointedRow} style={{ translate: `0 ${pointed.row * layout.row}px` }} />
            )}
          </VirtualRowGroup>
        </div>
        {/* Separate scroll bar, because the browser's own bar would be below all rows. */}
        <div ref={bar} aria-hidden tabIndex={-1} className={styles.bar}>
          <div />
        </div>
      </VirtualTable>
      {teams.length === 0 && empty}
      {pointed && pointedColumn && (
        <CellCard
          column={pointedColumn}
          standing={pointedTeam && getStanding(pointedTeam, division)}
          later={pointedTeam && pointedTeam.id === own?.team.id ? later.get(pointedColumn.id) : undefined}
          rect={pointed.rect}
        />
      )}
    </div>
  )
}

type CategoriesPaintProps = Readonly<{
  id: string
  columns: readonly ChallengeColumn[]
  columnWidth: number
}>

/** Gradient of the category colors. It fills the marks of solves. A mark is `bloodUnits` wide. */
function CategoriesPaint({ id, columns, columnWidth }: CategoriesPaintProps) {
  return (
    <svg aria-hidden width="0" height="0" className={styles.defs}>
      <linearGradient id={id} gradientUnits="userSpaceOnUse" x1="0" x2={(columns.length * columnWidth) / markScale}>
        {listColumnGroups(columns).flatMap(({ category, from, count }) =>
          [from, from + count].map((at) => (
            <stop key={`${category} ${at}`} data-category={category} className={styles.stop} offset={at / columns.length} />
          )),
        )}
      </linearGradient>
    </svg>
  )
}
