import { afterEach, describe, expect, it } from 'vitest'
import { ApiError, type KubeClient, type WatchEvent, type WatchOptions } from './client.ts'
import { createInformer } from './informer.ts'
import { createFakeClock } from './testing/fake-clock.ts'
import { silentLog } from './testing/silent-log.ts'
import type { KubeObject, Resource } from './types.ts'

const aMoment = new Date('2026-05-01T12:00:00Z')

const things: Resource = { apiVersion: 'v1', kind: 'Thing', plural: 'things' }

function aThing(name: string, resourceVersion: number, more: Partial<KubeObject['metadata']> = {}): KubeObject {
  return {
    metadata: {
      name,
      namespace: 'n',
      uid: `uid-${name}`,
      resourceVersion: String(resourceVersion),
      creationTimestamp: aMoment.toISOString(),
      ...more,
    },
  }
}

/** Creates an API server with lists and watches that the test controls. */
function fakeServer() {
  const lists: { items: KubeObject[]; resourceVersion: string }[] = []
  const watches: {
    resourceVersion: string
    push: (event: WatchEvent<KubeObject>) => void
    end: (error?: unknown) => void
    ended: boolean
  }[] = []
  let listed = 0
  let refusal: unknown
  const client: Pick<KubeClient, 'listPage' | 'watch'> = {
    async listPage<T extends KubeObject>() {
      listed += 1
      const page = lists.length > 1 ? lists.shift() : lists[0]
      if (!page) throw new Error('no list')
      return { items: page.items as T[], resourceVersion: page.resourceVersion, continueToken: undefined }
    },
    async watch<T extends KubeObject>(_resource: Resource<T>, _scope: object, options: WatchOptions<T>) {
      if (refusal) throw refusal
      options.onOpen()
      const events: WatchEvent<KubeObject>[] = []
      let finish: { error: unknown } | undefined
      let wake: () => void = () => undefined
      const watch = {
        resourceVersion: options.resourceVersion,
        ended: false,
        push(event: WatchEvent<KubeObject>) {
          events.push(event)
          wake()
        },
        end(error?: unknown) {
          finish = { error }
          watch.ended = true
          wake()
        },
      }
      watches.push(watch)
      options.signal.addEventListener('abort', () => watch.end(new Error('aborted')))
      for (;;) {
        const event = events.shift()
        if (event) options.onEvent(event as WatchEvent<T>)
        else if (finish) {
          if (finish.error) throw finish.error
          return
        } else await new Promise<void>((resolve) => (wake = resolve))
      }
    },
  }
  const refuseWatches = (error: unknown) => {
    refusal = error
  }
  return { client, lists, watches, refuseWatches, listCount: () => listed }
}

const stops: AbortController[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort()
})

async function setUp(items: KubeObject[], resourceVersion: number, options: { resyncMs?: number; silenceMs?: number } = {}) {
  const server = fakeServer()
  server.lists.push({ items, resourceVersion: String(resourceVersion) })
  const clock = createFakeClock(aMoment)
  const informer = createInformer({
    client: server.client,
    resource: things,
    scope: {},
    clock,
    log: silentLog,
    random: () => 1,
    ...options,
  })
  const changes: string[] = []
  informer.onChange((now, before) => {
    const name = (now ?? before)?.metadata.name
    changes.push(`${now ? (before ? (now === before ? 'same' : 'changed') : 'new') : 'gone'} ${name}`)
  })
  const stop = new AbortController()
  stops.push(stop)
  const running = informer.run(stop.signal)
  await clock.advance(0)
  return { ...server, clock, informer, changes, stop, running }
}

describe('an informer', () => {
  it('an informer ends if it is aborted during a list', async () => {
    const { client, lists, watches } = fakeServer()
    lists.push({ items: [], resourceVersion: '10' })
    const stop = new AbortController()
    const listPage: typeof client.listPage = (...asked) => {
      stop.abort()
      return client.listPage(...asked)
    }
    const common = { resource: things, scope: {}, clock: createFakeClock(aMoment), log: silentLog, random: () => 1 }
    await createInformer({ ...common, client: { ...client, listPage } }).run(stop.signal)
    expect(watches).toEqual([])
  })

  it('lists all objects once, and then watches from the version of that list', async () => {
    const { informer, watches, changes, clock } = await setUp([aThing('a', 5)], 10)
    expect(informer.synced()).toBe(true)
    expect(watches[0]!.resourceVersion).toBe('10')
    watches[0]!.push({ type: 'ADDED', object: aThing('b', 11) })
    watches[0]!.push({ type: 'MODIFIED', object: aThing('a', 12) })
    watches[0]!.push({ type: 'DELETED', object: aThing('b', 13) })
    await clock.advance(0)
    expect(changes).toEqual(['new a', 'new b', 'changed a', 'gone b'])
    expect([...informer.list()].map(({ metadata }) => metadata.name)).toEqual(['a'])
  })

  it('opens a new watch without a new list after a watch ended normally', async () => {
    const { watches, listCount, clock } = await setUp([], 10)
    watches[0]!.push({ type: 'BOOKMARK', object: aThing('', 40) })
    await clock.advance(2000)
    watches[0]!.end()
    await clock.advance(0)
    expect(watches[1]!.resourceVersion).toBe('40')
    expect(listCount()).toBe(1)
  })

  it('the informer lists again if the version of its watch has expired, and reports deleted objects', async () => {
    const { watches, lists, changes, listCount, clock } = await setUp([aThing('a', 5), aThing('b', 6)], 10)
    lists.push({ items: [aThing('a', 5), aThing('c', 20)], resourceVersion: '20' })
    lists.shift()
    watches[0]!.end(new ApiError(410, 'Expired', 'too old resource version'))
    await clock.advance(1000)
    expect(listCount()).toBe(2)
    expect(changes).toEqual(['new a', 'new b', 'gone b', 'new c'])
    expect(watches[1]!.resourceVersion).toBe('20')
  })

  it.each([
    ['breaks off', new Error('connection reset')],
    ['ends with an error that the server reports', new ApiError(500, 'InternalError', 'etcd is away')],
    ['ends because its version has expired', new ApiError(410, 'Expired', 'too old resource version')],
  ])('lists again if a watch %s, and reports deleted objects', async (_how, error) => {
    const { watches, lists, changes, listCount, clock } = await setUp([aThing('a', 5)], 10)
    lists.push({ items: [], resourceVersion: '20' })
    lists.shift()
    watches[0]!.end(error)
    await clock.advance(250)
    expect(listCount()).toBe(2)
    expect(watches[1]!.resourceVersion).toBe('20')
    expect(changes).toEqual(['new a', 'gone a'])
  })

  it('lists again after a failed list', async () => {
    const { client, lists } = fakeServer()
    const clock = createFakeClock(aMoment)
    let failures = 1
    const listPage: typeof client.listPage = (...asked) => {
      if (failures-- > 0) throw new ApiError(503, 'ServiceUnavailable', 'starting')
      return client.listPage(...asked)
    }
    lists.push({ items: [aThing('a', 5)], resourceVersion: '10' })
    const common = { resource: things, scope: {}, clock, log: silentLog, random: () => 1 }
    const informer = createInformer({ ...common, client: { ...client, listPage } })
    const stop = new AbortController()
    stops.push(stop)
    void informer.run(stop.signal)
    await clock.advance(249)
    expect(informer.synced()).toBe(false)
    await clock.advance(1)
    expect(informer.get('n/a')).toBeDefined()
  })

  it('lists again after a handler fails, so that no handler misses a change', async () => {
    const { informer, watches, lists, listCount, clock } = await setUp([], 10)
    informer.onChange((now) => {
      if (now?.metadata.name === 'bad') throw new Error('a defect')
    })
    lists.push({ items: [aThing('bad', 11), aThing('good', 12)], resourceVersion: '12' })
    lists.shift()
    watches[0]!.push({ type: 'ADDED', object: aThing('bad', 11) })
    await clock.advance(250)
    expect(listCount()).toBe(2)
    expect(informer.get('n/good')).toBeDefined()
  })

  it('reconnects with increasing delays', async () => {
    const { watches, clock } = await setUp([], 10)
    watches[0]!.end(new Error('connection reset'))
    await clock.advance(249)
    expect(watches).toHaveLength(1)
    await clock.advance(1)
    expect(watches).toHaveLength(2)
    watches[1]!.end(new Error('connection reset'))
    await clock.advance(499)
    expect(watches).toHaveLength(2)
    await clock.advance(1)
    expect(watches).toHaveLength(3)
  })

  it.each([
    ['finds no server', new Error('connection refused'), 1],
    ['meets an overloaded server', new ApiError(429, 'TooManyRequests', 'slow down'), 1],
    ['meets a server that restarts', new ApiError(503, 'ServiceUnavailable', 'starting'), 1],
    ['names an expired version', new ApiError(410, 'Expired', 'too old resource version'), 2],
  ])('after a watch %s when it opens, lists again only if the version has expired', async (_what, error, lists) => {
    const { watches, refuseWatches, listCount, clock } = await setUp([], 10)
    refuseWatches(error)
    await clock.advance(2000)
    watches[0]!.end()
    await clock.advance(0)
    refuseWatches(undefined)
    await clock.advance(250)
    expect(watches).toHaveLength(2)
    expect(listCount()).toBe(lists)
  })

  it('replaces a watch that sends no event for too long', async () => {
    const { watches, lists, clock } = await setUp([], 10, { silenceMs: 5000 })
    await clock.advance(4000)
    watches[0]!.push({ type: 'BOOKMARK', object: aThing('', 11) })
    await clock.advance(4000)
    expect(watches[0]!.ended).toBe(false)
    await clock.advance(1000)
    expect(watches[0]!.ended).toBe(true)
    lists.push({ items: [], resourceVersion: '12' })
    lists.shift()
    await clock.advance(250)
    expect(watches[1]!.resourceVersion).toBe('12')
  })

  it('reports every object again at a resync', async () => {
    const { changes, clock } = await setUp([aThing('a', 5)], 10, { resyncMs: 60_000 })
    await clock.advance(60_000)
    expect(changes).toEqual(['new a', 'same a'])
  })

  it('stores an object from `recordWrite`, and ignores events of older versions', async () => {
    const { informer, watches, changes, clock } = await setUp([aThing('a', 5)], 10)
    informer.recordWrite(aThing('a', 15))
    expect(informer.get('n/a')?.metadata.resourceVersion).toBe('15')
    watches[0]!.push({ type: 'MODIFIED', object: aThing('a', 12) })
    await clock.advance(0)
    expect(informer.get('n/a')?.metadata.resourceVersion).toBe('15')
    watches[0]!.push({ type: 'MODIFIED', object: aThing('a', 15) })
    await clock.advance(0)
    // The write caused no event, because its writer already knows the change.
    expect(changes).toEqual(['new a'])
  })

  it('ignores an object from `recordWrite` if an event has already deleted the object', async () => {
    const { informer, watches, clock } = await setUp([], 10)
    watches[0]!.push({ type: 'ADDED', object: aThing('a', 11) })
    watches[0]!.push({ type: 'DELETED', object: aThing('a', 12) })
    await clock.advance(0)
    informer.recordWrite(aThing('a', 11))
    expect(informer.get('n/a')).toBeUndefined()
  })

  it('`recordWrite` does not restore a deleted object, even after the watch has failed', async () => {
    const { informer, watches, clock } = await setUp([], 10)
    watches[0]!.push({ type: 'ADDED', object: aThing('a', 11) })
    watches[0]!.push({ type: 'DELETED', object: aThing('a', 12) })
    await clock.advance(0)
    watches[0]!.end(new Error('connection reset'))
    await clock.advance(100)
    informer.recordWrite(aThing('a', 11))
    expect(informer.get('n/a')).toBeUndefined()
  })

  it('retains an object from `recordWrite` if the next list has an older version', async () => {
    const { informer, watches, lists, clock } = await setUp([], 10)
    informer.recordWrite(aThing('a', 30))
    lists.push({ items: [], resourceVersion: '20' })
    lists.shift()
    watches[0]!.end(new ApiError(410, 'Expired', 'gone'))
    await clock.advance(1000)
    expect(informer.get('n/a')).toBeDefined()
    watches[1]!.push({ type: 'DELETED', object: aThing('a', 31) })
    await clock.advance(0)
    expect(informer.get('n/a')).toBeUndefined()
  })

  it('finds objects by the UID of their owner', async () => {
    const owned = { ownerReferences: [{ apiVersion: 'v1', kind: 'Owner', name: 'o', uid: 'o-1' }] }
    const { informer, watches, clock } = await setUp([aThing('a', 5, owned), aThing('b', 6)], 10)
    expect(informer.ownedBy('o-1').map(({ metadata }) => metadata.name)).toEqual(['a'])
    watches[0]!.push({ type: 'DELETED', object: aThing('a', 11, owned) })
    await clock.advance(0)
    expect(informer.ownedBy('o-1')).toEqual([])
  })

  it('drops managed fields', async () => {
    const { informer } = await setUp([aThing('a', 5, { managedFields: [{ manager: 'x' }] } as object)], 10)
    expect(informer.get('n/a')?.metadata).not.toHaveProperty('managedFields')
  })

  it('an informer is empty while the server does not know the kind, and lists again later', async () => {
    const { client, lists } = fakeServer()
    const clock = createFakeClock(aMoment)
    const asked: number[] = []
    let isServed = false
    const listPage: typeof client.listPage = (...page) => {
      asked.push(clock.elapsedMs())
      if (!isServed) throw new ApiError(404, 'NotFound', 'the server could not find the requested resource')
      return client.listPage(...page)
    }
    const common = { resource: things, scope: {}, clock, log: silentLog, random: () => 1 }
    const informer = createInformer({ ...common, client: { ...client, listPage }, unservedMs: 60_000 })
    const stop = new AbortController()
    stops.push(stop)
    void informer.run(stop.signal)
    await clock.advance(59_000)
    expect([informer.synced(), [...informer.list()], asked]).toEqual([true, [], [0]])
    lists.push({ items: [aThing('a', 5)], resourceVersion: '10' })
    isServed = true
    await clock.advance(1_000)
    expect(informer.get('n/a')).toBeDefined()
  })

  it('an informer ends if it is aborted during a watch', async () => {
    const { stop, running, clock } = await setUp([], 10)
    stop.abort()
    await clock.advance(0)
    await expect(running).resolves.toBeUndefined()
  })
})
