import { createHash } from 'node:crypto'

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/**
 * Returns a digest that is the same for equal plain values. The digest depends on the order of members, which our code
 * determines.
 */
export function digestOfValue(value: unknown): string {
  return sha256(JSON.stringify(value) ?? '').slice(0, 32)
}

/** Returns the digest of each field, for storage on the platform until the next comparison. */
export function digestsOfFields(fields: object, nameOf = (field: string): string => field): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [nameOf(field), digestOfValue(value)]))
}

/** Normalizes line ends, because a checkout may have CR LF. */
export function normalizeLineEnds(text: string): string {
  return text.replaceAll('\r\n', '\n')
}
