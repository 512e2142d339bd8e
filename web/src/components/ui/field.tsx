import { Check, CircleAlert, Minus } from 'lucide-react'
import { Checkbox as RadixCheckbox, Switch as RadixSwitch } from 'radix-ui'
import { type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './controls.module.css'

interface FieldControl {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

interface FieldProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  /** Said at once by screen readers. */
  readonly error?: ReactNode
  /** Marks the field as one that may stay empty. */
  readonly optional?: boolean
  /** Spread these on the control: `{(control) => <Input {...control} />}`. */
  readonly children: (control: FieldControl) => ReactNode
}

/** Label, control, hint and error of one input, wired for assistive technology. */
export function Field({ label, hint, error, optional, children }: FieldProps) {
  const { t } = useTranslation()
  const id = useId()
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        <span>{label}</span>
        {optional && <span className={styles.optional}>{t('field.optional')}</span>}
      </label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <div id={`${id}-hint`} className={styles.hint}>
          {hint}
        </div>
      )}
      <FieldError id={`${id}-error`}>{error}</FieldError>
    </div>
  )
}

/** An error beside its cause; renders nothing without one. */
export function FieldError({ id, children }: { readonly id?: string; readonly children?: ReactNode }) {
  if (!children) return null
  return (
    <div id={id} role="alert" className={styles.error}>
      <CircleAlert aria-hidden />
      <span>{children}</span>
    </div>
  )
}

interface ChoiceProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly checked: boolean
  readonly onCheckedChange: (checked: boolean) => void
  readonly disabled?: boolean
  readonly name?: string
}

/** Takes effect at once, or as part of a form of settings. */
export function Switch({ label, hint, ...rest }: ChoiceProps) {
  const id = useId()
  return (
    <div className={styles.choice}>
      <RadixSwitch.Root {...rest} id={id} className={styles.switch} aria-describedby={hint ? `${id}-hint` : undefined}>
        <RadixSwitch.Thumb className={styles.thumb} />
      </RadixSwitch.Root>
      <span>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <span id={`${id}-hint`} className={styles.hint}>
            {hint}
          </span>
        )}
      </span>
    </div>
  )
}

interface CheckboxProps extends Omit<ChoiceProps, 'checked' | 'label'> {
  readonly checked: boolean | 'indeterminate'
  readonly label: ReactNode
  /** The label is for screen readers only, for example in a table. */
  readonly bare?: boolean
}

export function Checkbox({ label, hint, bare, onCheckedChange, ...rest }: CheckboxProps) {
  const id = useId()
  const box = (
    <RadixCheckbox.Root
      {...rest}
      id={id}
      className={styles.checkbox}
      onCheckedChange={(checked) => onCheckedChange(checked === true)}
      aria-describedby={hint ? `${id}-hint` : undefined}
    >
      <RadixCheckbox.Indicator>{rest.checked === 'indeterminate' ? <Minus /> : <Check />}</RadixCheckbox.Indicator>
    </RadixCheckbox.Root>
  )
  if (bare)
    return (
      <>
        {box}
        <label htmlFor={id} className="visually-hidden">
          {label}
        </label>
      </>
    )
  return (
    <div className={styles.choice}>
      {box}
      <span>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <span id={`${id}-hint`} className={styles.hint}>
            {hint}
          </span>
        )}
      </span>
    </div>
  )
}
