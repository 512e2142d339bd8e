import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'

/** Length of a raw private key (the seed in RFC 8032) or public key, in bytes. */
export const rawKeyBytes = 32

/** Headers that turn a raw key into a DER document (RFC 8410, sections 4 and 7). Node cannot import raw Ed25519 keys. */
const pkcs8Header = Buffer.from('302e020100300506032b657004220420', 'hex')
const spkiHeader = Buffer.from('302a300506032b6570032100', 'hex')

/** @param seed private key of RFC 8032, 32 bytes */
export function privateKeyFromSeed(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([pkcs8Header, seed]), format: 'der', type: 'pkcs8' })
}

export function publicKeyFromRaw(raw: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([spkiHeader, raw]), format: 'der', type: 'spki' })
}

export function rawPublicKeyOfSeed(seed: Uint8Array): Buffer {
  return createPublicKey(privateKeyFromSeed(seed)).export({ format: 'der', type: 'spki' }).subarray(spkiHeader.length)
}
