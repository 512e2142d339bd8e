import { Navigate } from 'react-router'
import { paths } from '../../../app/paths.ts'
import { useGameId } from '../../../lib/game.ts'

/** Managing a game starts with its details. */
export function Route() {
  return <Navigate replace to={paths.adminGameInfo.to(useGameId())} />
}
