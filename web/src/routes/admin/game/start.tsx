import { Navigate } from 'react-router'
import { useGameId } from '../../../lib/game.ts'
import { paths } from '../../../lib/paths.ts'

/** Managing a game starts with its details. */
export function Route() {
  return <Navigate replace to={paths.adminGameInfo.to(useGameId())} />
}
