import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { refusedField } from '../../lib/problem-fields.ts'
import { FieldError } from './field.tsx'
import { ErrorText } from './states.tsx'

type Refusal<Field extends string> = Readonly<{
  /** Field that the server refused. undefined if it is no field of the form */
  field: Field | undefined
  /** Returns the server's message about a field, or undefined. */
  of: (field: Field) => ReactNode
  /** Message about the whole form, shown above its button. Empty if a field was refused. */
  rest: ReactNode
}>

/**
 * Assigns a form's error to the field that the server refused, or else to the button.
 * @param fields fields on the screen
 * @param names body members with a different name in the form
 */
export function refusalOf<Field extends string>(
  error: unknown,
  fields: readonly Field[],
  names?: Readonly<Record<string, Field>>,
): Refusal<Field> {
  const refused = refusedField(error, fields, names)
  const text = error === undefined ? undefined : <ErrorText error={error} />
  return {
    field: refused,
    of: (field) => (field === refused ? text : undefined),
    rest: text && refused === undefined ? <FieldError>{text}</FieldError> : null,
  }
}

/**
 * Returns a check of the length of a text, in code points as on the server. The check returns undefined if the length is valid.
 */
export function useLengthFault(): (text: string, min: number, max: number) => string | undefined {
  const { t } = useTranslation()
  return (text, min, max) => {
    const { length } = [...text]
    if (length === 0 && min > 0) return t('field.empty')
    if (length < min) return t('field.tooShort', { count: min })
    return length > max ? t('field.tooLong', { count: max }) : undefined
  }
}
