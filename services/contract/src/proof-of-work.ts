/** Proof of work: a number whose hash with the challenge begins with zero bits. Rules: docs/contract/sessions-and-accounts.md#proof-of-work. */

/** Size of the challenge and of the nonce, in bytes. */
export const powPartBytes = 8

/** Returns the number of leading zero bits. */
export function countLeadingZeroBits(hash: Uint8Array): number {
  const at = hash.findIndex((byte) => byte !== 0)
  return at < 0 ? hash.length * 8 : at * 8 + Math.clz32(hash[at] ?? 0) - 24
}
