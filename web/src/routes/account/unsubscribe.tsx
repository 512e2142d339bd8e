import { ownOperations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { Alert } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { AccountLayout } from '../../features/account/sheet.tsx'
import { call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'

/**
 * Page that opens from the link in a mail about a game. It requires a click, so that a mail scanner cannot unsubscribe the user.
 */
export function Route() {
  const { t } = useTranslation('account')
  const [search] = useSearchParams()
  const [isDone, setDone] = useState(false)
  const stop = useAction(async () => {
    await call(ownOperations.unsubscribe, { query: { token: search.get('token') ?? '' } })
    setDone(true)
  })
  return (
    <AccountLayout title={t('gameMail.stopTitle')}>
      <div className="stack">
        {isDone ? (
          <Alert tone="ok" title={t('gameMail.stopped')}>
            {t('gameMail.stoppedText')} <Link to={paths.profile.to()}>{t('gameMail.toProfile')}</Link>
          </Alert>
        ) : (
          <>
            <p className="muted">{t('gameMail.stopText')}</p>
            {stop.error !== undefined && (
              <Alert tone="bad" title={t('gameMail.stopFailed')}>
                <ErrorText error={stop.error} />
              </Alert>
            )}
            <Button variant="primary" wide busy={stop.busy} onClick={() => void stop.run()}>
              {t('gameMail.stop')}
            </Button>
          </>
        )}
      </div>
    </AccountLayout>
  )
}
