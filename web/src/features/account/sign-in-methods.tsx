import { ownOperations } from '@capstan/contract/operations'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { cx } from '../../components/ui/cx.ts'
import { useCall } from '../../lib/server-state.ts'
import styles from './account.module.css'
import { ProviderButtons } from './provider-buttons.tsx'

type SignInMethodsProps = Readonly<{
  from: string | null
  /** Form to log in or register with a password. */
  children: ReactNode
  /** Content below the identity providers if the platform does not offer passwords. */
  withoutPasswords: ReactNode
}>

/**
 * Password form with buttons for the identity providers below it. When the list of providers arrives, the form neither moves nor
 * loses its input.
 */
export function SignInMethods({ from, children, withoutPasswords }: SignInMethodsProps) {
  const { t } = useTranslation('account')
  const { data } = useCall(ownOperations.getSignInOptions)
  const providers = data?.providers ?? []
  const hasPasswords = data?.passwords !== false
  return (
    <div className="stack">
      {hasPasswords && children}
      {hasPasswords && providers.length > 0 && <p className={cx('line gap-3 muted', styles.divider)}>{t('signIn.or')}</p>}
      {providers.length > 0 && <ProviderButtons providers={providers} from={from} />}
      {!hasPasswords && withoutPasswords}
    </div>
  )
}
