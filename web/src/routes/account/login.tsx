import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, Navigate, useNavigate, useSearchParams } from 'react-router'
import { LoginForm } from '../../features/account/login-form.tsx'
import { Sheet } from '../../features/account/sheet.tsx'
import { paths, safeReturn } from '../../lib/paths.ts'
import { sessionStarted, useSession } from '../../lib/session.ts'

export function Route() {
  const { t } = useTranslation('account')
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const { state } = useSession()
  const [busy, setBusy] = useState(false)
  const from = search.get('from')
  const target = safeReturn(from)
  if (state === 'user' && !busy) return <Navigate replace to={target} />
  return (
    <Sheet
      title={t('login.title')}
      other={
        <>
          {t('login.noAccount')} <Link to={paths.register.to(from ?? undefined)}>{t('login.toRegister')}</Link>
        </>
      }
    >
      <LoginForm
        onBusyChange={setBusy}
        onLoggedIn={async () => {
          await sessionStarted()
          await navigate(target, { replace: true })
        }}
      />
    </Sheet>
  )
}
