import { createHash } from 'node:crypto'

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** The same for equal plain values: members of objects are in the order that our code writes them in. */
export function digestOf(value: unknown): string {
  return sha256(JSON.stringify(value) ?? '').slice(0, 32)
}

/** Field -> digest, as the platform remembers it for the next time. */
export function digestsOf(fields: object, nameOf = (field: string): string => field): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [nameOf(field), digestOf(value)]))
}

/** Text as it is compared: what checks files out may end their lines with CR LF. */
export function plainLines(text: string): string {
  return text.replaceAll('\r\n', '\n')
}
