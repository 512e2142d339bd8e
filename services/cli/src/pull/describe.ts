import type { GameFile } from '@capstan/challenge-files/format/game'
import { decodeBloodBonus } from '@capstan/contract/blood'
import { Defaults } from '@capstan/contract/limits'
import type { GameState } from '../state/game-state.ts'

/** Converts a game on the platform into the content of a file. */
export function describeGame(
  name: string,
  state: GameState,
  parts: { readonly description: GameFile['description'] & {}; readonly poster: string | undefined },
): GameFile {
  const registration = {
    ...(state.registrationOpens !== null && { opens: state.registrationOpens }),
    ...(state.registrationCloses !== null && { closes: state.registrationCloses }),
    ...(state.teamLimit !== null && { teams: state.teamLimit }),
  }
  const bonus = decodeBloodBonus(state.bloodBonus)
  return {
    apiVersion: 'capstan/v1',
    kind: 'Game',
    name,
    title: state.title,
    hidden: state.hidden,
    summary: state.summary,
    description: parts.description,
    ...(parts.poster !== undefined && { poster: parts.poster }),
    starts: state.starts,
    ends: state.ends,
    practice: state.practice,
    acceptWithoutReview: state.acceptWithoutReview,
    ...(state.inviteCode !== null && { inviteCode: state.inviteCode }),
    ...(state.divisions.length > 0 && {
      divisions: state.divisions.map(({ name: division, inviteCode }) => ({
        name: division,
        ...(inviteCode !== null && { inviteCode }),
      })),
    }),
    teamSize: state.teamSize,
    instancesPerTeam: state.instancesPerTeam,
    writeups: {
      required: state.writeupsRequired,
      deadline: state.writeupsDeadline,
      ...(state.writeupsNote !== '' && { note: state.writeupsNote }),
    },
    ...(state.bloodBonus !== Defaults.bloodBonus && {
      bloodBonus: { first: bonus.first / 10, second: bonus.second / 10, third: bonus.third / 10 },
    }),
    ...(state.bloodPoints && { bloodPoints: state.bloodPoints }),
    ...(state.allowsDebt && { allowsDebt: true }),
    ...(Object.keys(registration).length > 0 && { registration }),
  }
}
