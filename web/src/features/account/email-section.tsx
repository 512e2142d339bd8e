import { isEmail } from '@capstan/contract/account-rules'
import { InputLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Alert } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { Field } from '../../components/ui/field.tsx'
import { createSubmitHandler, useAction } from '../../components/ui/form.ts'
import { Input } from '../../components/ui/input.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { call } from '../../lib/http.ts'
import { useCall } from '../../lib/server-state.ts'

export function EmailSection({ email }: { readonly email: string | null }) {
  const { t } = useTranslation('account')
  const { data: mail, error: mailError } = useCall(ownOperations.getOwnMailState)
  const [wanted, setWanted] = useState('')
  const [sent, setSent] = useState(false)
  const [sentTo, setSentTo] = useState<string>()
  const change = useAction(async () => {
    const newMail = wanted.trim()
    await call(operations.requestEmailChange, { body: { newMail } })
    setSentTo(newMail)
  })
  const refusal = toFormRefusal(change.error, ['newMail'])
  const submit = () => {
    setSent(true)
    setSentTo(undefined)
    return isEmail(wanted.trim()) ? change.run() : undefined
  }
  if (!mail && !mailError)
    return (
      <Card title={t('profile.emailTitle')}>
        <Skeleton height="42px" />
      </Card>
    )
  if (mail?.canChange === false)
    return (
      <Card title={t('profile.emailTitle')}>
        <div className="stack gap-2">
          {mail.isRefused && email && <Alert tone="warn" title={t('profile.emailRefused')} />}
          {email && <p>{t('profile.emailNow', { email })}</p>}
          <p className="muted">{t('profile.emailByAdmin')}</p>
        </div>
      </Card>
    )
  return (
    <Card title={t('profile.emailTitle')}>
      <form className="stack" noValidate onSubmit={createSubmitHandler(submit)}>
        {mail?.isRefused && email && (
          <Alert tone="warn" title={t('profile.emailRefused')}>
            {t('profile.emailRefusedText', { email })}
          </Alert>
        )}
        <p className="muted">{t('profile.emailText')}</p>
        <Field
          label={t('profile.emailNew')}
          hint={email ? t('profile.emailNow', { email }) : undefined}
          error={sent && !isEmail(wanted.trim()) ? t('emailInvalid') : refusal.of('newMail')}
        >
          {(control) => (
            <Input
              {...control}
              type="email"
              value={wanted}
              maxLength={InputLimits.maxEmailLength}
              autoComplete="email"
              onChange={(event) => setWanted(event.target.value)}
            />
          )}
        </Field>
        {sentTo !== undefined && <Alert tone="ok" title={t('profile.emailSent', { email: sentTo })} />}
        {refusal.rest}
        <div className="row">
          <Button type="submit" busy={change.busy}>
            {t('profile.emailSubmit')}
          </Button>
        </div>
      </form>
    </Card>
  )
}
