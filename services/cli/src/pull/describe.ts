import type { GameFile, Secret } from '@capstan/challenge-files/format/game'
import { decodeBloodBonus } from '@capstan/contract/blood'
import type { CertificateWrite } from '@capstan/contract/certificates'
import type { ChallengeRight } from '@capstan/contract/division-rights'
import { Defaults } from '@capstan/contract/limits'
import { type DivisionRightsState, isDefaultRights } from '../state/division-rights.ts'
import type { GameState } from '../state/game-state.ts'

type GameParts = Readonly<{
  description: GameFile['description'] & {}
  poster: string | undefined
  /** Map from each invitation code to its entry in the game file. An entry may refer to an environment variable. */
  codes?: ReadonlyMap<string, Secret>
}>

function rightsInFile({ rights, challenges }: DivisionRightsState) {
  const entries = Object.entries(challenges).map(([name, names]): [string, ChallengeRight[]] => [name, [...names]])
  return { rights: [...rights], ...(entries.length > 0 && { challenges: Object.fromEntries(entries) }) }
}

function divisionsOf(
  { divisions, divisionRights, acceptWithoutReview }: GameState,
  codes: GameParts['codes'],
): GameFile['divisions'] & {} {
  const rightsByName = new Map(divisionRights.map((each) => [each.name, each]))
  return divisions.map(({ name, inviteCode }) => {
    const found = rightsByName.get(name)
    return {
      name,
      ...(inviteCode !== null && { inviteCode: codes?.get(inviteCode) ?? inviteCode }),
      ...(found && !isDefaultRights(found, acceptWithoutReview) && { ...rightsInFile(found) }),
    }
  })
}

function certificateInFile({ isEnabled, signer, ...rest }: CertificateWrite): GameFile['certificate'] & {} {
  return { enabled: isEnabled, ...rest, ...(signer !== '' && { signer }) }
}

/** Converts a game on the platform into the content of a file. */
export function toGameFile(name: string, state: GameState, parts: GameParts): GameFile {
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
    ...(state.divisions.length > 0 && { divisions: divisionsOf(state, parts.codes) }),
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
    ...(state.freeze !== null && { freeze: state.freeze }),
    ...(Object.keys(registration).length > 0 && { registration }),
    ...(state.survey !== 'Off' && { survey: state.survey }),
    ...(state.questions.length > 0 && {
      questions: state.questions.map(({ scope, kind, title, help, required, options }) => ({
        scope,
        kind,
        title,
        ...(help !== '' && { help }),
        ...(required && { required }),
        ...(options.length > 0 && { options: [...options] }),
      })),
    }),
    ...(state.certificate && { certificate: certificateInFile(state.certificate) }),
  }
}
