import { lineRunAnnotation } from '@capstan/challenge-instance/labels'
import type { Pod } from '@capstan/kubernetes/built-in-kinds'
import { ApiError, type LogOptions } from '@capstan/kubernetes/client'
import type { ChangeHandler } from '@capstan/kubernetes/informer'
import { createFakeClock } from '@capstan/kubernetes/testing/fake-clock'
import { describe, expect, it } from 'vitest'
import { aMoment, aPod } from '../testing/builders.ts'
import { createReadinessLineWatch } from './line-watch.ts'

function running(run: string): Pod {
  return aPod({ state: { running: { startedAt: aMoment.toISOString() } }, run, lineRun: '' })
}
function inSeconds(seconds: number) {
  return new Date(aMoment.getTime() + seconds * 1000)
}

/** Creates an API server with logs that the test writes. */
function setUp() {
  const clock = createFakeClock(aMoment)
  const logs: (LogOptions & { write(text: string): void; end(error?: unknown): void })[] = []
  const patches: unknown[] = []
  const recorded: Pod[] = []
  const requeued: [key: string, delayMs: number][] = []
  let tell: ChangeHandler<Pod> = () => undefined
  let refusal: unknown
  const lines = createReadinessLineWatch({
    client: {
      followLog: (_namespace, _pod, _container, options) =>
        new Promise((resolve, reject) => {
          options.signal.addEventListener('abort', () => reject(new Error('aborted')))
          logs.push({
            ...options,
            write: (text) => options.onPiece(new TextEncoder().encode(text)) && resolve(true),
            end: (error) => (error === undefined ? resolve(false) : reject(error)),
          })
        }),
      async patchMerge<T>(_resource: unknown, _namespace: string, _name: string, patch: object) {
        if (refusal) throw refusal
        patches.push(patch)
        return { ...running('a'), ...patch } as T
      },
    },
    cache: {
      onChange: (handler) => {
        tell = handler
      },
      recordWrite: (pod) => recorded.push(pod),
    },
    clock,
    requeue: (key, delayMs) => requeued.push([key, delayMs]),
  })
  const search = (run = 'a', deadline = inSeconds(20)) => lines.search(running(run), 'serving', deadline)
  return {
    ...{ clock, logs, patches, recorded, requeued, lines, search },
    tell: (now?: Pod, before?: Pod) => tell(now, before),
    refuse: (error: unknown) => {
      refusal = error
    },
  }
}

describe('a watch for readiness lines', () => {
  it('when a program prints its readiness line, the operator annotates the pod and queues the instance', async () => {
    const { search, logs, patches, recorded, requeued, clock } = setUp()
    search()
    expect(logs[0]).toMatchObject({ follow: true, limitBytes: 1_048_576 })
    logs[0]!.write('starting\nnow serv')
    await clock.advance(0)
    expect(patches).toEqual([])
    logs[0]!.write('ing')
    await clock.advance(0)
    expect(patches).toEqual([{ metadata: { uid: 'pod-uid-1', annotations: { [lineRunAnnotation]: 'a' } } }])
    expect(recorded).toHaveLength(1)
    expect(requeued).toEqual([['arena/ci-1', 0]])
  })

  it('only one watch reads a container’s output, and a restart of the container ends the watch', () => {
    const { search, logs } = setUp()
    search('a')
    search('a')
    expect(logs).toHaveLength(1)
    search('b')
    expect(logs.map(({ signal }) => signal.aborted)).toEqual([true, false])
  })

  it('stops at the deadline, and a later check reads the existing output for a limited time', async () => {
    const { search, logs, requeued, patches, clock } = setUp()
    search()
    await clock.advance(20_000)
    expect(logs[0]!.signal.aborted).toBe(true)
    search()
    expect(logs[1]).toMatchObject({ follow: false })
    logs[1]!.write('serving')
    await clock.advance(0)
    expect([patches.length, requeued]).toEqual([1, [['arena/ci-1', 0]]])
    search()
    await clock.advance(10_000)
    expect(logs[2]!.signal.aborted).toBe(true)
    expect(requeued).toHaveLength(1)
  })

  it.each([
    ['was deleted', undefined],
    ['was replaced', { ...running('a'), metadata: { ...running('a').metadata, uid: 'pod-uid-2' } }],
  ])('stops and queues nothing if the pod %s', async (_what, now) => {
    const { search, tell, logs, requeued, clock } = setUp()
    search()
    tell(now, running('a'))
    await clock.advance(0)
    expect([logs[0]!.signal.aborted, requeued]).toEqual([true, []])
  })

  it('continues after a change of the pod', () => {
    const { search, tell, logs } = setUp()
    search()
    tell(running('a'), running('a'))
    expect(logs[0]!.signal.aborted).toBe(false)
  })

  it('the operator retries after a second if the output of a container ends before the maximum size', async () => {
    const { search, logs, requeued, clock } = setUp()
    search()
    logs[0]!.write('x')
    logs[0]!.end()
    await clock.advance(0)
    expect(requeued).toEqual([['arena/ci-1', 1000]])
    search()
    logs[1]!.write('x'.repeat(1_048_576))
    logs[1]!.end()
    await clock.advance(0)
    expect(requeued).toHaveLength(1)
  })

  it('if a read fails, the next check throws the error, and the following check reads again', async () => {
    const { search, logs, requeued, clock } = setUp()
    search()
    const error = new ApiError(403, 'Forbidden', 'no')
    logs[0]!.end(error)
    await clock.advance(0)
    expect(requeued).toEqual([['arena/ci-1', 0]])
    expect(() => search()).toThrow(error)
    search()
    expect(logs).toHaveLength(2)
  })

  it.each([404, 409])('ignores the status %i, which means that the pod was deleted or replaced', async (status) => {
    const { search, refuse, logs, requeued, clock } = setUp()
    refuse(new ApiError(status, '', ''))
    search()
    logs[0]!.write('serving')
    await clock.advance(0)
    expect(requeued).toEqual([])
    expect(() => search()).not.toThrow()
  })

  it('stops when the operator stops', () => {
    const { search, lines, logs } = setUp()
    search()
    lines.stop()
    expect(logs[0]!.signal.aborted).toBe(true)
  })
})
