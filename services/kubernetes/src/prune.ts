import type { DesiredObject, KubeObject } from './types.ts'

/**
 * Returns the objects of `owned` that are no longer desired, except objects that are already being deleted. `owned`
 * contains all objects that name this owner's UID.
 */
export function findUndesiredObjects<T extends KubeObject>(owned: T[], kind: string, desired: DesiredObject[]): T[] {
  const wanted = new Set(desired.filter((object) => object.kind === kind).map((object) => object.metadata.name))
  return owned.filter((object) => !wanted.has(object.metadata.name) && object.metadata.deletionTimestamp === undefined)
}
