import { isDeepStrictEqual } from 'node:util'
import { retryUntilOutcomeKnown } from '@capstan/db/retry-until-known'
import type { InstanceDeps } from '../deps.ts'
import { createInstanceRepository, type InstanceRow, type StoredAddresses } from './repository.ts'
import type { FurtherPlaces, InstanceAddress, ObservedInstance, ObservedState } from './runtime.ts'
import { notifyTeamsOfInstances } from './team-notifier.ts'

/** Columns of an instance that are copied from the observed state. */
type AddressRow = Pick<InstanceRow, 'status' | 'host' | 'port' | 'furtherPorts' | 'furtherPlaces' | 'exposure'>

type Observation = Pick<ObservedInstance, 'state' | 'exposure'>

/** Addresses at which the gateways reach an instance. */
type CurrentAddresses = Readonly<{
  /** Address of the entry port. Undefined if the instance has no address, or if it is moving to another address. */
  entry: InstanceAddress | undefined
  /** Addresses of the ports of additional containers. */
  furtherPlaces: FurtherPlaces
}>

/** Returns the entry address that the runtime reports. */
export function observedAddressOf(state: ObservedState): InstanceAddress | undefined {
  return state.kind === 'ready' ? { host: state.host, port: state.port } : state.address
}

function isSameAddress(one: InstanceAddress, other: InstanceAddress | undefined): boolean {
  return one.host === other?.host && one.port === other.port
}

/**
 * Returns the addresses in the row, without those that the runtime contradicts. All processes read the same row, so they agree
 * whether an instance is ready. An address that the runtime contradicts may belong to another instance.
 * @param observed state that the runtime reports; undefined if the runtime does not know the instance
 */
export function currentAddressesOf(
  { host, port, furtherPlaces }: StoredAddresses,
  observed: ObservedState | undefined,
): CurrentAddresses {
  const entry = host === null || port === null ? undefined : { host, port }
  const places = furtherPlaces ?? {}
  if (!observed) return { entry, furtherPlaces: places }
  const current = Object.entries(places).filter(([key, place]) => isSameAddress(place, observed.furtherPlaces?.[key]))
  return {
    entry: entry && isSameAddress(entry, observedAddressOf(observed)) ? entry : undefined,
    furtherPlaces: Object.fromEntries(current),
  }
}

/** Returns the stored addresses that the instance does not have at present. Another instance may get them. */
export function listFormerAddresses(stored: StoredAddresses, observed: ObservedState): InstanceAddress[] {
  const { entry, furtherPlaces } = currentAddressesOf(stored, undefined)
  const current = currentAddressesOf(stored, observed)
  const places = Object.entries(furtherPlaces).flatMap(([key, place]) => (current.furtherPlaces[key] ? [] : [place]))
  return entry && !current.entry ? [entry, ...places] : places
}

/**
 * True if row and runtime have different addresses of a port, so that one of them is stale. A failed instance gets no new address,
 * so its row is not stale.
 * @param wanted port of an additional container; if absent, the entry port
 */
export function isAddressInDoubt(stored: StoredAddresses, observed: ObservedState | undefined, wanted?: string): boolean {
  if (!observed || observed.kind === 'failed') return false
  const { entry, furtherPlaces } = currentAddressesOf(stored, observed)
  if (wanted === undefined) return entry === undefined
  const isKnown = (observed.furtherPlaces?.[wanted] ?? stored.furtherPlaces?.[wanted]) !== undefined
  return isKnown && furtherPlaces[wanted] === undefined
}

/** True if the row already matches the observed state. In this case nothing is written or published. */
export function doesRowMatchState(row: AddressRow, { state, exposure }: Observation): boolean {
  if (row.status !== 'Running') return state.kind === 'pending'
  const address = observedAddressOf(state)
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
  const written = { isReady, address: observedAddressOf(state), furtherPorts, furtherPlaces, exposure }
  const changed = await retryUntilOutcomeKnown(() => createInstanceRepository(deps.db).writeAddress(id, written))
  if (!changed) return undefined
  for (const from of listFormerAddresses(changed.former, state))
    deps.bus.publish({ kind: 'instance-moved', instanceId: id, from })
  await notifyTeamsOfInstances(deps, [id])
  return changed.row
}
