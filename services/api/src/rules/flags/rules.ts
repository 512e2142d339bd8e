import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FlagRule } from '@capstan/contract/challenges'
import { isSameSecret } from './compare.ts'
import { matchesPattern } from './pattern.ts'

/** What is right for a challenge whose flags are the same for all teams. */
export type RightFlags = Readonly<{
  /** Compared letter by letter. */
  flags: readonly string[]
  /** All others. */
  rules: readonly FlagRule[]
}>

export function byKind(all: readonly FlagRule[]): RightFlags {
  return {
    flags: all.filter(({ kind }) => kind === 'Exact').map(({ flag }) => flag),
    rules: all.filter(({ kind }) => kind !== 'Exact'),
  }
}

function foldCase(text: string): string {
  return text.toLowerCase()
}

/** Whether an answer is right by this flag alone. @param answer already trimmed */
export function matchesRule({ flag, kind }: FlagRule, answer: string): boolean {
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
 * The texts that are right, for judging this answer: an answer that a rule lets through is one of them. So whatever follows judges
 * all kinds alike, and runs no pattern.
 */
export function rightAnswers({ flags, rules }: RightFlags, answer: string): readonly string[] {
  return rules.some((rule) => matchesRule(rule, answer)) ? [...flags, answer] : flags
}

/** Answers that are compared before others get their turn. */
const answersAtOnce = 200

/** What is asked of many submissions at once. */
type Handed = Readonly<{
  id: number
  answer: string
}>

/**
 * The same for many submissions, page by page, however many there are: what others ask for meanwhile is answered. A submission that was
 * matched by the same flags before is not matched again, so that under a lock only what is new is left.
 */
export function createAnswerMatcher() {
  let knownFlags = ''
  /** By submission, of whose answers nothing is kept. */
  const known = new Map<number, boolean>()
  /** @returns the flags, and the answers of these submissions that match */
  return async ({ flags, rules }: RightFlags, submissions: readonly Handed[]): Promise<readonly string[]> => {
    if (rules.length === 0) return flags
    // What a flag of the list let through is remembered, too.
    const asked = JSON.stringify([flags, rules])
    if (asked !== knownFlags) known.clear()
    knownFlags = asked
    const right = new Set(flags)
    const wrong = new Set<string>()
    for (const { id, answer } of submissions) {
      if (!known.has(id) && !right.has(answer) && !wrong.has(answer)) {
        if (wrong.size % answersAtOnce === 0) await nextTurn()
        if (rules.some((rule) => matchesRule(rule, answer))) right.add(answer)
        else wrong.add(answer)
      }
      const isRight = known.get(id) ?? right.has(answer)
      known.set(id, isRight)
      if (isRight) right.add(answer)
    }
    return [...right]
  }
}
