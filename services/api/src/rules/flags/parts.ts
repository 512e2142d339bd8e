import type { FlagRule } from '@capstan/contract/challenges'
import { matchesFlagRule } from './rules.ts'

export type StoredFlagRule = FlagRule &
  Readonly<{
    id: number
    /** Null if the flag has no points. */
    points: number | null
  }>

/** Flag of a challenge that a team solves by finding all its flags. */
export type FlagPart = FlagRule &
  Readonly<{
    id: number
    points: number
  }>

const comparisonOrder = { Exact: 0, Caseless: 1, Pattern: 2 } as const

/**
 * Returns the flags that a team must find, in the order in which answers are compared. If a flag of the challenge has points, the
 * team must find all flags of the challenge.
 * @returns an empty list if one flag is enough to solve the challenge
 */
export function listFlagsToFind(flags: readonly StoredFlagRule[]): FlagPart[] {
  if (flags.every(({ points }) => points === null)) return []
  return flags
    .map(({ id, flag, kind, points }) => ({ id, flag, kind, points: points ?? 0 }))
    .sort((left, right) => comparisonOrder[left.kind] - comparisonOrder[right.kind] || left.id - right.id)
}

/**
 * Returns the id of the flag that an answer matches. Compares all flags, so the duration does not reveal which flag matches.
 * @param answer answer without spaces at the start and end
 */
export function findMatchingFlagId(parts: readonly FlagPart[], answer: string): number | undefined {
  return parts.filter((part) => matchesFlagRule(part, answer))[0]?.id
}

/** Flag that a team found, with the submission that found it. */
export type Finding = Readonly<{
  participationId: number
  flagId: number
  submissionId: number
  userId: string | null
  foundAt: Date
}>

function isEarlier(one: Finding, other: Finding): boolean {
  const byTime = one.foundAt.getTime() - other.foundAt.getTime()
  return byTime < 0 || (byTime === 0 && one.submissionId < other.submissionId)
}

/** Returns, for each team and flag, the submission that found the flag first. */
export function selectFirstFindingOfEachFlag(findings: Iterable<Finding>): Finding[] {
  const first = new Map<string, Finding>()
  for (const finding of findings) {
    const key = `${finding.participationId} ${finding.flagId}`
    const known = first.get(key)
    if (!known || isEarlier(finding, known)) first.set(key, finding)
  }
  return [...first.values()]
}

/**
 * Returns, for each team that has found all flags, the flag that the team found last.
 * @param findings at most one finding per team and flag
 */
export function selectFindingsOfLastFlag(findings: readonly Finding[], partIds: ReadonlySet<number>): Finding[] {
  const byTeam = Map.groupBy(
    findings.filter(({ flagId }) => partIds.has(flagId)),
    ({ participationId }) => participationId,
  )
  return [...byTeam.values()].flatMap((found) =>
    found.length < partIds.size ? [] : [found.reduce((last, finding) => (isEarlier(last, finding) ? finding : last))],
  )
}
