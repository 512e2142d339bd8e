import { ownOperations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useCall } from '../../lib/server-state.ts'
import { RemoveFactorDialog, RenewCodesDialog, SetUpFactorDialog } from './second-factor-dialogs.tsx'

/** Second factor of the own account. Hidden for accounts without a password. */
export function SecondFactorSection() {
  const { t } = useTranslation('account')
  const { data } = useCall(ownOperations.getSecondFactor)
  const [open, setOpen] = useState<'setUp' | 'renew' | 'remove'>()
  if (!data?.hasPassword) return null
  const close = () => setOpen(undefined)
  return (
    <Card title={t('factor.section')}>
      <div className="stack">
        <p className="muted">{t('factor.sectionText')}</p>
        {data.enabledAt === null ? (
          <div className="row">
            <Button onClick={() => setOpen('setUp')}>{t('factor.setUp')}</Button>
          </div>
        ) : (
          <>
            <p className="row gap-2">
              <Badge tone="ok">{t('factor.on')}</Badge>
              <span className="muted">
                <RelativeTime at={data.enabledAt} />
              </span>
              <Badge tone={data.recoveryCodes > 2 ? 'neutral' : 'warn'}>
                {t('factor.codesLeft', { number: formatNumber(data.recoveryCodes) })}
              </Badge>
            </p>
            <div className="row gap-2">
              <Button onClick={() => setOpen('renew')}>{t('factor.renew')}</Button>
              <Button variant="danger" onClick={() => setOpen('remove')}>
                {t('factor.remove')}
              </Button>
            </div>
          </>
        )}
      </div>
      {open === 'setUp' && <SetUpFactorDialog onClose={close} />}
      {open === 'renew' && <RenewCodesDialog onClose={close} />}
      {open === 'remove' && <RemoveFactorDialog onClose={close} />}
    </Card>
  )
}
