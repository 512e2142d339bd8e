import { isStrongPassword, passwordRules } from '@capstan/contract/account-rules'
import { Check, Circle } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Field } from '../../components/ui/field.tsx'
import { PasswordInput } from '../../components/ui/input.tsx'
import styles from './account.module.css'

/** The rules, and a symbol, which is advice. */
const shownRules = [...passwordRules, { key: 'symbol', met: (password: string) => /[^\p{L}\p{N}\s]/u.test(password) }] as const

interface NewPasswordFieldsProps {
  readonly label: string
  readonly password: string
  readonly repeated: string
  readonly onPassword: (password: string) => void
  readonly onRepeated: (password: string) => void
  /** The form was sent: say what is missing. */
  readonly showErrors: boolean
}

/** True when the two fields may be sent. */
export const passwordsReady = (password: string, repeated: string): boolean => isStrongPassword(password) && password === repeated

/** A new password with its rules ticked off while typing, and its repetition. */
export function NewPasswordFields({ label, password, repeated, onPassword, onRepeated, showErrors }: NewPasswordFieldsProps) {
  const { t } = useTranslation(['account', 'common'])
  // Told while typing, not on leaving: a message that comes with a click moves the button away under it.
  const mismatch = repeated !== password && (showErrors || !password.startsWith(repeated))
  return (
    <>
      <Field
        label={label}
        hint={
          <ul className={styles.rules} aria-label={t('account:passwordRules')}>
            {shownRules.map((rule) => {
              const met = rule.met(password)
              return (
                <li key={rule.key} data-met={met}>
                  {met ? <Check aria-hidden /> : <Circle aria-hidden />}
                  {t(`account:rule.${rule.key}`)}
                  <span className="visually-hidden">{met ? t('account:rule.met') : t('account:rule.open')}</span>
                </li>
              )
            })}
          </ul>
        }
        error={showErrors && !isStrongPassword(password) ? t('common:field.checkInput') : undefined}
      >
        {(control) => (
          <PasswordInput
            {...control}
            value={password}
            autoComplete="new-password"
            onChange={(event) => onPassword(event.target.value)}
          />
        )}
      </Field>
      <Field label={t('account:repeatPassword')} error={mismatch ? t('account:passwordMismatch') : undefined}>
        {(control) => (
          <PasswordInput
            {...control}
            value={repeated}
            autoComplete="new-password"
            onChange={(event) => onRepeated(event.target.value)}
          />
        )}
      </Field>
    </>
  )
}
