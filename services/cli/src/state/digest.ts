import { createHash } from 'node:crypto'

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Returns a digest that is equal for equal plain values. The order of members is the order in our code. */
export function digestOf(value: unknown): string {
  return sha256(JSON.stringify(value) ?? '').slice(0, 32)
}

/** Returns the digest of each field, as the platform remembers it for the next comparison. */
export function digestsOf(fields: object, nameOf = (field: string): string => field): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [nameOf(field), digestOf(value)]))
}

/** Normalizes line ends for comparison, because a checkout may end lines with CR LF. */
export function plainLines(text: string): string {
  return text.replaceAll('\r\n', '\n')
}
