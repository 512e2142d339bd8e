import type { ProblemCode } from './problems.ts'

export type GameTimes = Readonly<{
  start: Date
  end: Date
  /** True if challenges remain open after the end, but bring no points then. */
  practiceMode: boolean
  writeupDeadline: Date
}>

/** Phases of a game for server and web. They are also keys of texts. */
export const gamePhases = ['upcoming', 'running', 'ended'] as const
export type GamePhase = (typeof gamePhases)[number]

export function phaseOf(game: Pick<GameTimes, 'start' | 'end'>, now: Date): GamePhase {
  if (now < game.start) return 'upcoming'
  return now > game.end ? 'ended' : 'running'
}

/**
 * True if a submission scores because it was made before the end. Judging and the scoreboard share this rule. See
 * docs/contract/flags-and-scoring.md.
 */
export function isScored(submittedAt: Date, game: Pick<GameTimes, 'end'>): boolean {
  return submittedAt.getTime() < game.end.getTime()
}

/** Returns the instant from which submissions to a challenge bring no points: the earlier of its deadline and the game's end. */
export function scoredUntil({ end }: Pick<GameTimes, 'end'>, deadline: Date | null): Date {
  return deadline && deadline < end ? deadline : end
}

/** True from the deadline of a challenge to the end of its game. After the end, the challenge is open again in practice mode. */
export function isClosed(deadline: Date | null, game: Pick<GameTimes, 'start' | 'end'>, now: Date): boolean {
  return deadline !== null && now >= deadline && phaseOf(game, now) !== 'ended'
}

export type FreezeTimes = Readonly<{
  /** Instant from which the board is frozen. Null means never. */
  freeze: Date | null
  /** Instant of the reveal, which ends the freeze. */
  revealed: Date | null
}>

/** True from the freeze until the reveal of a board, also after the end of the game. */
export function isFrozen(now: Date, { freeze, revealed }: FreezeTimes): boolean {
  return freeze !== null && now >= freeze && (revealed === null || now < revealed)
}

type Refusal = Extract<
  ProblemCode,
  'game.not-started' | 'game.before-start' | 'game.not-over' | 'game.ended' | 'writeup.deadline'
>

/** Row of the phase table, with the refusal of a call in each phase. Without a refusal, the call is allowed. */
type PhaseRow = Readonly<{
  beforeStart?: Refusal
  whileRunning?: Refusal
  /** Refusal after the end if practice mode is off. */
  overWithoutPractice?: Refusal
  afterDeadline?: Refusal
}>

const always: PhaseRow = {}
const opensWithGame: PhaseRow = { beforeStart: 'game.before-start' }
const play: PhaseRow = { beforeStart: 'game.not-started', overWithoutPractice: 'game.ended' }

/** Implements the table in docs/contract/games-and-joining.md#phases. The writeup deadline also applies while the game is running. */
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
export function isPlayable(game: Pick<GameTimes, 'start' | 'end' | 'practiceMode'>, now: Date): boolean {
  const phase = phaseOf(game, now)
  return phase === 'running' || (phase === 'ended' && game.practiceMode)
}

/** Returns the refusal of a call at this time, or undefined if it is allowed. See docs/contract/games-and-joining.md#phases. */
export function refusePhase(call: PhaseCall, game: GameTimes, now: Date): Refusal | undefined {
  const row: PhaseRow = phaseTable[call]
  const phase = phaseOf(game, now)
  if (phase === 'upcoming') return row.beforeStart
  if (phase === 'running' && row.whileRunning) return row.whileRunning
  if (phase === 'ended' && !game.practiceMode && row.overWithoutPractice) return row.overWithoutPractice
  return now > game.writeupDeadline ? row.afterDeadline : undefined
}
