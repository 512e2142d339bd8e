import { operations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { Alert } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { createSubmitHandler, useAction } from '../../components/ui/form.ts'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { arePasswordsValid, NewPasswordFields } from '../../features/account/password-fields.tsx'
import { AccountLayout } from '../../features/account/sheet.tsx'
import { call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'

export function Route() {
  const { t } = useTranslation('account')
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const rToken = search.get('token')
  const email = search.get('email')
  const [password, setPassword] = useState('')
  const [repeated, setRepeated] = useState('')
  const [sent, setSent] = useState(false)
  const reset = useAction(async () => {
    await call(operations.resetPassword, { body: { password, rToken: rToken ?? '', email: email ?? '' } })
    showToast({ tone: 'ok', title: t('reset.done') })
    await navigate(paths.login.to(), { replace: true })
  })
  const refusal = toFormRefusal(reset.error, ['password'])
  const submit = () => {
    setSent(true)
    return arePasswordsValid(password, repeated) ? reset.run() : undefined
  }
  return (
    <AccountLayout title={t('reset.title')}>
      {rToken && email ? (
        <form className="stack" noValidate onSubmit={createSubmitHandler(submit)}>
          <NewPasswordFields
            label={t('newPassword')}
            password={password}
            repeated={repeated}
            onPassword={setPassword}
            onRepeated={setRepeated}
            showErrors={sent}
            refusal={refusal.of('password')}
          />
          {refusal.rest}
          <Button type="submit" variant="primary" wide busy={reset.busy}>
            {t('reset.submit')}
          </Button>
        </form>
      ) : (
        <Alert tone="bad" title={t('link.badTitle')}>
          {t('link.badText')}
        </Alert>
      )}
    </AccountLayout>
  )
}
