import { ownOperations } from '@capstan/contract/operations'
import { useHub } from '../../lib/live.ts'
import { useCall } from '../../lib/server-state.ts'
import { useHurry } from '../../lib/use-hurry.ts'

/** The server keeps its figures this long, so asking sooner says nothing new. Milliseconds. */
const hurryMs = 3_000

/** Figures of a game, read again soon after something happened in it. */
export function useDesk(gameId: number) {
  const read = useCall(ownOperations.getGameDesk, { params: { id: gameId } })
  const hurry = useHurry(read.mutate, hurryMs)
  const connection = useHub('monitor', gameId, { event: hurry, submission: hurry, reconnected: () => void read.mutate() })
  return { ...read, connection }
}
