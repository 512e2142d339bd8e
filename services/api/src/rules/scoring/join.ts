import { hasRight } from '@capstan/contract/division-rights'
import { type GameTimes, refuseOutsidePhase } from '@capstan/contract/phases'
import type { ProblemCode } from '@capstan/contract/problems'
import { registrationState } from '@capstan/contract/registration'
import type { StoredStatus } from './participation.ts'

export type JoinedDivision = Readonly<{
  id: number
  name: string
  inviteCode: string | null
  /** Rights of the teams as bits. If null, the teams have all rights, and the game decides whether they need a review. */
  permissions: number | null
}>

/**
 * Data that the rules of joining need. Read the data while the team's participations in the game are locked. Rules:
 * docs/contract/games-and-joining.md#joining.
 */
export type JoinFacts = Readonly<{
  now: Date
  /** Settings of the game, or undefined if the game does not exist. */
  game:
    | (GameTimes &
        Readonly<{
          /** Invitation code. If null or blank, joining needs no code. */
          inviteCode: string | null
          /** Divisions of the game. If the game has no divisions, a requested division is ignored. */
          divisions: readonly JoinedDivision[]
          /** Maximum number of members who may join. 0 means no limit. */
          teamMemberCountLimit: number
          acceptWithoutReview: boolean
          registrationOpensAt: Date | null
          registrationClosesAt: Date | null
        }>)
    | undefined
  request: Readonly<{
    organization?: string | null
    /** Id of the requested division, which takes precedence over `organization`. */
    divisionId?: number | null
    inviteCode?: string | null
  }>
  /** Team that the caller joins with. Undefined if the team does not exist. */
  team: { readonly hasCaller: boolean } | undefined
  /** Status of the caller's participation in this game, with any team. */
  callerStatus: StoredStatus | undefined
  /** Participation of the team in this game. Undefined if no member of the team has joined yet. */
  participation:
    | Readonly<{
        status: StoredStatus
        division: string | null
        /** True if the team is approved and waits for a free place. */
        isWaiting: boolean
        otherMembersJoined: number
      }>
    | undefined
}>

type JoinGame = NonNullable<JoinFacts['game']>

function isPresent(code: string | null | undefined): code is string {
  return code != null && code.trim() !== ''
}

/** True if teams may choose the division when they join. */
export function isJoinableDivision({ permissions }: Pick<JoinedDivision, 'permissions'>): boolean {
  return permissions === null || hasRight(permissions, 'join')
}

/** @returns the requested division, or undefined if the game does not have this division */
function divisionOf(game: Pick<JoinGame, 'divisions'>, { divisionId, organization }: JoinFacts['request']) {
  return game.divisions.find(({ id, name }) => (divisionId == null ? name === organization : id === divisionId))
}

/** Returns those divisions of a game that the caller's identity providers assign. */
export function divisionsOfProvider<Division extends { readonly name: string }>(
  divisions: readonly Division[],
  named: readonly string[],
): readonly Division[] {
  return divisions.filter(({ name }) => named.includes(name))
}

/**
 * Returns the request with the division that the caller's identity providers assign, if the game has this division. A request for
 * another division of the game is refused.
 * @param named the divisions that the providers assign
 */
export function assignProviderDivision<Request extends JoinFacts['request']>(
  game: Pick<JoinGame, 'divisions'>,
  request: Request,
  named: readonly string[],
): Request | 'join.provider-division' {
  const own = divisionsOfProvider(game.divisions, named)
  const [only] = own
  if (!only) return request
  const asked = divisionOf(game, request)
  if (asked) return own.includes(asked) ? request : 'join.provider-division'
  const isOpen = request.divisionId == null && !request.organization
  return isOpen && own.length === 1 ? { ...request, divisionId: only.id } : request
}

/**
 * Returns the invitation code that the caller must enter. The code of the division takes precedence over the code of the game.
 * @returns undefined if no code is required
 */
export function requiredInvitationCode(
  game: Pick<JoinGame, 'inviteCode'>,
  division: Pick<JoinedDivision, 'inviteCode'> | undefined,
): string | undefined {
  return [division?.inviteCode, game.inviteCode].find(isPresent)
}

/** True if a join may change the status of the participation. */
function isOpenToChange(status: StoredStatus): boolean {
  return status === 'Pending' || status === 'Rejected'
}

/**
 * True if the request may change the division of the team. While the team is rejected, every request may change the division.
 * While the team is pending, only a request without a `divisionId` may change the division.
 */
function isOpenToMove(status: StoredStatus, { divisionId }: JoinFacts['request']): boolean {
  return divisionId == null ? isOpenToChange(status) : status === 'Rejected'
}

function needsReview(game: JoinGame, division: string | null): boolean {
  const permissions = game.divisions.find(({ name }) => name === division)?.permissions ?? null
  return permissions === null ? !game.acceptWithoutReview : hasRight(permissions, 'review')
}

type JoinTimes = GameTimes & Pick<JoinGame, 'registrationOpensAt' | 'registrationClosesAt'>

/** Refuses joins after the end of a game without practice mode, and outside the registration window. */
export function refuseJoinAtTime(
  game: JoinTimes,
  now: Date,
): 'join.not-open' | 'join.closed' | ReturnType<typeof refuseOutsidePhase> {
  const tooLate = refuseOutsidePhase('join', game, now)
  if (tooLate) return tooLate
  const { registrationOpensAt: opens, registrationClosesAt: closes } = game
  const state = registrationState({ opens: opens?.getTime() ?? null, closes: closes?.getTime() ?? null }, now.getTime())
  if (state === 'early') return 'join.not-open'
  return state === 'closed' ? 'join.closed' : undefined
}

type JoinRefusal = Extract<
  ProblemCode,
  `join.${string}` | 'game.unknown' | 'game.ended' | 'team.unknown' | 'team.not-member' | ReturnType<typeof refuseOutsidePhase>
>

/** Returns the first failed check of docs/contract/games-and-joining.md#joining. @returns undefined if the caller may join */
export function refuseJoin(facts: JoinFacts): JoinRefusal | undefined {
  const { game, request, team, participation } = facts
  if (!game) return 'game.unknown'
  const atWrongTime = refuseJoinAtTime(game, facts.now)
  if (atWrongTime) return atWrongTime
  const division = divisionOf(game, request)
  const code = requiredInvitationCode(game, division)
  if (code !== undefined && code !== request.inviteCode) return 'join.code'
  const isOwn = division !== undefined && division.name === participation?.division
  if (division ? !isOwn && !isJoinableDivision(division) : request.divisionId != null || game.divisions.some(isJoinableDivision))
    return 'join.division'
  if (!team) return 'team.unknown'
  if (!team.hasCaller) return 'team.not-member'
  if (facts.callerStatus !== undefined && facts.callerStatus !== 'Rejected') return 'join.already'
  const joined = participation?.otherMembersJoined ?? 0
  if (game.teamMemberCountLimit > 0 && joined >= game.teamMemberCountLimit) return 'join.team-full'
  const isFixed = division && participation && !isOpenToMove(participation.status, request)
  return isFixed && !isOwn ? 'join.division-fixed' : undefined
}

export type JoinOutcome = Readonly<{
  /** Status that the participation gets if the game has a free place. */
  status: StoredStatus
  division: string | null
  /** True if the participation is new and needs a token. */
  isNew: boolean
  /**
   * True if the caller is a member of a rejected participation. That membership must be deleted, even if the caller now joins
   * with another team.
   */
  dropsFormerMembership: boolean
}>

/**
 * Returns the effect of joining. Call `getStatusChangeEffects(participation?.status, outcome.status)` next.
 * Rules: docs/contract/games-and-joining.md#joining.
 */
export function getJoinOutcome(facts: JoinFacts & { readonly game: JoinGame }): JoinOutcome {
  const { game, request, participation } = facts
  const before = participation?.status
  const waits = before === undefined || isOpenToChange(before)
  const currentDivision = participation?.division ?? null
  const division = waits ? (divisionOf(game, request)?.name ?? currentDivision) : currentDivision
  const isApproved = before === 'Pending' && participation?.isWaiting === true && division === currentDivision
  const status = waits ? (needsReview(game, division) && !isApproved ? 'Pending' : 'Accepted') : before
  return {
    status,
    division,
    isNew: participation === undefined,
    dropsFormerMembership: facts.callerStatus === 'Rejected',
  }
}
