import type { AdminGame, AdminGameWrite } from '@capstan/contract/games'
import { plainLines } from './digest.ts'

export interface DivisionState {
  readonly name: string
  readonly inviteCode: string | null
}

/** A game in the form in which file and platform are compared, field by field. */
export interface GameState {
  readonly title: string
  readonly hidden: boolean
  readonly summary: string
  readonly description: string
  /** SHA-256 of what the platform made of the picture. */
  readonly poster: string | null
  readonly starts: string
  readonly ends: string
  readonly practice: boolean
  readonly acceptWithoutReview: boolean
  readonly inviteCode: string | null
  readonly divisions: readonly DivisionState[]
  readonly teamSize: number
  readonly instancesPerTeam: number
  readonly writeupsRequired: boolean
  readonly writeupsDeadline: string
  readonly writeupsNote: string
  readonly bloodBonus: number
}

export type GameField = keyof GameState

/** What is not shown. */
export const secretGameFields: ReadonlySet<string> = new Set<GameField>(['inviteCode', 'divisions'])

export const posterHashOf = ({ poster }: Pick<AdminGame, 'poster'>): string | null => poster?.split('/')[2] ?? null

/** A game as the platform has it. */
export const stateOfGame = (game: AdminGame): GameState => ({
  title: game.title,
  hidden: game.hidden,
  summary: plainLines(game.summary),
  description: plainLines(game.content),
  poster: posterHashOf(game),
  starts: game.start,
  ends: game.end,
  practice: game.practiceMode,
  acceptWithoutReview: game.acceptWithoutReview,
  inviteCode: game.inviteCode,
  divisions: (game.organizations ?? []).map((name) => ({ name, inviteCode: game.organizationCodes?.[name] ?? null })),
  teamSize: game.teamMemberCountLimit,
  instancesPerTeam: game.containerCountLimit,
  writeupsRequired: game.writeupRequired,
  writeupsDeadline: game.writeupDeadline,
  writeupsNote: plainLines(game.writeupNote),
  bloodBonus: game.bloodBonus,
})

/** The call takes all settings at once. */
export const writeOfGame = (state: GameState): AdminGameWrite => ({
  title: state.title,
  hidden: state.hidden,
  summary: state.summary,
  content: state.description,
  acceptWithoutReview: state.acceptWithoutReview,
  writeupRequired: state.writeupsRequired,
  inviteCode: state.inviteCode,
  // As a list: a map of names loses its order where they look like numbers.
  organizations: state.divisions.map(({ name }) => name),
  organizationCodes: Object.fromEntries(state.divisions.map(({ name, inviteCode }) => [name, inviteCode])),
  teamMemberCountLimit: state.teamSize,
  containerCountLimit: state.instancesPerTeam,
  practiceMode: state.practice,
  start: state.starts,
  end: state.ends,
  writeupDeadline: state.writeupsDeadline,
  writeupNote: state.writeupsNote,
  bloodBonus: state.bloodBonus,
})
