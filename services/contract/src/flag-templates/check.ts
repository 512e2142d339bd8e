import { InputLimits, Limits } from '../limits.ts'
import type { ProblemCode } from '../problems.ts'
import { leetEntropyBits } from './leet.ts'
import { guidMarker, parseTemplate, teamHashMarker } from './parse.ts'

const countOf = (text: string, part: string): number => text.split(part).length - 1

/** Length, in Unicode code points, of every flag that a template makes. */
export const flagLengthOf = (template: string): number => {
  const { text } = parseTemplate(template)
  const guids = countOf(text, guidMarker)
  const hashes = countOf(text, teamHashMarker)
  return (
    [...text].length +
    guids * (InputLimits.uuidLength - guidMarker.length) +
    hashes * (Limits.teamHashLength - teamHashMarker.length)
  )
}

/**
 * Whether a template may be set on a DynamicContainer challenge. A blank one is fine: it gives random flags.
 * Rules: docs/contract/challenges.md#templates.
 *
 * @returns `flag.template-long` over 120 characters or when its flags have more than 127, `flag.template-weak` when flags of
 *   different teams could be guessed: no `[GUID]`, no `[TEAM_HASH]` and under 32 bits of leet entropy
 */
export const refuseTemplate = (
  template: string,
): Extract<ProblemCode, 'flag.template-long' | 'flag.template-weak'> | undefined => {
  if (template.trim() === '') return undefined
  if ([...template].length > Limits.flagTemplateMaxLength) return 'flag.template-long'
  if (flagLengthOf(template) > Limits.flagMaxLength) return 'flag.template-long'
  const { text, table, hasUniqueMarker } = parseTemplate(template)
  const isStrong = hasUniqueMarker || (table !== undefined && leetEntropyBits(text, table) >= Limits.flagEntropyBitsMin)
  return isStrong ? undefined : 'flag.template-weak'
}
