import { createHash, createHmac, sign } from 'node:crypto'
import { privateKeyFromSeed } from './ed25519.ts'

/** Hash before the first line of a chain. */
export const firstHash = '0'.repeat(64)

/**
 * First line of the signed text of a seal. The signed text of a team token consists of another prefix and digits. The signature of
 * a team token is therefore never valid for a seal.
 */
const prefix = 'CAPSTAN BOARD'

const secretNumberBytes = 6

/**
 * Returns the hash of a chain after a new line: SHA-256 of the previous hash, a line feed and the new line.
 * @param previous the hash before the new line, in hexadecimal digits like the result
 */
export function computeNextHash(previous: string, line: string): string {
  return createHash('sha256').update(`${previous}\n${line}`).digest('hex')
}

type ChainEnd = Readonly<{
  gameId: number
  /** Number of the last record in the chain. */
  sequence: number
  hash: string
  /** Time of the seal, in ms since 1970. */
  time: number
}>

/**
 * Signs the end of a chain. Rules: docs/verifying.md#format.
 * @param privateKey the game's 32-byte seed from `openGameKey`
 * @returns Ed25519 signature in hexadecimal digits
 */
export function signBoardSeal({ gameId, sequence, hash, time }: ChainEnd, privateKey: Uint8Array): string {
  const text = [prefix, gameId, sequence, hash, time].join('\n')
  return sign(null, Buffer.from(text, 'ascii'), privateKeyFromSeed(privateKey)).toString('hex')
}

/** Function that returns a secret number for a label. In one game, a label always has the same number. */
export type SecretNumbers = (label: string) => number

/**
 * Creates secret 48-bit numbers. The sum of a secret number and an id does not reveal the id.
 * @param privateKey the game's 32-byte seed from `openGameKey`
 */
export function createSecretNumbers(privateKey: Uint8Array): SecretNumbers {
  return (label) => createHmac('sha256', privateKey).update(`capstan board v1 ${label}`).digest().readUIntBE(0, secretNumberBytes)
}
