import { rawKeyBytes, rawPublicKeyOfSeed } from './ed25519.ts'
import type { Random } from './random.ts'
import { sealText, unsealText } from './secret-box.ts'

/** Stored Ed25519 key pair of a game. The private key never leaves the server. */
export type StoredGameKeys = Readonly<{
  /** Public key: raw 32 bytes as Base64. It never changes. */
  publicKey: string
  /** Private key, sealed with the server secret and bound to the public key (`secret-box.ts`). */
  privateKey: string
}>

function contextOf(publicKey: string): string {
  return `game key ${publicKey}`
}

/** Creates a key pair. @param serverSecret secret that is also required to read the private key */
export function createGameKeys(serverSecret: string, random: Random): StoredGameKeys {
  const seed = Buffer.from(random.hex(rawKeyBytes), 'hex')
  const publicKey = rawPublicKeyOfSeed(seed).toString('base64')
  return { publicKey, privateKey: sealText(seed, contextOf(publicKey), serverSecret, random) }
}

/**
 * Returns the private key (32-byte seed), which signs tokens and yields the game salt. Do not store it.
 * @throws Error if the stored key was changed or the server secret differs
 */
export function openGameKey(keys: StoredGameKeys, serverSecret: string): Buffer {
  return unsealText(keys.privateKey, contextOf(keys.publicKey), serverSecret)
}
