import { type Backoff, backoffMs } from './backoff.ts'
import { ApiError, isNotFound, isStatus, type KubeClient, type Scope, type WatchEvent } from './client.ts'
import { type Clock, sleep } from './clock.ts'
import type { Log } from './log.ts'
import { type KubeObject, keyOf, type ObjectKey, type Resource, slimMetadata } from './types.ts'

export interface InformerOptions<T extends KubeObject> {
  client: Pick<KubeClient, 'listPage' | 'watch'>
  resource: Resource<T>
  scope: Scope
  clock: Clock
  log: Pick<Log, 'warn'>
  random: () => number
  /** Tells every object again this often, in milliseconds; never if absent. */
  resyncMs?: number
  /** A watch that says nothing for this long is broken, in milliseconds. The server sends a bookmark about every minute. 150,000 by default. */
  silenceMs?: number
  backoff?: Backoff
  /** A server that does not know the kind has none of it; it is asked again this often, in milliseconds. An error if absent. */
  unservedMs?: number
  /** What to store of an object; all but who manages which field if absent. Must keep name, namespace, UID, version and owners. */
  keep?: (object: T) => T
}

/** Told about each change: the object now and before; `undefined` where it does not exist. Both are the same object on a resync. */
export type ChangeHandler<T> = (now: T | undefined, before: T | undefined) => void

/** A copy of a part of the cluster, kept up to date by a watch, shared by everybody who asks. */
export interface Informer<T extends KubeObject> {
  get(key: ObjectKey): T | undefined
  list(): Iterable<T>
  /** Objects with this owner's UID among their owner references. */
  ownedBy(uid: string): T[]
  onChange(handler: ChangeHandler<T>): void
  /**
   * Stores the answer to a write of our own, so that the next pass sees it although the watch has not told it yet.
   * Handlers are not called: the writer knows.
   */
  remember(object: T): void
  synced(): boolean
  /** Runs until `signal` is aborted. Never rejects. */
  run(signal: AbortSignal): Promise<void>
  /** Resolves after the first list, or when `signal` is aborted. */
  whenSynced(signal: AbortSignal): Promise<void>
}

const pageLimit = 500
/** How long one watch lasts; a random part of as much again is added. */
const watchSeconds = 240
const defaults = { silenceMs: 150_000, backoff: { firstMs: 250, capMs: 15_000 } }

/**
 * Lists, then watches from there. A watch that the server ends in good order goes on where it was. After any other end of a watch, and
 * where the server no longer knows the place, everything is listed anew: then nothing of what happened meanwhile is missing, whatever
 * ended the watch. A watch that could not even begin for a reason that passes is tried again from the same place. ADR 18.
 */
export function createInformer<T extends KubeObject>(options: InformerOptions<T>): Informer<T> {
  const { client, resource, scope, clock, log, random } = options
  const silenceMs = options.silenceMs ?? defaults.silenceMs
  const backoff = options.backoff ?? defaults.backoff
  const keep = options.keep ?? slim
  const store = new Map<ObjectKey, T>()
  const owners = new Map<string, Set<ObjectKey>>()
  const handlers: ChangeHandler<T>[] = []
  /** The newest version that a list or the watch has told of. Stays while everything is listed anew. */
  let resourceVersion: string | undefined
  let mustList = true
  let hasSynced = false
  let announceSync: () => void = () => undefined
  const firstSync = new Promise<void>((resolve) => {
    announceSync = resolve
  })

  const tell: ChangeHandler<T> = (now, before) => {
    for (const handler of handlers) handler(now, before)
  }

  function put(key: ObjectKey, object: T | undefined): T | undefined {
    const before = store.get(key)
    for (const { uid } of before?.metadata.ownerReferences ?? []) {
      const keys = owners.get(uid)
      keys?.delete(key)
      if (keys?.size === 0) owners.delete(uid)
    }
    if (object === undefined) {
      store.delete(key)
      return before
    }
    store.set(key, object)
    for (const { uid } of object.metadata.ownerReferences ?? []) {
      const keys = owners.get(uid)
      if (keys) keys.add(key)
      else owners.set(uid, new Set([key]))
    }
    return before
  }

  async function relist(): Promise<void> {
    const fresh = new Map<ObjectKey, T>()
    let listed: string
    let continueToken: string | undefined
    do {
      const page = await client.listPage(resource, scope, { limit: pageLimit, continueToken })
      for (const item of page.items) fresh.set(keyOf(item), keep(item))
      listed = page.resourceVersion
      continueToken = page.continueToken
    } while (continueToken !== undefined)
    resourceVersion = listed
    for (const [key, before] of [...store]) {
      // An object newer than the list is an answer to our own write: the watch will tell about it.
      if (fresh.has(key) || isNewer(before, listed)) continue
      put(key, undefined)
      tell(undefined, before)
    }
    for (const [key, object] of fresh) {
      const known = store.get(key)
      if (known && isNewer(known, object.metadata.resourceVersion)) continue
      const before = put(key, object)
      if (before?.metadata.resourceVersion !== object.metadata.resourceVersion) tell(object, before)
    }
    mustList = false
    markSynced()
  }

  function markSynced(): void {
    if (hasSynced) return
    hasSynced = true
    announceSync()
  }

  function take(event: WatchEvent<T>): void {
    resourceVersion = event.object.metadata.resourceVersion
    if (event.type === 'BOOKMARK') return
    const object = keep(event.object)
    const key = keyOf(object)
    if (event.type === 'DELETED') {
      const known = store.get(key)
      // A successor of the same name, known from our own write, outlives the news of its predecessor's end.
      if (known && known.metadata.uid !== object.metadata.uid && isNewer(known, object.metadata.resourceVersion)) return
      tell(undefined, put(key, undefined) ?? object)
      return
    }
    const known = store.get(key)
    if (known && isNewer(known, object.metadata.resourceVersion)) return
    // The news of our own write, which was remembered.
    if (known?.metadata.resourceVersion === object.metadata.resourceVersion) return
    tell(object, put(key, object))
  }

  /** @param begun called once the server has accepted the watch */
  async function watchOnce(signal: AbortSignal, begun: () => void): Promise<void> {
    const connection = new AbortController()
    const stop = () => connection.abort()
    signal.addEventListener('abort', stop, { once: true })
    let silent = false
    let heardAtMs = clock.elapsedMs()
    const heard = () => {
      heardAtMs = clock.elapsedMs()
    }
    const watchSilence = (): void => {
      const leftMs = heardAtMs + silenceMs - clock.elapsedMs()
      silent = leftMs <= 0
      if (silent) connection.abort()
      else cancelWatchdog = clock.after(leftMs, watchSilence)
    }
    let cancelWatchdog = clock.after(silenceMs, watchSilence)
    try {
      const timeoutSeconds = Math.round(watchSeconds * (1 + random()))
      await client.watch(resource, scope, {
        resourceVersion: resourceVersion ?? '',
        timeoutSeconds,
        signal: connection.signal,
        opened() {
          heard()
          begun()
        },
        heard(event) {
          heard()
          take(event)
        },
      })
    } catch (cause) {
      if (silent) throw new Error(`The watch of ${resource.plural} was silent for ${silenceMs} ms`, { cause })
      throw cause
    } finally {
      cancelWatchdog()
      signal.removeEventListener('abort', stop)
    }
  }

  async function follow(signal: AbortSignal): Promise<void> {
    let failures = 0
    while (!signal.aborted) {
      const startedAtMs = clock.elapsedMs()
      let hasBegun = false
      try {
        if (mustList) await relist()
        // Told to end meanwhile: a watch that begins now would not hear of it.
        if (signal.aborted) return
        await watchOnce(signal, () => {
          hasBegun = true
        })
        // A server that ends each watch at once (while it shuts down) must not be asked again at once.
        failures = clock.elapsedMs() - startedAtMs > 1000 ? 0 : failures + 1
      } catch (error) {
        if (signal.aborted) return
        if (options.unservedMs !== undefined && mustList && isNotFound(error)) {
          markSynced()
          failures = 0
          await sleep(clock, options.unservedMs, signal)
          continue
        }
        mustList ||= hasBegun || !passes(error)
        failures = clock.elapsedMs() - startedAtMs > backoff.capMs ? 1 : failures + 1
        log.warn({ err: error, resource: resource.plural, relist: mustList, failures }, 'Lost the watch')
      }
      if (failures > 0) await sleep(clock, backoffMs(backoff, failures, random), signal)
    }
  }

  async function resync(signal: AbortSignal): Promise<void> {
    if (options.resyncMs === undefined) return
    while (!signal.aborted) {
      await sleep(clock, options.resyncMs, signal)
      if (!signal.aborted) for (const object of store.values()) tell(object, object)
    }
  }

  return {
    get: (key) => store.get(key),
    list: () => store.values(),
    ownedBy(uid) {
      const found: T[] = []
      for (const key of owners.get(uid) ?? []) {
        const object = store.get(key)
        if (object) found.push(object)
      }
      return found
    },
    onChange: (handler) => {
      handlers.push(handler)
    },
    remember(object) {
      const key = keyOf(object)
      const known = store.get(key)
      if (known && !isNewer(object, known.metadata.resourceVersion)) return
      // Unknown, but older than what the watch has told: this answer is late, and the object is gone.
      if (!known && resourceVersion !== undefined && !isNewer(object, resourceVersion)) return
      put(key, keep(object))
    },
    synced: () => hasSynced,
    async run(signal) {
      await Promise.all([follow(signal), resync(signal)])
    },
    async whenSynced(signal) {
      if (signal.aborted) return
      const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      await Promise.race([firstSync, aborted])
    },
  }
}

/** Resource versions of one kind grow and may be compared as numbers (KEP-5504). */
const isNewer = (object: KubeObject, resourceVersion: string): boolean =>
  BigInt(object.metadata.resourceVersion) > BigInt(resourceVersion)

const slim = <T extends KubeObject>(object: T): T => {
  const metadata = slimMetadata(object.metadata)
  return metadata === object.metadata ? object : { ...object, metadata }
}

/** Whether a watch that did not begin may begin later from the same place: nobody answered, or the server is overloaded or restarts. */
const passes = (error: unknown): boolean => !(error instanceof ApiError) || isStatus(error, 429, 500, 502, 503)
