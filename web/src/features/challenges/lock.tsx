import type { PlayerBoard } from '@capstan/contract/scoreboard'
import type { LockedChallenge } from '@capstan/contract/unlock'
import { Lock } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import styles from './board.module.css'

/** Returns the locks of the locked challenges of a board, by challenge id. */
export function listChallengeLocks(board: PlayerBoard | undefined): ReadonlyMap<number, LockedChallenge> {
  return new Map(board?.locked?.map((lock) => [lock.id, lock]))
}

/** Icon of a locked challenge, with the progress towards its condition. */
export function LockMark({ lock }: { readonly lock: LockedChallenge }) {
  const { t } = useTranslation('challenges')
  const { needed, solved, points } = lock
  const progress = [
    ...(needed > 0 ? [t('lock.progress', { solved: Math.min(solved, needed), needed })] : []),
    ...(points === null ? [] : [t('lock.atPoints', { points: t('points', { count: points }) })]),
  ].join(' · ')
  return (
    <span className="inline gap-1 muted" title={`${t('lock.mark')}: ${progress}`}>
      <Lock role="img" aria-label={t('lock.mark')} className={styles.typeIcon} />
      <span className="truncate">{progress}</span>
    </span>
  )
}
