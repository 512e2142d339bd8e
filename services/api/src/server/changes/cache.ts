import { LRUCache } from 'lru-cache'
import type { ChangeFeed } from './feed.ts'

export type CacheOptions<Value> = Readonly<{
  feed: ChangeFeed
  /** The one unused for longest goes when there are more. */
  maxEntries: number
  /** Keys of the changes after which a value is no longer true, as the triggers write them: `team 12`. Undefined: it is not kept. */
  dependsOn: (value: Value) => readonly string[] | undefined
}>

/**
 * Values kept in this process until what they were read from changes. What is not there is never kept. Only for calls that have
 * waited for `ChangeFeed.catchUp`.
 */
export function createCache<Key extends string | number, Value extends object>({
  feed,
  maxEntries,
  dependsOn,
}: CacheOptions<Value>) {
  const keysByChange = new Map<string, Set<Key>>()
  const forgetChanges = (value: Value, key: Key): void => {
    for (const change of dependsOn(value) ?? []) {
      const keys = keysByChange.get(change)
      keys?.delete(key)
      if (keys?.size === 0) keysByChange.delete(change)
    }
  }
  const entries = new LRUCache<Key, Value>({ max: maxEntries, dispose: forgetChanges })
  feed.listen((changes) => {
    if (!changes) entries.clear()
    else for (const change of changes) for (const key of keysByChange.get(change) ?? []) entries.delete(key)
  })

  const keep = (key: Key, value: Value): void => {
    const changes = dependsOn(value)
    if (!changes) return
    entries.set(key, value)
    for (const change of changes) {
      const keys = keysByChange.get(change) ?? new Set()
      keysByChange.set(change, keys.add(key))
    }
  }

  return {
    keep,
    /**
     * @param load reads the value; undefined: there is none
     * @param isFinal whether a value may be kept; all may unless given
     */
    async get(
      key: Key,
      load: () => Promise<Value | undefined>,
      isFinal: (value: Value) => boolean = () => true,
    ): Promise<Value | undefined> {
      const kept = entries.get(key)
      if (kept) return kept
      const { generation } = feed
      const value = await load()
      // What changed while it was read may be missing in it.
      if (value && isFinal(value) && feed.generation === generation) keep(key, value)
      return value
    },
  }
}
