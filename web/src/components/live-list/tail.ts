/** Functions that return the identity and the time of an entry. They are necessary because entries have no ids. */
export type TailRules<Entry> = Readonly<{
  keyOf: (entry: Entry) => string
  timeOf: (entry: Entry) => number
}>

type TailInput<Entry> = TailRules<Entry> &
  Readonly<{
    /** Entries that a read returned, newest first. */
    read: readonly Entry[]
    pushed: readonly Entry[]
    /** Maximum number of entries that a read returns. A read that returns fewer entries proves that no older entries exist. */
    pageSize: number
  }>

function countsOf<Entry>(entries: readonly Entry[], keyOf: (entry: Entry) => string) {
  const counts = new Map<string, number>()
  for (const entry of entries) counts.set(keyOf(entry), (counts.get(keyOf(entry)) ?? 0) + 1)
  return counts
}

/**
 * Merges entries of a server response (`read`) with entries that the server pushed, newest first. If an entry is in `read` and in
 * `pushed`, the result contains the pushed copy.
 */
export function mergeReadAndPushedEntries<Entry>({ read, pushed, pageSize, keyOf, timeOf }: TailInput<Entry>): readonly Entry[] {
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

/** Returns how many of `entries` are not in `known`. */
export function countNewEntries<Entry>(
  entries: readonly Entry[],
  known: readonly Entry[],
  keyOf: (entry: Entry) => string,
): number {
  const counts = countsOf(known, keyOf)
  return entries.filter((entry) => {
    const count = counts.get(keyOf(entry)) ?? 0
    counts.set(keyOf(entry), count - 1)
    return count <= 0
  }).length
}

/** Returns entries with unique, stable keys. Entries that are otherwise equal are numbered, oldest first. */
export function addUniqueKeysToEntries<Entry>(entries: readonly Entry[], keyOf: (entry: Entry) => string) {
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

/** Returns a predicate that is true for entries that contain every word of `typed`, regardless of case. */
export function createSearchPredicate<Entry>(typed: string, textOf: (entry: Entry) => readonly (string | null)[]) {
  const words = typed.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  return (entry: Entry): boolean => {
    if (words.length === 0) return true
    const text = textOf(entry).join('\n').toLocaleLowerCase()
    return words.every((word) => text.includes(word))
  }
}
