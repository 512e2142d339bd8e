import { Problem } from '@capstan/contract/problems'

const uuid = /^"?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"?$/i

type Header = string | readonly string[] | undefined

/** Returns the client's id of a call in lower case. Accepts a bare or quoted UUID. @returns undefined if absent or malformed */
export function findIdempotencyKey(header: Header): string | undefined {
  return typeof header === 'string' ? uuid.exec(header)?.[1]?.toLowerCase() : undefined
}

/** As `findIdempotencyKey`. @throws Problem `request.invalid` for a malformed header */
export function readIdempotencyKey(header: Header): string | undefined {
  const key = findIdempotencyKey(header)
  if (header !== undefined && key === undefined)
    throw new Problem('request.invalid', { detail: 'Idempotency-Key must be one UUID' })
  return key
}
