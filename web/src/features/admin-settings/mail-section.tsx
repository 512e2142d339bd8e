import { InputLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { Send } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Alert } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Field } from '../../components/ui/field.tsx'
import { createSubmitHandler, useAction } from '../../components/ui/form.ts'
import { Input } from '../../components/ui/input.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { formatNumber } from '../../lib/format.ts'
import { ApiError, call } from '../../lib/http.ts'
import { useCall } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'
import styles from './settings.module.css'

/** Timeout of the call that sends a test mail, in ms. Mail servers may be slow. */
const sendTimeoutMs = 60_000

export function MailSection() {
  const { t } = useTranslation('admin-settings')
  const { profile } = useSession()
  const [typed, setTyped] = useState<string>()
  const [sentTo, setSentTo] = useState<string>()
  const { data: state } = useCall(ownOperations.getMailState)
  const recipient = typed ?? profile?.email ?? ''
  const send = useAction(async () => {
    setSentTo(undefined)
    await call(ownOperations.sendTestMail, { body: { recipient }, timeoutMs: sendTimeoutMs })
    setSentTo(recipient)
  })
  const { error } = send
  return (
    <Card id="mail" title={t('mail.title')} className={styles.section}>
      <p className={cx('muted', styles.lead)}>{t('mail.text')}</p>
      <div className="stack">
        {state && <p className="small muted">{t('mail.waiting', { waiting: formatNumber(state.waiting) })}</p>}
        <form className="stack" noValidate onSubmit={createSubmitHandler(() => send.run())}>
          <Field label={t('mail.recipient')} hint={t('mail.hint')}>
            {(control) => (
              <Input
                {...control}
                type="email"
                autoComplete="email"
                value={recipient}
                maxLength={InputLimits.maxEmailLength}
                onChange={(event) => {
                  setTyped(event.target.value)
                  send.reset()
                }}
              />
            )}
          </Field>
          {sentTo !== undefined && <Alert tone="ok">{t('mail.sent', { address: sentTo })}</Alert>}
          {error !== undefined && (
            <Alert tone="bad" title={<ErrorText error={error} />}>
              {error instanceof ApiError && error.code === 'email.refused' && error.detail}
              {error instanceof ApiError && error.code === 'email.no-server' && t('mail.noServer')}
            </Alert>
          )}
          <div className="row">
            <Button type="submit" busy={send.busy} disabled={!/.@./.test(recipient) || /\s/.test(recipient)}>
              <Send aria-hidden />
              {t('mail.send')}
            </Button>
          </div>
        </form>
      </div>
    </Card>
  )
}
