/**
 * A copy that is kept for long. Node cuts small buffers out of pools of 64 kB, and one of them that stays keeps its whole pool: 500 answers
 * of 3 kB each held 19 MB.
 */
export const keptBytes = (bytes: Buffer): Buffer<ArrayBuffer> => {
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}
