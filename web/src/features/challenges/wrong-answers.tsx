import { Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useCall } from '../../lib/server-state.ts'
import styles from './dialog.module.css'

type WrongAnswersProps = Readonly<{
  gameId: number
  challengeId: number
}>

/** Wrong flags of the player's team. They are read only while the list is open. */
export function WrongAnswers(props: WrongAnswersProps) {
  const { t } = useTranslation('challenges')
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className={styles.wrong} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{t('wrong.title')}</summary>
      {isOpen && <List {...props} />}
    </details>
  )
}

function List({ gameId, challengeId }: WrongAnswersProps) {
  const { t } = useTranslation('challenges')
  const { data, error } = useCall(ownOperations.listWrongAnswers, { params: { id: gameId, cid: challengeId } })
  if (!data && error)
    return (
      <p role="alert">
        <ErrorText error={error} />
      </p>
    )
  if (!data) return <SkeletonLines count={2} />
  if (data.length === 0) return <p className="muted">{t('wrong.none')}</p>
  return (
    <>
      <ol>
        {data.map(({ id, answer, time, user, isOwn }) => (
          <li key={id}>
            <code className="wrap-anywhere">
              <bdi>{answer}</bdi>
            </code>
            <span className={styles.wrongFacts}>
              <bdi className="truncate">{isOwn ? t('solvers.own') : user}</bdi>
              <RelativeTime at={time} />
            </span>
          </li>
        ))}
      </ol>
      {data.length === Limits.maxWrongAnswers && (
        <p className="faint">{t('wrong.newest', { number: formatNumber(data.length) })}</p>
      )}
    </>
  )
}
