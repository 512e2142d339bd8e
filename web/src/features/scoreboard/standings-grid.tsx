import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import { bloodTypes } from '@capstan/contract/vocabulary'
import {
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  useDeferredValue,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useTranslation } from 'react-i18next'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { CellCard } from './cell-card.tsx'
import styles from './grid.module.css'
import { frozenWidth, gridLayout, gridProperties, isPinned, leadWidth } from './grid-layout.ts'
import { type Line, type Part, scrollTo } from './seen-part.ts'
import { type ChallengeColumn, overall, type Standing, standingOf } from './standings.ts'
import { StandingsHead } from './standings-head.tsx'
import { StandingsRow } from './standings-row.tsx'
import { useDrawnParts } from './use-drawn-parts.ts'
import { useMedia } from './use-media.ts'
import { RowGroup, VirtualTable } from './virtual-table.tsx'

interface StandingsGridProps {
  readonly teams: readonly ScoreboardTeam[]
  readonly columns: readonly ChallengeColumn[]
  readonly division: string
  /** Pinned above the rows. */
  readonly own: Standing | undefined
  readonly risen: ReadonlySet<number>
  readonly onOpen: (teamId: number) => void
}

const pageRows = 10
const columnBlock = 8

const indexesOf = ({ from, to }: Part) => Array.from({ length: to - from }, (_, offset) => from + offset)

/** Where the pointer is: a challenge, and a team unless over the headings. */
interface Pointed {
  readonly column: number
  readonly teamId: number | undefined
  readonly rect: DOMRect
}

/** The board as a table of which only the part on screen exists. Scrolls both ways; the first columns stay. */
export function StandingsGrid({ teams, columns, division, own, risen, onOpen }: StandingsGridProps) {
  const { t } = useTranslation('scoreboard')
  const isNarrow = useMedia('(max-width: 1000px)')
  const showOverallRank = division !== overall
  const titleLetters = useMemo(() => Math.max(0, ...columns.map(({ title }) => title.length)), [columns])
  const layout = useMemo(
    () => gridLayout({ hasOverallRank: showOverallRank, isNarrow, titleLetters }),
    [showOverallRank, isNarrow, titleLetters],
  )
  const lead = leadWidth(layout)
  const pinned = own && isPinned(own.team.id, teams) ? own : undefined
  const above = layout.head + (pinned ? layout.row : 0)
  const frame = useRef<HTMLDivElement>(null)

  // The row that Tab reaches is known by its team: it moves with it and is never dropped while it has the focus.
  const [activeTeam, setActiveTeam] = useState<number>()
  const activeIndex = Math.max(
    0,
    teams.findIndex(({ id }) => id === activeTeam),
  )
  const rowLine: Line = { count: teams.length, size: layout.row, before: above, offset: 0, around: 6, block: 1 }
  const drawn = useDrawnParts(frame, rowLine, {
    count: columns.length,
    size: layout.column,
    before: frozenWidth(layout),
    offset: layout.solved + layout.types,
    around: 2,
    // In blocks, so that rows are drawn again once per block and not with every column.
    block: columnBlock,
  })
  const { from, to } = drawn.columns
  const { beforeRush } = drawn
  // The first cells come after the rest of the page.
  const isFilled = useDeferredValue(true, false)
  const shownRows = indexesOf(drawn.rows)
  if (teams.length > 0 && !shownRows.includes(activeIndex)) shownRows.push(activeIndex)
  const markNames = useMemo(() => (['Normal', ...bloodTypes] as const).map((type) => t(`blood.${type}`)), [t])

  const wantsFocus = useRef(false)
  useLayoutEffect(() => {
    if (!wantsFocus.current || activeTeam === undefined) return
    wantsFocus.current = false
    const button = frame.current?.querySelector<HTMLElement>(`[data-team="${activeTeam}"] button:not([data-pinned])`)
    button?.focus({ preventScroll: true })
    // The board is in place already; this brings the page along.
    button?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [activeTeam])
  const moveTo = (index: number) => {
    const target = Math.min(teams.length - 1, Math.max(0, index))
    const team = teams[target]?.id
    if (team === undefined) return
    wantsFocus.current = true
    const element = frame.current
    if (element) element.scrollTop = scrollTo(rowLine, target, element.scrollTop, element.clientHeight)
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
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const element = frame.current
    if (!element || event.pointerType === 'touch') return
    const bounds = element.getBoundingClientRect()
    const inside = event.clientX - bounds.left
    const column = Math.floor((inside + element.scrollLeft - lead) / layout.column)
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-team]') : null
    const overHead = event.clientY - bounds.top < layout.head
    const frozen = lead - layout.solved - layout.types
    if (inside < frozen || column < 0 || column >= columns.length || (!row && !overHead)) return setPointed(undefined)
    const teamId = row ? Number(row.dataset.team) : undefined
    if (pointed?.column === column && pointed.teamId === teamId) return
    const left = bounds.left + lead + column * layout.column - element.scrollLeft
    const box = row?.getBoundingClientRect() ?? new DOMRect(0, bounds.top, 0, layout.head)
    setPointed({ column, teamId, rect: new DOMRect(left, box.top, layout.column, box.height) })
  }
  const pointedColumn = pointed && columns[pointed.column]
  const pointedTeam = pointed?.teamId === own?.team.id ? own?.team : teams.find(({ id }) => id === pointed?.teamId)

  const place = { columns, from, to, columnWidth: layout.column, columnsStart: lead, showOverallRank }
  const shared = { ...place, markNames, ownName: t('own'), total: columns.length, onOpen }
  return (
    <>
      <VirtualTable
        ref={frame}
        aria-label={t('table')}
        aria-rowcount={teams.length + 1}
        aria-colcount={columns.length + (showOverallRank ? 6 : 5)}
        className={styles.grid}
        style={gridProperties(layout, columns.length) as CSSProperties}
        data-moving={risen.size > 0}
        onKeyDown={onKeyDown}
        onFocus={(event) => {
          const row = event.target.closest<HTMLElement>('[data-team]')
          if (row && !event.target.hasAttribute('data-pinned')) setActiveTeam(Number(row.dataset.team))
        }}
        onPointerMove={onPointerMove}
        onPointerLeave={() => setPointed(undefined)}
        onScroll={() => pointed && setPointed(undefined)}
      >
        <StandingsHead {...place} />
        {pinned && (
          <RowGroup className={styles.pinned} aria-label={t('pinned')}>
            <StandingsRow
              {...shared}
              standing={pinned}
              rowIndex={pinned.rank + 1}
              own
              isFilled
              risen={risen.has(pinned.team.id)}
              reachable
            />
          </RowGroup>
        )}
        <RowGroup className={styles.rows} style={{ blockSize: `${teams.length * layout.row}px` }}>
          {shownRows.map((index) => {
            const team = teams[index]
            return (
              team && (
                <StandingsRow
                  {...shared}
                  key={team.id}
                  standing={standingOf(team, division)}
                  rowIndex={index + 2}
                  top={index * layout.row}
                  isFilled={isFilled && (!beforeRush || (index >= beforeRush.from && index < beforeRush.to))}
                  own={team.id === own?.team.id}
                  risen={risen.has(team.id)}
                  reachable={index === activeIndex}
                />
              )
            )
          })}
          {pointed && (
            <div
              aria-hidden
              className={styles.pointedColumn}
              style={{ insetInlineStart: `${lead + pointed.column * layout.column}px`, inlineSize: `${layout.column}px` }}
            />
          )}
        </RowGroup>
      </VirtualTable>
      {pointed && pointedColumn && (
        <CellCard column={pointedColumn} standing={pointedTeam && standingOf(pointedTeam, division)} rect={pointed.rect} />
      )}
    </>
  )
}
