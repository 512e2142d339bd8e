interface Entry<Value> {
  readonly value: Promise<Value>
  /** Time at which the result expires, in ms of the clock `now`. Absent while the lookup is pending. */
  expiresAt?: number
}

export type LookupCacheOptions<Key, Value> = Readonly<{
  load: (key: Key) => Promise<Value>
  /** Returns the time for which a result is cached, in ms. With 0, only callers that wait at the same time share the result. */
  lifetimeMs: (value: Value, key: Key) => number
  /** Maximum number of entries. Above this number, the oldest entries are dropped. */
  maxEntries: number
  /** Returns the time of a monotonic clock, in ms. */
  now: () => number
}>

/**
 * Caches results of api calls for a short time. Concurrent callers with the same key share a lookup, so 5,000 clients that
 * reconnect together cost one lookup. Failures are not cached.
 */
export class LookupCache<Key, Value> {
  readonly #options: LookupCacheOptions<Key, Value>
  readonly #entries = new Map<Key, Entry<Value>>()

  constructor(options: LookupCacheOptions<Key, Value>) {
    this.#options = options
  }

  get(key: Key): Promise<Value> {
    const { load, now } = this.#options
    const known = this.#entries.get(key)
    if (known && (known.expiresAt === undefined || known.expiresAt > now())) return known.value
    const entry: Entry<Value> = { value: load(key) }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    void this.#settle(key, entry)
    this.#removeOldest()
    return entry.value
  }

  /** Drops the cached result of a key. If a lookup is pending, its result will not be cached. */
  forget(key: Key): void {
    this.#entries.delete(key)
  }

  forgetAll(): void {
    this.#entries.clear()
  }

  async #settle(key: Key, entry: Entry<Value>): Promise<void> {
    let lifetimeMs = 0
    try {
      lifetimeMs = this.#options.lifetimeMs(await entry.value, key)
    } catch {
      // Ignore the failure here, because the callers of `get` await the same promise and handle it.
    }
    entry.expiresAt = this.#options.now() + lifetimeMs
    if (lifetimeMs <= 0 && this.#entries.get(key) === entry) this.#entries.delete(key)
  }

  #removeOldest(): void {
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= this.#options.maxEntries) return
      this.#entries.delete(key)
    }
  }
}
