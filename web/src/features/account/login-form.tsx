import { operations } from '@capstan/contract/operations'
import { type RefObject, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Button } from '../../components/ui/button.tsx'
import { Field, FieldError } from '../../components/ui/field.tsx'
import { createSubmitHandler } from '../../components/ui/form.ts'
import { Input, PasswordInput } from '../../components/ui/input.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { ApiError, call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { Captcha } from './captcha.tsx'
import { CodeForm } from './code-form.tsx'
import { useCaptchaAction } from './use-guarded.ts'

type LoginFormProps = Readonly<{
  knownName?: string
  passwordField?: RefObject<HTMLInputElement | null>
  /** Function that is called after the login. The form stays busy until the returned promise resolves. */
  onLoggedIn: () => Promise<unknown>
  onBusyChange?: (busy: boolean) => void
  /** True if the page offers to link an identity provider to the account. The login then also links the provider. */
  isLinkOffered?: boolean
}>

export function LoginForm({ knownName = '', passwordField, onLoggedIn, onBusyChange, isLinkOffered = false }: LoginFormProps) {
  const { t } = useTranslation(['account', 'common'])
  const [userName, setUserName] = useState(knownName)
  const [password, setPassword] = useState('')
  const [sent, setSent] = useState(false)
  const [isCodeNeeded, setIsCodeNeeded] = useState(false)
  const login = useCaptchaAction(async (challenge) => {
    onBusyChange?.(true)
    try {
      const body = { userName: userName.trim(), password, challenge, ...(isLinkOffered && { link: true }) }
      await call(operations.logIn, { body })
      await onLoggedIn()
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'login.second-factor')) throw error
      setPassword('')
      setSent(false)
      setIsCodeNeeded(true)
    } finally {
      onBusyChange?.(false)
    }
  })
  const empty = t('common:field.empty')
  const submit = () => {
    setSent(true)
    return userName.trim() && password ? login.run() : undefined
  }
  if (isCodeNeeded)
    return (
      <CodeForm
        onLoggedIn={onLoggedIn}
        {...(onBusyChange && { onBusyChange })}
        onBack={() => {
          login.reset()
          setIsCodeNeeded(false)
        }}
      />
    )
  return (
    <form className="stack" noValidate onSubmit={createSubmitHandler(submit)}>
      <Field label={t('account:userNameOrEmail')} error={sent && !userName.trim() ? empty : undefined}>
        {(control) => (
          <Input
            {...control}
            value={userName}
            autoFocus={knownName === ''}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => setUserName(event.target.value)}
          />
        )}
      </Field>
      <Field
        label={t('account:password')}
        error={sent && !password ? empty : undefined}
        hint={
          <Link to={paths.recovery.to()} className="alone">
            {t('account:login.forgot')}
          </Link>
        }
      >
        {(control) => (
          <PasswordInput
            {...control}
            ref={passwordField}
            value={password}
            autoComplete="current-password"
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </Field>
      <Captcha action="login" handle={login.captcha} />
      {login.error !== undefined && (
        <FieldError>
          <ErrorText error={login.error} />
        </FieldError>
      )}
      <Button type="submit" variant="primary" wide busy={login.busy}>
        {t('account:login.submit')}
      </Button>
    </form>
  )
}
