import { ownOperations } from '@capstan/contract/operations'
import { Link } from 'react-router'
import { paths } from '../lib/paths.ts'
import { useCall } from '../lib/server-state.ts'

/**
 * Returns a function that is true for teams of this game whose page the visitor may open. The function returns false while the
 * data loads. A single request covers all teams.
 */
export function useHasTeamPage(gameId: number): (teamId: number) => boolean {
  const { data } = useCall(ownOperations.listClosedTeams, { params: { id: gameId } }, { refreshInterval: 0 })
  return (teamId) => data?.includes(teamId) === false
}

type TeamLinkProps = Readonly<{
  gameId: number
  team: Readonly<{ id: number; name: string }>
}>

/** Name of a team. The name is a link if the visitor may open the page of the team. */
export function TeamLink({ gameId, team: { id, name } }: TeamLinkProps) {
  const hasPage = useHasTeamPage(gameId)
  const text = <bdi>{name}</bdi>
  return hasPage(id) ? <Link to={paths.team.to(id)}>{text}</Link> : text
}
