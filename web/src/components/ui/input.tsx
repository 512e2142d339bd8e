import { ChevronDown, Eye, EyeOff, Search, X } from 'lucide-react'
import { type ComponentProps, type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { typeAhead } from '../../lib/type-ahead.ts'
import { IconButton } from './button.tsx'
import styles from './controls.module.css'
import { cx } from './cx.ts'

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input {...rest} className={cx(styles.input, className)} />
}

export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea {...rest} className={cx(styles.input, className)} />
}

/** Password field with a button that shows the password. */
export function PasswordInput({ className, ...rest }: Omit<ComponentProps<'input'>, 'type'>) {
  const { t } = useTranslation()
  const [shown, setShown] = useState(false)
  return (
    <span className={styles.adorned}>
      <input {...rest} type={shown ? 'text' : 'password'} className={cx(styles.input, styles.hasEnd, className)} />
      <span className={cx('line gap-0', styles.end)}>
        <IconButton
          size="small"
          label={shown ? t('field.hidePassword') : t('field.showPassword')}
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
        >
          {shown ? <EyeOff /> : <Eye />}
        </IconButton>
      </span>
    </span>
  )
}

type SearchInputProps = Omit<ComponentProps<'input'>, 'type' | 'value' | 'onChange' | 'aria-label'> &
  Readonly<{
    /** Accessible name and placeholder of the search box. */
    label: string
    value: string
    onValueChange: (value: string) => void
    error?: string | undefined
  }>

/**
 * Manages the text of a search box. `value` may follow the typed text with a delay, for example if it is stored in the address. A
 * delayed `value` never replaces text that was typed later. If other code changes `value`, the text changes too.
 */
function useTyped(value: string, onValueChange: (value: string) => void) {
  const [typed, setTyped] = useState(value)
  const onTheWay = useRef<string[]>([])
  useLayoutEffect(() => {
    const arrived = onTheWay.current.indexOf(value)
    if (arrived >= 0) onTheWay.current.splice(0, arrived + 1)
    else setTyped(value)
  }, [value])
  const type = (next: string) => {
    onTheWay.current.push(next)
    setTyped(next)
    onValueChange(next)
  }
  return { typed, type, leave: () => void onTheWay.current.splice(0) }
}

/** Search box. The attribute `data-search` marks the box to which the shortcut `/` moves the focus. */
export function SearchInput({ label, value, onValueChange, className, error, onBlur, onKeyDown, ...rest }: SearchInputProps) {
  const { t } = useTranslation()
  const { typed, type, leave } = useTyped(value, onValueChange)
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (field.current?.closest('main')) typeAhead.claim('search', field.current)
  }, [])
  return (
    <span className="stack gap-1">
      <span className={styles.adorned}>
        <Search aria-hidden />
        <input
          {...rest}
          ref={field}
          type="search"
          data-search
          aria-label={label}
          aria-invalid={error ? true : undefined}
          placeholder={rest.placeholder ?? label}
          value={typed}
          onChange={(event) => type(event.target.value)}
          onBlur={(event) => {
            leave()
            onBlur?.(event)
          }}
          onKeyDown={(event) => {
            // The first Escape clears the box. The second Escape removes the focus, so that keys act as shortcuts again.
            if (event.key === 'Escape' && typed === '') event.currentTarget.blur()
            onKeyDown?.(event)
          }}
          className={cx(styles.input, styles.hasEnd, className)}
        />
        {typed !== '' && (
          <span className={cx('line gap-0', styles.end)}>
            <IconButton size="small" label={t('field.clear')} onClick={() => type('')}>
              <X />
            </IconButton>
          </span>
        )}
      </span>
      {error && (
        <span role="alert" className={styles.error}>
          {error}
        </span>
      )}
    </span>
  )
}

type SelectOption<Value extends string> = Readonly<{
  value: Value
  label: string
  disabled?: boolean
}>

type SelectProps<Value extends string> = Omit<ComponentProps<'select'>, 'value' | 'onChange' | 'children'> &
  Readonly<{
    value: Value | ''
    onValueChange: (value: Value) => void
    options: readonly SelectOption<Value>[]
    placeholder?: string
  }>

export function Select<Value extends string>({
  value,
  onValueChange,
  options,
  placeholder,
  className,
  ...rest
}: SelectProps<Value>): ReactNode {
  return (
    <span className={styles.adorned}>
      <select
        {...rest}
        value={value}
        onChange={(event) => onValueChange(event.target.value as Value)}
        className={cx(styles.input, styles.select, className)}
      >
        {placeholder !== undefined && (
          <option value="" disabled>
            {placeholder}
          </option>
        )}
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled}>
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown className={styles.chevron} aria-hidden />
    </span>
  )
}
