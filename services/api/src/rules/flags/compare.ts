import { createHash, timingSafeEqual } from 'node:crypto'

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest()
}

/**
 * Exact, case-sensitive equality whose time tells nothing about where two texts differ: the digests are compared, so
 * neither a common beginning nor the length shows.
 */
export function isSameSecret(left: string, right: string): boolean {
  return timingSafeEqual(digestOf(left), digestOf(right))
}

/** As `isSameSecret` for many candidates: every one is looked at, also after a hit. Returns the first that is equal. */
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
