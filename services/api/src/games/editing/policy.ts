import { decodeBloodBonus, encodeBloodBonus } from '@capstan/contract/blood'
import type { AdminGameWrite } from '@capstan/contract/games'
import { Defaults } from '@capstan/contract/limits'
import type { ProblemCode } from '@capstan/contract/problems'
import type { GameValues } from './repository.ts'

/** Years that the database and ISO 8601 write alike; an offset can carry the first and last valid day beyond them. */
function hasPlainYear(time: Date): boolean {
  return time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999
}

/** @returns `game.times` when the game would not end after it starts, or for a time outside the years 1 to 9999 */
export function refuseTimes(times: {
  startsAt: Date
  endsAt: Date
  writeupDeadline: Date
}): Extract<ProblemCode, 'game.times'> | undefined {
  return times.endsAt > times.startsAt && [times.startsAt, times.endsAt, times.writeupDeadline].every(hasPlainYear)
    ? undefined
    : 'game.times'
}

/** Columns of the settings of a game: every field of AdminGameWrite, absent ones as their default. */
export function gameValuesOf(
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
    // Stored as it counts: an invalid part makes the default apply as a whole.
    bloodBonus: encodeBloodBonus(decodeBloodBonus(write.bloodBonus ?? Defaults.bloodBonus)),
  }
}
