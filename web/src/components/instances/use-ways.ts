import { ownOperations } from '@capstan/contract/operations'
import type { InstanceAccess } from '@capstan/contract/reach'
import { useEffect } from 'react'
import { refreshCall, useCall } from '../../lib/server-state.ts'
import type { Connection } from './connection.ts'
import type { Target } from './instance-jobs.ts'
import { areConnectionsOfInstance } from './ways.ts'

const none: readonly InstanceAccess[] = []

/**
 * Returns the ways to reach an instance. The result is empty if the WebSocket tunnel is the only way.
 * @param operation api call that lists the ways
 * @returns undefined while the list loads
 */
export function useInstanceConnections(
  { gameId, challengeId }: Target,
  connection: Connection | undefined,
  operation: typeof ownOperations.listInstanceWays | typeof ownOperations.listTestInstanceWays = ownOperations.listInstanceWays,
): readonly InstanceAccess[] | undefined {
  const instanceId = connection?.kind === 'proxy' ? connection.id : undefined
  const params = { id: gameId, cid: challengeId }
  // The connections of an instance change only if an organizer changes the challenge.
  const { data, error } = useCall(operation, instanceId === undefined ? null : { params }, {
    refreshInterval: 0,
  })
  const isOther = instanceId !== undefined && data !== undefined && !areConnectionsOfInstance(data, instanceId)
  useEffect(() => {
    if (isOther) void refreshCall(operation, { params: { id: gameId, cid: challengeId } })
  }, [isOther, operation, gameId, challengeId])
  if (instanceId === undefined) return none
  if (data && !isOther) return data.length > 1 ? data : none
  return error ? none : undefined
}
