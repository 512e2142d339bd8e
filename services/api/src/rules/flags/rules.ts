import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FlagRule } from '@capstan/contract/challenges'
import { isSameSecret } from './compare.ts'
import { matchesPattern } from './pattern.ts'

/** Flags of a challenge that are the same for all teams. */
export type RightFlags = Readonly<{
  flags: readonly string[]
  rules: readonly FlagRule[]
}>

export function groupFlagsByKind(all: readonly FlagRule[]): RightFlags {
  return {
    flags: all.filter(({ kind }) => kind === 'Exact').map(({ flag }) => flag),
    rules: all.filter(({ kind }) => kind !== 'Exact'),
  }
}

function foldCase(text: string): string {
  return text.toLowerCase()
}

/** Returns true if the answer matches this flag. @param answer answer without spaces at the start and end */
export function matchesFlagRule({ flag, kind }: FlagRule, answer: string): boolean {
  switch (kind) {
    case 'Exact':
      return isSameSecret(flag, answer)
    case 'Caseless':
      return isSameSecret(foldCase(flag), foldCase(answer))
    case 'Pattern':
      return matchesPattern(flag, answer)
  }
}

/**
 * Returns the answers that count as right. These are the exact flags, and the submitted answer if it matches a case-insensitive
 * flag or a pattern. The judgment can therefore compare texts exactly.
 */
export function listRightAnswers({ flags, rules }: RightFlags, answer: string): readonly string[] {
  return rules.some((rule) => matchesFlagRule(rule, answer)) ? [...flags, answer] : flags
}

/** Number of answers that are compared in a row before other requests are processed. */
const answersPerTurn = 200

type Submission = Readonly<{
  id: number
  answer: string
}>

/**
 * Creates a function that compares pages of submissions with flags. Other requests can run during the comparison. The function
 * caches the result of each submission until the flags change. A second run under a lock therefore compares only new submissions.
 */
export function createAnswerMatcher() {
  let knownFlags = ''
  /** Map from submission id to whether the answer matches. Answers are not stored. */
  const known = new Map<number, boolean>()
  /** @returns the exact flags, and each submitted answer that matches a pattern or a case-insensitive flag */
  return async ({ flags, rules }: RightFlags, submissions: readonly Submission[]): Promise<readonly string[]> => {
    if (rules.length === 0) return flags
    // The exact flags are part of the cache key, because the results also depend on them.
    const asked = JSON.stringify([flags, rules])
    if (asked !== knownFlags) known.clear()
    knownFlags = asked
    const right = new Set(flags)
    const wrong = new Set<string>()
    for (const { id, answer } of submissions) {
      if (!known.has(id) && !right.has(answer) && !wrong.has(answer)) {
        if (wrong.size % answersPerTurn === 0) await nextTurn()
        if (rules.some((rule) => matchesFlagRule(rule, answer))) right.add(answer)
        else wrong.add(answer)
      }
      const isRight = known.get(id) ?? right.has(answer)
      known.set(id, isRight)
      if (isRight) right.add(answer)
    }
    return [...right]
  }
}
