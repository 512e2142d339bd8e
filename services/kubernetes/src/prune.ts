import type { DesiredObject, KubeObject } from './types.ts'

/**
 * Objects that belong to an owner but are no longer wanted: found among `owned` (all that name the owner's UID), to be deleted by
 * whoever asked. Objects that are being deleted already are left out.
 */
export function unwanted<T extends KubeObject>(owned: T[], kind: string, desired: DesiredObject[]): T[] {
  const wanted = new Set(desired.filter((object) => object.kind === kind).map((object) => object.metadata.name))
  return owned.filter((object) => !wanted.has(object.metadata.name) && object.metadata.deletionTimestamp === undefined)
}
