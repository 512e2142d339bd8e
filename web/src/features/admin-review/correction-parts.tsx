import type { Award } from '@capstan/contract/awards'
import type { SolveCorrection } from '@capstan/contract/corrections'
import { EyeOff, Undo2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../components/ui/badge.tsx'
import { IconButton } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { DeleteDialog } from '../../components/ui/delete-dialog.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { formatNumber } from '../../lib/format.ts'
import styles from './correction.module.css'
import { revokeAward, revokeCorrection } from './revoke.ts'

export function AwardPoints({ award: { points, revokedAt } }: { readonly award: Award }) {
  return (
    <strong className={cx('number nowrap', styles.points)} data-revoked={revokedAt !== null || undefined}>
      {formatNumber(points, { signDisplay: 'always' })}
    </strong>
  )
}

export function CorrectionBadge({ correction: { kind, revokedAt } }: { readonly correction: SolveCorrection }) {
  const { t } = useTranslation('admin-review')
  return <Badge tone={revokedAt !== null ? 'neutral' : kind === 'Granted' ? 'ok' : 'bad'}>{t(`correction.state.${kind}`)}</Badge>
}

type EntryTextProps = Readonly<{
  entry: Pick<Award, 'reason' | 'time' | 'author' | 'revokedAt' | 'revokedBy'>
  children?: ReactNode
}>

/** Reason, author, time and revocation of an award or a correction. */
function EntryText({ entry: { reason, time, author, revokedAt, revokedBy }, children }: EntryTextProps) {
  const { t } = useTranslation('admin-review')
  return (
    <span className={cx('stack gap-0 start tight', styles.text)}>
      <bdi className="wrap-anywhere">{reason}</bdi>
      <span className="tiny muted">
        {author !== null && <bdi>{author} · </bdi>}
        <RelativeTime at={time} />
      </span>
      {children}
      {revokedAt !== null && (
        <span className="tiny muted">
          {t('award.revokedBy', { name: revokedBy ?? t('award.someAdmin') })} · <RelativeTime at={revokedAt} />
        </span>
      )}
    </span>
  )
}

export function AwardText({ award }: { readonly award: Award }) {
  const { t } = useTranslation('admin-review')
  return (
    <EntryText entry={award}>
      {!award.isReasonShown && (
        <Badge>
          <EyeOff aria-hidden />
          {t('award.hidden')}
        </Badge>
      )}
    </EntryText>
  )
}

export function CorrectionText({ correction }: { readonly correction: SolveCorrection }) {
  const { t } = useTranslation('admin-review')
  return (
    <EntryText entry={correction}>
      <span className="tiny muted">
        {t('correction.solvedAt')} <RelativeTime at={correction.solvedAt} />
      </span>
    </EntryText>
  )
}

type RevokeProps = Readonly<{
  label: string
  question: string
  text: string
  done: string
  onRevoke: () => Promise<void>
}>

/** Button that revokes an award or a correction after confirmation. */
function Revoke({ label, question, text, done, onRevoke }: RevokeProps) {
  const { t } = useTranslation('admin-review')
  const [isAsking, setAsking] = useState(false)
  const revoke = async () => {
    await onRevoke()
    showToast({ tone: 'ok', title: done })
    setAsking(false)
  }
  return (
    <>
      <IconButton size="small" label={label} onClick={() => setAsking(true)}>
        <Undo2 />
      </IconButton>
      {isAsking && (
        <DeleteDialog
          title={question}
          description={text}
          confirm={t('award.revokeConfirm')}
          onDelete={revoke}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}

/** Button that revokes an award. Renders nothing for a revoked award. */
export function RevokeAwardButton({ gameId, award }: Readonly<{ gameId: number; award: Award }>) {
  const { t } = useTranslation('admin-review')
  if (award.revokedAt !== null) return null
  const { team } = award
  const points = formatNumber(award.points, { signDisplay: 'always' })
  return (
    <Revoke
      label={t('award.revoke', { points, team })}
      question={t('award.revokeQuestion', { points, team })}
      text={t('award.revokeText')}
      done={t('award.revoked', { team })}
      onRevoke={() => revokeAward(gameId, award)}
    />
  )
}

/** Button that revokes a correction of a solve. Renders nothing for a revoked correction. */
export function RevokeCorrectionButton({
  gameId,
  correction,
}: Readonly<{
  gameId: number
  correction: SolveCorrection
}>) {
  const { t } = useTranslation('admin-review')
  if (correction.revokedAt !== null) return null
  const { team, challenge } = correction
  return (
    <Revoke
      label={t('correction.revoke', { team, challenge })}
      question={t('correction.revokeQuestion', { team, challenge })}
      text={t('correction.revokeText')}
      done={t('correction.revoked', { team })}
      onRevoke={() => revokeCorrection(gameId, correction)}
    />
  )
}
