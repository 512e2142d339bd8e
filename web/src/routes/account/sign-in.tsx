import { ownOperations } from '@capstan/contract/operations'
import type { SignInFinished, SignInPreview } from '@capstan/contract/sign-in'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate, useParams } from 'react-router'
import { Alert } from '../../components/ui/badge.tsx'
import { ButtonLink } from '../../components/ui/button.tsx'
import { NamedValue, NamedValueList } from '../../components/ui/facts.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import styles from '../../features/account/account.module.css'
import { LoginForm } from '../../features/account/login-form.tsx'
import { AccountLayout } from '../../features/account/sheet.tsx'
import { ApiError, call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { refreshCall } from '../../lib/server-state.ts'
import { beginSession, useSession } from '../../lib/session.ts'
import { takeSignInReturnAddress } from '../../lib/sign-in.ts'

/** Page to which an identity provider redirects users. It posts the query string once, and continues with the result. */
export function Route() {
  const { t } = useTranslation(['account', 'common'])
  const { key = '' } = useParams()
  const { search } = useLocation()
  const navigate = useNavigate()
  const { state } = useSession()
  const [finished, setFinished] = useState<SignInFinished>()
  const isSent = useRef(false)
  const leave = async () => navigate(takeSignInReturnAddress(), { replace: true })
  const showLinkOutcome = async () => {
    const { identities } = await call(ownOperations.listOwnIdentities)
    const isLinked = identities.some((identity) => identity.key === key)
    showToast({ tone: isLinked ? 'ok' : 'bad', title: t(isLinked ? 'account:signIn.linked' : 'account:signIn.notLinked') })
  }
  const finish = useAction(async () => {
    const result = await call(ownOperations.finishSignIn, { params: { key }, body: { answer: search || '?' } })
    setFinished(result)
    if (result.outcome === 'LoggedIn') await beginSession()
    if (result.outcome === 'Linked') {
      await refreshCall(ownOperations.listOwnIdentities)
      showToast({ tone: 'ok', title: t('account:signIn.linked') })
    }
    if (result.outcome === 'LoggedIn' || result.outcome === 'Linked') await leave()
  })
  const { run, error } = finish
  useEffect(() => {
    if (isSent.current) return
    isSent.current = true
    void run()
  }, [run])
  const isUser = state === 'user'
  const isLinkOffered = error instanceof ApiError && error.code === 'sign-in.link-offered'
  return (
    <AccountLayout title={t(finished?.preview ? 'account:signIn.preview' : 'account:signIn.title')}>
      <div className="stack">
        {isLinkOffered && (
          <>
            <Alert title={t('account:signIn.offerTitle')}>
              <ErrorText error={error} />
            </Alert>
            <LoginForm
              isLinkOffered
              onLoggedIn={async () => {
                await beginSession()
                await showLinkOutcome()
                await leave()
              }}
            />
          </>
        )}
        {error !== undefined && !isLinkOffered && (
          <>
            <Alert tone="bad" title={t('account:signIn.failed')}>
              <ErrorText error={error} />
            </Alert>
            <ButtonLink to={isUser ? paths.profile.to() : paths.login.to()}>
              {t(isUser ? 'account:signIn.toProfile' : 'account:signIn.toLogin')}
            </ButtonLink>
          </>
        )}
        {error === undefined && !finished && (
          <p role="status" className="muted">
            {t('account:signIn.wait')}
          </p>
        )}
        {finished?.outcome === 'AdminConfirmationRequired' && (
          <Alert title={t('account:register.adminTitle')}>{t('account:register.adminText')}</Alert>
        )}
        {finished?.outcome === 'EmailConfirmationRequired' && (
          <Alert title={t('account:signIn.emailTitle')}>{t('account:signIn.emailText')}</Alert>
        )}
        {finished?.preview && <Preview preview={finished.preview} />}
      </div>
    </AccountLayout>
  )
}

function Preview({ preview: { profile, claims } }: { readonly preview: SignInPreview }) {
  const { t } = useTranslation(['account', 'common'])
  const none = <span className="muted">{t('account:signIn.none')}</span>
  const email =
    profile.email && `${profile.email} (${t(profile.isEmailVerified ? 'account:signIn.verified' : 'account:signIn.unverified')})`
  return (
    <>
      <p className="muted">{t('account:signIn.previewText')}</p>
      <NamedValueList kind="pairs">
        <NamedValue name={t('account:signIn.subject')}>{profile.subject}</NamedValue>
        <NamedValue name={t('account:userName')}>{profile.userName}</NamedValue>
        <NamedValue name={t('account:email')}>{email ?? none}</NamedValue>
        <NamedValue name={t('account:profile.realName')}>{profile.realName || none}</NamedValue>
        <NamedValue name={t('account:profile.stdNumber')}>{profile.stdNumber || none}</NamedValue>
        <NamedValue name={t('account:signIn.team')}>
          {profile.team ? <bdi>{profile.team.name}</bdi> : none}
          {profile.team && profile.team.key !== profile.team.name && <span className="muted"> {profile.team.key}</span>}
        </NamedValue>
        <NamedValue name={t('account:signIn.division')}>{profile.division || none}</NamedValue>
        <NamedValue name={t('account:signIn.admin')}>
          {t(profile.isAdmin ? 'account:signIn.yes' : 'account:signIn.no')}
        </NamedValue>
      </NamedValueList>
      <details>
        <summary>{t('account:signIn.claims')}</summary>
        <pre className={`typed ${styles.claims}`}>{claims}</pre>
      </details>
      <ButtonLink to={paths.adminSignIn.to()}>{t('account:signIn.toProviders')}</ButtonLink>
    </>
  )
}
