// Data from which the board of a game is built: score records, and the names and labels that records lack. ADR 58.
import type { Rows } from '@capstan/db/reader'
import type { RankedTeam } from '../../rules/scoring/ranking.ts'
import {
  type BoardNames,
  boardFactsBeforeInstant,
  boardFactsOfScoreState,
  createScoreFoldOfAllRecords,
  createScoreFoldUntilFreeze,
  type RecordedFacts,
  type ScoreFold,
  type ScoreRecord,
} from '../../rules/scoring/records.ts'
import type { Unlock } from '../../rules/scoring/unlocking.ts'
import { type GameLabels, loadGameLabels, loadRankedTeams, loadStoredUnlocks, loadUserNames } from './facts-repository.ts'
import { loadScoreRecords } from './records-repository.ts'

/** Aggregated state of the records that players see during a freeze. */
type FrozenFold = ScoreFold &
  Readonly<{
    at: Date
    /** True if the freeze hides at least one record. */
    hasHidden: boolean
  }>

/** Cached rows of a game. `reloadGameSource` modifies the maps in this object. */
export type GameSource = Readonly<{
  labels: GameLabels
  /** Records of the game. Records with the same key are in the order in which they were written. */
  records: ScoreRecord[]
  present: ScoreFold
  /** Aggregated state at the freeze. Undefined if the game has no freeze. */
  frozen: FrozenFold | undefined
  teams: Map<number, RankedTeam>
  /** Names of users by submission id. */
  users: Map<number, string>
  /** Times of the unlocks in ms since 1970, by participation id and challenge id. */
  unlocked: Map<number, Map<number, number>>
}>

export type SourceChanges = Readonly<{
  /** Database snapshot with which the source was read. */
  since: string
  /** True if a change is not limited to one team. */
  isFull: boolean
  teamIds: Iterable<number>
}>

/** Ids of the rows whose names or unlocks must be read again. */
type Stale = Readonly<{ teams: Set<number>; participations: Set<number>; submissions: Set<number> }>

/** Finds the ids of the rows to read again: changed teams, and all rows to which these teams and the new records refer. */
function findStale({ present, frozen }: GameSource, teamIds: Iterable<number>, records: readonly ScoreRecord[]): Stale {
  const stale: Stale = { teams: new Set(teamIds), participations: new Set(), submissions: new Set() }
  // Read the new records before the state. If a team returns to the board, only the records contain the team.
  for (const { kind, key, value } of records) {
    if (kind === 'solve' && value) stale.submissions.add(value.submission)
    if (kind !== 'participation' || !value) continue
    stale.teams.add(value.team)
    stale.participations.add(Number(key))
  }
  for (const { state } of stale.teams.size > 0 ? [present, ...(frozen ? [frozen] : [])] : []) {
    for (const [key, { team }] of state.participation) if (stale.teams.has(team)) stale.participations.add(Number(key))
    for (const { participationId, submissionId } of state.solve.values())
      if (stale.participations.has(participationId)) stale.submissions.add(submissionId)
  }
  return stale
}

async function loadNames(at: Rows, gameId: number, { teams, users, unlocked }: GameSource, stale: Stale): Promise<void> {
  if (stale.teams.size > 0) {
    for (const id of stale.teams) teams.delete(id)
    for (const team of await loadRankedTeams(at, stale.teams)) teams.set(team.id, team)
  }
  if (stale.submissions.size > 0) {
    for (const id of stale.submissions) users.delete(id)
    for (const [id, name] of await loadUserNames(at, stale.submissions)) users.set(id, name)
  }
  if (stale.participations.size > 0) {
    for (const id of stale.participations) unlocked.delete(id)
    for (const { participationId, challengeId, time } of await loadStoredUnlocks(at, gameId, stale.participations)) {
      const times = unlocked.get(participationId) ?? new Map()
      unlocked.set(participationId, times.set(challengeId, time))
    }
  }
}

/**
 * Returns the aggregated state at the freeze with the newest records added. Aggregates all records again if the freeze was moved.
 * @param added the newest records, which the source already contains
 */
function refreeze({ labels, records, frozen }: GameSource, added: readonly ScoreRecord[]): FrozenFold | undefined {
  const { freeze } = labels.times
  if (!freeze) return undefined
  const isMoved = frozen?.at.getTime() !== freeze.getTime()
  const fold = isMoved || !frozen ? createScoreFoldUntilFreeze(freeze) : frozen
  const given = fold === frozen ? added : records
  const counted = fold.add(given)
  return { ...fold, at: freeze, hasHidden: counted < given.length || (fold === frozen && frozen.hasHidden) }
}

async function addRecords(
  at: Rows,
  gameId: number,
  source: GameSource,
  { since, teamIds = [] }: Partial<SourceChanges>,
): Promise<GameSource> {
  const added = await loadScoreRecords(at, gameId, since)
  await loadNames(at, gameId, source, findStale(source, teamIds, added))
  source.present.add(added)
  for (const record of added) source.records.push(record)
  return { ...source, frozen: refreeze(source, added) }
}

/** @returns undefined if the game does not exist */
export async function loadGameSource(at: Rows, gameId: number): Promise<GameSource | undefined> {
  const labels = await loadGameLabels(at, gameId)
  if (!labels) return undefined
  const folds = { records: [], present: createScoreFoldOfAllRecords(), frozen: undefined }
  return addRecords(at, gameId, { labels, ...folds, teams: new Map(), users: new Map(), unlocked: new Map() }, {})
}

/**
 * Reads the changed rows again and returns the updated source. Modifies `source`, so do not use `source` after a failure.
 * @returns undefined if the game no longer exists
 */
export async function reloadGameSource(
  at: Rows,
  gameId: number,
  source: GameSource,
  changes: SourceChanges,
): Promise<GameSource | undefined> {
  const labels = changes.isFull ? await loadGameLabels(at, gameId) : source.labels
  return labels && addRecords(at, gameId, { ...source, labels }, changes)
}

function namesOf({ teams, users }: GameSource): BoardNames {
  return { team: (id) => teams.get(id), userOf: (submissionId) => users.get(submissionId) }
}

/** @returns undefined if the records do not contain the game */
export function boardFactsOfScoreFold({ state }: ScoreFold, source: GameSource): RecordedFacts | undefined {
  return boardFactsOfScoreState(state, namesOf(source))
}

/**
 * Returns the board data right before an instant. If the game was created later, returns the data at the creation of the game.
 * @returns undefined if the records do not contain the game
 */
export function boardFactsOfSourceBeforeInstant(source: GameSource, instant: Date): RecordedFacts | undefined {
  const createdMs = source.records.find(({ kind }) => kind === 'game')?.time ?? 0
  return boardFactsBeforeInstant(source.records, new Date(Math.max(instant.getTime(), createdMs + 1)), namesOf(source))
}

/**
 * True if the unlock is stored.
 * @param before instant before which the unlock must have happened. Default: the time of the unlock does not matter
 */
export function isStoredUnlock({ unlocked }: GameSource, { participationId, challengeId }: Unlock, before?: Date): boolean {
  const time = unlocked.get(participationId)?.get(challengeId)
  return time !== undefined && (before === undefined || time < before.getTime())
}
