import { ownOperations } from '@capstan/contract/operations'
import { Link } from 'react-router'
import { paths } from '../lib/paths.ts'
import { useCall } from '../lib/server-state.ts'

/**
 * Returns a predicate for teams of this game whose page the visitor may open. It is false while loading. One call covers all
 * teams.
 */
export function useHasPage(gameId: number): (teamId: number) => boolean {
  const { data } = useCall(ownOperations.listClosedTeams, { params: { id: gameId } }, { refreshInterval: 0 })
  return (teamId) => data?.includes(teamId) === false
}

type TeamLinkProps = Readonly<{
  gameId: number
  team: { readonly id: number; readonly name: string }
}>

/** Name of a team, as a link if the visitor may open its page. */
export function TeamLink({ gameId, team: { id, name } }: TeamLinkProps) {
  const hasPage = useHasPage(gameId)
  const text = <bdi>{name}</bdi>
  return hasPage(id) ? <Link to={paths.team.to(id)}>{text}</Link> : text
}
