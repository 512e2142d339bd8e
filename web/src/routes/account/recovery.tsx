import { isEmail } from '@capstan/contract/account-rules'
import { InputLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Alert } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Field } from '../../components/ui/field.tsx'
import { createSubmitHandler } from '../../components/ui/form.ts'
import { Input } from '../../components/ui/input.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { Captcha } from '../../features/account/captcha.tsx'
import { AccountLayout } from '../../features/account/sheet.tsx'
import { useCaptchaAction } from '../../features/account/use-guarded.ts'
import { call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { useCall } from '../../lib/server-state.ts'

export function Route() {
  const { t } = useTranslation('account')
  const { data: options } = useCall(ownOperations.getSignInOptions)
  const [email, setEmail] = useState('')
  const [sent, setSent] = useState(false)
  const [done, setDone] = useState(false)
  const recover = useCaptchaAction(async (challenge) => {
    await call(operations.requestPasswordReset, { body: { email: email.trim(), challenge } })
    setDone(true)
  })
  const refusal = toFormRefusal(recover.error, ['email'])
  const submit = () => {
    setSent(true)
    return isEmail(email.trim()) ? recover.run() : undefined
  }
  return (
    <AccountLayout
      title={t('recovery.title')}
      other={
        <Link to={paths.login.to()} className="alone">
          {t('recovery.back')}
        </Link>
      }
    >
      {options?.recovery === false ? (
        <p>{t('recovery.byAdmin')}</p>
      ) : done ? (
        <Alert tone="ok" title={t('recovery.sent')}>
          {t('recovery.sentText', { email: email.trim() })}
        </Alert>
      ) : (
        <form className="stack" noValidate onSubmit={createSubmitHandler(submit)}>
          <p className="muted">{t('recovery.text')}</p>
          <Field label={t('email')} error={sent && !isEmail(email.trim()) ? t('emailInvalid') : refusal.of('email')}>
            {(control) => (
              <Input
                {...control}
                type="email"
                value={email}
                maxLength={InputLimits.maxEmailLength}
                autoComplete="email"
                onChange={(event) => setEmail(event.target.value)}
              />
            )}
          </Field>
          <Captcha action="recovery" handle={recover.captcha} />
          {refusal.rest}
          <Button type="submit" variant="primary" wide busy={recover.busy}>
            {t('recovery.submit')}
          </Button>
        </form>
      )}
    </AccountLayout>
  )
}
