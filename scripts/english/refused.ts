import type { Prose } from './prose.ts'

/** Patterns of unclear words, each with advice for the author. */
const words: readonly (readonly [RegExp, string])[] = [
  [/\b(?:who|whom|what|which)ever\b/i, 'name the thing or the actor'],
  [/\b(?:nobody|somebody|everybody)\b/i, 'name the actor, such as "a client" or "no caller"'],
  [/\b(?:of|for|by) (?:its|their|his|our) own\b/i, 'write "separate" or "dedicated"'],
  [
    /\b(?:is|are|was|were|be|been) told\b|\btells? (?:nobody|whom|of)\b|\btold (?:of|once|what|when|how)\b/i,
    'write "notify", "report" or "return"',
  ],
  [/\banew\b/i, 'write "again"'],
  [/\bmeanwhile\b/i, 'name the time, or write two sentences'],
  [/\b(?:comes?|came|come) together\b/i, 'write "concurrent"'],
  [/\b(?:stands?|lies) (?:in|at|on|by|there|here|once|beside|alone|behind)\b/i, 'write "is", "is stored" or "is defined"'],
  [/\b(?:undefined|null|absent|empty) without (?:one|it|them)\b/i, 'write "null if there is no …" and name the thing'],
  [/\bcounts? nowhere\b/i, 'write "no longer counts"'],
  [/\b(?:has|have) the order of time\b/i, 'write "is sorted by time"'],
  [/\b(?:hitherto|whence|thus|hence|upon)\b/i, 'use a common word'],
]

/** Pattern of a doc comment that does not start with a noun, a verb or "True if". */
const fragment = /^(?:What|Who|Whom|Whose|Whether|Undefined:|Absent:|Null:|So many|Such)(?=\s|$)/

function withoutCode(text: string): string {
  return text.replaceAll(/`[^`]*`/g, '')
}

/** Returns the fault in a text, or undefined if the check accepts the text. */
export function findProseFault({ text, isDoc }: Prose): string | undefined {
  const plain = withoutCode(text)
  for (const [pattern, advice] of words) {
    const word = pattern.exec(plain)?.[0]
    if (word !== undefined) return `"${word}": ${advice}`
  }
  const start = isDoc ? fragment.exec(plain)?.[0] : undefined
  return start === undefined ? undefined : `"${start}" starts a fragment: begin with a noun, a verb or "True if"`
}
