import { setTimeout as delay } from 'node:timers/promises'
import type { ObservedCapture, ObservedInstance } from '../runtime.ts'
import { isStatus, type KubernetesClient, KubernetesError } from './client.ts'
import { type ChallengeInstanceObject, idOf, observeCapture, observeInstance } from './instance-objects.ts'

export interface InstanceWatchOptions {
  readonly client: KubernetesClient
  /** Address of the collection with the label selector in its query. */
  readonly collection: string
  readonly log: { warn(fields: object, text: string): void }
  /** The server says something (a bookmark) about every minute; a watch silent for this long is broken. */
  readonly silenceMs?: number
  readonly backoff?: { readonly firstMs: number; readonly capMs: number }
}

interface WatchLine {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: ChallengeInstanceObject & { readonly code?: number; readonly message?: string }
}

interface InstanceList {
  readonly items: readonly ChallengeInstanceObject[] | null
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string }
}

const pageSize = 500
const watchSeconds = 300

const isNewer = (version: string, than: string): boolean => BigInt(version) > BigInt(than)

/**
 * A copy of our ChallengeInstances, kept by one watch that everybody shares. Lists again when the server no longer knows where
 * we were, comes back with growing delays, and notices a watch that has gone silent.
 */
export const createInstanceWatch = ({ client, collection, log, silenceMs = 150_000, backoff }: InstanceWatchOptions) => {
  const { firstMs, capMs } = backoff ?? { firstMs: 250, capMs: 10_000 }
  /** By object name. */
  const seen = new Map<
    string,
    {
      readonly version: string
      readonly id: string | undefined
      readonly observed: ObservedInstance | undefined
      readonly capture: ObservedCapture | undefined
    }
  >()
  const names = new Map<string, string>()
  const byId = new Map<string, ObservedInstance>()
  const captures = new Map<string, ObservedCapture>()
  const listeners = new Set<(id: string) => void>()
  const captureListeners = new Set<(id: string) => void>()
  const stop = new AbortController()
  let version: string | undefined
  let hasListed = false

  /** What an object shows in one of the two views now, and what it showed before. Tells whoever listens to that view. */
  const update = <Seen extends { readonly id: string }>(
    view: Map<string, Seen>,
    told: ReadonlySet<(id: string) => void>,
    before: Seen | undefined,
    now: Seen | undefined,
  ): void => {
    const id = now?.id ?? before?.id
    if (id === undefined) return
    if (now) view.set(id, now)
    else view.delete(id)
    for (const listener of told) listener(id)
  }

  const put = (object: ChallengeInstanceObject): void => {
    const { name, resourceVersion } = object.metadata
    const known = seen.get(name)
    if (known && !isNewer(resourceVersion, known.version)) return
    const observed = observeInstance(object)
    const capture = observeCapture(object)
    const id = idOf(object)
    seen.set(name, { version: resourceVersion, id, observed, capture })
    if (id !== undefined) names.set(id, name)
    update(byId, listeners, known?.observed, observed)
    update(captures, captureListeners, known?.capture, capture)
  }

  const drop = (name: string): void => {
    const known = seen.get(name)
    seen.delete(name)
    if (known?.id !== undefined) names.delete(known.id)
    update(byId, listeners, known?.observed, undefined)
    update(captures, captureListeners, known?.capture, undefined)
  }

  const listAll = async (): Promise<void> => {
    const items: ChallengeInstanceObject[] = []
    let next: string | undefined
    let listed: string
    do {
      const page = (await client.send(
        'GET',
        `${collection}&limit=${pageSize}${next === undefined ? '' : `&continue=${encodeURIComponent(next)}`}`,
      )) as InstanceList
      items.push(...(page.items ?? []))
      listed = page.metadata.resourceVersion
      next = page.metadata.continue || undefined
    } while (next !== undefined)
    const names = new Set(items.map(({ metadata }) => metadata.name))
    // What is newer than the list is the answer to a write of our own: the watch will tell about it.
    for (const [name, known] of [...seen]) if (!names.has(name) && !isNewer(known.version, listed)) drop(name)
    for (const item of items) put(item)
    version = listed
    hasListed = true
  }

  const take = ({ type, object }: WatchLine): void => {
    if (type === 'ERROR') throw new KubernetesError(object.code ?? 500, object.message ?? 'The watch failed')
    version = object.metadata.resourceVersion
    if (type === 'BOOKMARK') return
    if (type === 'DELETED') drop(object.metadata.name)
    else put(object)
  }

  const watchOnce = async (): Promise<void> => {
    const silence = new AbortController()
    let timer = setTimeout(() => silence.abort(), silenceMs)
    const signal = AbortSignal.any([stop.signal, silence.signal])
    const query = `&watch=true&allowWatchBookmarks=true&timeoutSeconds=${watchSeconds}&resourceVersion=${version ?? ''}`
    try {
      for await (const line of client.watch(`${collection}${query}`, signal)) {
        clearTimeout(timer)
        timer = setTimeout(() => silence.abort(), silenceMs)
        take(line as WatchLine)
      }
    } finally {
      clearTimeout(timer)
    }
  }

  const follow = async (): Promise<void> => {
    let failures = 0
    while (!stop.signal.aborted) {
      const startedAtMs = performance.now()
      try {
        if (version === undefined) await listAll()
        await watchOnce()
        // A server that ends every watch at once must not be asked again at once.
        failures = performance.now() - startedAtMs > 1_000 ? 0 : failures + 1
      } catch (error) {
        if (stop.signal.aborted) return
        if (isStatus(error, 410) || isStatus(error, 400)) version = undefined
        failures = performance.now() - startedAtMs > capMs ? 1 : failures + 1
        log.warn({ err: error, failures }, 'Lost the watch of challenge instances')
      }
      const waitMs = failures === 0 ? 0 : Math.min(capMs, firstMs * 2 ** Math.min(failures - 1, 20)) * (0.5 + Math.random() / 2)
      await delay(waitMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined)
    }
  }
  const following = follow()

  return {
    find: (id: string): ObservedInstance | undefined => byId.get(id),
    /** Undefined until the first complete list. */
    list: (): readonly ObservedInstance[] | undefined => (hasListed ? [...byId.values()] : undefined),
    /** Name of the object of an instance, also of one on its way out; undefined: there is none. */
    nameOf: (id: string): string | undefined => names.get(id),
    /** The instance whose object has this name. */
    idOf: (name: string): string | undefined => seen.get(name)?.id,
    /** Takes the answer to a write of our own, so that it is known before the watch tells. */
    remember: put,
    listen(listener: (id: string) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    findCapture: (id: string): ObservedCapture | undefined => captures.get(id),
    /** Undefined until the first complete list. */
    listCaptures: (): readonly ObservedCapture[] | undefined => (hasListed ? [...captures.values()] : undefined),
    listenToCaptures(listener: (id: string) => void): () => void {
      captureListeners.add(listener)
      return () => captureListeners.delete(listener)
    },
    async close(): Promise<void> {
      stop.abort()
      listeners.clear()
      captureListeners.clear()
      await following
    },
  }
}
