import type { BoardSolve } from '@capstan/contract/board-changes'
import type { ChallengeSolvers, Solver } from '@capstan/contract/board-parts'
import { applyBoardChanges } from '@capstan/contract/board-rules'
import { Limits } from '@capstan/contract/limits'
import { isScored } from '@capstan/contract/phases'
import { challengeValue } from '@capstan/contract/score'
import type { Scoreboard } from '@capstan/contract/scoreboard'
import { buildScoreboard, type RankedChallenge, type RankedSolve, type ScoreboardFacts } from './ranking.ts'

/** A solve with the version of the board that it made; 0: made by no version. */
export interface VersionedSolve extends RankedSolve {
  readonly boardVersion: number
}

/** All that was there at one version, and nothing later. */
export interface VersionedFacts extends ScoreboardFacts {
  readonly version: number
  readonly solves: readonly VersionedSolve[]
}

/** What one version brought. */
export interface BoardStep {
  readonly version: number
  /** Empty: its solves do not count. */
  readonly solves: readonly BoardSolve[]
  /** Solves that count of the versions after `base`, up to this one. */
  readonly counted: number
}

/**
 * What came after a version that somebody else knows.
 * @param base where the steps began, before older ones were dropped
 * @param known version, and how many solves it counts since `base`
 * @returns undefined: the steps do not tell
 */
export const stepsSince = <Step extends Pick<BoardStep, 'version' | 'counted'>>(
  steps: readonly Step[],
  base: number,
  known: Pick<BoardStep, 'version' | 'counted'>,
): readonly Step[] | undefined => {
  if (known.version === base) {
    const isComplete = steps.length === 0 || steps[0]?.version === base + 1
    return isComplete && known.counted === 0 ? steps : undefined
  }
  const index = steps.findLastIndex(({ version }) => version === known.version)
  return index >= 0 && steps[index]?.counted === known.counted ? steps.slice(index + 1) : undefined
}

/** Solves of a team or the first of a challenge, in order. */
interface SolveList {
  readonly moments: number[]
  readonly submissionIds: number[]
}

interface LiveTeam extends SolveList {
  readonly id: number
  readonly challengeIds: Set<number>
}

interface LiveChallenge extends SolveList {
  readonly challenge: RankedChallenge
  solvers: number
  /** The last solves, latest first. */
  readonly latest: { readonly teamId: number; readonly moment: number; readonly submissionId: number }[]
}

const compareVersions = (left: VersionedSolve, right: VersionedSolve): number =>
  left.boardVersion - right.boardVersion || left.submissionId - right.submissionId

/** Place of a solve among those before it, by time of submission, then by submission. */
const placeIn = ({ moments, submissionIds }: SolveList, moment: number, submissionId: number): number => {
  let place = moments.length
  while (place > 0) {
    const [otherMoment = 0, otherId = 0] = [moments[place - 1], submissionIds[place - 1]]
    if (otherMoment < moment || (otherMoment === moment && otherId < submissionId)) break
    place -= 1
  }
  return place
}

/**
 * The version from which on every version is one or more solves. Whatever else changes a board makes a version that no solve
 * carries, and so does what takes solves away.
 */
export const baseOf = (version: number, solves: readonly Pick<VersionedSolve, 'boardVersion'>[]): number => {
  const made = new Set(solves.map(({ boardVersion }) => boardVersion))
  let base = version
  while (base > 0 && made.has(base)) base -= 1
  return base
}

/**
 * The scoreboard of a game that takes up new solves as they come, with the steps that led to it. At every version it is what
 * `buildScoreboard` makes of the facts of that version. Rules: docs/contract/scoreboard-and-events.md#changes.
 */
export class LiveBoard {
  readonly base: number
  /** The last ones, none before `base`. */
  readonly steps: BoardStep[] = []
  readonly #game: ScoreboardFacts['game']
  readonly #teams = new Map<number, LiveTeam>()
  readonly #teamsById = new Map<number, LiveTeam>()
  readonly #challenges = new Map<number, LiveChallenge>()
  readonly #mostSteps: number
  #version: number
  #counted = 0
  #board: Scoreboard

  /** @param mostSteps kept steps */
  constructor(facts: VersionedFacts, mostSteps: number) {
    this.#game = facts.game
    this.#mostSteps = mostSteps
    this.base = baseOf(facts.version, facts.solves)
    this.#version = Math.max(this.base, facts.version - mostSteps)
    for (const challenge of facts.challenges)
      if (challenge.isEnabled)
        this.#challenges.set(challenge.id, { challenge, solvers: 0, moments: [], submissionIds: [], latest: [] })
    for (const { id, status, team } of facts.participations) {
      if (status !== 'Accepted') continue
      const live = { id: team.id, challengeIds: new Set<number>(), moments: [], submissionIds: [] }
      this.#teams.set(id, live)
      this.#teamsById.set(team.id, live)
    }
    const isEarly = ({ boardVersion }: VersionedSolve) => boardVersion <= this.#version
    const early = facts.solves.filter(isEarly)
    this.#board = buildScoreboard({ ...facts, solves: early })
    for (const solve of early) this.#count(solve)
    this.advance({ version: facts.version, solves: facts.solves.filter((solve) => !isEarly(solve)), updatedAt: facts.updatedAt })
  }

  get version(): number {
    return this.#version
  }

  /** Solves that count of the versions after `base`. */
  get counted(): number {
    return this.#counted
  }

  get board(): Scoreboard {
    return this.#board
  }

  /** Who has solved each challenge of the board. */
  get solvers(): ReadonlyMap<number, ChallengeSolvers> {
    const teams = new Map(this.#board.items.map((team) => [team.id, team]))
    const solverOf = (challengeId: number, teamId: number): Solver[] => {
      const team = teams.get(teamId)
      const solve = team?.solvedChallenges.find(({ id }) => id === challengeId)
      return team && solve ? [{ id: teamId, name: team.name, avatar: team.avatar, type: solve.type, time: solve.time }] : []
    }
    return new Map(
      [...this.#challenges].map(([id, { solvers, latest }]) => [
        id,
        { count: solvers, latest: latest.flatMap(({ teamId }) => solverOf(id, teamId)) },
      ]),
    )
  }

  /**
   * Takes up the solves of the versions up to this one.
   * @param solves every solve of these versions; each of them has at least one
   */
  advance({ version, solves, updatedAt }: Pick<VersionedFacts, 'version' | 'solves' | 'updatedAt'>): void {
    const counted: BoardSolve[] = []
    const byVersion = Map.groupBy(solves.toSorted(compareVersions), ({ boardVersion }) => boardVersion)
    for (const [made, list] of byVersion) {
      const added = list.flatMap((solve) => this.#count(solve) ?? [])
      this.steps.push({ version: made, solves: added, counted: this.#counted })
      counted.push(...added)
    }
    this.steps.splice(0, this.steps.length - this.#mostSteps)
    this.#version = version
    if (counted.length === 0) return
    const challenges = [...new Set(counted.map(({ challenge }) => challenge))].flatMap((id) => {
      const column = this.#challenges.get(id)
      return column ? [{ id, score: challengeValue(column.challenge, column.solvers) }] : []
    })
    const lastOf = (teamId: number) => this.#teamsById.get(teamId)?.submissionIds.at(-1) ?? 0
    this.#board = applyBoardChanges(
      this.#board,
      { updateTimeUtc: updatedAt.toISOString(), challenges, solves: counted },
      (left, right) => lastOf(left.id) - lastOf(right.id),
    )
  }

  /** @returns the solve with its places; undefined: it does not count */
  #count(solve: VersionedSolve): BoardSolve | undefined {
    const { participationId, challengeId, submissionId, submittedAt, userName } = solve
    const [team, column] = [this.#teams.get(participationId), this.#challenges.get(challengeId)]
    if (!team || !column || team.challengeIds.has(challengeId) || !isScored(submittedAt, this.#game)) return undefined
    const moment = submittedAt.getTime()
    const at = placeIn(team, moment, submissionId)
    team.challengeIds.add(challengeId)
    team.moments.splice(at, 0, moment)
    team.submissionIds.splice(at, 0, submissionId)
    const place = placeIn(column, moment, submissionId) + 1
    column.solvers += 1
    const { latest } = column
    const before = latest.findIndex((other) => (other.moment - moment || other.submissionId - submissionId) < 0)
    latest.splice(before < 0 ? latest.length : before, 0, { teamId: team.id, moment, submissionId })
    latest.length = Math.min(latest.length, Limits.latestSolvers)
    if (solve.boardVersion > this.base) this.#counted += 1
    const isBlood = place <= Limits.bloodsPerChallenge
    if (isBlood) {
      column.moments.splice(place - 1, 0, moment)
      column.submissionIds.splice(place - 1, 0, submissionId)
      column.moments.length = column.submissionIds.length = Math.min(column.moments.length, Limits.bloodsPerChallenge)
    }
    const time = submittedAt.toISOString()
    return { team: team.id, challenge: challengeId, userName, time, place: isBlood ? place : 0, at }
  }
}
