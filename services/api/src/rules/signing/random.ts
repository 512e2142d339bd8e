import { randomBytes, randomInt, randomUUID } from 'node:crypto'

/** Source of all randomness. Rules take it as a parameter, so that tests can control it. */
export interface Random {
  /** Returns a uniformly random integer in `0 … maxExclusive - 1`. `maxExclusive` must be at least 1. */
  int(maxExclusive: number): number
  uuid(): string
  hex(bytes: number): string
}

export const cryptoRandom: Random = {
  int: (maxExclusive) => randomInt(maxExclusive),
  uuid: () => randomUUID(),
  hex: (bytes) => randomBytes(bytes).toString('hex'),
}
