import { type Backoff, getBackoffMs } from './backoff.ts'
import { ApiError, hasErrorStatus, isNotFoundError, type KubeClient, type Scope, type WatchEvent } from './client.ts'
import { type Clock, sleep } from './clock.ts'
import type { Log } from './log.ts'
import { type KubeObject, type ObjectKey, objectKeyOf, type Resource, removeManagedFields } from './types.ts'

export interface InformerOptions<T extends KubeObject> {
  client: Pick<KubeClient, 'listPage' | 'watch'>
  resource: Resource<T>
  scope: Scope
  clock: Clock
  log: Pick<Log, 'warn'>
  random: () => number
  /** Interval at which every object is reported again, in ms. If absent, objects are reported only when they change. */
  resyncMs?: number
  /**
   * Maximum time between two events, in ms, by default 150,000. After a longer silence, the watch counts as broken, because the
   * server sends a bookmark about every minute.
   */
  silenceMs?: number
  backoff?: Backoff
  /**
   * Interval at which the informer checks whether the cluster supports the resource type, in ms. If absent, an unsupported type is
   * an error.
   */
  unservedMs?: number
  /**
   * Reduces an object before it is stored. By default, only managed fields are dropped. The result must contain name, namespace,
   * UID, version and owners.
   */
  reduce?: (object: T) => T
}

/**
 * Function that is called for each change, with the object after the change and the object before it. `undefined` means that the
 * object does not exist. On a resync, both arguments are the same object.
 */
export type ChangeHandler<T> = (now: T | undefined, before: T | undefined) => void

/** Cache of the cluster's objects of one kind. A watch updates it, and all callers share it. */
export interface Informer<T extends KubeObject> {
  get(key: ObjectKey): T | undefined
  list(): Iterable<T>
  /** Returns the objects that name this UID as an owner. */
  ownedBy(uid: string): T[]
  onChange(handler: ChangeHandler<T>): void
  /**
   * Stores the object that the server returned for our write, so that readers see it before the watch reports it. Calls no
   * handlers, because the writer knows the change.
   */
  recordWrite(object: T): void
  synced(): boolean
  /** Runs until `signal` is aborted. It never rejects. */
  run(signal: AbortSignal): Promise<void>
  /** Resolves after the first list, or when `signal` is aborted. */
  whenSynced(signal: AbortSignal): Promise<void>
}

const pageLimit = 500
/** Minimum duration of a watch request, in seconds. The maximum is twice as long. */
const watchSeconds = 240
const defaults = { silenceMs: 150_000, backoff: { firstMs: 250, capMs: 15_000 } }

/**
 * Creates an informer, which lists all objects once and then watches them. A watch that ends normally is continued from
 * its last version. After any other end, or if that version has expired, all objects are listed again, so that no
 * change is missed. If a temporary fault prevents a watch, the informer retries the watch from the same version. See
 * ADR 18.
 */
export function createInformer<T extends KubeObject>(options: InformerOptions<T>): Informer<T> {
  const { client, resource, scope, clock, log, random } = options
  const silenceMs = options.silenceMs ?? defaults.silenceMs
  const backoff = options.backoff ?? defaults.backoff
  const reduce = options.reduce ?? dropManagedFields
  const store = new Map<ObjectKey, T>()
  const owners = new Map<string, Set<ObjectKey>>()
  const handlers: ChangeHandler<T>[] = []
  /** Newest resource version from a list or a watch event. */
  let resourceVersion: string | undefined
  let mustList = true
  let hasSynced = false
  let announceSync: () => void = () => undefined
  const firstSync = new Promise<void>((resolve) => {
    announceSync = resolve
  })

  const notify: ChangeHandler<T> = (now, before) => {
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
      for (const item of page.items) fresh.set(objectKeyOf(item), reduce(item))
      listed = page.resourceVersion
      continueToken = page.continueToken
    } while (continueToken !== undefined)
    resourceVersion = listed
    for (const [key, before] of [...store]) {
      // Retain an object that is newer than the list. The object comes from our write, and the watch will report the
      // object later.
      if (fresh.has(key) || isNewer(before, listed)) continue
      put(key, undefined)
      notify(undefined, before)
    }
    for (const [key, object] of fresh) {
      const known = store.get(key)
      if (known && isNewer(known, object.metadata.resourceVersion)) continue
      const before = put(key, object)
      if (before?.metadata.resourceVersion !== object.metadata.resourceVersion) notify(object, before)
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
    const object = reduce(event.object)
    const key = objectKeyOf(object)
    if (event.type === 'DELETED') {
      const known = store.get(key)
      // The event reports the deletion of an earlier object. Our write already stored a new object with the same name and
      // another UID. Retain the new object.
      if (known && known.metadata.uid !== object.metadata.uid && isNewer(known, object.metadata.resourceVersion)) return
      notify(undefined, put(key, undefined) ?? object)
      return
    }
    const known = store.get(key)
    if (known && isNewer(known, object.metadata.resourceVersion)) return
    // Ignore the event of our write, because its object is already stored.
    if (known?.metadata.resourceVersion === object.metadata.resourceVersion) return
    notify(object, put(key, object))
  }

  /**
   * Runs one watch.
   * @param begun is called once the server has accepted the watch
   */
  async function watchOnce(signal: AbortSignal, begun: () => void): Promise<void> {
    const connection = new AbortController()
    const stop = () => connection.abort()
    signal.addEventListener('abort', stop, { once: true })
    let silent = false
    let lastEventAtMs = clock.elapsedMs()
    const noteActivity = () => {
      lastEventAtMs = clock.elapsedMs()
    }
    const watchSilence = (): void => {
      const leftMs = lastEventAtMs + silenceMs - clock.elapsedMs()
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
        onOpen() {
          noteActivity()
          begun()
        },
        onEvent(event) {
          noteActivity()
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
        // Return here, because a watch that starts after the abort would not receive the abort event.
        if (signal.aborted) return
        await watchOnce(signal, () => {
          hasBegun = true
        })
        // Increase the delay if the server ends each watch at once, as during a shutdown.
        failures = clock.elapsedMs() - startedAtMs > 1000 ? 0 : failures + 1
      } catch (error) {
        if (signal.aborted) return
        if (options.unservedMs !== undefined && mustList && isNotFoundError(error)) {
          markSynced()
          failures = 0
          await sleep(clock, options.unservedMs, signal)
          continue
        }
        mustList ||= hasBegun || !isTemporary(error)
        failures = clock.elapsedMs() - startedAtMs > backoff.capMs ? 1 : failures + 1
        log.warn({ err: error, resource: resource.plural, relist: mustList, failures }, 'Lost the watch')
      }
      if (failures > 0) await sleep(clock, getBackoffMs(backoff, failures, random), signal)
    }
  }

  async function resync(signal: AbortSignal): Promise<void> {
    if (options.resyncMs === undefined) return
    while (!signal.aborted) {
      await sleep(clock, options.resyncMs, signal)
      if (!signal.aborted) for (const object of store.values()) notify(object, object)
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
    recordWrite(object) {
      const key = objectKeyOf(object)
      const known = store.get(key)
      if (known && !isNewer(object, known.metadata.resourceVersion)) return
      // Ignore a late response to our write. The object is older than the state of the watch. It is not in the store,
      // because it has been deleted.
      if (!known && resourceVersion !== undefined && !isNewer(object, resourceVersion)) return
      put(key, reduce(object))
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

/** True if the object is newer than the version. The resource versions of a kind are increasing numbers (KEP-5504). */
function isNewer(object: KubeObject, resourceVersion: string): boolean {
  return BigInt(object.metadata.resourceVersion) > BigInt(resourceVersion)
}

function dropManagedFields<T extends KubeObject>(object: T): T {
  const metadata = removeManagedFields(object.metadata)
  return metadata === object.metadata ? object : { ...object, metadata }
}

/** True if a watch can start later from the same version, because the server did not respond, is overloaded or restarts. */
function isTemporary(error: unknown): boolean {
  return !(error instanceof ApiError) || hasErrorStatus(error, 429, 500, 502, 503)
}
