import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'

/** Compiles a pattern with RE2. The matching time is linear in the length of the answer and the size of the pattern. ADR 35. */
function compile(pattern: string): RE2JS {
  return RE2JS.compile(pattern)
}

/** Maximum total size of cached patterns, in instructions of RE2. An instruction takes some hundred bytes. */
const maxCachedInstructions = 50_000

const compiled = new LRUCache<string, RE2JS>({
  maxSize: maxCachedInstructions,
  sizeCalculation: (pattern) => Math.max(1, pattern.programSize()),
})

export function matchesPattern(pattern: string, answer: string): boolean {
  const known = compiled.get(pattern) ?? compile(pattern)
  compiled.set(pattern, known)
  return known.testExact(answer)
}
