import type { PowChallenge } from '@capstan/contract/accounts'
import { countLeadingZeroBits, powPartBytes } from '@capstan/contract/proof-of-work'
import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils'

/**
 * Returns the solution of a proof-of-work puzzle, after about 2^difficulty hashes. It does not use `crypto.subtle`. That API is
 * slower for single hashes, and does not exist on pages without TLS.
 */
export function solveProofOfWork({ id, challenge, difficulty }: PowChallenge): string {
  const bytes = new Uint8Array(2 * powPartBytes)
  bytes.set(hexToBytes(challenge))
  const view = new DataView(bytes.buffer)
  for (let nonce = 0n; ; nonce++) {
    view.setBigUint64(powPartBytes, nonce)
    if (countLeadingZeroBits(sha256(bytes)) >= difficulty) return `${id}:${bytesToHex(bytes.subarray(powPartBytes))}`
  }
}
