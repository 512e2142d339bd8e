import { operations, ownOperations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Alert } from '../../components/ui/badge.tsx'
import { ButtonLink } from '../../components/ui/button.tsx'
import { LinkConfirmation } from '../../features/account/link-confirmation.tsx'
import { AccountLayout } from '../../features/account/sheet.tsx'
import { call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { beginSession } from '../../lib/session.ts'

type Activation = 'complete' | 'log-in-needed' | 'password-needed'

/** Reads what the user must do after the activation. An activation opens no session for an account with a second factor. */
async function readActivation(): Promise<Activation> {
  if (!(await call(ownOperations.getOwnSession)).profile) return 'log-in-needed'
  const { hasPassword, identities } = await call(ownOperations.listOwnIdentities)
  return hasPassword || identities.length > 0 ? 'complete' : 'password-needed'
}

/** Page that opens from the link in the activation mail. The activation also logs the user in. */
export function Route() {
  const { t } = useTranslation('account')
  const [isPasswordNeeded, setIsPasswordNeeded] = useState(false)
  if (isPasswordNeeded)
    return (
      <AccountLayout title={t('verify.done')}>
        <Alert
          tone="warn"
          title={t('verify.noPassword')}
          actions={
            <ButtonLink variant="primary" to={paths.recovery.to()}>
              {t('signIn.setPassword')}
            </ButtonLink>
          }
        >
          {t('verify.noPasswordText')}
        </Alert>
      </AccountLayout>
    )
  return (
    <LinkConfirmation
      area="verify"
      confirm={async (body) => {
        await call(operations.verifyAccount, { body })
        await beginSession()
        // The account is active even if this call fails. The profile then shows that the password is missing.
        const next = await readActivation().catch(() => 'complete' as const)
        setIsPasswordNeeded(next === 'password-needed')
        if (next === 'password-needed') return undefined
        return next === 'log-in-needed' ? paths.login.to() : paths.home.to()
      }}
    />
  )
}
