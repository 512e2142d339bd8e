import { ownOperations } from '@capstan/contract/operations'
import type { AccountSession } from '@capstan/contract/sessions'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { FieldError } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { formatNumber } from '../../lib/format.ts'
import { call } from '../../lib/http.ts'
import { refreshCall, useCall } from '../../lib/server-state.ts'
import styles from './account.module.css'

const maxShown = 5

function useDeviceName(): (session: AccountSession) => string {
  const { t } = useTranslation('account')
  return ({ browser, system }) =>
    browser && system ? t('sessions.device', { browser, system }) : (browser ?? system ?? t('sessions.unknown'))
}

/** Sessions of the user's own account. The user can end single sessions, or all sessions except the current one. */
export function SessionsSection() {
  const { t } = useTranslation('account')
  const deviceName = useDeviceName()
  const { data } = useCall(ownOperations.listOwnSessions)
  const [showsAll, setShowsAll] = useState(false)
  const end = useAction(async (id: string) => {
    await call(ownOperations.endOwnSession, { params: { id } })
    await refreshCall(ownOperations.listOwnSessions)
    showToast({ tone: 'ok', title: t('sessions.ended') })
  })
  const endOthers = useAction(async () => {
    await call(ownOperations.endOtherSessions)
    await refreshCall(ownOperations.listOwnSessions)
    showToast({ tone: 'ok', title: t('sessions.othersEnded') })
  })
  if (!data) return null
  const current = data.filter(({ isCurrent }) => isCurrent)
  const sorted = [...current, ...data.filter(({ isCurrent }) => !isCurrent)]
  const shown = showsAll ? sorted : sorted.slice(0, maxShown)
  const error = end.error ?? endOthers.error
  return (
    <Card title={t('sessions.section')}>
      <div className="stack">
        <p className="muted">{t('sessions.sectionText')}</p>
        <ul className="stack">
          {shown.map((session) => (
            <li key={session.id} className="row gap-2">
              <div className={styles.identity}>
                <span className="row gap-2">
                  <span className="wrap-anywhere">{deviceName(session)}</span>
                  {session.isCurrent && <Badge tone="ok">{t('sessions.current')}</Badge>}
                </span>
                <span className="muted tiny wrap-anywhere">
                  <bdi>{session.address}</bdi> · <RelativeTime at={session.lastUsedAt} />
                </span>
              </div>
              {!session.isCurrent && (
                <Button
                  size="small"
                  aria-label={t('sessions.endOf', { device: deviceName(session) })}
                  busy={end.busy}
                  onClick={() => void end.run(session.id)}
                >
                  {t('sessions.end')}
                </Button>
              )}
            </li>
          ))}
        </ul>
        {error !== undefined && (
          <FieldError>
            <ErrorText error={error} />
          </FieldError>
        )}
        {sorted.length > 1 && (
          <div className="row gap-2">
            {shown.length < sorted.length && (
              <Button variant="ghost" onClick={() => setShowsAll(true)}>
                {t('sessions.showAll', { number: formatNumber(sorted.length) })}
              </Button>
            )}
            <Button busy={endOthers.busy} onClick={() => void endOthers.run()}>
              {t('sessions.endOthers')}
            </Button>
          </div>
        )}
      </div>
    </Card>
  )
}
