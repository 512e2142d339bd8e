import { createHash } from 'node:crypto'
import type { BoardChanges } from '@capstan/contract/board-changes'
import { Limits } from '@capstan/contract/limits'
import type { BoardChallenge, Scoreboard, ScoreboardTeam } from '@capstan/contract/scoreboard'
import { LRUCache } from 'lru-cache'
import type { Lock } from '../../rules/scoring/unlocking.ts'
import { ReadyAnswer } from '../../server/http/ready-answer.ts'
import type { BoardHistory, MadeView } from './board-maker.ts'
import type { BoardContent } from './board-writer.ts'
import type { BoardTimes } from './facts-repository.ts'

/**
 * Maximum number of cached change responses of one board. A few suffice, because most clients have one of the latest versions.
 * Together, the cached responses are at most as large as the board.
 */
const maxAnswers = 50

/** Maximum share of changed bytes. If more bytes changed, clients read the full board. */
const maxChangedShare = 1 / 4

/** Scoreboard of a game, as it was last built. */
export type Board = Readonly<{
  answer: ReadyAnswer
  /** Returns the rows of the leading teams as JSON in the shape of `LeadingBoard`. */
  leading(): ReadyAnswer
  /** @returns undefined if the challenge is not on the board */
  solversOf(challengeId: number): ReadyAnswer | undefined
  /** Difficulties and tags of the challenges as JSON. */
  marks: ReadyAnswer
  /** Unlock conditions of challenges, by challenge id. */
  locks: ReadonlyMap<number, Lock>
  /** Tag that changes when an unlock condition changes or a team unlocks a challenge. */
  lockTag: string
  /** True if the game had ended when the board was built. */
  isOver: boolean
  /** Position in the change feed. The board includes every change by a transaction whose number is lower than this position. */
  position: number
  times: BoardTimes
  /** Instant of the freeze. Null if the board shows the current state. */
  frozenAt: Date | null
  challenges: Readonly<Record<string, BoardChallenge[]>>
  /** Challenges by category, including hidden challenges that no team has unlocked. */
  allChallenges: Readonly<Record<string, BoardChallenge[]>>
  challengeCount: number
  teamCount: number
  /** Number of teams with an overall rank. */
  rankedCount: number
  /** Map from the name of a division to its number of teams. Divisions without teams are omitted. */
  divisionSizes: ReadonlyMap<string, number>
  /** Returns the board without the rows of the teams. */
  readHead(): Omit<Scoreboard, 'items'>
  standingOf(teamId: number): ScoreboardTeam | undefined
  /** Returns teams in order of rank. @param skip number of leading teams that are omitted */
  leaders(count: number, skip?: number): ScoreboardTeam[]
  /** Number of teams with an overall rank and at least one solve. */
  scoredCount: number
  /**
   * Returns the changes since a position. Rules: docs/contract/scoreboard-and-events.md#changes.
   * @param since the position that the client sent, or undefined if the client sent no valid position
   */
  changesSince(since: number | undefined): ReadyAnswer
}>

export type BuiltBoard = Board &
  Readonly<{
    content: Omit<BoardContent, 'bytes'>
  }>

export function parseFeedPosition(version: string): number | undefined {
  return /^\d{1,15}$/.test(version) ? Number(version) : undefined
}

function createChanges(
  { position, floor, changed }: BoardHistory,
  { updateTimeUtc, challenges, teamIds, offsets, ties }: BuiltBoard['content'],
  answer: ReadyAnswer,
  isFrozen: boolean,
) {
  const nothing: BoardChanges = {
    ...{ version: String(position), whole: false, updateTimeUtc, teams: [], removed: [], challenges: [], ties: [] },
  }
  const answerOf = (changes: BoardChanges) => new ReadyAnswer(JSON.stringify(changes))
  const whole = answerOf({ ...nothing, whole: true })
  const values = Object.values(challenges).flatMap((list) =>
    list.map(({ id, score, solved, bloods }) => ({ id, score, solved, bloods: bloods.map((team) => team.id) })),
  )
  const make = (since: number | undefined): ReadyAnswer => {
    if (since === undefined || since < floor || (isFrozen && since !== position)) return whole
    // The client has a newer board, which another replica built.
    if (since > position) return answerOf({ ...nothing, version: String(since) })
    const ids = new Set([...changed].flatMap(([id, at]) => (at >= since ? [id] : [])))
    if (ids.size === 0) return answerOf(nothing)
    const rows: string[] = []
    let size = 0
    for (const [index, id] of teamIds.entries()) {
      if (!ids.delete(id)) continue
      const [from = 0, next = 0] = [offsets[index], offsets[index + 1]]
      size += next - from
      if (size > answer.size * maxChangedShare && rows.length > 0) return whole
      rows.push(answer.text(from, next - 1))
    }
    const { teams: _, ...rest } = { ...nothing, removed: [...ids], challenges: values, ties: ties.map((tied) => [...tied]) }
    return new ReadyAnswer(`${JSON.stringify(rest).slice(0, -1)},"teams":[${rows.join(',')}]}`)
  }
  const answers = new LRUCache<number, ReadyAnswer>({
    max: maxAnswers,
    maxSize: answer.size,
    sizeCalculation: ({ size }) => size,
  })
  return (since: number | undefined): ReadyAnswer => {
    if (since === undefined) return whole
    const known = answers.get(since) ?? make(since)
    answers.set(since, known)
    return known
  }
}

/** Creates the responses that contain only a part of a board. Each response is serialized on first use. */
function createParts({ teamIds, offsets, solvers }: BuiltBoard['content'], answer: ReadyAnswer) {
  const known = new Map<number, ReadyAnswer>()
  let leading: ReadyAnswer | undefined
  /** Returns the offset at which a row ends, without the comma that follows. */
  const endOf = (rows: number): number => (offsets[rows] ?? 0) - (rows > 0 ? 1 : 0)
  /** Returns the board as JSON with only its first rows, and without the last brace. */
  const writeStart = (rows: number): string =>
    `${answer.text(0, endOf(rows))}${answer.text(endOf(teamIds.length), answer.size - 1)}`
  const writeLeading = (): string => `${writeStart(Math.min(Limits.leadingTeams, teamIds.length))},"teamCount":${teamIds.length}}`
  return {
    readHead(): Omit<Scoreboard, 'items'> {
      const { items: _, ...head } = JSON.parse(`${writeStart(0)}}`) as Scoreboard
      return head
    },
    leading(): ReadyAnswer {
      leading ??= new ReadyAnswer(writeLeading(), answer.etag)
      return leading
    },
    solversOf(challengeId: number): ReadyAnswer | undefined {
      const found = solvers.get(challengeId)
      if (!found) return undefined
      const written = known.get(challengeId) ?? new ReadyAnswer(JSON.stringify(found))
      known.set(challengeId, written)
      return written
    },
  }
}

function tagOf(locks: readonly Lock[]): string {
  if (locks.length === 0) return ''
  const plain = locks.map(({ open, ...lock }) => ({ ...lock, open: [...open].sort((left, right) => left - right) }))
  return createHash('sha256').update(JSON.stringify(plain)).digest('base64url')
}

/** @param before the previous board. If the content is equal, the bytes and the build time of the previous board are reused. */
export function createBoard(made: MadeView, before: BuiltBoard | undefined): BuiltBoard {
  const { times, frozenAt, allChallenges, history } = made
  const fresh = made.content?.etag === before?.answer.etag ? undefined : made.content
  const [content, answer] = fresh ? [fresh, new ReadyAnswer(fresh.bytes, fresh.etag)] : [before?.content, before?.answer]
  if (!content || !answer) throw new Error('Got a board without content, but there is no previous board')
  const { challenges, challengeCount, teamIds, offsets } = content
  const marks = new ReadyAnswer(made.marks)
  const standingAt = (index: number): ScoreboardTeam | undefined => {
    const [from, next] = [offsets[index], offsets[index + 1]]
    if (from === undefined || next === undefined) return undefined
    return JSON.parse(answer.text(from, next - 1)) as ScoreboardTeam
  }
  return {
    answer,
    ...(before?.answer === answer
      ? { leading: before.leading, readHead: before.readHead, solversOf: before.solversOf }
      : createParts(content, answer)),
    marks: before?.marks.etag === marks.etag ? before.marks : marks,
    locks: new Map(made.locks.map((lock) => [lock.challengeId, lock])),
    lockTag: tagOf(made.locks),
    isOver: made.isOver,
    position: history.position,
    times,
    frozenAt,
    challenges,
    allChallenges,
    challengeCount,
    content,
    teamCount: teamIds.length,
    rankedCount: content.rankedCount,
    divisionSizes: content.divisionSizes,
    scoredCount: content.scoredCount,
    standingOf: (teamId) => standingAt(teamIds.indexOf(teamId)),
    leaders: (count, skip = 0) =>
      Array.from(teamIds.subarray(skip, skip + count), (_, index) => standingAt(skip + index)).filter(
        (team) => team !== undefined,
      ),
    changesSince: createChanges(history, content, answer, frozenAt !== null),
  }
}
