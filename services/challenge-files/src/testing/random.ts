/** Returns a generator of numbers from 0 to 1 that is the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Texts that have a special meaning in YAML, Markdown or paths if they are not escaped. */
export const oddTexts = [
  ...['0123', '1e3', 'yes', 'N', '~', 'null', '.5', '0x1F', '12:30', '2026-01-02', '-', '#x', 'a: b', '{a}', '[b', '"q"', "it's"],
  ...['a\nb', ' tail ', '=1+1', '@x', 'ünïcödé', '日本', '\\n', '%d', '&a', '*b', '!c', '|', '>', '<<', 'flag{a,b}', '🏴'],
]

/** Returns functions that choose values at random. The same seed gives the same values. */
export function createRandomChooser(seed: number) {
  const random = randomFrom(seed)
  const below = (count: number) => Math.floor(random() * count)
  const one = <Each>(of: readonly Each[]): Each => of[below(of.length)] as Each
  return {
    random,
    below,
    one,
    maybe: <Each>(make: () => Each): Each | undefined => (random() < 0.5 ? make() : undefined),
    text: () => `${one(oddTexts)}${random() < 0.5 ? one(oddTexts) : ''}`,
    list: <Each>(make: () => Each) => Array.from({ length: below(3) }, make),
  }
}
