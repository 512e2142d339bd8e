import { createHmac } from 'node:crypto'

/**
 * Salt of the `[TEAM_HASH]` flags of a game: a keyed hash of the game's private key, so it needs no column of its own and tells
 * nothing about the key. Organizers read it at `/api/edit/games/{id}/hashsalt`. Rules: docs/contract/challenges.md#team-hash.
 *
 * @param privateKey the game's 32-byte seed, as from `openGameKey`
 * @returns 64 lower-case hexadecimal digits, always the same for one game
 */
export function gameSalt(privateKey: Uint8Array): string {
  return createHmac('sha256', privateKey).update('capstan game salt v1').digest('hex')
}
