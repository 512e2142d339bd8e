import { Check, CircleAlert, Minus } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './controls.module.css'

type FieldControl = Readonly<{
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}>

type FieldProps = Readonly<{
  /** Id of the control. It must be unique on the page, because links can jump to it. */
  id?: string | undefined
  label: ReactNode
  hint?: ReactNode
  /** Error message, which screen readers announce immediately. */
  error?: ReactNode
  optional?: boolean
  /** Renders the control with these attributes: `{(control) => <Input {...control} />}`. */
  children: (control: FieldControl) => ReactNode
}>

/** Label, control, hint and error of an input. Ids connect them, so that screen readers announce them together. */
export function Field({ id: ownId, label, hint, error, optional, children }: FieldProps) {
  const { t } = useTranslation()
  const anyId = useId()
  const id = ownId ?? anyId
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        <span>{label}</span>
        {optional && <span className="faint regular">{t('field.optional')}</span>}
      </label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <div id={`${id}-hint`} className="muted small">
          {hint}
        </div>
      )}
      <FieldError id={`${id}-error`}>{error}</FieldError>
    </div>
  )
}

/** Error message beside the input that caused it. Renders nothing if there is no error. */
export function FieldError({ id, children }: Readonly<{ id?: string; children?: ReactNode }>) {
  if (!children) return null
  return (
    <div id={id} role="alert" className={styles.error}>
      <CircleAlert aria-hidden />
      <span>{children}</span>
    </div>
  )
}

type ChoiceProps = Readonly<{
  /** Id of the control. It must be unique on the page, because links can jump to it. */
  id?: string
  label: ReactNode
  hint?: ReactNode
  checked: boolean
  onCheckedChange: (checked: boolean) => void
  disabled?: boolean
  name?: string
}>

/** Switch that takes effect immediately, or that is part of a settings form. */
export function Switch({ id: ownId, label, hint, checked, onCheckedChange, ...rest }: ChoiceProps) {
  const anyId = useId()
  const id = ownId ?? anyId
  return (
    <div className={styles.choice}>
      <input
        {...rest}
        type="checkbox"
        // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says by itself whether it is checked
        role="switch"
        id={id}
        className={styles.switch}
        checked={checked}
        onChange={() => onCheckedChange(!checked)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          onCheckedChange(!checked)
        }}
        aria-labelledby={`${id}-label`}
        aria-describedby={hint ? `${id}-hint` : undefined}
      />
      <ChoiceText id={id} label={label} hint={hint} />
    </div>
  )
}

type CheckboxProps = Omit<ChoiceProps, 'id' | 'checked'> &
  Readonly<{
    checked: boolean | 'indeterminate'
    /** True to hide the label visually, for example in a table. */
    bare?: boolean
  }>

export function Checkbox({ label, hint, bare, checked, onCheckedChange, ...rest }: CheckboxProps) {
  const id = useId()
  const isMixed = checked === 'indeterminate'
  const box = (
    <span className={styles.checkbox}>
      <input
        {...rest}
        type="checkbox"
        id={id}
        ref={(input) => {
          if (input) input.indeterminate = isMixed
        }}
        checked={checked === true}
        onChange={() => onCheckedChange(checked !== true)}
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        aria-labelledby={bare ? undefined : `${id}-label`}
        aria-describedby={hint ? `${id}-hint` : undefined}
      />
      {isMixed ? <Minus aria-hidden /> : <Check aria-hidden />}
    </span>
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
      <ChoiceText id={id} label={label} hint={hint} />
    </div>
  )
}

/**
 * Label and hint. A click on the hint toggles the control too, but `aria-labelledby` excludes the hint from the control's
 * accessible name.
 */
function ChoiceText({ id, label, hint }: { readonly id: string } & Pick<ChoiceProps, 'label' | 'hint'>) {
  return (
    <span className="stack gap-0">
      <label id={`${id}-label`} htmlFor={id}>
        {label}
      </label>
      {hint && (
        <label id={`${id}-hint`} htmlFor={id} className="muted small">
          {hint}
        </label>
      )}
    </span>
  )
}
