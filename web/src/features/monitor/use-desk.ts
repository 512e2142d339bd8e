import { ownOperations } from '@capstan/contract/operations'
import { useHub } from '../../lib/live.ts'
import { useCall } from '../../lib/server-state.ts'
import { useDelayedRead } from '../../lib/use-delayed-read.ts'

/** Time in ms for which the server caches the statistics. A second read within this time would return the same data. */
const waitMs = 3_000

/** Reads the statistics of a game, and reads the statistics again soon after each event. */
export function useMonitorStatistics(gameId: number) {
  const read = useCall(ownOperations.getGameDesk, { params: { id: gameId } })
  const readSoon = useDelayedRead(read.mutate, waitMs)
  const connection = useHub('monitor', gameId, { event: readSoon, submission: readSoon, reconnected: () => void read.mutate() })
  return { ...read, connection }
}
