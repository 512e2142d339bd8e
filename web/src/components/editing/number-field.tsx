import type { ComponentProps, ReactNode } from 'react'
import { cx } from '../ui/cx.ts'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import styles from './editing.module.css'

type NumberFieldProps = Readonly<{
  id?: string
  label: ReactNode
  /** Text as the user entered it. */
  value: string
  onValueChange: (value: string) => void
  /** Unit at the end of the field: `MB`, `%`. */
  unit?: string
  hint?: ReactNode
  error?: ReactNode
  min?: number
  max?: number
  step?: number | 'any'
  disabled?: boolean
}>

/** Number field with a unit. The value is a text, so that the field retains input that is not a number. */
export function NumberField({ id, label, value, onValueChange, unit, hint, error, ...limits }: NumberFieldProps) {
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      {(control) => <NumberInput {...control} {...limits} unit={unit} value={value} onValueChange={onValueChange} />}
    </Field>
  )
}

type NumberInputProps = Omit<ComponentProps<typeof Input>, 'onChange' | 'value'> &
  Readonly<{
    value: string
    onValueChange: (value: string) => void
    unit?: string | undefined
  }>

/** Input of a `NumberField` without a label. Use it if a different element labels the input. */
export function NumberInput({ unit, onValueChange, ...control }: NumberInputProps) {
  return (
    <span className={cx('line', styles.number)}>
      <Input
        {...control}
        type="number"
        inputMode="decimal"
        className="number"
        onChange={(event) => onValueChange(event.target.value)}
        onWheel={(event) => event.currentTarget.blur()}
      />
      {unit && <span className={cx('muted small', styles.unit)}>{unit}</span>}
    </span>
  )
}

export function isIntegerTextBetween(text: string, min: number, max: number): boolean {
  return /^\d+$/.test(text.trim()) && Number(text) >= min && Number(text) <= max
}

export function isNumberTextBetween(text: string, min: number, max: number): boolean {
  const value = Number(text)
  return text.trim() !== '' && Number.isFinite(value) && value >= min && value <= max
}
