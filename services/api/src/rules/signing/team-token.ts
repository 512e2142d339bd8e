import { sign, verify } from 'node:crypto'
import type { ProblemCode } from '@capstan/contract/problems'
import { privateKeyFromSeed, publicKeyFromRaw, rawKeyBytes } from './ed25519.ts'

/** What is signed is this and the team's id; a server setting. Rules: docs/contract/teams.md#team-tokens. */
export const defaultTokenPrefix = 'TEAM_'

/** Standard Base64 with padding; at least one group. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/
const tokenForm = /^(\d{1,10}):(.+)$/

function decodeBase64(text: string): Buffer | undefined {
  return base64.test(text) ? Buffer.from(text, 'base64') : undefined
}

/**
 * Token that proves to third parties which team is asking: `{team id}:{Ed25519 signature, Base64}`. The same team and key
 * always give the same token. Rules: docs/contract/teams.md#team-tokens.
 *
 * @param privateKey the game's 32-byte seed, as from `openGameKey`
 */
export function signTeamToken(teamId: number, privateKey: Uint8Array, prefix: string = defaultTokenPrefix): string {
  const signature = sign(null, Buffer.from(`${prefix}${teamId}`, 'ascii'), privateKeyFromSeed(privateKey))
  return `${teamId}:${signature.toString('base64')}`
}

/**
 * @param publicKey the game's raw 32-byte key, Base64
 * @returns `team.token-form` when key or token cannot be read, `team.token-signature` when the key did not sign this team,
 *   undefined when the token is good
 */
export function refuseTeamToken(
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

/** A key that is no point of the curve signed nothing: the caller chose it, so that is an answer and not a defect. */
function isSignedBy(rawKey: Buffer, text: string, signature: Buffer): boolean {
  try {
    return verify(null, Buffer.from(text, 'ascii'), publicKeyFromRaw(rawKey), signature)
  } catch {
    return false
  }
}
