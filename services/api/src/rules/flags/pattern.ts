import { Limits } from '@capstan/contract/limits'
import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'

/**
 * Patterns are those of RE2: an answer takes time that grows with its length and the size of the pattern, whatever both are. ADR 35.
 */
function compile(pattern: string): RE2JS {
  return RE2JS.compile(pattern)
}

/** Of all challenges together; some hundred bytes for each instruction. */
const keptInstructions = 50_000

const compiled = new LRUCache<string, RE2JS>({
  maxSize: keptInstructions,
  sizeCalculation: (pattern) => Math.max(1, pattern.programSize()),
})

/** Why a pattern cannot be a flag: in the words of the engine, for whoever wrote it. Undefined: it can. */
export function refusePattern(pattern: string): string | undefined {
  if ([...pattern].length > Limits.flagPatternMaxLength) return `more than ${Limits.flagPatternMaxLength} characters`
  try {
    const size = compile(pattern).programSize()
    return size > Limits.flagPatternMaxInstructions
      ? `${size} instructions, more than ${Limits.flagPatternMaxInstructions}: repeat less`
      : undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Whether the whole answer matches. @param pattern let through by `refusePattern` */
export function matchesPattern(pattern: string, answer: string): boolean {
  const known = compiled.get(pattern) ?? compile(pattern)
  compiled.set(pattern, known)
  return known.testExact(answer)
}
