import { Navigate } from 'react-router'
import { paths } from '../../lib/paths.ts'

/** Administration starts with the games. */
export function Route() {
  return <Navigate replace to={paths.adminGames.to()} />
}
