import type { ProblemCode } from './problems.ts'

/** What the phase of a game depends on. */
export interface GameTimes {
  readonly start: Date
  readonly end: Date
  /** Challenges stay open after the end, without points. */
  readonly practiceMode: boolean
  readonly writeupDeadline: Date
}

/** The words of server and web alike; they name texts too. */
export const gamePhases = ['upcoming', 'running', 'ended'] as const
export type GamePhase = (typeof gamePhases)[number]

/** "Running" = start <= now <= end, both instants included. */
export const phaseOf = (game: Pick<GameTimes, 'start' | 'end'>, now: Date): GamePhase => {
  if (now < game.start) return 'upcoming'
  return now > game.end ? 'ended' : 'running'
}

/**
 * Only what was handed in before the end is scored. One rule for judging and for the scoreboard.
 * Rules: docs/contract/flags-and-scoring.md.
 */
export const isScored = (submittedAt: Date, game: Pick<GameTimes, 'end'>): boolean => submittedAt.getTime() < game.end.getTime()

type Refusal = Extract<ProblemCode, 'game.not-started' | 'game.before-start' | 'game.ended' | 'writeup.deadline'>

/** One row of the table of phases: undefined lets the call through. */
interface PhaseRow {
  readonly beforeStart?: Refusal
  /** Refusal after the end when practice mode is off. */
  readonly overWithoutPractice?: Refusal
  /** Refusal once the writeup deadline has passed. */
  readonly afterDeadline?: Refusal
}

const always: PhaseRow = {}
const opensWithGame: PhaseRow = { beforeStart: 'game.before-start' }
const play: PhaseRow = { beforeStart: 'game.not-started', overWithoutPractice: 'game.ended' }

/** The table of docs/contract/games-and-joining.md#phases, row by row. The deadline also holds while the game runs. */
export const phaseTable = {
  gamePage: always,
  join: { overWithoutPractice: 'game.ended' },
  leave: always,
  scoreboard: opensWithGame,
  notices: opensWithGame,
  details: play,
  challenge: play,
  submit: play,
  container: play,
  readWriteup: { beforeStart: 'game.not-started' },
  uploadWriteup: { beforeStart: 'game.not-started', afterDeadline: 'writeup.deadline' },
  events: opensWithGame,
  submissions: opensWithGame,
  cheatInfo: opensWithGame,
  sheets: opensWithGame,
  participations: always,
  captures: always,
  edit: always,
} as const satisfies Record<string, PhaseRow>

export type PhaseCall = keyof typeof phaseTable

/** May challenges be looked at? Practice mode keeps them after the end. */
export const isPlayable = (game: Pick<GameTimes, 'start' | 'end' | 'practiceMode'>, now: Date): boolean => {
  const phase = phaseOf(game, now)
  return phase === 'running' || (phase === 'ended' && game.practiceMode)
}

/** Whether the phase of the game refuses a call; undefined when it does not. Rules: docs/contract/games-and-joining.md#phases. */
export const refusePhase = (call: PhaseCall, game: GameTimes, now: Date): Refusal | undefined => {
  const row: PhaseRow = phaseTable[call]
  const phase = phaseOf(game, now)
  if (phase === 'upcoming') return row.beforeStart
  if (phase === 'ended' && !game.practiceMode && row.overWithoutPractice) return row.overWithoutPractice
  return now > game.writeupDeadline ? row.afterDeadline : undefined
}
