import { createHmac } from 'node:crypto'

/**
 * Returns the value that identifies the author of anonymous answers: a keyed hash of the user's id. The key of the hash is the
 * private key of the game. Without the server secret, this value cannot be computed for a user.
 * @param privateKey the game's 32-byte seed from `openGameKey`
 */
export function hashSurveyAuthor(privateKey: Uint8Array, userId: string): string {
  return createHmac('sha256', privateKey).update(`capstan survey v1 ${userId}`).digest('hex')
}
