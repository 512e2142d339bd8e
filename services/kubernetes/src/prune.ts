import type { DesiredObject, KubeObject } from './types.ts'

/**
 * Returns objects to delete: those among `owned` (all that name the owner's UID) that are no longer desired. Objects that are
 * already being deleted are omitted.
 */
export function unwanted<T extends KubeObject>(owned: T[], kind: string, desired: DesiredObject[]): T[] {
  const wanted = new Set(desired.filter((object) => object.kind === kind).map((object) => object.metadata.name))
  return owned.filter((object) => !wanted.has(object.metadata.name) && object.metadata.deletionTimestamp === undefined)
}
