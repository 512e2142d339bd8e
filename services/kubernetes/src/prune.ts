import type { DesiredObject, KubeObject } from './types.ts'

/**
 * Returns objects to delete: members of `owned` (all that name the owner's UID) that are no longer desired. Objects in
 * deletion are omitted.
 */
export function findUnwanted<T extends KubeObject>(owned: T[], kind: string, desired: DesiredObject[]): T[] {
  const wanted = new Set(desired.filter((object) => object.kind === kind).map((object) => object.metadata.name))
  return owned.filter((object) => !wanted.has(object.metadata.name) && object.metadata.deletionTimestamp === undefined)
}
