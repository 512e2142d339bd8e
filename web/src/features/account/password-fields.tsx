import { isStrongPassword, passwordRules } from '@capstan/contract/account-rules'
import { Check, Circle } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { cx } from '../../components/ui/cx.ts'
import { Field } from '../../components/ui/field.tsx'
import { PasswordInput } from '../../components/ui/input.tsx'
import styles from './account.module.css'

/** Password rules of the server, and the recommendation to use a symbol. */
const shownRules = [...passwordRules, { key: 'symbol', met: (password: string) => /[^\p{L}\p{N}\s]/u.test(password) }] as const

type NewPasswordFieldsProps = Readonly<{
  label: string
  password: string
  repeated: string
  onPassword: (password: string) => void
  onRepeated: (password: string) => void
  /** True after the user has submitted the form. The form then reports missing input. */
  showErrors: boolean
  /** Reason why the server refused the password. */
  refusal?: ReactNode
}>

/** True if the password is strong enough and both fields are equal. */
export function arePasswordsValid(password: string, repeated: string): boolean {
  return isStrongPassword(password) && password === repeated
}

/** Two fields for a new password. The rules are checked while the user types. */
export function NewPasswordFields(props: NewPasswordFieldsProps) {
  const { label, password, repeated, onPassword, onRepeated, showErrors, refusal } = props
  const { t } = useTranslation('account')
  const unmet = passwordRules.find((rule) => !rule.met(password))
  // Report a mismatch during typing. If the message appeared on a click, it would move the button away from the pointer.
  const mismatch = repeated !== password && (showErrors || !password.startsWith(repeated))
  return (
    <>
      <Field
        label={label}
        hint={
          <ul className={cx('muted small', styles.rules)} aria-label={t('passwordRules')}>
            {shownRules.map((rule) => {
              const met = rule.met(password)
              return (
                <li key={rule.key} className="line" data-met={met}>
                  {met ? <Check aria-hidden /> : <Circle aria-hidden />}
                  {t(`rule.${rule.key}`)}
                  <span className="visually-hidden">{met ? t('rule.met') : t('rule.open')}</span>
                </li>
              )
            })}
          </ul>
        }
        error={showErrors && unmet ? t(`rule.${unmet.key}`) : refusal}
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
      <Field label={t('repeatPassword')} error={mismatch ? t('passwordMismatch') : undefined}>
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
