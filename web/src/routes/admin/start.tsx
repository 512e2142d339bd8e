import { Navigate } from 'react-router'
import { paths } from '../../lib/paths.ts'

/** Redirects the administration to the games. */
export function Route() {
  return <Navigate replace to={paths.adminGames.to()} />
}
