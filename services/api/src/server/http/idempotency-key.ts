import { Problem } from '@capstan/contract/problems'

const uuid = /^"?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"?$/i

type Header = string | readonly string[] | undefined

/**
 * Returns the idempotency key of a call in lower case. Accepts a UUID with or without quotes.
 * @returns undefined if the header is absent or malformed
 */
export function findIdempotencyKey(header: Header): string | undefined {
  return typeof header === 'string' ? uuid.exec(header)?.[1]?.toLowerCase() : undefined
}

/** Like `findIdempotencyKey`, but refuses a malformed header. @throws Problem `request.invalid` */
export function readIdempotencyKey(header: Header): string | undefined {
  const key = findIdempotencyKey(header)
  if (header !== undefined && key === undefined)
    throw new Problem('request.invalid', { detail: 'Idempotency-Key must be one UUID' })
  return key
}
