import { memo } from 'react'
import { Avatar } from '../../components/ui/avatar.tsx'
import { cx } from '../../components/ui/cx.ts'
import { formatNumber } from '../../lib/format.ts'
import { BloodTally } from './blood-mark.tsx'
import styles from './grid.module.css'
import marks from './marks.module.css'
import { bloodPlace, type ChallengeColumn, type Standing } from './standings.ts'
import { Cell, Row, RowHeader } from './virtual-table.tsx'

interface StandingsRowProps {
  readonly standing: Standing
  /** Row number for assistive technology, from 1, headings counted. */
  readonly rowIndex: number
  /** Distance from the top of the rows, pixels; undefined: pinned above them. */
  readonly top?: number
  readonly columns: readonly ChallengeColumn[]
  /** Columns drawn: those on screen and some around. */
  readonly from: number
  readonly to: number
  readonly columnWidth: number
  /** Where the first challenge begins, pixels. */
  readonly columnsStart: number
  readonly showOverallRank: boolean
  /** Labels of a plain solve and of the three bloods, made once for all cells. */
  readonly markNames: readonly string[]
  readonly own: boolean
  /** Says that it is the visitor's own team. */
  readonly ownName: string
  /** Whether it has its cells yet. */
  readonly isFilled: boolean
  /** Scored with the last update. */
  readonly risen: boolean
  /** The one row that Tab reaches. */
  readonly reachable: boolean
  readonly total: number
  readonly onOpen: (teamId: number) => void
}

/** A team: frozen columns first, then a cell per challenge. Drawn again only when something of it changed. */
export const StandingsRow = memo(function StandingsRow(props: StandingsRowProps) {
  const {
    standing,
    rowIndex,
    top,
    columns,
    from,
    to,
    columnWidth,
    columnsStart,
    showOverallRank,
    markNames,
    own,
    ownName,
    isFilled,
    risen,
    reachable,
    total,
    onOpen,
  } = props
  const { team, rank, solves, bloods } = standing
  const firstColumn = showOverallRank ? 7 : 6
  return (
    <Row
      aria-rowindex={rowIndex}
      data-team={team.id}
      className={cx(styles.row, own && styles.own, risen && styles.risen)}
      style={top === undefined ? undefined : { translate: `0 ${top}px` }}
    >
      <div role="presentation" className={styles.frozen}>
        <Cell className={cx(styles.rank, 'number')} data-top={rank <= 3 ? rank : undefined}>
          {formatNumber(rank)}
        </Cell>
        {showOverallRank && <Cell className={cx(styles.overallRank, 'number')}>{formatNumber(team.rank)}</Cell>}
        <RowHeader className={styles.team}>
          <button
            type="button"
            className={styles.open}
            tabIndex={reachable ? 0 : -1}
            data-pinned={top === undefined || undefined}
            onClick={() => onOpen(team.id)}
          >
            <Avatar team name={team.name} src={team.avatar} size={26} />
            <span className={styles.names}>
              <bdi className="truncate">{team.name}</bdi>
              {!showOverallRank && team.organization && <span className={styles.division}>{team.organization}</span>}
            </span>
            {own && <span className={styles.you}>{ownName}</span>}
          </button>
        </RowHeader>
        <Cell className={cx(styles.score, 'number')}>{formatNumber(team.score)}</Cell>
      </div>
      <Cell className={cx(styles.solved, 'number')}>
        {formatNumber(team.solvedCount)}
        <span className="faint"> / {formatNumber(total)}</span>
      </Cell>
      <Cell className={styles.types}>
        <BloodTally bloods={bloods} />
      </Cell>
      {(isFilled ? columns.slice(from, to) : []).map((column, offset) => {
        const solve = solves.get(column.id)
        if (!solve) return null
        const index = from + offset
        const place = bloodPlace(solve.type)
        return (
          <Cell
            key={column.id}
            aria-colindex={firstColumn + index}
            aria-label={markNames[place ?? 0]}
            data-category={column.category}
            data-place={place}
            className={cx(marks.mark, styles.cell)}
            style={{ insetInlineStart: `${columnsStart + index * columnWidth}px` }}
          >
            {place}
          </Cell>
        )
      })}
    </Row>
  )
})
