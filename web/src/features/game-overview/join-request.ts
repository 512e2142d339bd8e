import type { GameDetail, GameJoinRequest } from '@capstan/contract/games'

export type JoinDraft = Readonly<{
  teamId: number | undefined
  teamName: string
  division: string
  code: string
}>

type JoinNeeds = Readonly<{
  division: boolean
  /** Required invitation code. The code of a division has priority over the code of the game. */
  code: 'division' | 'game' | undefined
}>

type JoinChoice = Pick<GameDetail, 'organizations' | 'organizationCodesRequired' | 'inviteCodeRequired'>

/**
 * Returns the divisions that a team may choose. A team stays in its division, even if the division is closed to new teams.
 * @param divisionId division of the team in this game, or null if the team has none
 * @param open ids of the divisions that the user may choose. An identity provider of the user may limit them
 */
export function listJoinableDivisions(
  game: JoinChoice & Pick<GameDetail, 'divisions'>,
  divisionId: number | null,
  open?: readonly number[],
): JoinChoice & { isFixed: boolean } {
  const own = game.divisions?.find(({ id }) => id === divisionId)
  const offered = open && game.divisions?.filter(({ id }) => open.includes(id)).map(({ name }) => name)
  if (!own && offered)
    return { ...game, organizations: game.organizations?.filter((name) => offered.includes(name)) ?? null, isFixed: false }
  if (!own) return { ...game, isFixed: false }
  const isGuarded = game.organizationCodesRequired?.includes(own.name) || (own.inviteCodeRequired && !game.inviteCodeRequired)
  return { ...game, organizations: [own.name], organizationCodesRequired: isGuarded ? [own.name] : [], isFixed: true }
}

/** Returns the input that is required to join the game in this division. */
export function getInputRequiredToJoin(game: JoinChoice, division: string): JoinNeeds {
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

/**
 * Returns the kinds of required input that are missing.
 * @param isNew true if the call also creates the team
 * @returns undefined if the input is complete
 */
export function findMissingJoinInput(draft: JoinDraft, needs: JoinNeeds, isNew = false): JoinProblems | undefined {
  const problems = {
    team: !isNew && draft.teamId === undefined,
    teamName: isNew && draft.teamName.trim() === '',
    division: needs.division && draft.division === '',
    code: needs.code !== undefined && draft.code.trim() === '',
  }
  return Object.values(problems).includes(true) ? problems : undefined
}

/** Returns the body of the call, with the required values only. */
export function toJoinRequest(teamId: number, draft: JoinDraft, needs: JoinNeeds): GameJoinRequest {
  return {
    teamId,
    organization: needs.division ? draft.division : null,
    inviteCode: needs.code ? draft.code.trim() : null,
  }
}
