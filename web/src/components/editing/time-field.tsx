import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import styles from './editing.module.css'
import { type TimePreset, timeZoneAt, toLocalInputValue, utcFromLocalInput } from './local-time.ts'

/**
 * Latest accepted time. It limits the year to four digits, so that the browser moves the cursor to the next part after the fourth
 * digit.
 */
const latest = '9999-12-31T23:59'

type TimeFieldProps = Readonly<{
  id?: string
  label: string
  /** Date and time in ISO format, or empty. */
  value: string
  onValueChange: (iso: string) => void
  error?: ReactNode
  optional?: boolean
  /** Times that the field offers as buttons. */
  presets?: readonly TimePreset[]
}>

/**
 * Date and time field in the visitor's time zone, with the name of the zone. It is a native input, which works best with
 * keyboards and on phones.
 */
export function TimeField({ id, label, value, onValueChange, error, optional = false, presets = [] }: TimeFieldProps) {
  return (
    <div className="stack gap-1">
      <Field id={id} label={label} hint={timeZoneAt(value)} error={error} optional={optional}>
        {(control) => (
          <Input
            {...control}
            type="datetime-local"
            max={latest}
            className="number"
            value={toLocalInputValue(value)}
            onChange={(event) => onValueChange(utcFromLocalInput(event.target.value))}
          />
        )}
      </Field>
      {presets.length > 0 && (
        <div className={cx('row gap-1', styles.presets)}>
          {presets.map((preset) => (
            <Button
              key={preset.label}
              size="small"
              variant="ghost"
              aria-pressed={preset.at === value}
              onClick={() => onValueChange(preset.at)}
            >
              {preset.label}
            </Button>
          ))}
        </div>
      )}
    </div>
  )
}
