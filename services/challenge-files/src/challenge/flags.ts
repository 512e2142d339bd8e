import type { ChallengeFlag } from './challenge.ts'

/** Returns a text that depends on all properties of a flag except the points. */
function keyOfFlag({ flag, file, kind }: ChallengeFlag): string {
  if (kind !== undefined && kind !== 'Exact') return JSON.stringify({ kind, flag })
  return JSON.stringify(file === null ? [flag] : 'url' in file ? [flag, file.url] : [flag, file.hash, file.name])
}

export function sortFlags(flags: readonly ChallengeFlag[]): ChallengeFlag[] {
  return [...flags].sort((left, right) => (keyOfFlag(left) < keyOfFlag(right) ? -1 : 1))
}

/**
 * Returns the flags that occur more often in the first list than in the second list. Each additional occurrence is returned once.
 */
export function subtractFlags<Flag extends ChallengeFlag>(flags: readonly Flag[], others: readonly ChallengeFlag[]): Flag[] {
  const left = new Map<string, number>()
  for (const flag of others) left.set(keyOfFlag(flag), (left.get(keyOfFlag(flag)) ?? 0) + 1)
  return flags.filter((flag) => {
    const count = left.get(keyOfFlag(flag)) ?? 0
    left.set(keyOfFlag(flag), count - 1)
    return count <= 0
  })
}

/**
 * For each flag of one list, finds the flag in another list that accepts the same answers, even if the points differ. Each flag
 * of the other list is used at most once.
 */
export function matchFlags<Other extends ChallengeFlag>(
  flags: readonly ChallengeFlag[],
  others: readonly Other[],
): (Other | undefined)[] {
  const left = Map.groupBy(others, keyOfFlag)
  return flags.map((flag) => left.get(keyOfFlag(flag))?.shift())
}
