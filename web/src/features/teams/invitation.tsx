import { operations } from '@capstan/contract/operations'
import type { TeamInfo } from '@capstan/contract/teams'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Alert } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { ConfirmationDialog } from '../../components/ui/dialog.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { setCallData, useCall } from '../../lib/server-state.ts'
import { createInvitationLink, splitInvitationCode } from './invite-code.ts'
import styles from './teams.module.css'

/** Shows the invitation code to the captain, or the reason why the team has none. */
export function InvitationSection({ team }: { readonly team: TeamInfo }) {
  const { t } = useTranslation('teams')
  return (
    <section className={cx('stack gap-3', styles.invitation)} aria-label={t('invite.code', { team: team.name ?? '' })}>
      <h3 className="size-14">{t('invite.title')}</h3>
      {team.ofProvider ? <p className="small muted">{t('invite.ofProvider')}</p> : <InvitationCode team={team} />}
    </section>
  )
}

/** Invitation code, which the captain can copy, copy as a link, or renew. */
function InvitationCode({ team }: { readonly team: TeamInfo }) {
  const { t } = useTranslation(['teams', 'common'])
  const params = { id: team.id }
  const { data: code, error, mutate } = useCall(operations.getInvite, { params })
  const [asking, setAsking] = useState(false)
  const renew = useAction(async () => {
    const fresh = await call(operations.renewInvite, { params })
    await setCallData([operations.getInvite, { params }], fresh)
    showToast({ tone: 'ok', title: t('teams:invite.renewed') })
    setAsking(false)
  })
  return (
    <>
      <p className="small muted">{t('teams:invite.text')}</p>
      {code === undefined && !error && <Skeleton height="58px" />}
      {code === undefined && error && (
        <Alert
          tone="bad"
          title={t('teams:invite.failed')}
          actions={
            <Button size="small" onClick={() => void mutate()}>
              {t('common:action.retry')}
            </Button>
          }
        >
          <ErrorText error={error} />
        </Alert>
      )}
      {code !== undefined && (
        <>
          <code className={cx('well small wrap-anywhere', styles.code)} dir="ltr">
            {splitInvitationCode(code).map((part) => (
              <bdi key={part} dir="ltr">
                {part}
              </bdi>
            ))}
          </code>
          <div className="row gap-2">
            <CopyButton withText text={code} label={t('teams:invite.copyCode')} />
            <CopyButton withText text={createInvitationLink(code)} label={t('teams:invite.copyLink')} />
            <Button size="small" variant="ghost" onClick={() => setAsking(true)}>
              <RefreshCw aria-hidden />
              {t('teams:invite.renew')}
            </Button>
          </div>
        </>
      )}
      {asking && (
        <ConfirmationDialog
          open
          onOpenChange={setAsking}
          title={t('teams:invite.renewTitle')}
          description={t('teams:invite.renewText')}
          confirm={t('teams:invite.renewConfirm')}
          busy={renew.busy}
          error={renew.error === undefined ? undefined : <ErrorText error={renew.error} />}
          onConfirm={() => void renew.run()}
        />
      )}
    </>
  )
}
