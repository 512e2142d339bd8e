import type { BloodPoints } from '@capstan/contract/blood'
import type { Certificate, CertificateWrite } from '@capstan/contract/certificates'
import type { AdminGame, AdminGameWrite } from '@capstan/contract/games'
import type { EditedQuestion } from '@capstan/contract/questions'
import type { SurveyMode } from '@capstan/contract/surveys'
import { normalizeLineEnds } from './digest.ts'
import type { DivisionRightsState } from './division-rights.ts'

export type DivisionState = Readonly<{
  name: string
  inviteCode: string | null
}>

export type QuestionState = Readonly<Omit<EditedQuestion, 'id' | 'archived'>>

/** Settings of a game in a form that is the same for the file and the platform, so that both can be compared. */
export type GameState = Readonly<{
  title: string
  hidden: boolean
  summary: string
  description: string
  /** SHA-256 of the picture that the platform made from the poster. */
  poster: string | null
  starts: string
  ends: string
  practice: boolean
  acceptWithoutReview: boolean
  inviteCode: string | null
  divisions: readonly DivisionState[]
  /** Rights of the divisions, sorted by the name of the division. */
  divisionRights: readonly DivisionRightsState[]
  teamSize: number
  instancesPerTeam: number
  writeupsRequired: boolean
  writeupsDeadline: string
  writeupsNote: string
  bloodBonus: number
  bloodPoints: BloodPoints | null
  allowsDebt: boolean
  freeze: string | null
  registrationOpens: string | null
  registrationCloses: string | null
  teamLimit: number | null
  survey: SurveyMode
  questions: readonly QuestionState[]
  /** Template of the certificates without its pictures. Null if there is no template. */
  certificate: CertificateWrite | null
}>

export type GameField = keyof GameState

/** Fields whose values are not printed. */
export const secretGameFields: ReadonlySet<string> = new Set<GameField>(['inviteCode', 'divisions'])

export function posterHashOf({ poster }: Pick<AdminGame, 'poster'>): string | null {
  return poster?.split('/')[2] ?? null
}

/** Returns bonuses with their members in a fixed order, because their digests are compared. */
export function toSortedBonuses(bonuses: Partial<BloodPoints> | null | undefined): BloodPoints | null {
  return bonuses ? { first: bonuses.first ?? 0, second: bonuses.second ?? 0, third: bonuses.third ?? 0 } : null
}

function instantOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

function msOf(instant: string | null): number | null {
  return instant === null ? null : Date.parse(instant)
}

/** Returns the template of certificates with its members in a fixed order. @returns null if there is no template */
function certificateOf(stored: Certificate): CertificateWrite | null {
  if (stored.title === '') return null
  return {
    isEnabled: stored.isEnabled,
    title: stored.title,
    text: normalizeLineEnds(stored.text),
    participationText: normalizeLineEnds(stored.participationText),
    signer: normalizeLineEnds(stored.signer),
    paper: stored.paper,
    orientation: stored.orientation,
    language: stored.language,
  }
}

type StoredGame = Readonly<{
  game: AdminGame
  divisionRights: readonly DivisionRightsState[]
  certificate: Certificate
}>

/** Returns the settings of a game on the platform. */
export function settingsOfGame({ game, divisionRights, certificate }: StoredGame): GameState {
  return {
    title: game.title,
    hidden: game.hidden,
    summary: normalizeLineEnds(game.summary),
    description: normalizeLineEnds(game.content),
    poster: posterHashOf(game),
    starts: game.start,
    ends: game.end,
    practice: game.practiceMode,
    acceptWithoutReview: game.acceptWithoutReview,
    inviteCode: game.inviteCode,
    divisions: (game.organizations ?? []).map((name) => ({ name, inviteCode: game.organizationCodes?.[name] ?? null })),
    divisionRights: [...divisionRights].sort((a, b) => (a.name < b.name ? -1 : 1)),
    teamSize: game.teamMemberCountLimit,
    instancesPerTeam: game.containerCountLimit,
    writeupsRequired: game.writeupRequired,
    writeupsDeadline: game.writeupDeadline,
    writeupsNote: normalizeLineEnds(game.writeupNote),
    bloodBonus: game.bloodBonus,
    bloodPoints: toSortedBonuses(game.bloodPoints),
    allowsDebt: game.allowsDebt,
    freeze: instantOf(game.freeze),
    registrationOpens: instantOf(game.registrationOpens),
    registrationCloses: instantOf(game.registrationCloses),
    teamLimit: game.teamLimit,
    survey: game.survey,
    questions: game.questions
      .filter(({ archived }) => !archived)
      .map(({ scope, kind, title, help, required, options }) => ({
        scope,
        kind,
        title,
        help: normalizeLineEnds(help),
        required,
        options,
      })),
    certificate: certificateOf(certificate),
  }
}

/** Returns the request that sets all settings of a game. */
export function createGameUpdate(state: GameState): AdminGameWrite {
  return {
    title: state.title,
    hidden: state.hidden,
    summary: state.summary,
    content: state.description,
    acceptWithoutReview: state.acceptWithoutReview,
    writeupRequired: state.writeupsRequired,
    inviteCode: state.inviteCode,
    // Use a list, because a map reorders names that look like numbers.
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
    bloodPoints: state.bloodPoints,
    allowsDebt: state.allowsDebt,
    freeze: msOf(state.freeze),
    registrationOpens: msOf(state.registrationOpens),
    registrationCloses: msOf(state.registrationCloses),
    teamLimit: state.teamLimit,
    survey: state.survey,
    questions: [...state.questions],
  }
}
