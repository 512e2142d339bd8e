import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { categoryIcons } from '../../components/ui/category.tsx'
import { cx } from '../../components/ui/cx.ts'
import { formatNumber } from '../../lib/format.ts'
import styles from './grid.module.css'
import { type ChallengeColumn, groupsOf } from './standings.ts'
import { ColumnHeader, Row, RowGroup } from './virtual-table.tsx'

interface StandingsHeadProps {
  readonly columns: readonly ChallengeColumn[]
  readonly from: number
  readonly to: number
  readonly columnWidth: number
  /** Where the first challenge begins, pixels. */
  readonly columnsStart: number
  readonly showOverallRank: boolean
}

/** Headings: the frozen columns, then categories with their challenges, titles upright. */
export const StandingsHead = memo(function StandingsHead(props: StandingsHeadProps) {
  const { columns, from, to, columnWidth, columnsStart, showOverallRank } = props
  const { t } = useTranslation('scoreboard')
  const firstColumn = showOverallRank ? 7 : 6
  return (
    <RowGroup className={styles.head}>
      {groupsOf(columns).map(({ category, from: first, count }) => {
        const Icon = categoryIcons[category]
        return (
          <div
            key={category}
            aria-hidden
            className={styles.group}
            data-category={category}
            title={category}
            style={{ insetInlineStart: `${columnsStart + first * columnWidth}px`, inlineSize: `${count * columnWidth - 2}px` }}
          >
            <Icon aria-hidden />
            {count > 2 && <span className="truncate">{category}</span>}
          </div>
        )
      })}
      <Row aria-rowindex={1} className={styles.headRow}>
        <div role="presentation" className={cx(styles.frozen, styles.frozenHead)}>
          <ColumnHeader className={styles.rank}>{t('column.rank')}</ColumnHeader>
          {showOverallRank && <ColumnHeader className={styles.overallRank}>{t('column.overallRank')}</ColumnHeader>}
          <ColumnHeader className={styles.team}>{t('column.team')}</ColumnHeader>
          <ColumnHeader className={styles.score}>{t('column.score')}</ColumnHeader>
        </div>
        <ColumnHeader className={styles.solved}>{t('column.solved')}</ColumnHeader>
        <ColumnHeader className={styles.types}>{t('column.type')}</ColumnHeader>
        {columns.slice(from, to).map((column, offset) => (
          <ColumnHeader
            key={column.id}
            aria-colindex={firstColumn + from + offset}
            className={styles.challenge}
            data-category={column.category}
            style={{ insetInlineStart: `${columnsStart + (from + offset) * columnWidth}px` }}
          >
            <span className={styles.challengeTitle}>
              <bdi className="truncate">{column.title}</bdi>
            </span>
            <span className={styles.challengeScore}>{formatNumber(column.score, { useGrouping: false })}</span>
          </ColumnHeader>
        ))}
      </Row>
    </RowGroup>
  )
})
