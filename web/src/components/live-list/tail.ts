/** How entries of a list without ids are told apart and put in order. */
export type TailRules<Entry> = Readonly<{
  /** Equal for two copies of the same entry, one read over HTTP and one pushed. */
  keyOf: (entry: Entry) => string
  /** Instant, milliseconds. */
  timeOf: (entry: Entry) => number
}>

type TailInput<Entry> = TailRules<Entry> &
  Readonly<{
    /** What was read, newest first. */
    read: readonly Entry[]
    /** What was pushed since the page opened, newest first. */
    pushed: readonly Entry[]
    /** Most entries that a read answers: with fewer, nothing older exists. */
    pageSize: number
  }>

function countsOf<Entry>(entries: readonly Entry[], keyOf: (entry: Entry) => string) {
  const counts = new Map<string, number>()
  for (const entry of entries) counts.set(keyOf(entry), (counts.get(keyOf(entry)) ?? 0) + 1)
  return counts
}

/**
 * The newest entries from both sources, newest first. A pushed entry may arrive before or after it is read: it is shown once,
 * in its newest form. Equal entries that happened several times are shown as often. Entries older than the page that was read
 * belong to the next page.
 */
export function mergeTail<Entry>({ read, pushed, pageSize, keyOf, timeOf }: TailInput<Entry>): readonly Entry[] {
  if (pushed.length === 0) return read
  const last = read.at(-1)
  const oldest = last && read.length >= pageSize ? timeOf(last) : Number.NEGATIVE_INFINITY
  const newest = pushed.filter((entry) => timeOf(entry) >= oldest)
  const pushedCounts = countsOf(newest, keyOf)
  const missing = read.filter((entry) => {
    const count = pushedCounts.get(keyOf(entry)) ?? 0
    if (count === 0) return true
    pushedCounts.set(keyOf(entry), count - 1)
    return false
  })
  return [...newest, ...missing].sort((one, other) => timeOf(other) - timeOf(one)).slice(0, pageSize)
}

/** How many of `entries` are not among `known`. */
export function countNew<Entry>(entries: readonly Entry[], known: readonly Entry[], keyOf: (entry: Entry) => string): number {
  const counts = countsOf(known, keyOf)
  return entries.filter((entry) => {
    const count = counts.get(keyOf(entry)) ?? 0
    counts.set(keyOf(entry), count - 1)
    return count <= 0
  }).length
}

/** Each entry with a key of its own that stays while others come before it: equal entries are numbered from the oldest on. */
export function withKeys<Entry>(entries: readonly Entry[], keyOf: (entry: Entry) => string) {
  const counts = new Map<string, number>()
  return entries
    .toReversed()
    .map((entry) => {
      const key = keyOf(entry)
      const number = (counts.get(key) ?? 0) + 1
      counts.set(key, number)
      return { key: `${key}\n${number}`, entry }
    })
    .reverse()
}

/** True for entries in which every word of `typed` occurs somewhere, letter case ignored. */
export function searcherOf<Entry>(typed: string, textOf: (entry: Entry) => readonly (string | null)[]) {
  const words = typed.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  return (entry: Entry): boolean => {
    if (words.length === 0) return true
    const text = textOf(entry).join('\n').toLocaleLowerCase()
    return words.every((word) => text.includes(word))
  }
}
