import { Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import type { TeamAttempt } from '@capstan/contract/submissions'
import { Check, CircleHelp, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useCall } from '../../lib/server-state.ts'
import styles from './dialog.module.css'

type AttemptsProps = Readonly<{
  gameId: number
  challengeId: number
}>

/** List of the flags that the player's team submitted. The submissions are read only while the list is open. */
export function AttemptList(props: AttemptsProps) {
  const { t } = useTranslation('challenges')
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className="fold-text small" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{t('attempts.title')}</summary>
      {isOpen && <List {...props} />}
    </details>
  )
}

function Verdict({ status }: Pick<TeamAttempt, 'status'>) {
  const { t } = useTranslation('challenges')
  const verdict = status === 'Accepted' ? 'right' : status === 'NotFound' ? 'unknown' : 'wrong'
  const Icon = { right: Check, wrong: X, unknown: CircleHelp }[verdict]
  const tone = { right: 'ok', wrong: 'bad', unknown: undefined }[verdict]
  return <Icon className={styles.verdict} data-tone={tone} role="img" aria-label={t(`attempts.${verdict}`)} />
}

function List({ gameId, challengeId }: AttemptsProps) {
  const { t } = useTranslation('challenges')
  const { data, error } = useCall(ownOperations.listAttempts, { params: { id: gameId, cid: challengeId } })
  if (!data && error)
    return (
      <p role="alert">
        <ErrorText error={error} />
      </p>
    )
  if (!data) return <SkeletonLines count={2} />
  if (data.length === 0) return <p className="muted">{t('attempts.none')}</p>
  return (
    <>
      <ol className="stack gap-2">
        {data.map(({ id, answer, status, time, user, isOwn }) => (
          <li key={id} className="row gap-2">
            <Verdict status={status} />
            <code className="wrap-anywhere">
              <bdi>{answer}</bdi>
            </code>
            <span className="line end faint tiny nowrap">
              <bdi className="truncate">{isOwn ? t('solvers.own') : user}</bdi>
              <RelativeTime at={new Date(time).toISOString()} />
            </span>
          </li>
        ))}
      </ol>
      {data.length === Limits.maxListedAttempts && (
        <p className="faint ruled">{t('attempts.newest', { number: formatNumber(data.length) })}</p>
      )}
    </>
  )
}
