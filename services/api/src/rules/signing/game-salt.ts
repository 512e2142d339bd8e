import { createHmac } from 'node:crypto'

/**
 * Returns the salt of a game's `[TEAM_HASH]` flags: a keyed hash of the private key. The salt reveals nothing about the key
 * and needs no column. Organizers read it at `/api/edit/games/{id}/hashsalt`. Rules: docs/contract/challenges.md#team-hash.
 * @param privateKey the game's 32-byte seed from `openGameKey`
 * @returns 64 lower-case hexadecimal digits, always the same for a game
 */
export function deriveGameSalt(privateKey: Uint8Array): string {
  return createHmac('sha256', privateKey).update('capstan game salt v1').digest('hex')
}
