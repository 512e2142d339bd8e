import { nameKeys } from '../names/keys.ts'

/** Which of these keys names of a kind have already. */
export interface TakenKeys {
  readonly skeletons: ReadonlySet<string>
  readonly shapes: ReadonlySet<string>
}

export type FindTaken = (keys: { skeletons: string[]; shapes: string[] }) => Promise<TakenKeys>

export interface WantedName {
  readonly id: number
  readonly name: string
}

const cut = (text: string, length: number): string => [...text].slice(0, length).join('').trim()

/**
 * Names of at most `length` characters that look like none that is there and none of each other: the first keeps its name, others get
 * a number.
 * @param wanted allowed as they stand but for their length
 */
export const uniqueNames = async (
  wanted: readonly WantedName[],
  length: number,
  findTaken: FindTaken,
): Promise<Map<number, { name: string; nameSkeleton: string; nameShape: string }>> => {
  const given = new Map<number, { name: string; nameSkeleton: string; nameShape: string }>()
  const used = { skeletons: new Set<string>(), shapes: new Set<string>() }
  const counters = new Map<string, number>()
  let waiting = wanted.map(({ id, name }) => ({ id, base: cut(name, length), name: cut(name, length) }))
  while (waiting.length > 0) {
    const keyed = waiting.map((one) => ({ ...one, ...nameKeys(one.name) }))
    const taken = await findTaken({
      skeletons: keyed.map(({ nameSkeleton }) => nameSkeleton),
      shapes: keyed.map(({ nameShape }) => nameShape),
    })
    const again: typeof waiting = []
    for (const { id, base, name, nameSkeleton, nameShape } of keyed) {
      const isFree =
        !taken.skeletons.has(nameSkeleton) &&
        !taken.shapes.has(nameShape) &&
        !used.skeletons.has(nameSkeleton) &&
        !used.shapes.has(nameShape)
      if (isFree) {
        used.skeletons.add(nameSkeleton)
        used.shapes.add(nameShape)
        given.set(id, { name, nameSkeleton, nameShape })
        continue
      }
      // Names that look alike count on together, so that a thousand of one name take no thousand rounds.
      const number = (counters.get(nameKeys(base).nameSkeleton) ?? 1) + 1
      counters.set(nameKeys(base).nameSkeleton, number)
      const suffix = `-${number}`
      again.push({ id, base, name: `${cut(base, length - suffix.length)}${suffix}` })
    }
    waiting = again
  }
  return given
}
