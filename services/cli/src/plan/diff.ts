import { storedFieldName } from '../state/challenge-fields.ts'
import { digestOfValue } from '../state/digest.ts'

export type FieldChange = Readonly<{
  field: string
  from: unknown
  to: unknown
  isSecret: boolean
  /** True if the field was changed on the platform after the last apply. */
  isForeign: boolean
  /** True if the new value is known only after `apply`, because a command generates it. */
  isUnknown?: true
}>

/**
 * Returns the fields that differ.
 * @param remembered digest of each field at the last apply; a field without a digest was not applied before
 */
export function listFieldChanges(
  present: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
  secrets: ReadonlySet<string>,
  remembered: Readonly<Record<string, string>>,
): FieldChange[] {
  return Object.entries(wanted).flatMap(([field, to]) => {
    const from = present[field]
    const digest = digestOfValue(from)
    if (digest === digestOfValue(to)) return []
    const known = storedFieldName(field)
    const before = Object.hasOwn(remembered, known) ? remembered[known] : undefined
    return [{ field, from, to, isSecret: secrets.has(field), isForeign: before !== undefined && before !== digest }]
  })
}
