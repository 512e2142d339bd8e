import { noSubmissionTime } from '@capstan/contract/board-rules'
import type { ScoreboardTeam } from '@capstan/contract/scoreboard'

/** Points that a team got after the freeze. */
type HiddenGain = Readonly<{
  kind: 'solve' | 'flag' | 'award'
  /** Challenge for which the team got the points. Undefined for points that organizers gave. */
  challengeId: number | undefined
  points: number
  /** Time at which the team got the points, in ms since 1970. */
  time: number
}>

/** Team whose hidden points the reveal shows. */
type Contender = Readonly<{
  team: ScoreboardTeam
  /** Place of the team on the live board. The first place is 0. */
  place: number
  /** Points that the frozen board hides, in order of time. */
  gains: readonly HiddenGain[]
}>

export type RevealStep =
  /** First step of the reveal: the board recalculates each score with the current challenge values and penalties. */
  | Readonly<{ kind: 'values' }>
  /**
   * Step of the reveal after the first one: a team gets hidden points, and moves from place `from` to place `to`. The first place
   * is 0.
   */
  | Readonly<{ kind: 'gain'; teamId: number; gain: HiddenGain; from: number; to: number }>

export type Reveal = Readonly<{
  contenders: readonly Contender[]
  /** Rows before the first step. */
  frozen: readonly RevealRow[]
  steps: readonly RevealStep[]
}>

export type RevealRow = Readonly<{
  team: ScoreboardTeam
  score: number
  /** Number of the team's solves, flags and awards that are still hidden. */
  hidden: number
}>

type Standing = RevealRow & Readonly<{ contender: Contender; countedAt: string }>

/**
 * Returns the values that `after` contains and `before` lacks. If `after` contains a key more often than `before`, only the
 * additional values are returned.
 */
function addedTo<Value>(before: readonly Value[], after: readonly Value[], keyOf: (value: Value) => string): Value[] {
  const counts = new Map<string, number>()
  for (const value of before) counts.set(keyOf(value), (counts.get(keyOf(value)) ?? 0) + 1)
  return after.filter((value) => {
    const left = counts.get(keyOf(value)) ?? 0
    counts.set(keyOf(value), left - 1)
    return left <= 0
  })
}

function gainsOf(frozen: ScoreboardTeam | undefined, live: ScoreboardTeam): HiddenGain[] {
  const solves = addedTo(frozen?.solvedChallenges ?? [], live.solvedChallenges, ({ id }) => String(id))
  const flags = addedTo(frozen?.foundFlags ?? [], live.foundFlags ?? [], ({ id, time }) => `${id} ${time}`)
  const awards = addedTo(frozen?.awards ?? [], live.awards ?? [], ({ points, time }) => `${points} ${time}`)
  return [
    ...solves.map(({ id, score, time }) => ({
      ...{ kind: 'solve' as const, challengeId: id, points: score, time: Date.parse(time) },
    })),
    ...flags.map(({ id, points, time }) => ({ kind: 'flag' as const, challengeId: id, points, time })),
    ...awards
      .filter(({ points }) => points > 0)
      .map(({ points, time }) => ({ kind: 'award' as const, challengeId: undefined, points, time })),
  ].sort((one, other) => one.time - other.time)
}

/** Returns the time of the last visible solve or found flag that gave points. Teams with equal scores are sorted by this time. */
function countedAtOf({ solvedChallenges, foundFlags = [], lastSubmissionTime }: ScoreboardTeam, hidden: readonly HiddenGain[]) {
  if (hidden.length === 0) return lastSubmissionTime
  const hides = (kind: HiddenGain['kind'], id: number, at: number) =>
    hidden.some((gain) => gain.kind === kind && gain.challengeId === id && gain.time === at)
  const times = [
    ...solvedChallenges
      .filter(({ id, score, time }) => score > 0 && !hides('solve', id, Date.parse(time)))
      .map(({ time }) => time),
    ...foundFlags.filter(({ id, time }) => !hides('flag', id, time)).map(({ time }) => new Date(time).toISOString()),
  ]
  return times.reduce((last, time) => (last === noSubmissionTime || time > last ? time : last), noSubmissionTime)
}

function standingAfter(contender: Contender, shown: number): Standing {
  const { team, gains } = contender
  const hidden = gains.slice(shown)
  const score = team.score - hidden.reduce((sum, { points }) => sum + points, 0)
  return { contender, team, score, hidden: hidden.length, countedAt: countedAtOf(team, hidden) }
}

/** Compares two teams by score. If the scores are equal, compares the times at which the teams last got points. */
function compareStandings(one: Standing, other: Standing): number {
  if (one.score !== other.score) return other.score - one.score
  const [hasTime, otherHasTime] = [one.countedAt !== noSubmissionTime, other.countedAt !== noSubmissionTime]
  if (hasTime !== otherHasTime) return hasTime ? -1 : 1
  if (!hasTime) return one.team.id - other.team.id
  if (one.countedAt !== other.countedAt) return one.countedAt < other.countedAt ? -1 : 1
  return one.contender.place - other.contender.place
}

function moveTo<Value>(list: Value[], from: number, value: Value, isBefore: (one: Value, other: Value) => boolean): number {
  list.splice(from, 1)
  const found = list.findIndex((each) => isBefore(value, each))
  const to = found === -1 ? list.length : found
  list.splice(to, 0, value)
  return to
}

function isSameRow(one: RevealRow | undefined, other: RevealRow | undefined) {
  return one?.team.id === other?.team.id && one?.score === other?.score
}

/**
 * Returns the steps that turn a frozen board into the live board. Each step shows the next hidden points of the lowest team that
 * still has hidden points.
 * @param frozen ranked teams of the frozen board, in order
 * @param live ranked teams of the live board, in order
 */
export function planRevealSteps(frozen: readonly ScoreboardTeam[], live: readonly ScoreboardTeam[]): Reveal {
  const before = new Map(frozen.map((team) => [team.id, team]))
  const contenders = live.map((team, place) => ({ team, place, gains: gainsOf(before.get(team.id), team) }))
  const order = contenders.map((contender) => standingAfter(contender, 0)).sort(compareStandings)
  const hidden = new Map(order.map((row) => [row.team.id, row.hidden]))
  const start = frozen.map((team) => ({ team, score: team.score, hidden: hidden.get(team.id) ?? 0 }))
  const isSettled = start.length === order.length && start.every((row, place) => isSameRow(row, order[place]))
  const steps: RevealStep[] = isSettled ? [] : [{ kind: 'values' }]
  for (let place = order.length - 1; ; ) {
    const row = order[place]
    if (!row) break
    const { contender, hidden: left } = row
    const gain = contender.gains[contender.gains.length - left]
    if (gain) {
      const next = standingAfter(contender, contender.gains.length - left + 1)
      const to = moveTo(order, place, next, (one, other) => compareStandings(one, other) < 0)
      steps.push({ kind: 'gain', teamId: contender.team.id, gain, from: place, to })
    } else {
      place -= 1
    }
  }
  return { contenders, frozen: start, steps }
}

/** Returns the board after the first `count` steps, as a sorted list of rows. */
export function computeRowsAfterSteps({ contenders, frozen, steps }: Reveal, count: number): readonly RevealRow[] {
  const done = steps.slice(0, count)
  if (done.length === 0 && steps[0]?.kind === 'values') return frozen
  const shown = new Map<number, number>()
  for (const step of done) if (step.kind === 'gain') shown.set(step.teamId, (shown.get(step.teamId) ?? 0) + 1)
  return contenders.map((contender) => standingAfter(contender, shown.get(contender.team.id) ?? 0)).sort(compareStandings)
}
