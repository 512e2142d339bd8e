import { describe, expect, it } from 'vitest'
import { ApiError, type KubeClient } from './client.ts'
import { createLeaderElection } from './lease.ts'
import { createFakeClock, type FakeClock } from './testing/fake-clock.ts'
import { silentLog } from './testing/silent-log.ts'
import type { KubeObject, Resource } from './types.ts'

const aMoment = new Date('2026-05-01T12:00:00Z')

/** Lease with the optimistic locking of the API server. */
function fakeServer() {
  let lease: KubeObject | undefined
  let version = 0
  let down = false
  let delay: Promise<void> | undefined
  const answer = <T>(value: unknown) => {
    if (down) throw new Error('connection refused')
    return structuredClone(value) as T
  }
  const store = (object: object) => {
    version += 1
    lease = structuredClone(object) as KubeObject
    lease.metadata = { ...lease.metadata, resourceVersion: String(version) }
    return lease
  }
  const client: Pick<KubeClient, 'get' | 'create' | 'update'> = {
    async get<T extends KubeObject>() {
      if (!down && !lease) throw new ApiError(404, 'NotFound', 'not found')
      return answer<T>(lease)
    },
    async create<T extends KubeObject>(_resource: Resource<T>, _namespace: string | undefined, object: object) {
      if (!down && lease) throw new ApiError(409, 'AlreadyExists', 'exists')
      return answer<T>(down ? undefined : store(object))
    },
    async update<T extends KubeObject>(_resource: Resource<T>, object: T) {
      if (!down && object.metadata.resourceVersion !== lease?.metadata.resourceVersion)
        throw new ApiError(409, 'Conflict', 'changed')
      const stored = answer<T>(down ? undefined : store(object))
      await delay
      return stored
    },
  }
  const setDelay = (value: Promise<void> | undefined) => {
    delay = value
  }
  return { client, setDelay, setDown: (value: boolean) => (down = value) }
}

type Server = ReturnType<typeof fakeServer>

function candidate(server: Server, clock: FakeClock, identity: string) {
  const election = createLeaderElection({ client: server.client, clock, log: silentLog, namespace: 'n', name: 'l', identity })
  const stop = new AbortController()
  let state = 'waiting'
  const running = (async () => {
    await election.acquire(stop.signal)
    state = 'leading'
    await election.renewUntilLost(stop.signal)
    state = 'ended'
    if (stop.signal.aborted) await election.release()
  })()
  return { election, stop, running, state: () => state }
}

describe('leader election', () => {
  it('one of two candidates becomes leader', async () => {
    const clock = createFakeClock(aMoment)
    const server = fakeServer()
    const first = candidate(server, clock, 'first')
    await clock.advance(0)
    const second = candidate(server, clock, 'second')
    await clock.advance(60_000)
    expect([first.state(), second.state()]).toEqual(['leading', 'waiting'])
    expect([first.election.isLeader(), second.election.isLeader()]).toEqual([true, false])
  })

  it('elects a successor at once if the leader stops', async () => {
    const clock = createFakeClock(aMoment)
    const server = fakeServer()
    const first = candidate(server, clock, 'first')
    await clock.advance(0)
    const second = candidate(server, clock, 'second')
    await clock.advance(5000)
    first.stop.abort()
    await clock.advance(2000)
    expect([first.state(), second.state()]).toEqual(['ended', 'leading'])
  })

  it('elects a successor at once if the leader stops during a renewal', async () => {
    const clock = createFakeClock(aMoment)
    const server = fakeServer()
    const first = candidate(server, clock, 'first')
    await clock.advance(0)
    const second = candidate(server, clock, 'second')
    const slow = Promise.withResolvers<void>()
    server.setDelay(slow.promise)
    await clock.advance(2500)
    first.stop.abort()
    await clock.advance(0)
    server.setDelay(undefined)
    slow.resolve()
    await clock.advance(2000)
    expect([first.state(), second.state()]).toEqual(['ended', 'leading'])
  })

  it('elects a successor within 15 seconds after the leader vanishes, but not before the lease expires', async () => {
    const clock = createFakeClock(aMoment)
    const server = fakeServer()
    const vanished = createLeaderElection({
      client: server.client,
      clock,
      log: silentLog,
      namespace: 'n',
      name: 'l',
      identity: 'vanished',
    })
    await vanished.acquire(new AbortController().signal)
    const second = candidate(server, clock, 'second')
    await clock.advance(12_000)
    expect(second.state()).toBe('waiting')
    await clock.advance(3000)
    expect(second.state()).toBe('leading')
  })

  it('leader election ignores jumps of the wall clock', async () => {
    const clock = createFakeClock(aMoment)
    const server = fakeServer()
    const first = candidate(server, clock, 'first')
    await clock.advance(0)
    const second = candidate(server, clock, 'second')
    await clock.advance(3000)
    clock.correct(3_600_000)
    await clock.advance(30_000)
    expect([first.state(), second.state()]).toEqual(['leading', 'waiting'])
  })

  it('ends the leadership before the lease expires if the process cannot renew it', async () => {
    const clock = createFakeClock(aMoment)
    const server = fakeServer()
    const first = candidate(server, clock, 'first')
    await clock.advance(1000)
    server.setDown(true)
    await clock.advance(6000)
    expect(first.state()).toBe('leading')
    await clock.advance(4000)
    expect(first.state()).toBe('ended')
  })

  it('retains the leader during a short outage', async () => {
    const clock = createFakeClock(aMoment)
    const server = fakeServer()
    const first = candidate(server, clock, 'first')
    await clock.advance(1000)
    server.setDown(true)
    await clock.advance(5000)
    server.setDown(false)
    await clock.advance(30_000)
    expect(first.state()).toBe('leading')
  })
})
