import type { AdminGame, AdminGameWrite } from '@capstan/contract/games'
import { InputLimits } from '@capstan/contract/limits'
import type { EditedQuestion } from '@capstan/contract/questions'
import type { SurveyMode } from '@capstan/contract/surveys'
import { isIntegerTextBetween, isNumberTextBetween } from '../../components/editing/number-field.tsx'
import { type TypedBloods, toStoredBloodBonuses, toTypedBloodBonuses } from './blood-bonus.ts'
import { areQuestionsInvalid, removeBlankOptions } from './question-form.ts'

/** Settings of a game as entered in the form. Times are UTC or empty. Numbers are text. */
export type GameForm = TypedBloods &
  Readonly<{
    title: string
    summary: string
    content: string
    hidden: boolean
    practiceMode: boolean
    allowsDebt: boolean
    freeze: string
    registrationOpens: string
    registrationCloses: string
    /** Maximum number of teams. 0 means no limit. */
    teamLimit: string
    survey: SurveyMode
    /** Questions of the registration: active ones first, archived ones last. */
    questions: readonly EditedQuestion[]
    start: string
    end: string
    acceptWithoutReview: boolean
    inviteCode: string
    teamMemberCountLimit: string
    containerCountLimit: string
    writeupRequired: boolean
    /** Number of hours from the end of the game to the writeup deadline. */
    writeupHours: string
    writeupNote: string
  }>

const hourMs = 3_600_000

/**
 * Returns the hours from the end of the game to the writeup deadline, rounded to two decimals. Returns 0 if the deadline is
 * before the end of the game.
 */
function hoursBetween(end: string, deadline: string) {
  return String(Math.max(0, Math.round(((Date.parse(deadline) - Date.parse(end)) / hourMs) * 100) / 100))
}

/** Returns an empty text for a missing time. During an upgrade, an older api may omit times. */
function isoOf(ms: number | null | undefined) {
  return ms == null ? '' : new Date(ms).toISOString()
}
function msOf(iso: string) {
  return iso === '' ? null : Date.parse(iso)
}

export function toGameForm(game: AdminGame): GameForm {
  return {
    title: game.title,
    summary: game.summary,
    content: game.content,
    hidden: game.hidden,
    practiceMode: game.practiceMode,
    allowsDebt: game.allowsDebt,
    freeze: isoOf(game.freeze),
    registrationOpens: isoOf(game.registrationOpens),
    registrationCloses: isoOf(game.registrationCloses),
    teamLimit: String(game.teamLimit ?? 0),
    // During an upgrade, an older api may omit the next two fields.
    survey: game.survey ?? 'Off',
    questions: game.questions ?? [],
    start: game.start,
    end: game.end,
    acceptWithoutReview: game.acceptWithoutReview,
    inviteCode: game.inviteCode ?? '',
    teamMemberCountLimit: String(game.teamMemberCountLimit),
    containerCountLimit: String(game.containerCountLimit),
    writeupRequired: game.writeupRequired,
    writeupHours: hoursBetween(game.end, game.writeupDeadline),
    writeupNote: game.writeupNote,
    ...toTypedBloodBonuses(game),
  }
}

/** Returns the writeup deadline. Returns an empty text if the end of the game or the number of hours is missing. */
export function toWriteupDeadline({ end, writeupHours }: Pick<GameForm, 'end' | 'writeupHours'>): string {
  const at = Date.parse(end) + Number(writeupHours) * hourMs
  return Number.isFinite(at) && writeupHours.trim() !== '' ? new Date(at).toISOString() : ''
}

/**
 * Returns the request body that saves the game. The call replaces every field except the divisions, so unchanged fields come from
 * the stored game.
 */
export function toGameRequest(stored: AdminGame, changes: Partial<GameForm>): AdminGameWrite {
  const form = { ...toGameForm(stored), ...changes }
  const keepsDeadline = changes.end === undefined && changes.writeupHours === undefined
  return {
    title: form.title.trim(),
    hidden: form.hidden,
    summary: form.summary,
    content: form.content,
    acceptWithoutReview: form.acceptWithoutReview,
    writeupRequired: form.writeupRequired,
    inviteCode: form.inviteCode.trim() || null,
    teamMemberCountLimit: Number(form.teamMemberCountLimit),
    containerCountLimit: Number(form.containerCountLimit),
    practiceMode: form.practiceMode,
    allowsDebt: form.allowsDebt,
    freeze: msOf(form.freeze),
    registrationOpens: msOf(form.registrationOpens),
    registrationCloses: msOf(form.registrationCloses),
    teamLimit: Number(form.teamLimit) || null,
    survey: form.survey,
    ...(changes.questions && { questions: removeBlankOptions(changes.questions) }),
    start: form.start,
    end: form.end,
    writeupDeadline: keepsDeadline ? stored.writeupDeadline : toWriteupDeadline(form),
    writeupNote: form.writeupNote,
    ...toStoredBloodBonuses(form, stored),
  }
}

export type GameFault =
  | 'titleMissing'
  | 'timeMissing'
  | 'endBeforeStart'
  | 'freezeOutside'
  | 'closesBeforeOpening'
  | 'limit'
  | 'questions'
  | 'hours'
  | 'percent'
  | 'points'

function bonusFault(text: string, { bloodInPoints }: TypedBloods) {
  if (bloodInPoints) return isIntegerTextBetween(text, 0, InputLimits.maxScore) ? undefined : 'points'
  return isNumberTextBetween(text, 0, 100) ? undefined : 'percent'
}
function limitFault(text: string) {
  return isIntegerTextBetween(text, 0, InputLimits.maxInt32) ? undefined : 'limit'
}

function isClosedBeforeOpening({ registrationOpens: opens, registrationCloses: closes }: GameForm) {
  return opens !== '' && closes !== '' && Date.parse(closes) <= Date.parse(opens)
}

function isOutside({ freeze, start, end }: GameForm) {
  return freeze !== '' && (Date.parse(freeze) <= Date.parse(start) || Date.parse(freeze) > Date.parse(end))
}

export function findGameFaults(form: GameForm): Partial<Record<keyof GameForm, GameFault>> {
  const end =
    form.end !== '' && form.start !== '' && Date.parse(form.end) <= Date.parse(form.start) ? 'endBeforeStart' : undefined
  const faults: Partial<Record<keyof GameForm, GameFault | undefined>> = {
    title: form.title.trim() === '' ? 'titleMissing' : undefined,
    start: form.start === '' ? 'timeMissing' : undefined,
    end: form.end === '' ? 'timeMissing' : end,
    teamMemberCountLimit: limitFault(form.teamMemberCountLimit),
    containerCountLimit: limitFault(form.containerCountLimit),
    freeze: isOutside(form) ? 'freezeOutside' : undefined,
    registrationCloses: isClosedBeforeOpening(form) ? 'closesBeforeOpening' : undefined,
    teamLimit: limitFault(form.teamLimit),
    questions: areQuestionsInvalid(form.questions) ? 'questions' : undefined,
    writeupHours: isNumberTextBetween(form.writeupHours, 0, InputLimits.maxWriteupHours) ? undefined : 'hours',
    bloodFirst: bonusFault(form.bloodFirst, form),
    bloodSecond: bonusFault(form.bloodSecond, form),
    bloodThird: bonusFault(form.bloodThird, form),
  }
  return Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault !== undefined))
}
