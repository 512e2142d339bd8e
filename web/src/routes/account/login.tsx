import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, Navigate, useLocation, useNavigate, useSearchParams } from 'react-router'
import type { loginNeeded } from '../../components/layout/access.tsx'
import { LoginForm } from '../../features/account/login-form.tsx'
import { AccountLayout } from '../../features/account/sheet.tsx'
import { SignInMethods } from '../../features/account/sign-in-methods.tsx'
import { paths, toSafeReturnAddress } from '../../lib/paths.ts'
import { beginSession, useSession } from '../../lib/session.ts'

export function Route() {
  const { t } = useTranslation('account')
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const { state } = useSession()
  const isNeeded = (useLocation().state as Partial<typeof loginNeeded> | null)?.isLoginNeeded === true
  const [busy, setBusy] = useState(false)
  const from = search.get('from')
  const target = toSafeReturnAddress(from)
  if (state === 'user' && !busy) return <Navigate replace to={target} />
  const form = (
    <LoginForm
      onBusyChange={setBusy}
      onLoggedIn={async () => {
        await beginSession()
        await navigate(target, { replace: true })
      }}
    />
  )
  return (
    <AccountLayout
      title={t('login.title')}
      other={
        <>
          {t('login.noAccount')} <Link to={paths.register.to(from ?? undefined)}>{t('login.toRegister')}</Link>
        </>
      }
    >
      {isNeeded && <p className="muted below-4">{t('login.needed')}</p>}
      <SignInMethods
        from={from}
        withoutPasswords={
          <details>
            <summary>{t('signIn.admins')}</summary>
            {form}
          </details>
        }
      >
        {form}
      </SignInMethods>
    </AccountLayout>
  )
}
