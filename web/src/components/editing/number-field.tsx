import type { ReactNode } from 'react'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import styles from './editing.module.css'

interface NumberFieldProps {
  readonly id?: string
  readonly label: ReactNode
  /** As typed. */
  readonly value: string
  readonly onValueChange: (value: string) => void
  /** Shown at the end of the field: `MB`, `%`. */
  readonly unit?: string
  readonly hint?: ReactNode
  readonly error?: ReactNode
  readonly min?: number
  readonly max?: number
  readonly step?: number | 'any'
  readonly disabled?: boolean
}

/** A number with its unit. Holds text, so that what is typed stays even while it is no number. */
export function NumberField({ id, label, value, onValueChange, unit, hint, error, ...limits }: NumberFieldProps) {
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      {(control) => (
        <span className={styles.number}>
          <Input
            {...control}
            {...limits}
            type="number"
            inputMode="decimal"
            value={value}
            className="number"
            onChange={(event) => onValueChange(event.target.value)}
            onWheel={(event) => event.currentTarget.blur()}
          />
          {unit && <span className={styles.unit}>{unit}</span>}
        </span>
      )}
    </Field>
  )
}

/** A whole number between the two, as typed. */
export const isWhole = (text: string, min: number, max: number): boolean =>
  /^\d+$/.test(text.trim()) && Number(text) >= min && Number(text) <= max

/** A number between the two, as typed. */
export const isBetween = (text: string, min: number, max: number): boolean => {
  const value = Number(text)
  return text.trim() !== '' && Number.isFinite(value) && value >= min && value <= max
}
