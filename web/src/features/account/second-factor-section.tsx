import { ownOperations } from '@capstan/contract/operations'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Alert, Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useCall } from '../../lib/server-state.ts'
import { PasskeyList } from './passkey-list.tsx'
import { RemoveSecondFactorDialog, RenewRecoveryCodesDialog, SetUpSecondFactorDialog } from './second-factor-dialogs.tsx'

/** Second factor of the user's account. Hidden for accounts without a password. */
export function SecondFactorSection() {
  const { t } = useTranslation('account')
  const { data } = useCall(ownOperations.getSecondFactor)
  const appHeading = useId()
  const [open, setOpen] = useState<'setUp' | 'renew' | 'remove'>()
  if (!data?.hasPassword) return null
  const close = () => setOpen(undefined)
  const hasFactor = data.enabledAt !== null || data.passkeys.length > 0
  return (
    <Card title={t('factor.section')}>
      <div className="stack">
        {data.isMissing && <Alert tone="warn" title={t('factor.missing')} />}
        <p className="muted">{t('factor.sectionText')}</p>
        <section className="stack gap-2" aria-labelledby={appHeading}>
          <h3 id={appHeading}>{t('factor.app')}</h3>
          {data.enabledAt === null ? (
            <div className="row">
              <Button onClick={() => setOpen('setUp')}>{t('factor.setUp')}</Button>
            </div>
          ) : (
            <div className="row row-between gap-2">
              <p className="row gap-2">
                <Badge tone="ok">{t('factor.on')}</Badge>
                <span className="muted">
                  <RelativeTime at={data.enabledAt} />
                </span>
              </p>
              <Button variant="danger" onClick={() => setOpen('remove')}>
                {t('factor.remove')}
              </Button>
            </div>
          )}
        </section>
        <PasskeyList factor={data} />
        {hasFactor && (
          <div className="row row-between gap-2">
            <Badge tone={data.recoveryCodes > 2 ? 'neutral' : 'warn'}>
              {t('factor.codesLeft', { number: formatNumber(data.recoveryCodes) })}
            </Badge>
            <Button onClick={() => setOpen('renew')}>{t('factor.renew')}</Button>
          </div>
        )}
      </div>
      {open === 'setUp' && <SetUpSecondFactorDialog factor={data} onClose={close} />}
      {open === 'renew' && <RenewRecoveryCodesDialog factor={data} onClose={close} />}
      {open === 'remove' && <RemoveSecondFactorDialog factor={data} onClose={close} />}
    </Card>
  )
}
