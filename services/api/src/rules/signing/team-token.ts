import { sign, verify } from 'node:crypto'
import type { ProblemCode } from '@capstan/contract/problems'
import { privateKeyFromSeed, publicKeyFromRaw, rawKeyBytes } from './ed25519.ts'

/** Default prefix. The signed text is the prefix and the team's id. Rules: docs/contract/teams.md#team-tokens. */
export const defaultTokenPrefix = 'TEAM_'

/** Matches standard Base64 with padding and at least one group. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/
const tokenForm = /^(\d{1,10}):(.+)$/

function decodeBase64(text: string): Buffer | undefined {
  return base64.test(text) ? Buffer.from(text, 'base64') : undefined
}

/**
 * Creates a token that proves a team's identity to third parties: `{team id}:{Ed25519 signature, Base64}`. The same team and key
 * always give the same token. Rules: docs/contract/teams.md#team-tokens.
 *
 * @param privateKey the game's 32-byte seed from `openGameKey`
 */
export function signTeamToken(teamId: number, privateKey: Uint8Array, prefix: string = defaultTokenPrefix): string {
  const signature = sign(null, Buffer.from(`${prefix}${teamId}`, 'ascii'), privateKeyFromSeed(privateKey))
  return `${teamId}:${signature.toString('base64')}`
}

/**
 * Verifies a team token.
 * @param publicKey the game's raw 32-byte key, Base64
 * @returns `team.token-form` if the key or token is malformed, `team.token-signature` if the signature does not match, or
 * undefined if the token is valid
 */
export function refuseInvalidTeamToken(
  token: string,
  publicKey: string,
  prefix: string = defaultTokenPrefix,
): Extract<ProblemCode, 'team.token-form' | 'team.token-signature'> | undefined {
  const rawKey = decodeBase64(publicKey.trim())
  const [, teamId, signatureText] = tokenForm.exec(token.trim()) ?? []
  const signature = signatureText === undefined ? undefined : decodeBase64(signatureText)
  if (rawKey?.length !== rawKeyBytes || teamId === undefined || !signature) return 'team.token-form'
  return isSignedBy(rawKey, `${prefix}${teamId}`, signature) ? undefined : 'team.token-signature'
}

/** True if the signature is valid. A key that is not a point of the curve causes an error, which means an invalid signature. */
function isSignedBy(rawKey: Buffer, text: string, signature: Buffer): boolean {
  try {
    return verify(null, Buffer.from(text, 'ascii'), publicKeyFromRaw(rawKey), signature)
  } catch {
    return false
  }
}
