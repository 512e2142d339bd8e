import { createHash, randomBytes } from 'node:crypto'

/** A new opaque cookie value: 256 random bits. */
export function createSessionToken(): string {
  return randomBytes(32).toString('base64url')
}

/** What is stored of a token, so that a copy of the database opens no session. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
