import { ownOperations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { FieldError } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { refreshCall, useCall } from '../../lib/server-state.ts'
import { startProviderSignIn } from '../../lib/sign-in.ts'
import styles from './account.module.css'
import { CredentialsDialog } from './proof-dialog.tsx'

/** Identity providers that the user can link to the account or unlink. Hidden if the platform has none. */
export function ProvidersSection() {
  const { t } = useTranslation('account')
  const options = useCall(ownOperations.getSignInOptions)
  const own = useCall(ownOperations.listOwnIdentities)
  const { data: factor } = useCall(ownOperations.getSecondFactor)
  const [linking, setLinking] = useState<Readonly<{ key: string; name: string }>>()
  const unlink = useAction(async (key: string, name: string) => {
    await call(ownOperations.deleteOwnIdentity, { params: { key } })
    await refreshCall(ownOperations.listOwnIdentities)
    showToast({ tone: 'ok', title: t('signIn.unlinked', { name }) })
  })
  const identities = own.data?.identities ?? []
  const open = options.data?.providers.filter(({ key }) => identities.every((identity) => identity.key !== key)) ?? []
  if (!own.data || (identities.length === 0 && open.length === 0)) return null
  return (
    <Card title={t('signIn.section')}>
      <div className="stack">
        <p className="muted">{t('signIn.sectionText')}</p>
        {identities.map(({ key, name, label, linkedAt }) => (
          <div key={key} className="row gap-2">
            <span className={styles.identity}>
              <bdi className="wrap-anywhere">{name}</bdi>
              <br />
              <span className="muted tiny wrap-anywhere">
                <bdi>{label}</bdi> · <RelativeTime at={linkedAt} />
              </span>
            </span>
            <Button size="small" busy={unlink.busy} onClick={() => void unlink.run(key, name)}>
              {t('signIn.unlink', { name })}
            </Button>
          </div>
        ))}
        {factor?.hasPassword &&
          open.map(({ key, name }) => (
            <div key={key} className="row gap-2">
              <Button onClick={() => setLinking({ key, name })}>{t('signIn.link', { name })}</Button>
            </div>
          ))}
        {!own.data.hasPassword && (
          <p className="muted">
            {t('signIn.noPassword')} <Link to={paths.recovery.to()}>{t('signIn.setPassword')}</Link>
          </p>
        )}
        {unlink.error !== undefined && (
          <FieldError>
            <ErrorText error={unlink.error} />
          </FieldError>
        )}
      </div>
      {linking && factor && (
        <CredentialsDialog
          factor={factor}
          title={t('signIn.link', linking)}
          text={t('signIn.linkText')}
          confirm={t('factor.next')}
          onConfirm={(proof) => startProviderSignIn(linking.key, 'Link', paths.profile.to(), proof)}
          onClose={() => setLinking(undefined)}
        />
      )}
    </Card>
  )
}
