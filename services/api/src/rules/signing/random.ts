import { randomBytes, randomInt, randomUUID } from 'node:crypto'

/** The only source of randomness. Rules take it as a parameter, so that tests can control it. */
export interface Random {
  /** Returns a uniformly random integer of `0 … maxExclusive - 1`; `maxExclusive` is at least 1. */
  int(maxExclusive: number): number
  uuid(): string
  hex(bytes: number): string
}

export const cryptoRandom: Random = {
  int: (maxExclusive) => randomInt(maxExclusive),
  uuid: () => randomUUID(),
  hex: (bytes) => randomBytes(bytes).toString('hex'),
}
