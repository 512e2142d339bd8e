import { rawKeyBytes, rawPublicKeyOfSeed } from './ed25519.ts'
import type { Random } from './random.ts'
import { seal, unseal } from './secret-box.ts'

/** The Ed25519 key pair of a game as it is stored. The private key never leaves the server. */
export type StoredGameKeys = Readonly<{
  /** Raw 32 bytes, Base64. Never changes. */
  publicKey: string
  /** Sealed under the server secret (`secret-box.ts`), bound to its public key. */
  privateKey: string
}>

function contextOf(publicKey: string): string {
  return `game key ${publicKey}`
}

/** @param serverSecret deployment secret; without it the private key can never be read again */
export function createGameKeys(serverSecret: string, random: Random): StoredGameKeys {
  const seed = Buffer.from(random.hex(rawKeyBytes), 'hex')
  const publicKey = rawPublicKeyOfSeed(seed).toString('base64')
  return { publicKey, privateKey: seal(seed, contextOf(publicKey), serverSecret, random) }
}

/**
 * The private key (32-byte seed) for signing and for the game salt. Keep it in memory only.
 *
 * @throws Error when the stored key was changed or the server secret is another one
 */
export function openGameKey(keys: StoredGameKeys, serverSecret: string): Buffer {
  return unseal(keys.privateKey, contextOf(keys.publicKey), serverSecret)
}
