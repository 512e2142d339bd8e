import { Navigate } from 'react-router'
import { useGameId } from '../../../lib/game.ts'
import { paths } from '../../../lib/paths.ts'

/** Redirects the administration of a game to its details. */
export function Route() {
  return <Navigate replace to={paths.adminGameInfo.to(useGameId())} />
}
