import { createHash, randomBytes } from 'node:crypto'

export function createSessionToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Returns the hash of a token that is stored instead of the token. A copy of the database therefore opens no session. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
