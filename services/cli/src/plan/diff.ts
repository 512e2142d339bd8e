import { rememberedName } from '../state/challenge-fields.ts'
import { digestOf } from '../state/digest.ts'

/** What applying changes of one field. */
export type FieldChange = Readonly<{
  field: string
  from: unknown
  to: unknown
  /** Values are not shown. */
  isSecret: boolean
  /** Somebody changed it on the platform since it was applied last. */
  isForeign: boolean
  /** A command makes the value when it is applied. */
  isUnknown?: true
}>

/**
 * Fields that differ.
 *
 * @param remembered field -> digest of when it was applied last; fields that are not in it are nobody's
 */
export function changesBetween(
  present: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
  secrets: ReadonlySet<string>,
  remembered: Readonly<Record<string, string>>,
): FieldChange[] {
  return Object.entries(wanted).flatMap(([field, to]) => {
    const from = present[field]
    const digest = digestOf(from)
    if (digest === digestOf(to)) return []
    const known = rememberedName(field)
    const before = Object.hasOwn(remembered, known) ? remembered[known] : undefined
    return [{ field, from, to, isSecret: secrets.has(field), isForeign: before !== undefined && before !== digest }]
  })
}
