/** Returns a generator of random choices (mulberry32). Equal seeds result in equal choices. */
export function createRandom(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  /** Returns an integer from 0 to `end - 1`. */
  const below = (end: number): number => Math.floor(next() * end)
  return {
    below,
    chance: (share: number): boolean => next() < share,
    pick<T>(choices: readonly [T, ...T[]]): T {
      return choices[below(choices.length)] ?? choices[0]
    },
    bytes: (length: number): Buffer => Buffer.from(Array.from({ length }, () => below(256))),
  }
}

export type Random = ReturnType<typeof createRandom>
