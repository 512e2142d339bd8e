import { LRUCache } from 'lru-cache'
import type { ChangeFeed } from './feed.ts'

export type CacheOptions<Value> = Readonly<{
  feed: ChangeFeed
  maxEntries: number
  /**
   * Returns the keys of the changes that make a value outdated, such as `team 12`. Database triggers write these keys. If the
   * result is undefined, the value is not cached.
   */
  dependsOn: (value: Value) => readonly string[] | undefined
}>

/**
 * Caches values until their source rows change. Missing values are not cached. Call `ChangeFeed.catchUp` before each use. In API
 * calls, the lookup of the session or token has already called `catchUp`.
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
     * Returns the cached value, or loads and caches it.
     * @param load function that reads the value. It returns undefined if the value does not exist
     * @param isFinal true if the value may be cached. Default: always true
     */
    async get(
      key: Key,
      load: () => Promise<Value | undefined>,
      isFinal: (value: Value) => boolean = () => true,
    ): Promise<Value | undefined> {
      const cached = entries.get(key)
      if (cached) return cached
      const { generation } = feed
      const value = await load()
      // Do not cache the value if a change arrived during the load, because the value may lack that change.
      if (value && isFinal(value) && feed.generation === generation) keep(key, value)
      return value
    },
  }
}
