import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import type { Pod } from '@capstan/kubernetes/built-in-kinds'
import { ApiError, type LogStreamOptions } from '@capstan/kubernetes/client'
import type { Informer } from '@capstan/kubernetes/informer'
import { createFakeClock } from '@capstan/kubernetes/testing/fake-clock'
import { type KubeObject, objectKeyOf } from '@capstan/kubernetes/types'
import { expect, it } from 'vitest'
import type { Caches } from '../challenge-instance/ports.ts'
import { aMoment, anInstance, aPod } from '../testing/builders.ts'
import { createLogSource } from './log-source.ts'

/** Cache that the test fills. */
function aCache<T extends KubeObject>(...objects: T[]) {
  const store = new Map(objects.map((object) => [objectKeyOf(object), object]))
  const handlers: (() => void)[] = []
  const cache = { get: (key: string) => store.get(key), onChange: (handler: () => void) => void handlers.push(handler) }
  const notify = () => {
    for (const handler of handlers) handler()
  }
  return {
    cache: cache as unknown as Informer<T>,
    set(object: T) {
      store.set(objectKeyOf(object), object)
      notify()
    },
    clear() {
      store.clear()
      notify()
    },
  }
}

function aRun(run: string): Pod {
  return aPod({ state: { running: { startedAt: aMoment.toISOString() } }, run })
}

/** Creates a source. Its API server responds to each request with the next text or error of `logs`. */
function setUp(logs: (string | Error)[], { instance = anInstance(), pod }: { instance?: ChallengeInstance; pod?: Pod } = {}) {
  const instances = aCache(instance)
  const pods = aCache<Pod>(...(pod ? [pod] : []))
  const none = aCache().cache
  const caches = { instances: instances.cache, pods: pods.cache, services: none, networkPolicies: none, secrets: none } as Caches
  const onOpen: { restart?: () => void } = {}
  const requests: [pod: string, container: string, options: Omit<LogStreamOptions, 'signal'>][] = []
  const clock = createFakeClock(aMoment)
  const source = createLogSource({
    clock,
    client: {
      async openLog(_namespace, name, container, { signal, ...options }) {
        requests.push([name, container, options])
        const log = logs.shift()
        onOpen.restart?.()
        if (log instanceof Error) throw log
        return (async function* () {
          yield Buffer.from(log ?? '')
        })()
      },
    },
    caches,
    namespace: 'arena',
  })
  const stop = new AbortController()
  const read = (container: string, follow: boolean) =>
    source.open({ instance: 'ci-1', container, tailLines: 5, follow }, stop.signal)?.[Symbol.asyncIterator]()
  return { clock, onOpen, instances, pods, requests, read, stop }
}

function textOf(result: IteratorResult<Uint8Array>) {
  return result.done ? 'the end' : Buffer.from(result.value).toString()
}

it('without `follow`, the log contains the last lines of the current run and then ends', async () => {
  const { read, requests } = setUp(['one\n'], { pod: aRun('a') })
  const log = read('challenge', false)!
  expect([textOf(await log.next()), textOf(await log.next())]).toEqual(['one\n', 'the end'])
  expect(requests).toEqual([['ci-1', 'challenge', { follow: false, tailLines: 5 }]])
})

it('follows later runs of a restarting container, and reads each run from its beginning', async () => {
  const { read, requests, pods, instances, clock } = setUp(['crash 1\n', 'crash 2\n'], { pod: aRun('a') })
  const log = read('challenge', true)!
  expect(textOf(await log.next())).toBe('crash 1\n')
  const next = log.next()
  pods.set(aPod({ state: { terminated: { exitCode: 3 } }, run: 'a' }))
  pods.set(aRun('b'))
  expect(textOf(await next)).toBe('crash 2\n')
  expect(requests.map(([, , options]) => options)).toEqual([
    { follow: true, tailLines: 5 },
    { follow: true, tailLines: undefined },
  ])
  const end = log.next()
  instances.clear()
  await clock.advance(1_000)
  expect(textOf(await end)).toBe('the end')
})

it('reopens the output of a running container one second after the output was cut off', async () => {
  const { read, requests, clock } = setUp(['one\n', 'two\n'], { pod: aRun('a') })
  const log = read('challenge', true)!
  expect(textOf(await log.next())).toBe('one\n')
  const next = log.next()
  await clock.advance(1_000)
  expect(textOf(await next)).toBe('two\n')
  expect(requests.map(([, , options]) => options)).toEqual([
    { follow: true, tailLines: 5 },
    { follow: true, sinceTime: new Date(aMoment.getTime() - 3_000) },
  ])
})

it('reads the output of a run only once if the container restarts before its output is opened', async () => {
  const { read, onOpen, pods, requests, instances } = setUp(['of run b\n'], { pod: aRun('a') })
  onOpen.restart = () => pods.set(aPod({ state: { terminated: { exitCode: 3 } }, run: 'b' }))
  const log = read('challenge', true)!
  expect(textOf(await log.next())).toBe('of run b\n')
  const end = log.next()
  instances.clear()
  expect(textOf(await end)).toBe('the end')
  expect(requests).toHaveLength(1)
})

it('reads a new run from its beginning if the container restarted while the output of the former run was being opened', async () => {
  const { read, onOpen, pods, requests, clock } = setUp(['of run a\n', 'of run b\n'], { pod: aRun('a') })
  onOpen.restart = () => pods.set(aRun('b'))
  const log = read('challenge', true)!
  expect(textOf(await log.next())).toBe('of run a\n')
  const next = log.next()
  await clock.advance(1_000)
  expect(textOf(await next)).toBe('of run b\n')
  expect(requests[1]?.[2]).toEqual({ follow: true, sinceTime: undefined })
})

it('waits for the first run of a starting container', async () => {
  const { read, pods } = setUp(['up\n'])
  const first = read('challenge', true)!.next()
  pods.set(aPod())
  pods.set(aRun('a'))
  expect(textOf(await first)).toBe('up\n')
})

it('stops waiting when the client disconnects', async () => {
  const { read, stop } = setUp([])
  const first = read('challenge', true)!.next()
  stop.abort()
  expect(textOf(await first)).toBe('the end')
})

it('continues with the next run if the output of a run was deleted', async () => {
  const { read, pods } = setUp([new ApiError(404, 'NotFound', 'no pod'), 'new\n'], { pod: aRun('a') })
  const first = read('challenge', true)!.next()
  pods.set(aRun('b'))
  expect(textOf(await first)).toBe('new\n')
})

it('reading a log fails if the API server answers 403', async () => {
  const { read } = setUp([new ApiError(403, 'Forbidden', 'no right')], { pod: aRun('a') })
  await expect(read('challenge', true)!.next()).rejects.toThrow('no right')
})

it('finds each of several challenge containers by name, and no other container of a pod', () => {
  const { resources } = anInstance().spec
  const db = { name: 'db', image: 'db:1', resources, egress: 'None' as const, profile: 'Restricted' as const }
  const instance = anInstance({ container: { name: 'page' }, containers: [db] })
  const { read } = setUp([], { instance })
  expect(['page', 'db'].map((name) => read(name, false) !== undefined)).toEqual([true, true])
  expect(['challenge', 'capture', 'flag-file'].map((name) => read(name, false))).toEqual([undefined, undefined, undefined])
})

it('does not read a pod with the right name but another owner', async () => {
  const stranger = aRun('a')
  const { read, requests } = setUp(['secret\n'], {
    pod: { ...stranger, metadata: { ...stranger.metadata, ownerReferences: [] } },
  })
  expect(textOf(await read('challenge', false)!.next())).toBe('the end')
  expect(requests).toEqual([])
})
