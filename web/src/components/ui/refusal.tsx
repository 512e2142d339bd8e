import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { refusedField } from '../../lib/problem-fields.ts'
import { FieldError } from './field.tsx'
import { ErrorText } from './states.tsx'

type Refusal<Field extends string> = Readonly<{
  /** The field that the server refused; undefined: none of the form's. */
  field: Field | undefined
  /** What the server says about a field; undefined: nothing. */
  of: (field: Field) => ReactNode
  /** What it says about the form as a whole, to stand above its button; nothing where a field was refused. */
  rest: ReactNode
}>

/**
 * Puts the failure of a form where it belongs: beside the field that the server refused, else beside the button.
 * @param fields those that are on the screen
 * @param names members of the body that the form calls otherwise
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

/** Says what is wrong with the length of a text, in code points as the server counts; undefined: nothing. */
export function useLengthFault(): (text: string, min: number, max: number) => string | undefined {
  const { t } = useTranslation()
  return (text, min, max) => {
    const { length } = [...text]
    if (length === 0 && min > 0) return t('field.empty')
    if (length < min) return t('field.tooShort', { count: min })
    return length > max ? t('field.tooLong', { count: max }) : undefined
  }
}
