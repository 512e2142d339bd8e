import { type GameTimes, refusePhase } from '@capstan/contract/phases'
import type { ProblemCode } from '@capstan/contract/problems'
import type { StoredStatus } from './participation.ts'

/**
 * Facts for the rules of joining. Read them while the team's participations in the game are locked. Rules:
 * docs/contract/games-and-joining.md#joining.
 */
export type JoinFacts = Readonly<{
  now: Date
  /** The game, or undefined if it does not exist. */
  game:
    | (GameTimes & {
        /** If null or blank, joining needs no code. */
        readonly inviteCode: string | null
        /** If empty, the game has no divisions and ignores a requested division. */
        readonly divisions: readonly { readonly name: string; readonly inviteCode: string | null }[]
        /** 0 means no limit. */
        readonly teamMemberCountLimit: number
        readonly acceptWithoutReview: boolean
      })
    | undefined
  request: { readonly organization?: string | null; readonly inviteCode?: string | null }
  /** The team, or undefined if it does not exist. */
  team: { readonly hasCaller: boolean } | undefined
  /** Status of the caller's participation in this game, with any team. */
  callerStatus: StoredStatus | undefined
  /** Participation of the team in this game, if a team mate has joined before. */
  participation:
    | {
        readonly status: StoredStatus
        readonly division: string | null
        readonly otherMembersJoined: number
      }
    | undefined
}>

type JoinGame = NonNullable<JoinFacts['game']>

function isPresent(code: string | null | undefined): code is string {
  return code != null && code.trim() !== ''
}

function divisionOf(game: JoinGame, request: JoinFacts['request']) {
  return game.divisions.find((division) => division.name === request.organization)
}

/** @returns the invitation code of the division, else of the game, undefined if none is required */
function requiredCode(game: JoinGame, request: JoinFacts['request']): string | undefined {
  return [divisionOf(game, request)?.inviteCode, game.inviteCode].find(isPresent)
}

function isOpenToChange(status: StoredStatus): boolean {
  return status === 'Pending' || status === 'Rejected'
}

type JoinRefusal = Extract<
  ProblemCode,
  `join.${string}` | 'game.unknown' | 'game.ended' | 'team.unknown' | 'team.not-member' | ReturnType<typeof refusePhase>
>

/** Returns the first failed check of docs/contract/games-and-joining.md#joining. @returns undefined if the caller may join */
export function refuseJoin(facts: JoinFacts): JoinRefusal | undefined {
  const { game, request, team, participation } = facts
  if (!game) return 'game.unknown'
  const tooLate = refusePhase('join', game, facts.now)
  if (tooLate) return tooLate
  const code = requiredCode(game, request)
  if (code !== undefined && code !== request.inviteCode) return 'join.code'
  const hasDivisions = game.divisions.length > 0
  if (hasDivisions && !divisionOf(game, request)) return 'join.division'
  if (!team) return 'team.unknown'
  if (!team.hasCaller) return 'team.not-member'
  if (facts.callerStatus !== undefined && facts.callerStatus !== 'Rejected') return 'join.already'
  const joined = participation?.otherMembersJoined ?? 0
  if (game.teamMemberCountLimit > 0 && joined >= game.teamMemberCountLimit) return 'join.team-full'
  const isFixed = hasDivisions && participation !== undefined && !isOpenToChange(participation.status)
  return isFixed && participation.division !== request.organization ? 'join.division-fixed' : undefined
}

export type JoinOutcome = Readonly<{
  status: StoredStatus
  division: string | null
  /** True if the participation is new and needs a token. */
  isNew: boolean
  /** True if the caller's membership of a rejected participation, of any team, must be deleted. */
  dropsFormerMembership: boolean
}>

/**
 * Returns the effect of joining. Call `statusEffects(participation?.status, outcome.status)` next.
 * Rules: docs/contract/games-and-joining.md#joining.
 */
export function joinOutcome(facts: JoinFacts & { readonly game: JoinGame }): JoinOutcome {
  const { game, request, participation } = facts
  const before = participation?.status
  const waits = before === undefined || isOpenToChange(before)
  const status = waits ? (game.acceptWithoutReview ? 'Accepted' : 'Pending') : before
  const currentDivision = participation?.division ?? null
  return {
    status,
    division: waits && game.divisions.length > 0 ? (divisionOf(game, request)?.name ?? currentDivision) : currentDivision,
    isNew: participation === undefined,
    dropsFormerMembership: facts.callerStatus === 'Rejected',
  }
}
