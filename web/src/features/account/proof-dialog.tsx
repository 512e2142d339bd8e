import { InputLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import type { FactorProof, SecondFactor } from '@capstan/contract/second-factor'
import { type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Field } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { FormDialog } from '../../components/ui/form-dialog.tsx'
import { Input, PasswordInput } from '../../components/ui/input.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { call } from '../../lib/http.ts'
import { askForPasskey } from './passkey.ts'

type ProofDialogProps = Readonly<{
  factor: SecondFactor
  title: string
  text: string
  confirm: string
  danger?: boolean
  children?: ReactNode
  onConfirm: (proof: FactorProof) => Promise<unknown>
  onClose: () => void
}>

/** Dialog that asks for the password, and for a second factor if the account has one. */
export function CredentialsDialog({ factor, title, text, confirm, danger, children, onConfirm, onClose }: ProofDialogProps) {
  const { t } = useTranslation(['account', 'common'])
  const input = useRef<HTMLInputElement>(null)
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [missing, setMissing] = useState<readonly string[]>([])
  const hasPasskey = factor.passkeys.length > 0
  const hasFactor = factor.enabledAt !== null || hasPasskey
  const byCode = useAction(() => onConfirm({ password, ...(hasFactor && { code: code.trim() }) }))
  const byPasskey = useAction(async () => {
    const { passkey } = await call(ownOperations.startFactorProof)
    if (!passkey) throw new Error(t('account:passkey.failed'))
    const answer = await askForPasskey(passkey.options)
    await onConfirm({ password, passkey: { challenge: passkey.challenge, answer } })
  })
  const [last, setLast] = useState<'code' | 'passkey'>('code')
  const refusal = toFormRefusal((last === 'code' ? byCode : byPasskey).error, ['password', 'code'])
  const submit = (way: 'code' | 'passkey') => {
    setLast(way)
    const needed = { password, ...(hasFactor && way === 'code' && { code }) }
    const empty = Object.entries(needed).flatMap(([name, value]) => (value.trim() ? [] : [name]))
    setMissing(empty)
    if (empty.length > 0) return undefined
    return (way === 'code' ? byCode : byPasskey).run()
  }
  const errorOf = (name: 'password' | 'code', value: string) =>
    missing.includes(name) && !value.trim() ? t('common:field.empty') : refusal.of(name)
  return (
    <FormDialog
      keepOpenOutside
      initialFocus={input}
      title={title}
      description={text}
      submitLabel={confirm}
      busy={byCode.busy}
      danger={danger}
      noValidate
      onSubmit={() => submit('code')}
      onClose={onClose}
    >
      {children}
      <Field label={t('account:oldPassword')} error={errorOf('password', password)}>
        {(control) => (
          <PasswordInput
            ref={input}
            {...control}
            value={password}
            autoComplete="current-password"
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </Field>
      {hasFactor && (
        <Field label={t('account:factor.code')} hint={t('account:factor.loginHint')} error={errorOf('code', code)}>
          {(control) => (
            <Input
              {...control}
              value={code}
              autoComplete="one-time-code"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={InputLimits.maxFactorCodeLength}
              onChange={(event) => setCode(event.target.value)}
            />
          )}
        </Field>
      )}
      {hasPasskey && (
        <div className="row">
          <Button busy={byPasskey.busy} onClick={() => void submit('passkey')}>
            {t('account:passkey.use')}
          </Button>
        </div>
      )}
      {refusal.rest}
    </FormDialog>
  )
}
