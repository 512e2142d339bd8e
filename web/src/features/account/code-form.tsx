import { InputLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Field } from '../../components/ui/field.tsx'
import { createSubmitHandler, useAction } from '../../components/ui/form.ts'
import { Input } from '../../components/ui/input.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { call } from '../../lib/http.ts'
import { askForPasskey } from './passkey.ts'

type CodeFormProps = Readonly<{
  /** Function that is called after the login. The form stays busy until the returned promise resolves. */
  onLoggedIn: () => Promise<unknown>
  onBusyChange?: (busy: boolean) => void
  /** Function that is called when the user returns to the password form. */
  onBack: () => void
}>

/** Second step of a login: a passkey, the code of an authenticator app, or a recovery code. */
export function CodeForm({ onLoggedIn, onBusyChange, onBack }: CodeFormProps) {
  const { t } = useTranslation(['account', 'common'])
  const [code, setCode] = useState('')
  const [sent, setSent] = useState(false)
  const [hasPasskey, setHasPasskey] = useState(false)
  useEffect(() => {
    // If the server does not report whether the account has a passkey, the form offers only codes.
    call(ownOperations.getLoginFactors).then(
      ({ passkey }) => setHasPasskey(passkey !== null),
      () => undefined,
    )
  }, [])
  const finishBy = async (send: () => Promise<unknown>) => {
    onBusyChange?.(true)
    try {
      await send()
      await onLoggedIn()
    } finally {
      onBusyChange?.(false)
    }
  }
  const finish = useAction(() => finishBy(() => call(ownOperations.finishLogin, { body: { code: code.trim() } })))
  const finishByPasskey = useAction(() =>
    finishBy(async () => {
      const { passkey } = await call(ownOperations.getLoginFactors)
      if (!passkey) throw new Error(t('account:passkey.failed'))
      const answer = await askForPasskey(passkey.options)
      await call(ownOperations.finishPasskeyLogin, { body: { challenge: passkey.challenge, answer } })
    }),
  )
  const refusal = toFormRefusal(finish.error, ['code'])
  const submit = () => {
    setSent(true)
    return code.trim() ? finish.run() : undefined
  }
  return (
    <form className="stack" noValidate onSubmit={createSubmitHandler(submit)}>
      {hasPasskey && (
        <>
          <Button variant="primary" wide autoFocus busy={finishByPasskey.busy} onClick={() => void finishByPasskey.run()}>
            {t('account:passkey.use')}
          </Button>
          {toFormRefusal(finishByPasskey.error, []).rest}
        </>
      )}
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
      <Button type="submit" variant={hasPasskey ? 'secondary' : 'primary'} wide busy={finish.busy}>
        {t('account:login.submit')}
      </Button>
      <Button variant="ghost" wide onClick={onBack}>
        {t('account:factor.back')}
      </Button>
    </form>
  )
}
