import { ownOperations } from '@capstan/contract/operations'
import { Link } from 'react-router'
import { paths } from '../lib/paths.ts'
import { useCall } from '../lib/server-state.ts'

/** Whether the visitor may open the page of a team of this game; false until it is known. One call tells it of all teams. */
export function useHasPage(gameId: number): (teamId: number) => boolean {
  const { data } = useCall(ownOperations.listClosedTeams, { params: { id: gameId } }, { refreshInterval: 0 })
  return (teamId) => data?.includes(teamId) === false
}

type TeamLinkProps = Readonly<{
  gameId: number
  team: { readonly id: number; readonly name: string }
}>

/** A team's name, as a link to its page where the visitor may open it. */
export function TeamLink({ gameId, team: { id, name } }: TeamLinkProps) {
  const hasPage = useHasPage(gameId)
  const text = <bdi>{name}</bdi>
  return hasPage(id) ? <Link to={paths.team.to(id)}>{text}</Link> : text
}
