import type { AdminGame, AdminGameWrite } from '@capstan/contract/games'
import { plainLines } from './digest.ts'

export type DivisionState = Readonly<{
  name: string
  inviteCode: string | null
}>

/** A game in the form in which file and platform are compared, field by field. */
export type GameState = Readonly<{
  title: string
  hidden: boolean
  summary: string
  description: string
  /** SHA-256 of what the platform made of the picture. */
  poster: string | null
  starts: string
  ends: string
  practice: boolean
  acceptWithoutReview: boolean
  inviteCode: string | null
  divisions: readonly DivisionState[]
  teamSize: number
  instancesPerTeam: number
  writeupsRequired: boolean
  writeupsDeadline: string
  writeupsNote: string
  bloodBonus: number
}>

export type GameField = keyof GameState

/** What is not shown. */
export const secretGameFields: ReadonlySet<string> = new Set<GameField>(['inviteCode', 'divisions'])

export function posterHashOf({ poster }: Pick<AdminGame, 'poster'>): string | null {
  return poster?.split('/')[2] ?? null
}

/** A game as the platform has it. */
export function stateOfGame(game: AdminGame): GameState {
  return {
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
  }
}

/** The call takes all settings at once. */
export function writeOfGame(state: GameState): AdminGameWrite {
  return {
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
  }
}
