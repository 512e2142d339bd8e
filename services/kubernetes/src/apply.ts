import type { DesiredObject, KubeObject } from './types.ts'

/**
 * True if the object already has all desired values, so that no write is needed. Other fields, such as defaults and allocated
 * ports, are ignored. Lists must have equal length, and their elements are compared in order.
 */
export function hasAllDesiredValues(desired: DesiredObject, observed: KubeObject | undefined): boolean {
  return observed !== undefined && contains(observed, desired)
}

function contains(observed: unknown, desired: unknown): boolean {
  if (Array.isArray(desired)) {
    return (
      Array.isArray(observed) &&
      observed.length === desired.length &&
      desired.every((element, index) => contains(observed[index], element))
    )
  }
  if (typeof desired === 'object' && desired !== null) {
    if (typeof observed !== 'object' || observed === null) return isEmpty(desired)
    const fields = observed as Record<string, unknown>
    return Object.entries(desired).every(([name, value]) => value === undefined || contains(fields[name], value))
  }
  return observed === desired
}

/** True for an empty map. The API server drops empty maps, so an absent field is the same. */
function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0
}
