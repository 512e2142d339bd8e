import { createHash, randomBytes } from 'node:crypto'

/** Name of the session cookie; the contract leaves it to the server. */
export const sessionCookieName = 'capstan_session'

/** A new opaque cookie value: 256 random bits. */
export const createSessionToken = (): string => randomBytes(32).toString('base64url')

/** What is stored of a token, so that a copy of the database opens no session. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')
