import { decodeBloodBonus, encodeBloodBonus } from '@capstan/contract/blood'
import type { AdminGameWrite } from '@capstan/contract/games'
import { Defaults } from '@capstan/contract/limits'
import type { ProblemCode } from '@capstan/contract/problems'
import type { GameValues } from './repository.ts'

type TimeColumn = 'startsAt' | 'endsAt' | 'writeupDeadline' | 'freezeAt' | 'registrationOpensAt' | 'registrationClosesAt'

/**
 * True if the UTC year is 1 to 9999. PostgreSQL and ISO 8601 write only these years in the same way. A time zone offset can move
 * a valid local time out of this range.
 */
function hasPlainYear(time: Date): boolean {
  return time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999
}

/** @returns `game.times` if the end is not after the start or a time is outside the years 1 to 9999 */
export function refuseInvalidGameTimes({
  startsAt,
  endsAt,
  writeupDeadline,
  freezeAt,
  registrationOpensAt,
  registrationClosesAt,
}: Pick<GameValues, TimeColumn>): Extract<ProblemCode, 'game.times'> | undefined {
  const times = [startsAt, endsAt, writeupDeadline, freezeAt, registrationOpensAt, registrationClosesAt]
  return endsAt > startsAt && times.every((time) => !time || hasPlainYear(time)) ? undefined : 'game.times'
}

/** @returns `game.registration` if the registration closes before it opens, or at the same time */
export function refuseInvalidRegistrationWindow({
  registrationOpensAt: opens,
  registrationClosesAt: closes,
}: Pick<GameValues, 'registrationOpensAt' | 'registrationClosesAt'>): Extract<ProblemCode, 'game.registration'> | undefined {
  return opens && closes && closes <= opens ? 'game.registration' : undefined
}

/** @returns `game.freeze` if the freeze is not after the start, or is after the end */
export function refuseInvalidFreezeTimes({
  startsAt,
  endsAt,
  freezeAt,
}: Pick<GameValues, 'startsAt' | 'endsAt' | 'freezeAt'>): Extract<ProblemCode, 'game.freeze'> | undefined {
  return freezeAt && (freezeAt <= startsAt || freezeAt > endsAt) ? 'game.freeze' : undefined
}

function instantOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}

/**
 * Returns the columns of a game for the given settings. If a field of the reference platform is absent, its column gets the
 * default. Other absent fields are omitted, so that a write by an earlier client does not change them.
 */
export function gameColumnsOf(
  write: AdminGameWrite,
  now: Date,
): Omit<GameValues, 'id' | 'publicKey' | 'privateKey' | 'posterHash' | 'createdAt'> {
  return {
    title: write.title.trim(),
    hidden: write.hidden ?? false,
    summary: write.summary ?? '',
    content: write.content ?? '',
    acceptWithoutReview: write.acceptWithoutReview ?? false,
    writeupRequired: write.writeupRequired ?? false,
    inviteCode: write.inviteCode?.trim() || null,
    teamMemberCountLimit: write.teamMemberCountLimit ?? 0,
    containerCountLimit: write.containerCountLimit ?? Defaults.instancesPerTeam,
    practiceMode: write.practiceMode ?? true,
    startsAt: new Date(write.start),
    endsAt: new Date(write.end),
    writeupDeadline: write.writeupDeadline === undefined ? now : new Date(write.writeupDeadline),
    writeupNote: write.writeupNote ?? '',
    // If any part of the given bonus is invalid, scoring uses the default bonus. Store the same bonus here.
    bloodBonus: encodeBloodBonus(decodeBloodBonus(write.bloodBonus ?? Defaults.bloodBonus)),
    ...(write.bloodPoints !== undefined && { bloodPoints: write.bloodPoints }),
    ...(write.allowsDebt !== undefined && { allowsDebt: write.allowsDebt }),
    ...(write.freeze !== undefined && { freezeAt: instantOf(write.freeze) }),
    ...(write.registrationOpens !== undefined && { registrationOpensAt: instantOf(write.registrationOpens) }),
    ...(write.registrationCloses !== undefined && { registrationClosesAt: instantOf(write.registrationCloses) }),
    ...(write.survey !== undefined && { survey: write.survey }),
    ...(write.teamLimit !== undefined && { teamLimit: write.teamLimit }),
  }
}
