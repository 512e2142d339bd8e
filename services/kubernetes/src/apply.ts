import type { DesiredObject, KubeObject } from './types.ts'

/**
 * True if every desired field has our value. Other fields (defaults, allocated ports) are ignored, so that a second pass writes
 * nothing. If another client changed our fields, the next pass repairs them. Lists must have equal length, and their elements are
 * compared in order.
 */
export function isApplied(desired: DesiredObject, observed: KubeObject | undefined): boolean {
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

/** The API server drops empty maps. */
function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0
}
