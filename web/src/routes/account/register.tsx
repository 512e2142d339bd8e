import { isEmail } from '@capstan/contract/account-rules'
import type { RegisterOutcome } from '@capstan/contract/accounts'
import { InputLimits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, Navigate, useNavigate, useSearchParams } from 'react-router'
import { Alert } from '../../components/ui/badge.tsx'
import { Button, ButtonLink } from '../../components/ui/button.tsx'
import { Field } from '../../components/ui/field.tsx'
import { createSubmitHandler } from '../../components/ui/form.ts'
import { Input } from '../../components/ui/input.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { useUserNameFault } from '../../components/ui/use-user-name-fault.ts'
import { Captcha } from '../../features/account/captcha.tsx'
import { arePasswordsValid, NewPasswordFields } from '../../features/account/password-fields.tsx'
import { AccountLayout } from '../../features/account/sheet.tsx'
import { SignInMethods } from '../../features/account/sign-in-methods.tsx'
import { useCaptchaAction } from '../../features/account/use-guarded.ts'
import { call } from '../../lib/http.ts'
import { paths, toSafeReturnAddress } from '../../lib/paths.ts'
import { beginSession, useSession } from '../../lib/session.ts'

export function Route() {
  const { t } = useTranslation(['account', 'common'])
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const { state } = useSession()
  const [userName, setUserName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [repeated, setRepeated] = useState('')
  const [sent, setSent] = useState(false)
  const [outcome, setOutcome] = useState<RegisterOutcome>()
  const from = search.get('from')
  const target = toSafeReturnAddress(from)
  const nameFault = useUserNameFault()(userName)

  const register = useCaptchaAction(async (challenge) => {
    const answer = await call(operations.register, {
      body: { userName: userName.trim(), email: email.trim(), password, challenge },
    })
    if (answer.data !== 'LoggedIn') return setOutcome(answer.data)
    await beginSession()
    await navigate(target, { replace: true })
  })
  const refusal = toFormRefusal(register.error, ['userName', 'email', 'password'])
  const submit = () => {
    setSent(true)
    return nameFault === undefined && isEmail(email.trim()) && arePasswordsValid(password, repeated) ? register.run() : undefined
  }

  if (state === 'user' && !register.busy) return <Navigate replace to={target} />
  if (outcome) {
    const waits = outcome === 'EmailConfirmationRequired' ? 'email' : 'admin'
    return (
      <AccountLayout title={t('account:register.title')}>
        <div className="stack">
          <Alert title={t(`account:register.${waits}Title`)}>{t(`account:register.${waits}Text`, { email: email.trim() })}</Alert>
          <ButtonLink to={paths.home.to()}>{t('common:notFound.home')}</ButtonLink>
        </div>
      </AccountLayout>
    )
  }
  return (
    <AccountLayout
      title={t('account:register.title')}
      other={
        <>
          {t('account:register.hasAccount')} <Link to={paths.login.to(from ?? undefined)}>{t('account:register.toLogin')}</Link>
        </>
      }
    >
      <SignInMethods from={from} withoutPasswords={<p className="muted">{t('account:signIn.createsAccount')}</p>}>
        <form className="stack" noValidate onSubmit={createSubmitHandler(submit)}>
          <Field
            label={t('account:userName')}
            hint={t('account:userNameHint')}
            error={(sent && nameFault) || refusal.of('userName')}
          >
            {(control) => (
              <Input
                {...control}
                value={userName}
                autoFocus
                autoComplete="username"
                autoCapitalize="none"
                spellCheck={false}
                onChange={(event) => setUserName(event.target.value)}
              />
            )}
          </Field>
          <Field
            label={t('account:email')}
            error={sent && !isEmail(email.trim()) ? t('account:emailInvalid') : refusal.of('email')}
          >
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
          <NewPasswordFields
            label={t('account:password')}
            password={password}
            repeated={repeated}
            onPassword={setPassword}
            onRepeated={setRepeated}
            showErrors={sent}
            refusal={refusal.of('password')}
          />
          <Captcha action="register" handle={register.captcha} />
          {refusal.rest}
          <Button type="submit" variant="primary" wide busy={register.busy}>
            {t('account:register.submit')}
          </Button>
        </form>
      </SignInMethods>
    </AccountLayout>
  )
}
