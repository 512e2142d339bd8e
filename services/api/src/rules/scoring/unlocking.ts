// Conditions under which teams unlock challenges. Rules: docs/contract/challenges.md#unlocking.
import type { ChallengeMarks } from '@capstan/contract/challenge-labels'
import type { Scoreboard, ScoreboardTeam } from '@capstan/contract/scoreboard'
import type { UnlockRule } from '@capstan/contract/unlock'
import type { RankedParticipation } from './ranking.ts'

export type RuledChallenge = Readonly<{
  id: number
  rule: UnlockRule
}>

/** Unlock condition of a challenge, with the teams that fulfilled the condition. */
export type Lock = Readonly<{
  challengeId: number
  /** True if teams that have not unlocked the challenge do not see it. */
  isHidden: boolean
  /** Enabled prerequisites. Disabled prerequisites are ignored. */
  after: readonly number[]
  /** Number of prerequisites that a team must solve. If 0, only points count. */
  needed: number
  points: number | null
  /** True if the unlock rule has no remaining condition. The challenge is then open for all teams. */
  isFree: boolean
  /** Ids of the teams for which the challenge is open. */
  open: ReadonlySet<number>
}>

export type Unlock = Readonly<{
  participationId: number
  challengeId: number
}>

type Standing = Pick<ScoreboardTeam, 'score' | 'solvedChallenges' | 'foundFlags'>

export function solvedChallengeIdsOf(team: Pick<Standing, 'solvedChallenges'> | undefined): ReadonlySet<number> {
  return new Set(team?.solvedChallenges.map(({ id }) => id))
}

export function countSolvedPrerequisites({ after }: Pick<Lock, 'after'>, solved: ReadonlySet<number>): number {
  return after.filter((id) => solved.has(id)).length
}

/** True if the score and the solves of a team unlock the challenge. */
function isFulfilled(lock: Omit<Lock, 'open'>, { score, foundFlags }: Standing, solved: ReadonlySet<number>): boolean {
  if (lock.needed > 0 && countSolvedPrerequisites(lock, solved) >= lock.needed) return true
  if (lock.points !== null && score >= lock.points) return true
  // A team may have solved a locked challenge, because an organizer granted the solve or added the rule later.
  return solved.has(lock.challengeId) || foundFlags?.some(({ id }) => id === lock.challengeId) === true
}

type UnlockFacts = Readonly<{
  /** Challenges that players may see and that have an unlock rule. */
  rules: readonly RuledChallenge[]
  /** Ids of the enabled challenges of the game, including those before their release. */
  enabled: ReadonlySet<number>
  participations: readonly RankedParticipation[]
  /** True if the unlock is stored. */
  isUnlocked(unlock: Unlock): boolean
}>

/**
 * Returns the condition of each challenge with a rule, and the unlocks that are not stored yet. A stored unlock remains, even if
 * the team loses solves or points, or the rule changes.
 */
export function findChallengeLocks(
  { rules, enabled, participations, isUnlocked }: UnlockFacts,
  { items }: Pick<Scoreboard, 'items'>,
): Readonly<{ locks: readonly Lock[]; unlocks: readonly Unlock[] }> {
  const unlocks: Unlock[] = []
  const byTeam = new Map(participations.map((participation) => [participation.team.id, participation]))
  const standings = items.map((team) => ({ team, participation: byTeam.get(team.id), solved: solvedChallengeIdsOf(team) }))
  const locks = rules.map(({ id: challengeId, rule }): Lock => {
    const after = rule.after.filter((id) => enabled.has(id))
    const needed = Math.min(rule.count ?? after.length, after.length)
    const isFree = needed === 0 && rule.points === null
    const lock = { challengeId, isHidden: rule.locked === 'Hidden', after, needed, points: rule.points, isFree }
    const open = new Set<number>()
    for (const { team, participation, solved } of standings) {
      const isStored = participation && isUnlocked({ participationId: participation.id, challengeId })
      if (isStored || isFulfilled(lock, team, solved)) open.add(team.id)
      if (participation && !isStored && open.has(team.id)) unlocks.push({ participationId: participation.id, challengeId })
    }
    return { ...lock, open }
  })
  return { locks, unlocks }
}

export function isOpenForTeam({ isFree, open }: Lock, teamId: number): boolean {
  return isFree || open.has(teamId)
}

/** Returns the hidden challenges that no team has unlocked. They are not on any board. */
export function listConcealedChallengeIds(locks: readonly Lock[]): Set<number> {
  return new Set(
    locks.filter(({ isHidden, isFree, open }) => isHidden && !isFree && open.size === 0).map(({ challengeId }) => challengeId),
  )
}

/** Returns a copy of the board without concealed challenges. No team has solved a concealed challenge. */
export function omitConcealedChallenges(board: Scoreboard, concealed: ReadonlySet<number>): Scoreboard {
  if (concealed.size === 0) return board
  const categories = Object.entries(board.challenges).flatMap(([category, list]) => {
    const left = list.filter(({ id }) => !concealed.has(id))
    return left.length === 0 ? [] : [[category, left] as const]
  })
  const divisions = board.divisions?.map(({ challengeConfigs, ...division }) => ({
    ...division,
    challengeConfigs: Object.fromEntries(
      Object.entries(challengeConfigs).filter(([, { challengeId }]) => !concealed.has(challengeId)),
    ),
  }))
  return {
    ...board,
    ...(divisions && { divisions }),
    challenges: Object.fromEntries(categories),
    challengeCount: categories.reduce((sum, [, list]) => sum + list.length, 0),
  }
}

export function omitConcealedLabels(marks: readonly ChallengeMarks[], concealed: ReadonlySet<number>): readonly ChallengeMarks[] {
  return marks.filter(({ id }) => !concealed.has(id))
}

/** Describes the unlock condition of a challenge. @param titles titles of the prerequisites that the team sees */
export function describeUnlockCondition({ after, needed, points }: Lock, titles: readonly string[]): string {
  const named = titles.map((title) => `"${title}"`).join(', ')
  const listed = named === '' ? '' : `: ${named}`
  const solves = needed === after.length ? `all ${needed} prerequisites` : `${needed} of ${after.length} prerequisites`
  const conditions = [
    ...(needed > 0 ? [`the team solves ${solves}${listed}`] : []),
    ...(points === null ? [] : [`the team has ${points} points`]),
  ]
  return `The challenge opens when ${conditions.join(', or when ')}.`
}

type Prerequisites = Readonly<{
  id: number
  title: string
  after: readonly number[]
}>

/**
 * Returns a cycle of challenges that require each other. The list begins and ends with the same challenge.
 * @returns undefined if there is no cycle
 */
export function findPrerequisiteCycle(challenges: readonly Prerequisites[]): Prerequisites[] | undefined {
  const byId = new Map(challenges.map((challenge) => [challenge.id, challenge]))
  const done = new Set<number>()
  const visit = (challenge: Prerequisites, path: readonly Prerequisites[]): Prerequisites[] | undefined => {
    const start = path.indexOf(challenge)
    if (start >= 0) return [...path.slice(start), challenge]
    if (done.has(challenge.id)) return undefined
    for (const id of challenge.after) {
      const next = byId.get(id)
      const cycle = next && visit(next, [...path, challenge])
      if (cycle) return cycle
    }
    done.add(challenge.id)
    return undefined
  }
  for (const challenge of challenges) {
    const cycle = visit(challenge, [])
    if (cycle) return cycle
  }
  return undefined
}
