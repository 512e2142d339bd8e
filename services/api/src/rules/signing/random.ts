import { randomBytes, randomInt, randomUUID } from 'node:crypto'

/** The only source of randomness: rules take it as a parameter, so that tests can say what comes next. */
export interface Random {
  /** An even choice among `0 … maxExclusive - 1`; `maxExclusive` is at least 1. */
  int(maxExclusive: number): number
  /** A version 4 UUID in lower case. */
  uuid(): string
  /** `bytes` random bytes as `2 * bytes` lower-case hexadecimal digits. */
  hex(bytes: number): string
}

/** Cryptographically strong randomness of the platform. */
export const cryptoRandom: Random = {
  int: (maxExclusive) => randomInt(maxExclusive),
  uuid: () => randomUUID(),
  hex: (bytes) => randomBytes(bytes).toString('hex'),
}
