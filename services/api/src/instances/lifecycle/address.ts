import { isDeepStrictEqual } from 'node:util'
import { retryUntilOutcomeKnown } from '@capstan/db/retry-until-known'
import type { InstanceDeps } from '../deps.ts'
import { type InstanceRow, instanceRepository } from './repository.ts'
import { listFormerAddresses, type ObservedInstance, type ObservedState } from './runtime.ts'
import { notifyTeams } from './team-notifier.ts'

/** Columns of an instance whose values are copied from the observed state. */
type AddressRow = Pick<InstanceRow, 'status' | 'host' | 'port' | 'furtherPorts' | 'furtherPlaces' | 'exposure'>

type ReadyInstance = Pick<ObservedInstance, 'exposure'> & { readonly state: Extract<ObservedState, { kind: 'ready' }> }

/** True if the row already matches the observed state. If it does, nothing is written or published. */
export function isRowCurrent(row: AddressRow, { state, exposure }: Pick<ObservedInstance, 'state' | 'exposure'>): boolean {
  switch (state.kind) {
    case 'ready':
      return (
        row.status === 'Running' &&
        row.host === state.host &&
        row.port === state.port &&
        isDeepStrictEqual(row.furtherPorts, state.furtherPorts ?? null) &&
        isDeepStrictEqual(row.furtherPlaces, state.furtherPlaces ?? null) &&
        row.exposure === (exposure ?? row.exposure)
      )
    case 'pending':
      return listFormerAddresses(row, state).length === 0
    case 'failed':
      return row.status !== 'Pending' && listFormerAddresses(row, state).length === 0
  }
}

/**
 * Writes the address of a ready instance to its row. No other function writes the address, and every process reads it
 * from the row. Concurrent calls are safe: only the call that changes the row notifies gateways and team.
 * @returns undefined if the row already matches or the instance has ended
 */
export async function storeReadyAddress(
  deps: Pick<InstanceDeps, 'db' | 'bus'>,
  id: string,
  { state, exposure }: ReadyInstance,
): Promise<InstanceRow | undefined> {
  const { host, port, furtherPorts = null, furtherPlaces = null } = state
  const address = { host, port, furtherPorts, furtherPlaces, exposure: exposure ?? null }
  const changed = await retryUntilOutcomeKnown(() => instanceRepository(deps.db).writeAddress(id, address))
  if (!changed) return undefined
  for (const from of listFormerAddresses(changed.former, state))
    deps.bus.publish({ kind: 'instance-moved', instanceId: id, from })
  await notifyTeams(deps, [id])
  return changed.row
}
