import { Limits } from '@capstan/contract/limits'
import { RE2JS } from 're2js'

/**
 * Checks the pattern of a flag with RE2 (ADR 35).
 * @returns the reason why the pattern is invalid, or undefined if it is valid
 */
export function refuseFlagPattern(pattern: string): string | undefined {
  if ([...pattern].length > Limits.maxFlagPatternLength) return `more than ${Limits.maxFlagPatternLength} characters`
  try {
    const size = RE2JS.compile(pattern).programSize()
    return size > Limits.maxFlagPatternInstructions
      ? `${size} instructions, more than ${Limits.maxFlagPatternInstructions}: repeat less`
      : undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
