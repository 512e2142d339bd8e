import { availablePoints } from '@capstan/contract/score'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { categoryIcons } from '../../components/ui/category.tsx'
import { cx } from '../../components/ui/cx.ts'
import { formatNumber } from '../../lib/format.ts'
import styles from './grid.module.css'
import { type ChallengeColumn, groupsOf } from './standings.ts'
import { ColumnHeader, Row, RowGroup } from './virtual-table.tsx'

type StandingsHeadProps = Readonly<{
  columns: readonly ChallengeColumn[]
  columnWidth: number
  columnsStart: number
  showOverallRank: boolean
}>

/** Headings: first the fixed columns, then challenges with slanted titles above their categories. */
export const StandingsHead = memo(function StandingsHead(props: StandingsHeadProps) {
  const { columns, columnWidth, columnsStart, showOverallRank } = props
  const { t } = useTranslation('scoreboard')
  const firstColumn = showOverallRank ? 7 : 6
  return (
    <RowGroup className={styles.headings}>
      {groupsOf(columns).map(({ category, from: first, count }) => {
        const Icon = categoryIcons[category]
        return (
          <div
            key={category}
            role="presentation"
            className={styles.group}
            data-category={category}
            title={category}
            style={{
              insetInlineStart: `${columnsStart + first * columnWidth + 1}px`,
              inlineSize: `${count * columnWidth - 2}px`,
            }}
          >
            <Icon aria-hidden />
            <span className={count > 2 ? 'truncate' : 'visually-hidden'}>{category}</span>
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
        <ColumnHeader className={styles.bloods}>{t('column.bloods')}</ColumnHeader>
        {columns.map((column, index) => (
          <ColumnHeader
            key={column.id}
            aria-colindex={firstColumn + index}
            className={styles.challenge}
            style={{ insetInlineStart: `${columnsStart + index * columnWidth}px` }}
          >
            <span className={styles.challengeTitle}>
              <bdi className="truncate">{column.title}</bdi>
            </span>
            <span className={styles.challengeScore}>{formatNumber(availablePoints(column), { useGrouping: false })}</span>
          </ColumnHeader>
        ))}
      </Row>
    </RowGroup>
  )
})
