interface Entry<Value> {
  readonly value: Promise<Value>
  /** Absent while the answer is awaited. Milliseconds of the given clock. */
  expiresAt?: number
}

export interface LookupCacheOptions<Key, Value> {
  readonly load: (key: Key) => Promise<Value>
  /** How long an answer holds; 0 keeps it for those who ask at the same moment only. */
  readonly lifetimeMs: (value: Value, key: Key) => number
  /** The oldest entries leave when there are more. */
  readonly maxEntries: number
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
}

/**
 * Answers of the api for a short time. Callers that ask for the same key at once share one question, so 5,000 clients that return
 * together cost one lookup. Failures are never kept.
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

  /** The next question goes to the api. An answer that is under way is not kept either. */
  forget(key: Key): void {
    this.#entries.delete(key)
  }

  /** The same for every key. */
  forgetAll(): void {
    this.#entries.clear()
  }

  async #settle(key: Key, entry: Entry<Value>): Promise<void> {
    let lifetimeMs = 0
    try {
      lifetimeMs = this.#options.lifetimeMs(await entry.value, key)
    } catch {
      // Whoever asked receives the rejection; here it only means that there is nothing to keep.
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
