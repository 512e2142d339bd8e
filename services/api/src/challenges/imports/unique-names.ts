import { computeUniqueNameKeys, type NameKeys, nameKinds } from '../../people/names/keys.ts'
import { truncateText } from './truncate.ts'

export type KeysByKind = Readonly<Record<keyof NameKeys, readonly string[]>>

export type FindTaken = (keys: KeysByKind) => Promise<KeysByKind>

export type WantedName = Readonly<{
  id: number
  name: string
}>

/**
 * Makes names unique. The results have at most `length` characters. No result resembles an existing name or another result. Of
 * several equal names, the first name is unchanged, and all other names get a number.
 * @param wanted names that have only allowed characters, but any length
 */
export async function makeNamesUnique(
  wanted: readonly WantedName[],
  length: number,
  findTaken: FindTaken,
): Promise<Map<number, NameKeys & { name: string }>> {
  const given = new Map<number, NameKeys & { name: string }>()
  const used = new Set<string>()
  const counters = new Map<string, number>()
  let waiting = wanted.map(({ id, name }) => ({
    id,
    base: truncateText(name, length).trim(),
    name: truncateText(name, length).trim(),
  }))
  while (waiting.length > 0) {
    const keyed = waiting.map((one) => ({ ...one, keys: computeUniqueNameKeys(one.name) }))
    const keysOf = (kind: keyof NameKeys) => keyed.map(({ keys }) => keys[kind])
    const found = await findTaken({
      nameSkeleton: keysOf('nameSkeleton'),
      nameShape: keysOf('nameShape'),
      nameReading: keysOf('nameReading'),
    })
    const taken = new Set(nameKinds.flatMap((kind) => found[kind].map((key) => `${kind} ${key}`)))
    const again: typeof waiting = []
    for (const { id, base, name, keys } of keyed) {
      const own = nameKinds.map((kind) => `${kind} ${keys[kind]}`)
      if (own.every((key) => !taken.has(key) && !used.has(key))) {
        for (const key of own) used.add(key)
        given.set(id, { name, ...keys })
        continue
      }
      const number = (counters.get(computeUniqueNameKeys(base).nameSkeleton) ?? 1) + 1
      counters.set(computeUniqueNameKeys(base).nameSkeleton, number)
      const suffix = `-${number}`
      again.push({ id, base, name: `${truncateText(base, length - suffix.length).trim()}${suffix}` })
    }
    waiting = again
  }
  return given
}
