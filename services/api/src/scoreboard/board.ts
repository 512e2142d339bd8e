import type { BoardChanges } from '@capstan/contract/board-changes'
import { Limits } from '@capstan/contract/limits'
import type { GameTimes } from '@capstan/contract/phases'
import type { BoardChallenge, ScoreboardTeam } from '@capstan/contract/scoreboard'
import { LRUCache } from 'lru-cache'
import { ReadyAnswer } from '../http/ready-answer.ts'
import { stepsSince } from '../scoring/live-board.ts'
import { type BoardHistory, type MadeBoard, mostSteps, type WrittenStep } from './board-maker.ts'
import type { BoardContent } from './board-writer.ts'

/** Boards that clients know and ask for changes since: most know the last few. */
const mostAnswers = 50

/** The last built scoreboard of a game. */
export interface Board {
  readonly answer: ReadyAnswer
  /** Its first rows: what `LeadingBoard` says. */
  leading(): ReadyAnswer
  /** @returns undefined: no such challenge is on the board */
  solversOf(challengeId: number): ReadyAnswer | undefined
  /** What its challenges are marked with. */
  readonly marks: ReadyAnswer
  /** What clients ask for changes since: of an equal board with an equal history the same, on every replica. */
  readonly version: string
  /** The game's version whose solves and changes are in it. */
  readonly builtFrom: number
  readonly times: GameTimes
  /** By category. */
  readonly challenges: Readonly<Record<string, BoardChallenge[]>>
  readonly challengeCount: number
  readonly teamCount: number
  standingOf(teamId: number): ScoreboardTeam | undefined
  /** Of the board, by rank. @param skip those before them */
  leaders(count: number, skip?: number): ScoreboardTeam[]
  /** Teams with at least one solve, which stand before all others. */
  countScored(): number
  /** Rules: docs/contract/scoreboard-and-events.md#changes. @param since a board's version, or whatever a client says it is */
  changesSince(since: string): ReadyAnswer
}

/** A board with what the next one needs to know of it. */
export interface KeptBoard extends Board {
  readonly history: BoardHistory
  readonly steps: readonly WrittenStep[]
  readonly content: Omit<BoardContent, 'bytes'>
}

const writeVersion = ({ version, counted, origin }: Omit<BoardHistory, 'base'>): string => `${version}.${counted}.${origin}`

const readVersion = (text: string): Omit<BoardHistory, 'base'> | undefined => {
  const [, version, counted, origin] = /^(\d{1,15})\.(\d{1,9})\.([\w-]{12})$/.exec(text) ?? []
  if (version === undefined || counted === undefined || origin === undefined) return undefined
  return { version: Number(version), counted: Number(counted), origin }
}

/** The steps of both, if the later ones go on where the earlier end. */
const joinSteps = (made: MadeBoard, before: KeptBoard | undefined): readonly WrittenStep[] => {
  const { history, steps } = made
  if (before?.history.origin !== history.origin) return steps
  const isNext = (steps[0]?.version ?? history.version + 1) === before.history.version + 1
  return isNext ? [...before.steps, ...steps].slice(-mostSteps) : steps
}

const createChanges = ({ history, steps, content }: Pick<KeptBoard, 'history' | 'steps' | 'content'>) => {
  const { updateTimeUtc, challenges, ties } = content
  const nothing = { whole: false, updateTimeUtc, challenges: [], solves: [], ties: [] }
  const answerOf = (changes: BoardChanges) => new ReadyAnswer(JSON.stringify(changes))
  const version = writeVersion(history)
  const whole = answerOf({ ...nothing, version, whole: true })
  const make = (since: string): ReadyAnswer => {
    const known = readVersion(since)
    if (known?.origin !== history.origin) return whole
    // Another process has built a later board.
    if (known.version > history.version) return answerOf({ ...nothing, version: since })
    const missed = stepsSince(steps, history.base, known)
    if (!missed) return whole
    const ids = new Set(missed.flatMap(({ challengeIds }) => challengeIds))
    const values = Object.values(challenges).flatMap((list) =>
      list.flatMap(({ id, score }) => (ids.has(id) ? [{ id, score }] : [])),
    )
    const json = missed.flatMap((step) => (step.json === '' ? [] : [step.json])).join(',')
    const head = JSON.stringify({ version, whole: false, updateTimeUtc, challenges: values, ties: ids.size > 0 ? ties : [] })
    return new ReadyAnswer(`${head.slice(0, -1)},"solves":[${json}]}`)
  }
  const answers = new LRUCache<string, ReadyAnswer>({ max: mostAnswers })
  return (since: string): ReadyAnswer => {
    const answer = answers.get(since) ?? make(since)
    answers.set(since, answer)
    return answer
  }
}

/** Parts of a board that are sent by themselves, each made when it is first asked for. */
const createParts = ({ teamIds, offsets, solvers }: KeptBoard['content'], answer: ReadyAnswer) => {
  const known = new Map<number, ReadyAnswer>()
  let leading: ReadyAnswer | undefined
  const writeLeading = (): string => {
    const [cut = 0, rest = 0] = [offsets[Math.min(Limits.leadingTeams, teamIds.length)], offsets[teamIds.length]]
    const rows = answer.text(0, teamIds.length > 0 ? cut - 1 : cut)
    return `${rows}${answer.text(teamIds.length > 0 ? rest - 1 : rest, answer.size - 1)},"teamCount":${teamIds.length}}`
  }
  return {
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

/** @param before the board so far: its bytes stay, with their time of building, when nothing in them has changed */
export const createBoard = (made: MadeBoard, before: KeptBoard | undefined): KeptBoard => {
  const { times, history } = made
  const [content, answer] = made.content
    ? [made.content, new ReadyAnswer(made.content.bytes, made.content.etag)]
    : [before?.content, before?.answer]
  if (!content || !answer) throw new Error('A board without content follows none')
  const { challenges, challengeCount, teamIds, offsets } = content
  const steps = joinSteps(made, before)
  const marks = new ReadyAnswer(made.marks)
  const standingAt = (index: number): ScoreboardTeam | undefined => {
    const [from, next] = [offsets[index], offsets[index + 1]]
    if (from === undefined || next === undefined) return undefined
    return JSON.parse(answer.text(from, next - 1)) as ScoreboardTeam
  }
  return {
    answer,
    ...(before?.answer === answer ? { leading: before.leading, solversOf: before.solversOf } : createParts(content, answer)),
    marks: before?.marks.etag === marks.etag ? before.marks : marks,
    version: writeVersion(history),
    builtFrom: history.version,
    times,
    challenges,
    challengeCount,
    history,
    steps,
    content,
    teamCount: teamIds.length,
    standingOf: (teamId) => standingAt(teamIds.indexOf(teamId)),
    leaders: (count, skip = 0) =>
      Array.from(teamIds.subarray(skip, skip + count), (_, index) => standingAt(skip + index)).filter(
        (team) => team !== undefined,
      ),
    countScored() {
      let [from, to] = [0, teamIds.length]
      while (from < to) {
        const middle = (from + to) >> 1
        if ((standingAt(middle)?.solvedCount ?? 0) > 0) from = middle + 1
        else to = middle
      }
      return from
    },
    changesSince: createChanges({ history, steps, content }),
  }
}
