import { availablePoints } from '@capstan/contract/score'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { categoryIcons } from '../../components/ui/category.tsx'
import { cx } from '../../components/ui/cx.ts'
import { formatNumber } from '../../lib/format.ts'
import styles from './grid.module.css'
import { type ChallengeColumn, listColumnGroups } from './standings.ts'
import { VirtualColumnHeader, VirtualRow, VirtualRowGroup } from './virtual-table.tsx'

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
    <VirtualRowGroup className={styles.headings}>
      {listColumnGroups(columns).map(({ category, from: first, count }) => {
        const Icon = categoryIcons[category]
        return (
          <div
            key={category}
            role="presentation"
            className={cx('line strong', styles.group)}
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
      <VirtualRow aria-rowindex={1} className={cx('muted tiny medium', styles.headRow)}>
        <div role="presentation" className={cx(styles.frozen, styles.frozenHead)}>
          <VirtualColumnHeader className={styles.rank}>{t('column.rank')}</VirtualColumnHeader>
          {showOverallRank && <VirtualColumnHeader className={styles.overallRank}>{t('column.overallRank')}</VirtualColumnHeader>}
          <VirtualColumnHeader className={styles.team}>{t('column.team')}</VirtualColumnHeader>
          <VirtualColumnHeader className={styles.score}>{t('column.score')}</VirtualColumnHeader>
        </div>
        <VirtualColumnHeader className={styles.solved}>{t('column.solved')}</VirtualColumnHeader>
        <VirtualColumnHeader className={styles.bloods}>{t('column.bloods')}</VirtualColumnHeader>
        {columns.map((column, index) => (
          <VirtualColumnHeader
            key={column.id}
            aria-colindex={firstColumn + index}
            className={styles.challenge}
            style={{ insetInlineStart: `${columnsStart + index * columnWidth}px` }}
          >
            <span className={styles.challengeTitle}>
              <bdi className="truncate">{column.title}</bdi>
            </span>
            <span className={styles.challengeScore}>{formatNumber(availablePoints(column), { useGrouping: false })}</span>
          </VirtualColumnHeader>
        ))}
      </VirtualRow>
    </VirtualRowGroup>
  )
})
