import { Navigate } from 'react-router'
import { paths } from '../../lib/paths.ts'

export function Route() {
  return <Navigate replace to={paths.adminGames.to()} />
}
