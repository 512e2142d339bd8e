import { type GameTimes, refusePhase } from '@capstan/contract/phases'
import type { ProblemCode } from '@capstan/contract/problems'
import type { StoredStatus } from './participation.ts'

/**
 * All that joining depends on; read under a lock on the game's participations of the team.
 * Rules: docs/contract/games-and-joining.md#joining.
 */
export type JoinFacts = Readonly<{
  now: Date
  /** Undefined: there is no such game. */
  game:
    | (GameTimes & {
        /** Null or blank: none is asked for. */
        readonly inviteCode: string | null
        /** Empty: the game has no divisions and the requested one is ignored. */
        readonly divisions: readonly { readonly name: string; readonly inviteCode: string | null }[]
        /** 0 = any number. */
        readonly teamMemberCountLimit: number
        readonly acceptWithoutReview: boolean
      })
    | undefined
  request: { readonly organization?: string | null; readonly inviteCode?: string | null }
  /** Undefined: there is no such team. */
  team: { readonly hasCaller: boolean } | undefined
  /** Status of the participation that the caller has joined in this game, with whatever team. */
  callerStatus: StoredStatus | undefined
  /** The team's participation in this game, when a team mate was first. */
  participation:
    | {
        readonly status: StoredStatus
        readonly division: string | null
        /** Members who joined, without the caller. */
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

/** The division's own code, else the game's, else none. */
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

/** The first check of docs/contract/games-and-joining.md#joining that fails; undefined when the caller may join. */
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

/** How the team's participation stands after a caller joined who was not refused. */
export type JoinOutcome = Readonly<{
  status: StoredStatus
  division: string | null
  /** The participation is new: its token must be made. */
  isNew: boolean
  /** The caller's membership of a rejected participation (of this or another team) must go. */
  dropsFormerMembership: boolean
}>

/**
 * What joining does. Follow it with `statusEffects(participation?.status, outcome.status)`.
 * Rules: docs/contract/games-and-joining.md#joining.
 */
export function joinOutcome(facts: JoinFacts & { readonly game: JoinGame }): JoinOutcome {
  const { game, request, participation } = facts
  const before = participation?.status
  const waits = before === undefined || isOpenToChange(before)
  const status = waits ? (game.acceptWithoutReview ? 'Accepted' : 'Pending') : before
  const kept = participation?.division ?? null
  return {
    status,
    division: waits && game.divisions.length > 0 ? (divisionOf(game, request)?.name ?? kept) : kept,
    isNew: participation === undefined,
    dropsFormerMembership: facts.callerStatus === 'Rejected',
  }
}
