import { createHash } from 'node:crypto'

export const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')

/** The same for equal plain values: members of objects are in the order that our code writes them in. */
export const digestOf = (value: unknown): string => sha256(JSON.stringify(value) ?? '').slice(0, 32)

/** Field -> digest, as the platform remembers it for the next time. */
export const digestsOf = (fields: object, nameOf = (field: string): string => field): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [nameOf(field), digestOf(value)]))

/** Text as it is compared: what checks files out may end their lines with CR LF. */
export const plainLines = (text: string): string => text.replaceAll('\r\n', '\n')
