import { availablePoints } from '@capstan/contract/score'
import type { SolvedChallenge } from '@capstan/contract/scoreboard'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { BloodMark } from '../../components/ui/blood-mark.tsx'
import { bloodPlace } from '../../components/ui/blood-shape.ts'
import { CategoryBadge } from '../../components/ui/category-badge.tsx'
import { cx } from '../../components/ui/cx.ts'
import { formatDateTime, formatNumber } from '../../lib/format.ts'
import styles from './grid.module.css'
import type { ChallengeColumn, Standing } from './standings.ts'

type CellCardProps = Readonly<{
  column: ChallengeColumn
  /** Team whose row contains the cell. Undefined if the cell is a column heading. */
  standing: Standing | undefined
  /** Solve of the user's team after the freeze. Undefined if the team did not solve the challenge after the freeze. */
  later?: SolvedChallenge | undefined
  rect: DOMRect
}>

const cardWidth = 264

/** Details of the cell under the pointer. The team dialog contains the same data. */
export function CellCard({ column, standing, later, rect }: CellCardProps) {
  const { t } = useTranslation('scoreboard')
  const solve = standing?.solves.get(column.id) ?? later
  const available = availablePoints(column)
  const place = solve && bloodPlace(solve.type)
  const left = Math.min(innerWidth - cardWidth - 12, Math.max(12, rect.left + rect.width / 2 - cardWidth / 2))
  const below = rect.top < innerHeight * 0.55
  return createPortal(
    <div
      aria-hidden
      className={cx('stack gap-1 float', styles.card)}
      style={{
        insetInlineStart: `${left}px`,
        ...(below ? { top: `${rect.bottom + 6}px` } : { bottom: `${innerHeight - rect.top + 6}px` }),
      }}
    >
      <div className="row row-between gap-2">
        <CategoryBadge category={column.category} />
        <span className="small number">{t('points', { count: available, value: formatNumber(available) })}</span>
      </div>
      <strong className="wrap-anywhere">
        <bdi>{column.title}</bdi>
      </strong>
      {!standing && (
        <span className="muted small">{t('cell.solvedBy', { count: column.solved, value: formatNumber(column.solved) })}</span>
      )}
      {standing && (
        <span className="muted small wrap-anywhere">
          <bdi>{standing.team.name}</bdi>
          {!solve && ` · ${t('cell.open')}`}
        </span>
      )}
      {solve && (
        <span className="line ruled small">
          {place && <BloodMark place={place} />}
          <span>
            {t(`blood.${solve.type === 'Unaccepted' ? 'Normal' : solve.type}`)} ·{' '}
            <b>{t('points', { count: solve.score, value: formatNumber(solve.score) })}</b>
            <br />
            <span className="muted">
              {solve.userName && <bdi>{solve.userName}, </bdi>}
              {formatDateTime(solve.time)}
              {solve === later && (
                <>
                  <br />
                  {t('freeze.later')}
                </>
              )}
            </span>
          </span>
        </span>
      )}
    </div>,
    document.body,
  )
}
