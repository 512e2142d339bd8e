import type { GameDetail, GameJoinRequest } from '@capstan/contract/games'

/** What the registration dialog holds; empty text and undefined: nothing chosen yet. */
export type JoinDraft = Readonly<{
  teamId: number | undefined
  /** Of the team that is made with it, where the player has none. */
  teamName: string
  division: string
  code: string
}>

type JoinNeeds = Readonly<{
  division: boolean
  /** Whose invitation code is asked: a division's own one goes before the game's. */
  code: 'division' | 'game' | undefined
}>

/** What a game asks for with this choice. */
export function needsOf(
  game: Pick<GameDetail, 'organizations' | 'organizationCodesRequired' | 'inviteCodeRequired'>,
  division: string,
): JoinNeeds {
  const guarded = game.organizationCodesRequired?.includes(division) === true
  return {
    division: (game.organizations ?? []).length > 0,
    code: guarded ? 'division' : game.inviteCodeRequired ? 'game' : undefined,
  }
}

type JoinProblems = Readonly<{
  team: boolean
  teamName: boolean
  division: boolean
  code: boolean
}>

/** What is missing; undefined when all is there. @param isNew the team is made with it */
export function problemsOf(draft: JoinDraft, needs: JoinNeeds, isNew = false): JoinProblems | undefined {
  const problems = {
    team: !isNew && draft.teamId === undefined,
    teamName: isNew && draft.teamName.trim() === '',
    division: needs.division && draft.division === '',
    code: needs.code !== undefined && draft.code.trim() === '',
  }
  return Object.values(problems).includes(true) ? problems : undefined
}

/** The body of the call: only what the game asks for. */
export function requestOf(teamId: number, draft: JoinDraft, needs: JoinNeeds): GameJoinRequest {
  return {
    teamId,
    organization: needs.division ? draft.division : null,
    inviteCode: needs.code ? draft.code.trim() : null,
  }
}
