import type { BloodPoints } from '@capstan/contract/blood'
import type { ChallengeCategory } from '@capstan/contract/challenges'
import { allRights } from '@capstan/contract/division-rights'
import type { CurveName } from '@capstan/contract/score'
import type { recordKinds } from '@capstan/contract/vocabulary'
import type { StoredStatus } from './participation.ts'
import { compareFoundFlags, compareSolves, type RankedSolve, type RankedTeam, type ScoreboardFacts } from './ranking.ts'

export type RecordKind = (typeof recordKinds)[number]

/** State of a row for each kind of record, as the database function `score_record` writes it. Times are in ms since 1970. */
type RecordValues = Readonly<{
  game: Readonly<{ start: number; end: number; bloodBonus: number; bloodPoints: BloodPoints | null }>
  challenge: Readonly<{
    title: string
    category: ChallengeCategory
    isShown: boolean
    deadline: number | null
    originalScore: number
    minScoreRate: number
    difficulty: number
    hasBloods: boolean
    curve: CurveName
    isValueFixed: boolean
  }>
  /** Flag with points. */
  flag: Readonly<{ challenge: number; points: number }>
  division: Readonly<{ name: string; permissions: number | null }>
  right: Readonly<{ permissions: number }>
  participation: Readonly<{ team: number; status: StoredStatus; division: string | null }>
  solve: Readonly<{ submission: number; time: number }>
  found: Readonly<{ challenge: number; submission: number; time: number }>
  award: Readonly<{ participation: number; points: number; time: number }>
  hint: Readonly<{ participation: number; challenge: number; price: number; time: number }>
}>

/** Change of a row that affects scores. The last record of a key is the state of its row. */
export type ScoreRecord = {
  [Kind in RecordKind]: Readonly<{
    kind: Kind
    /**
     * Id of the row. Empty for the game. The id consists of two ids for `right` (division and challenge), `solve` (participation
     * and challenge), and `found` (participation and flag).
     */
    key: string
    /** Time of the change, in ms since 1970. */
    time: number
    /** Null if the row was deleted or revoked. */
    value: RecordValues[Kind] | null
  }>
}[RecordKind]

/** Solve in the form that the build of a board needs. Each solve is parsed only once, because each build reads all solves. */
type StoredSolve = Omit<RankedSolve, 'userName'>

type RowValues = Omit<RecordValues, 'solve'> & { readonly solve: StoredSolve }

/** Latest values of all rows. Each kind of record has a map from row key to value. */
export type ScoreState = Readonly<{ [Kind in RecordKind]: ReadonlyMap<string, RowValues[Kind]> }>

type MutableState = Readonly<{ [Kind in RecordKind]: Map<string, RowValues[Kind]> }>

/** Names for a board. Records contain no names, so that a team can be renamed or erased. */
export type BoardNames = Readonly<{
  /** @returns undefined if the team was deleted, so that no board shows it */
  team(id: number): RankedTeam | undefined
  /** @returns undefined or null if the user no longer exists */
  userOf(submissionId: number): string | null | undefined
}>

/** Data of a board, except the time at which the board is built. */
export type RecordedFacts = Omit<ScoreboardFacts, 'updatedAt'>

/** Kinds of records about actions and results of teams. A freeze hides these records, but not the definitions by organizers. */
const hiddenKinds: ReadonlySet<RecordKind> = new Set(['participation', 'solve', 'found', 'award', 'hint'])

const [blank, zero] = [' '.charCodeAt(0), '0'.charCodeAt(0)]

/** Reads a key that consists of two ids. Avoids temporary strings, because a large game has 100,000 keys. */
function readPair(key: string): readonly [number, number] {
  let [first, id] = [0, 0]
  for (let index = 0; index < key.length; index += 1) {
    const code = key.charCodeAt(index)
    if (code === blank) [first, id] = [id, 0]
    else id = id * 10 + code - zero
  }
  return [first, id]
}

function readSolve(key: string, { submission, time }: RecordValues['solve']): StoredSolve {
  const [participationId, challengeId] = readPair(key)
  return { submissionId: submission, participationId, challengeId, submittedAt: new Date(time) }
}

/** Aggregated state of records, to which later records can be added. */
export type ScoreFold = Readonly<{
  state: ScoreState
  /** Applies the records that count, and ignores all other records. @returns the number of applied records */
  add(records: Iterable<ScoreRecord>): number
}>

function createFold(
  isCounted: (record: ScoreRecord) => boolean,
  runBefore: (state: MutableState, record: ScoreRecord) => void = () => undefined,
): ScoreFold {
  const state = {
    ...{ game: new Map(), challenge: new Map(), flag: new Map(), division: new Map(), right: new Map() },
    ...{ participation: new Map(), solve: new Map(), found: new Map(), award: new Map(), hint: new Map() },
  } satisfies MutableState
  return {
    state,
    add(records) {
      let counted = 0
      for (const record of records) {
        if (!isCounted(record)) continue
        counted += 1
        runBefore(state, record)
        const rows: Map<string, unknown> = state[record.kind]
        if (record.value === null) rows.delete(record.key)
        else rows.set(record.key, record.kind === 'solve' ? readSolve(record.key, record.value) : record.value)
      }
      return counted
    },
  }
}

/** Aggregates all records, regardless of their times, because the clocks of the database and of replicas may differ. */
export function createScoreFoldOfAllRecords(): ScoreFold {
  return createFold(() => true)
}

/** Aggregates the records before an instant. */
function createPastFold(instant: Date): ScoreFold {
  const end = instant.getTime()
  return createFold(({ time }) => time < end)
}

/**
 * Applies the new name of a division to its teams. If the new name is empty, the teams have no division. The database also writes a
 * record with the new name for each team, but these records do not count during a freeze.
 */
function renameDivision({ division, participation }: MutableState, { kind, key, value }: ScoreRecord): void {
  const before = kind === 'division' ? division.get(key)?.name : undefined
  if (kind !== 'division' || before === undefined || !value || value.name === before) return
  for (const [id, team] of participation)
    if (team.division === before) participation.set(id, { ...team, division: value.name || null })
}

/**
 * Aggregates the records that players see during a freeze. Changes at or after the freeze do not count, except for the
 * definitions of challenges, divisions and the game.
 */
export function createScoreFoldUntilFreeze(frozenAt: Date): ScoreFold {
  const end = frozenAt.getTime()
  return createFold(({ kind, time }) => time < end || !hiddenKinds.has(kind), renameDivision)
}

/** Returns rows sorted by id. The id of a row is its key as a number. */
function byId<Value>(rows: ReadonlyMap<string, Value>): (Value & { readonly id: number })[] {
  return Array.from(rows, ([key, value]) => ({ ...value, id: Number(key) })).sort((left, right) => left.id - right.id)
}

/** Groups rows by participation. Each group is sorted by time, then by id. */
function byParticipation<Value extends RecordValues['award'] | RecordValues['hint']>(rows: ReadonlyMap<string, Value>) {
  const ordered = byId(rows).sort((left, right) => left.time - right.time)
  return Map.groupBy(ordered, ({ participation }) => participation)
}

function challengesOf({ challenge, flag }: ScoreState): RecordedFacts['challenges'] {
  const flags = Map.groupBy(flag.values(), (each) => each.challenge)
  return byId(challenge).flatMap(({ isShown, deadline, originalScore, minScoreRate, difficulty, ...rest }) => {
    if (!isShown) return []
    const flagPoints = (flags.get(rest.id) ?? []).reduce((sum, { points }) => sum + points, 0)
    return [
      {
        ...{ ...rest, isEnabled: true, deadline: deadline === null ? null : new Date(deadline), flagPoints },
        ...{ points: originalScore, minimumShare: minScoreRate, decay: difficulty },
      },
    ]
  })
}

function divisionsOf({ division, right }: ScoreState): RecordedFacts['divisions'] {
  const rights = Array.from(right, ([key, { permissions }]) => {
    const [divisionId, challengeId] = readPair(key)
    return { divisionId, challengeId, permissions }
  }).sort((one, other) => one.challengeId - other.challengeId)
  const byDivision = Map.groupBy(rights, ({ divisionId }) => divisionId)
  return byId(division).map(({ id, name, permissions }) => ({
    ...{ id, name, defaultPermissions: permissions ?? allRights },
    overrides: new Map(byDivision.get(id)?.map((entry) => [entry.challengeId, entry.permissions])),
  }))
}

/** Groups found flags with points by participation. Each group is sorted by time, then by submission. */
function foundFlagsOf({ found, flag }: ScoreState) {
  const flags = Array.from(found, ([key, { challenge, submission, time }]) => {
    const [participationId, flagId] = readPair(key)
    const points = flag.get(String(flagId))?.points ?? 0
    return { participationId, found: { challengeId: challenge, submissionId: submission, points, foundAt: new Date(time) } }
  })
  const ordered = flags
    .filter(({ found: { points } }) => points > 0)
    .sort((left, right) => compareFoundFlags(left.found, right.found))
  return Map.groupBy(ordered, ({ participationId }) => participationId)
}

function participationsOf(state: ScoreState, names: BoardNames): RecordedFacts['participations'] {
  const { participation, award, hint } = state
  const found = foundFlagsOf(state)
  const awards = byParticipation(award)
  const hints = byParticipation(hint)
  return byId(participation).flatMap(({ id, team: teamId, status, division }) => {
    const team = status === 'Accepted' ? names.team(teamId) : undefined
    if (!team) return []
    return [
      {
        ...{ id, status, division, team },
        foundFlags: found.get(id)?.map((each) => each.found) ?? [],
        awards: awards.get(id)?.map(({ points, time }) => ({ points, time })) ?? [],
        boughtHints: hints.get(id)?.map(({ challenge, price, time }) => ({ challengeId: challenge, price, time })) ?? [],
      },
    ]
  })
}

function solvesOf({ solve }: ScoreState, names: BoardNames): RecordedFacts['solves'] {
  return Array.from(solve.values(), (each) => ({ ...each, userName: names.userOf(each.submissionId) ?? null })).sort(
    compareSolves,
  )
}

/** @returns undefined if the game does not exist yet */
export function boardFactsOfScoreState(state: ScoreState, names: BoardNames): RecordedFacts | undefined {
  const game = state.game.get('')
  if (!game) return undefined
  return {
    game: { end: new Date(game.end), bloodBonus: game.bloodBonus, bloodPoints: game.bloodPoints },
    challenges: challengesOf(state),
    divisions: divisionsOf(state),
    participations: participationsOf(state, names),
    solves: solvesOf(state, names),
  }
}

/**
 * Returns the data of the board right before an instant.
 * @param records records of a game by id
 * @returns undefined if the game does not exist yet
 */
export function boardFactsBeforeInstant(
  records: Iterable<ScoreRecord>,
  instant: Date,
  names: BoardNames,
): RecordedFacts | undefined {
  const { state, add } = createPastFold(instant)
  add(records)
  return boardFactsOfScoreState(state, names)
}
