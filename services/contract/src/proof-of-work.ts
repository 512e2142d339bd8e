/**
 * Proof of work: a nonce for which the hash of puzzle text and nonce starts with a given number of zero bits. Rules:
 * docs/contract/sessions-and-accounts.md#proof-of-work.
 */

/** Size of the puzzle text and of the nonce, in bytes. */
export const powPartBytes = 8

export function countLeadingZeroBits(hash: Uint8Array): number {
  const at = hash.findIndex((byte) => byte !== 0)
  return at < 0 ? hash.length * 8 : at * 8 + Math.clz32(hash[at] ?? 0) - 24
}
