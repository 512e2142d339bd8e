import { isDeepStrictEqual } from 'node:util'
import { retryUntilOutcomeKnown } from '@capstan/db/retry-until-known'
import type { InstanceDeps } from '../deps.ts'
import { createInstanceRepository, type InstanceRow } from './repository.ts'
import { currentAddressOf, listFormerAddresses, type ObservedInstance, type ObservedState } from './runtime.ts'
import { notifyTeamsOfInstances } from './team-notifier.ts'

/** Columns of an instance that are copied from the observed state. */
type AddressRow = Pick<InstanceRow, 'status' | 'host' | 'port' | 'furtherPorts' | 'furtherPlaces' | 'exposure'>

type Observation = Pick<ObservedInstance, 'state' | 'exposure'>

/** True if the row already matches the observed state. In this case nothing is written or published. */
export function doesRowMatchState(row: AddressRow, { state, exposure }: Observation): boolean {
  if (row.status !== 'Running') return state.kind === 'pending'
  const address = currentAddressOf(state)
  return (
    row.host === address?.host &&
    row.port === address?.port &&
    (state.kind !== 'ready' || isDeepStrictEqual(row.furtherPorts, state.furtherPorts ?? null)) &&
    isDeepStrictEqual(row.furtherPlaces, state.furtherPlaces ?? null) &&
    row.exposure === (exposure ?? row.exposure)
  )
}

/**
 * Stores the addresses of an instance, and notifies the team and the gateways of a change.
 * @returns the changed row, or undefined if no row changed
 */
export async function storeInstanceAddress(
  deps: Pick<InstanceDeps, 'db' | 'bus'>,
  id: string,
  { state, exposure = null }: Readonly<{ state: ObservedState; exposure?: InstanceRow['exposure'] | undefined }>,
): Promise<InstanceRow | undefined> {
  const { furtherPlaces = null } = state
  const isReady = state.kind === 'ready'
  const furtherPorts = isReady ? (state.furtherPorts ?? null) : undefined
  const written = { isReady, address: currentAddressOf(state), furtherPorts, furtherPlaces, exposure }
  const changed = await retryUntilOutcomeKnown(() => createInstanceRepository(deps.db).writeAddress(id, written))
  if (!changed) return undefined
  for (const from of listFormerAddresses(changed.former, state))
    deps.bus.publish({ kind: 'instance-moved', instanceId: id, from })
  await notifyTeamsOfInstances(deps, [id])
  return changed.row
}
