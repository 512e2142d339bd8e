import type { Award } from '@capstan/contract/awards'
import { EyeOff, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../components/ui/badge.tsx'
import { IconButton } from '../../components/ui/button.tsx'
import { DeleteDialog } from '../../components/ui/delete-dialog.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { toast } from '../../components/ui/toast.ts'
import { formatNumber } from '../../lib/format.ts'
import styles from './award.module.css'
import { revokeAward } from './award-dialog.tsx'

export function AwardPoints({ award: { points, revokedAt } }: { readonly award: Award }) {
  return (
    <strong className={styles.points} data-revoked={revokedAt !== null || undefined}>
      {formatNumber(points, { signDisplay: 'always' })}
    </strong>
  )
}

/** Reason, author, time and state of an award. */
export function AwardText({ award }: { readonly award: Award }) {
  const { t } = useTranslation('admin-review')
  const { reason, isReasonShown, time, author, revokedAt, revokedBy } = award
  return (
    <span className={styles.text}>
      <bdi className="wrap-anywhere">{reason}</bdi>
      <span className="tiny muted">
        {author !== null && <bdi>{author} · </bdi>}
        <RelativeTime at={time} />
      </span>
      {!isReasonShown && (
        <Badge>
          <EyeOff aria-hidden />
          {t('award.hidden')}
        </Badge>
      )}
      {revokedAt !== null && (
        <span className="tiny muted">
          {t('award.revokedBy', { name: revokedBy ?? t('award.someAdmin') })} · <RelativeTime at={revokedAt} />
        </span>
      )}
    </span>
  )
}

/** Button that revokes an award after a question. A revoked award has none. */
export function RevokeButton({ gameId, award }: { readonly gameId: number; readonly award: Award }) {
  const { t } = useTranslation('admin-review')
  const [isAsking, setAsking] = useState(false)
  if (award.revokedAt !== null) return null
  const revoke = async () => {
    await revokeAward(gameId, award)
    toast({ tone: 'ok', title: t('award.revoked', { team: award.team }) })
    setAsking(false)
  }
  const points = formatNumber(award.points, { signDisplay: 'always' })
  return (
    <>
      <IconButton size="small" label={t('award.revoke', { points, team: award.team })} onClick={() => setAsking(true)}>
        <Undo2 />
      </IconButton>
      {isAsking && (
        <DeleteDialog
          title={t('award.revokeQuestion', { points, team: award.team })}
          description={t('award.revokeText')}
          confirm={t('award.revokeConfirm')}
          onDelete={revoke}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
