import type { SolvedChallenge } from '@capstan/contract/scoreboard'
import { bloodTypes } from '@capstan/contract/vocabulary'
import { memo } from 'react'
import { Avatar } from '../../components/ui/avatar.tsx'
import { bloodPlace } from '../../components/ui/blood-shape.ts'
import { cx } from '../../components/ui/cx.ts'
import { formatNumber } from '../../lib/format.ts'
import { BloodTally } from './blood-tally.tsx'
import styles from './grid.module.css'
import { createRingPath, createRowMarks, dotSize, markScale, ringStroke } from './row-marks.ts'
import type { Standing } from './standings.ts'
import { VirtualCell, VirtualRow, VirtualRowHeader } from './virtual-table.tsx'

type RowProps = Readonly<{
  standing: Standing
  /** Distance from the top of the rows, in pixels. Undefined for the pinned row above them. */
  top: number | undefined
  own: boolean
  /** True if the team scored in the last update. */
  risen: boolean
  /** Column index by challenge id. It is the same object until the challenges change. */
  places: ReadonlyMap<number, number>
  /** Solves of the user's team since the freeze, by challenge id. Undefined in the rows of all other teams. */
  later?: ReadonlyMap<number, SolvedChallenge>
  /** Accessible name of the marks for solves since the freeze. */
  laterName?: string
}>

type StandingsRowProps = RowProps &
  Readonly<{
    /** Row number for assistive technology, starting at 1 and including the headings. */
    rowIndex: number
    showOverallRank: boolean
    markNames: readonly string[]
    countBloods: (type: (typeof bloodTypes)[number], count: number) => string
    noBloods: string
    ownName: string
    /**
     * True if the row has text cells for assistive technology. A row that appears during scrolling gets these cells when scrolling
     * stops.
     */
    isSettled: boolean
    /** True if the row is the only one in the tab order. */
    reachable: boolean
    onOpen: (teamId: number) => void
  }>

function placeAt(top: number | undefined) {
  return top === undefined ? undefined : { insetBlockStart: `${top}px` }
}
function classOf({ own, risen }: RowProps) {
  return cx(styles.row, own && styles.own, risen && styles.risen)
}

/** Row of a team: the fixed columns, and the marks as text. `MarksRow` shows them as a picture. */
export const StandingsRow = memo(function StandingsRow(props: StandingsRowProps) {
  const { standing, rowIndex, top, showOverallRank, ownName, own, isSettled, reachable, onOpen } = props
  const { team, rank } = standing
  return (
    <VirtualRow aria-rowindex={rowIndex} data-team={team.id} className={classOf(props)} style={placeAt(top)}>
      <VirtualCell className={cx(styles.rank, 'number')} data-top={rank <= 3 ? rank : undefined}>
        {formatNumber(rank)}
      </VirtualCell>
      {showOverallRank && (
        <VirtualCell className={cx(styles.overallRank, 'number')}>{team.rank > 0 ? formatNumber(team.rank) : '–'}</VirtualCell>
      )}
      <VirtualRowHeader className={styles.team}>
        <button
          type="button"
          className={cx('line medium', styles.open)}
          tabIndex={reachable ? 0 : -1}
          data-pinned={top === undefined || undefined}
          onClick={() => onOpen(team.id)}
        >
          <Avatar team name={team.name} src={team.avatar} size={22} />
          <bdi className="truncate">{team.name}</bdi>
          {!showOverallRank && team.organization && (
            <span className={cx('truncate faint tiny regular', styles.division)}>
              <bdi>{team.organization}</bdi>
            </span>
          )}
          {own && <span className={styles.you}>{ownName}</span>}
        </button>
      </VirtualRowHeader>
      <VirtualCell className={cx(styles.score, 'number')}>{formatNumber(team.score)}</VirtualCell>
      {isSettled && <SpokenCells {...props} />}
    </VirtualRow>
  )
})

function SpokenCells(props: StandingsRowProps) {
  const { standing, showOverallRank, places, later, laterName, markNames, countBloods, noBloods } = props
  const { team, bloods, solves } = standing
  const firstColumn = showOverallRank ? 7 : 6
  const counted = bloodTypes.flatMap((type, index) => (bloods[index] ? [countBloods(type, bloods[index])] : []))
  return (
    <div role="presentation" className="visually-hidden">
      <VirtualCell aria-colindex={firstColumn - 2}>
        {formatNumber(team.solvedCount)} / {formatNumber(places.size)}
      </VirtualCell>
      <VirtualCell aria-colindex={firstColumn - 1}>{counted.join(', ') || noBloods}</VirtualCell>
      {[...places].map(([id, column]) => {
        const solve = solves.get(id)
        const name = solve ? markNames[bloodPlace(solve.type) ?? 0] : later?.has(id) && laterName
        return (
          name && (
            <VirtualCell key={id} aria-colindex={firstColumn + column}>
              {name}
            </VirtualCell>
          )
        )
      })}
    </div>
  )
}

type MarksRowProps = RowProps &
  Readonly<{
    columnWidth: number
    rowHeight: number
    /** SVG paint of the dots for normal solves. The paint is a gradient of the category colors. */
    categoriesPaint: string
  }>

/** Solves of a team as a picture that scrolls horizontally. `StandingsRow` contains the same solves as text. */
export const MarksRow = memo(function MarksRow(props: MarksRowProps) {
  const { standing, top, places, later, columnWidth, rowHeight, categoriesPaint } = props
  const { team, bloods, solves } = standing
  const width = places.size * columnWidth
  const cell = { width: columnWidth, height: rowHeight }
  const marks = createRowMarks(team.solvedChallenges, places, cell)
  const rings = later
    ? createRingPath(
        [...later.keys()].filter((id) => !solves.has(id)),
        places,
        cell,
      )
    : ''
  return (
    <div className={classOf(props)} style={placeAt(top)} data-marks={team.id}>
      <span className={cx(styles.solved, 'number')}>
        {formatNumber(team.solvedCount)}
        <span className="faint"> / {formatNumber(places.size)}</span>
      </span>
      <span className={styles.bloods}>
        <BloodTally bloods={bloods} decorative />
      </span>
      {width > 0 && (
        <svg
          aria-hidden="true"
          width={width}
          height={rowHeight}
          viewBox={`0 0 ${width / markScale} ${rowHeight / markScale}`}
          className={styles.cells}
        >
          {rings && <path d={rings} stroke={categoriesPaint} strokeWidth={ringStroke} fill="none" data-later />}
          {marks.solves && <path d={marks.solves} stroke={categoriesPaint} strokeWidth={dotSize} strokeLinecap="round" />}
          {marks.bloods.map(({ place, path }) => (
            <path key={place} d={path} fillRule="evenodd" data-place={place} />
          ))}
        </svg>
      )}
    </div>
  )
})
