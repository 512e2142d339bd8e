import type { PlayerBoard } from '@capstan/contract/scoreboard'
import type { LockedChallenge } from '@capstan/contract/unlock'
import { Lock } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { EmptyState } from '../../components/ui/states.tsx'
import styles from './board.module.css'
import { SolvedMark } from './challenge-cards.tsx'

type LockedContentProps = Readonly<{
  lock: LockedChallenge
  board: PlayerBoard
  addressOf: (challengeId: number) => string
  onClose: () => void
}>

/** Content of a locked challenge: its condition, the prerequisites and the progress of the team. */
export function LockedContent({ lock, board, addressOf, onClose }: LockedContentProps) {
  const { t } = useTranslation('challenges')
  const { after, needed, solved, points } = lock
  const own = new Set(board.rank?.solvedChallenges.map(({ id }) => id))
  const prerequisites = Object.values(board.challenges)
    .flat()
    .filter(({ id }) => after.includes(id))
  const pointsText = points !== null && t(needed > 0 ? 'lock.also' : 'lock.only', { points: t('points', { count: points }) })
  return (
    <>
      <EmptyState icon={Lock} title={t('lock.title')} actions={<Button onClick={onClose}>{t('dialog.backToBoard')}</Button>}>
        <span className="stack gap-0">
          {needed > 0 && <span>{t('lock.need', { needed, solved })}</span>}
          {pointsText && (
            <span>
              {pointsText} {t('lock.score', { points: t('points', { count: board.rank?.score ?? 0 }) })}
            </span>
          )}
        </span>
      </EmptyState>
      {prerequisites.length > 0 && (
        <ul className={cx('stack gap-2', styles.prerequisites)} aria-label={t('lock.prerequisites')}>
          {prerequisites.map(({ id, title, category }) => (
            <li key={id} className="line">
              <Link to={addressOf(id)} preventScrollReset>
                <bdi>{title}</bdi>
              </Link>
              <span className="muted small">{category}</span>
              {own.has(id) && <SolvedMark />}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
