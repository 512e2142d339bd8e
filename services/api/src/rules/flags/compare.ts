import { createHash, timingSafeEqual } from 'node:crypto'

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest()
}

/**
 * Compares two texts exactly and in constant time. It compares digests, so the duration reveals neither a common prefix nor the
 * length.
 */
export function isSameSecret(left: string, right: string): boolean {
  return timingSafeEqual(digestOf(left), digestOf(right))
}

/** Finds the first candidate with this secret, in constant time: all candidates are compared, even after a match. */
export function findSameSecret<Candidate>(
  candidates: readonly Candidate[],
  secretOf: (candidate: Candidate) => string,
  answer: string,
): Candidate | undefined {
  const answerDigest = digestOf(answer)
  let found: Candidate | undefined
  for (const candidate of candidates) {
    const isSame = timingSafeEqual(digestOf(secretOf(candidate)), answerDigest)
    if (isSame && found === undefined) found = candidate
  }
  return found
}
