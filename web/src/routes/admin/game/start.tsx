import { Navigate } from 'react-router'
import { useGameId } from '../../../lib/game.ts'
import { paths } from '../../../lib/paths.ts'

export function Route() {
  return <Navigate replace to={paths.adminGameInfo.to(useGameId())} />
}
