import { InputLimits, Limits } from '../limits.ts'
import type { ProblemCode } from '../problems.ts'
import { leetEntropyBits } from './leet.ts'
import { guidMarker, parseTemplate, teamHashMarker } from './parse.ts'

function countOf(text: string, part: string): number {
  return text.split(part).length - 1
}

/** Returns the length of the flags that a template generates, in code points. */
export function flagLengthOf(template: string): number {
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
 * Checks the flag template of a DynamicContainer challenge. See docs/contract/challenges.md#templates.
 * @returns `flag.template-long` if the template or its flags are too long, or `flag.template-weak` if teams could guess the flags
 * of other teams
 */
export function refuseFlagTemplate(
  template: string,
): Extract<ProblemCode, 'flag.template-long' | 'flag.template-weak'> | undefined {
  if (template.trim() === '') return undefined
  if ([...template].length > Limits.maxFlagTemplateLength) return 'flag.template-long'
  if (flagLengthOf(template) > Limits.maxFlagLength) return 'flag.template-long'
  const { text, table, hasUniqueMarker } = parseTemplate(template)
  const isStrong = hasUniqueMarker || (table !== undefined && leetEntropyBits(text, table) >= Limits.minFlagEntropyBits)
  return isStrong ? undefined : 'flag.template-weak'
}
