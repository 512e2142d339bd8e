import { pathOfPicture } from '@capstan/contract/asset-address'
import type { Division as DivisionAnswer } from '@capstan/contract/divisions'
import type { AdminGame, GameDetail, GameSummary } from '@capstan/contract/games'
import { isJoinableDivision, requiredInvitationCode } from '../../rules/scoring/join.ts'
import { listActiveQuestions } from '../questions/policy.ts'
import { type Division, type DivisionOverride, permissionsOfDivision } from './divisions.ts'
import type { GameRow, ListedGame } from './repository.ts'
import type { GamePageFacts } from './service.ts'

function isPresent(code: string | null): boolean {
  return code !== null && code.trim() !== ''
}

function namesOf(divisions: readonly Division[]): string[] | null {
  return divisions.length === 0 ? null : divisions.map(({ name }) => name)
}

export function presentGameSummary(game: ListedGame): GameSummary {
  return {
    id: game.id,
    title: game.title,
    summary: game.summary,
    poster: pathOfPicture(game.posterHash, 'poster'),
    limit: game.teamMemberCountLimit,
    start: game.startsAt.toISOString(),
    end: game.endsAt.toISOString(),
  }
}

function presentFreeze({ freezeAt, revealedAt }: GameRow) {
  return { freeze: freezeAt?.getTime() ?? null, revealed: revealedAt?.getTime() ?? null }
}

function presentRegistration(game: GameRow) {
  return {
    registrationOpens: game.registrationOpensAt?.getTime() ?? null,
    registrationCloses: game.registrationClosesAt?.getTime() ?? null,
    teamLimit: game.teamLimit,
  }
}

export function presentGameDetail(
  game: GameRow,
  divisions: readonly Division[],
  { teamCount, own, freePlaces, waitingPlace, missingAnswers, hasCertificates }: GamePageFacts,
): GameDetail {
  const joinable = divisions.filter(isJoinableDivision)
  return {
    ...presentGameSummary(game),
    content: game.content,
    hidden: game.hidden,
    organizations: namesOf(joinable),
    divisions:
      divisions.length === 0
        ? null
        : divisions.map((division) => ({
            id: division.id,
            name: division.name,
            inviteCodeRequired: requiredInvitationCode(game, division) !== undefined,
          })),
    division: divisions.find(({ name }) => name === own?.division)?.id ?? null,
    organizationCodesRequired: joinable.filter(({ inviteCode }) => isPresent(inviteCode)).map(({ name }) => name),
    inviteCodeRequired: isPresent(game.inviteCode),
    writeupRequired: game.writeupRequired,
    teamCount,
    organization: own?.division ?? null,
    teamName: own?.teamName ?? null,
    practiceMode: game.practiceMode,
    ...presentFreeze(game),
    ...presentRegistration(game),
    freePlaces,
    waitingPlace,
    questions: listActiveQuestions(game.questions).length,
    missingAnswers,
    certificates: hasCertificates,
    survey: game.survey,
    status: own?.status ?? 'Unsubmitted',
  }
}

/** @param overrides overrides of the division, sorted by challenge id */
export function presentDivision({
  game,
  division,
  overrides,
}: Readonly<{
  game: GameRow
  division: Division
  overrides: readonly DivisionOverride[]
}>): DivisionAnswer {
  return {
    id: division.id,
    name: division.name,
    inviteCode: division.inviteCode,
    defaultPermissions: permissionsOfDivision(division, game),
    challengeConfigs: overrides.map(({ challengeId, permissions }) => ({ challengeId, permissions })),
  }
}

export function presentAdminGame(game: GameRow, divisions: readonly Division[]): AdminGame {
  return {
    id: game.id,
    title: game.title,
    hidden: game.hidden,
    summary: game.summary,
    content: game.content,
    acceptWithoutReview: game.acceptWithoutReview,
    writeupRequired: game.writeupRequired,
    inviteCode: game.inviteCode,
    organizations: namesOf(divisions),
    organizationCodes: Object.fromEntries(divisions.map(({ name, inviteCode }) => [name, inviteCode])),
    teamMemberCountLimit: game.teamMemberCountLimit,
    containerCountLimit: game.containerCountLimit,
    poster: pathOfPicture(game.posterHash, 'poster'),
    publicKey: game.publicKey,
    practiceMode: game.practiceMode,
    start: game.startsAt.toISOString(),
    end: game.endsAt.toISOString(),
    writeupDeadline: game.writeupDeadline.toISOString(),
    writeupNote: game.writeupNote,
    bloodBonus: game.bloodBonus,
    bloodPoints: game.bloodPoints,
    allowsDebt: game.allowsDebt,
    ...presentFreeze(game),
    ...presentRegistration(game),
    survey: game.survey,
    questions: [...game.questions],
  }
}
