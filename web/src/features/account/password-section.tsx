import { operations, ownOperations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { Field } from '../../components/ui/field.tsx'
import { createSubmitHandler, useAction } from '../../components/ui/form.ts'
import { PasswordInput } from '../../components/ui/input.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { useCall } from '../../lib/server-state.ts'
import { arePasswordsValid, NewPasswordFields } from './password-fields.tsx'

export function PasswordSection() {
  const { t } = useTranslation(['account', 'common'])
  const { data: factor } = useCall(ownOperations.getSecondFactor)
  const [old, setOld] = useState('')
  const [password, setPassword] = useState('')
  const [repeated, setRepeated] = useState('')
  const [sent, setSent] = useState(false)
  const change = useAction(async () => {
    await call(operations.changePassword, { body: { old, new: password } })
    setOld('')
    setPassword('')
    setRepeated('')
    setSent(false)
    showToast({ tone: 'ok', title: t('account:profile.passwordSaved') })
  })
  const refusal = toFormRefusal(change.error, ['old', 'new'])
  const submit = () => {
    setSent(true)
    return old && arePasswordsValid(password, repeated) ? change.run() : undefined
  }
  if (factor && !factor.hasPassword)
    return (
      <Card title={t('account:profile.passwordTitle')}>
        <p className="muted">
          {t('account:verify.noPassword')} <Link to={paths.recovery.to()}>{t('account:signIn.setPassword')}</Link>
        </p>
      </Card>
    )
  return (
    <Card title={t('account:profile.passwordTitle')}>
      <form className="stack" noValidate onSubmit={createSubmitHandler(submit)}>
        <p className="muted">{t('account:profile.passwordText')}</p>
        <Field label={t('account:oldPassword')} error={sent && !old ? t('common:field.empty') : refusal.of('old')}>
          {(control) => (
            <PasswordInput
              {...control}
              value={old}
              autoComplete="current-password"
              onChange={(event) => setOld(event.target.value)}
            />
          )}
        </Field>
        <NewPasswordFields
          label={t('account:newPassword')}
          password={password}
          repeated={repeated}
          onPassword={setPassword}
          onRepeated={setRepeated}
          showErrors={sent}
          refusal={refusal.of('new')}
        />
        {refusal.rest}
        <div className="row">
          <Button type="submit" busy={change.busy}>
            {t('account:profile.passwordSubmit')}
          </Button>
        </div>
      </form>
    </Card>
  )
}
