import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { findRefusedField } from '../../lib/problem-fields.ts'
import { FieldError } from './field.tsx'
import { ErrorText } from './states.tsx'

type Refusal<Field extends string> = Readonly<{
  /** Field that the server refused. Undefined if the error names no field of the form. */
  field: Field | undefined
  /** Returns the server's message about a field, or undefined. */
  of: (field: Field) => ReactNode
  /** Message about the whole form, shown above its button. It is empty if the server refused a field. */
  rest: ReactNode
}>

/**
 * Assigns an error to the form field that the server refused. If no field matches, the error concerns the whole form.
 * @param fields fields on the screen
 * @param names members of the request body that have a different name in the form
 */
export function toFormRefusal<Field extends string>(
  error: unknown,
  fields: readonly Field[],
  names?: Readonly<Record<string, Field>>,
): Refusal<Field> {
  const refused = findRefusedField(error, fields, names)
  const text = error === undefined ? undefined : <ErrorText error={error} />
  return {
    field: refused,
    of: (field) => (field === refused ? text : undefined),
    rest: text && refused === undefined ? <FieldError>{text}</FieldError> : null,
  }
}

/**
 * Returns a function that checks the length of a text. The function counts code points, as the server does. It returns undefined if
 * the length is valid.
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
