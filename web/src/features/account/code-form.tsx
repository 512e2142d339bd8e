import { InputLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Field } from '../../components/ui/field.tsx'
import { onSubmit, useAction } from '../../components/ui/form.ts'
import { Input } from '../../components/ui/input.tsx'
import { refusalOf } from '../../components/ui/refusal.tsx'
import { call } from '../../lib/http.ts'

type CodeFormProps = Readonly<{
  /** Called after the login. The form stays busy until the promise resolves. */
  onLoggedIn: () => Promise<unknown>
  onBusyChange?: (busy: boolean) => void
  /** Returns to the form for the password. */
  onBack: () => void
}>

/** Second step of a login: the code of an authenticator app, or a recovery code. */
export function CodeForm({ onLoggedIn, onBusyChange, onBack }: CodeFormProps) {
  const { t } = useTranslation(['account', 'common'])
  const [code, setCode] = useState('')
  const [sent, setSent] = useState(false)
  const finish = useAction(async () => {
    onBusyChange?.(true)
    try {
      await call(ownOperations.finishLogin, { body: { code: code.trim() } })
      await onLoggedIn()
    } finally {
      onBusyChange?.(false)
    }
  })
  const refusal = refusalOf(finish.error, ['code'])
  const submit = () => {
    setSent(true)
    return code.trim() ? finish.run() : undefined
  }
  return (
    <form className="stack" noValidate onSubmit={onSubmit(submit)}>
      <Field
        label={t('account:factor.code')}
        hint={t('account:factor.loginHint')}
        error={sent && !code.trim() ? t('common:field.empty') : refusal.of('code')}
      >
        {(control) => (
          <Input
            {...control}
            value={code}
            autoFocus
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={InputLimits.maxFactorCodeLength}
            onChange={(event) => setCode(event.target.value)}
          />
        )}
      </Field>
      {refusal.rest}
      <Button type="submit" variant="primary" wide busy={finish.busy}>
        {t('account:login.submit')}
      </Button>
      <Button variant="ghost" wide onClick={onBack}>
        {t('account:factor.back')}
      </Button>
    </form>
  )
}
