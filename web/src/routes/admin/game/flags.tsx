import { Navigate } from 'react-router'
import { NotFound } from '../../../components/layout/not-found.tsx'
import { useGameId, useNumberParam } from '../../../lib/game.ts'
import { paths } from '../../../lib/paths.ts'

/** Flags are a section of the editor. */
export function Route() {
  const id = useGameId()
  const cid = useNumberParam('chalId')
  return cid === undefined ? <NotFound /> : <Navigate replace to={paths.adminGameChallenge.to(id, cid, 'flags')} />
}
