import type { DesiredObject, KubeObject } from './types.ts'

/**
 * True if every listed field has our value. Fields that others set (defaults, allocated ports) are ignored, so a second pass
 * writes nothing. A pass repairs our fields after changes by other clients. Lists must have equal length, and elements are
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
