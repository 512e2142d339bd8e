import { ownOperations } from '@capstan/contract/operations'
import { useHub } from '../../lib/live.ts'
import { useCall } from '../../lib/server-state.ts'
import { useReadSoon } from '../../lib/use-read-soon.ts'

/** The server keeps its figures this long, so asking sooner says nothing new. Milliseconds. */
const waitMs = 3_000

/** Figures of a game, read again soon after something happened in it. */
export function useDesk(gameId: number) {
  const read = useCall(ownOperations.getGameDesk, { params: { id: gameId } })
  const readSoon = useReadSoon(read.mutate, waitMs)
  const connection = useHub('monitor', gameId, { event: readSoon, submission: readSoon, reconnected: () => void read.mutate() })
  return { ...read, connection }
}
