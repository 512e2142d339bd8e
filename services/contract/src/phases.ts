import type { ProblemCode } from './problems.ts'

export type GameTimes = Readonly<{
  start: Date
  end: Date
  /** True if challenges remain open after the end of the game. Solves then bring no points. */
  practiceMode: boolean
  writeupDeadline: Date
}>

/** Phases of a game, for server and web client. The names are also keys of texts. */
export const gamePhases = ['upcoming', 'running', 'ended'] as const
export type GamePhase = (typeof gamePhases)[number]

export function gamePhaseOf(game: Pick<GameTimes, 'start' | 'end'>, now: Date): GamePhase {
  if (now < game.start) return 'upcoming'
  return now > game.end ? 'ended' : 'running'
}

/**
 * True if a submission was made before the end of the game, so that it may bring points. The code that judges submissions and the
 * scoreboard share this rule. See docs/contract/flags-and-scoring.md.
 */
export function canSubmissionScorePoints(submittedAt: Date, game: Pick<GameTimes, 'end'>): boolean {
  return submittedAt.getTime() < game.end.getTime()
}

/**
 * Returns the instant from which submissions to a challenge bring no points: the deadline of the challenge, or the end of the
 * game if the end is earlier.
 */
export function scoringEndOf({ end }: Pick<GameTimes, 'end'>, deadline: Date | null): Date {
  return deadline && deadline < end ? deadline : end
}

/**
 * True between the deadline of a challenge and the end of its game. After the end, a game with practice mode opens the challenge
 * again.
 */
export function isChallengeClosed(deadline: Date | null, game: Pick<GameTimes, 'start' | 'end'>, now: Date): boolean {
  return deadline !== null && now >= deadline && gamePhaseOf(game, now) !== 'ended'
}

export type FreezeTimes = Readonly<{
  /** Instant from which the board is frozen. Null if the board is never frozen. */
  freeze: Date | null
  /** Instant of the reveal, which ends the freeze. */
  revealed: Date | null
}>

/** True between the freeze and the reveal of a board, even if the game ends in between. */
export function isFrozen(now: Date, { freeze, revealed }: FreezeTimes): boolean {
  return freeze !== null && now >= freeze && (revealed === null || now < revealed)
}

type Refusal = Extract<
  ProblemCode,
  'game.not-started' | 'game.before-start' | 'game.not-over' | 'game.ended' | 'writeup.deadline'
>

/**
 * Row of the phase table: the problem codes with which a call is refused, by phase. The call is allowed in phases without a
 * problem code.
 */
type PhaseRow = Readonly<{
  beforeStart?: Refusal
  whileRunning?: Refusal
  /** Problem code after the end of a game that has no practice mode. */
  overWithoutPractice?: Refusal
  afterDeadline?: Refusal
}>

const always: PhaseRow = {}
const opensWithGame: PhaseRow = { beforeStart: 'game.before-start' }
const play: PhaseRow = { beforeStart: 'game.not-started', overWithoutPractice: 'game.ended' }

/** Table of the phases in which each call is allowed. See docs/contract/games-and-joining.md#phases. */
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
  certificate: { beforeStart: 'game.not-started', whileRunning: 'game.not-over' },
  survey: { beforeStart: 'game.not-started', whileRunning: 'game.not-over' },
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

/** True if players can view challenges: while the game is running, and in practice mode also after the end. */
export function isGamePlayable(game: Pick<GameTimes, 'start' | 'end' | 'practiceMode'>, now: Date): boolean {
  const phase = gamePhaseOf(game, now)
  return phase === 'running' || (phase === 'ended' && game.practiceMode)
}

/**
 * Returns the problem code with which a call is refused at this time, or undefined if the call is allowed. See
 * docs/contract/games-and-joining.md#phases.
 */
export function refuseOutsidePhase(call: PhaseCall, game: GameTimes, now: Date): Refusal | undefined {
  const row: PhaseRow = phaseTable[call]
  const phase = gamePhaseOf(game, now)
  if (phase === 'upcoming') return row.beforeStart
  if (phase === 'running' && row.whileRunning) return row.whileRunning
  if (phase === 'ended' && !game.practiceMode && row.overWithoutPractice) return row.overWithoutPractice
  return now > game.writeupDeadline ? row.afterDeadline : undefined
}
