import { ownOperations } from '@capstan/contract/operations'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../lib/server-state.ts'
import styles from './account.module.css'
import { ProviderButtons } from './provider-buttons.tsx'

type SignInMethodsProps = Readonly<{
  from: string | null
  /** Form to log in or register with a password. */
  children: ReactNode
  /** Content for users who cannot use a password. */
  withoutPasswords: ReactNode
}>

/** Form for a password with the identity providers below it. The form never moves or loses its input when they arrive. */
export function SignInMethods({ from, children, withoutPasswords }: SignInMethodsProps) {
  const { t } = useTranslation('account')
  const { data } = useCall(ownOperations.getSignInOptions)
  const providers = data?.providers ?? []
  const hasPasswords = data?.passwords !== false
  return (
    <div className="stack">
      {hasPasswords && children}
      {hasPasswords && providers.length > 0 && <p className={styles.divider}>{t('signIn.or')}</p>}
      {providers.length > 0 && <ProviderButtons providers={providers} from={from} />}
      {!hasPasswords && withoutPasswords}
    </div>
  )
}
