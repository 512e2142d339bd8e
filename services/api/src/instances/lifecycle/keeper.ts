import { setTimeout as delay } from 'node:timers/promises'
import type { InstanceDeps } from '../deps.ts'
import { isCurrent, noteReady } from './address.ts'
import { createInstanceEndings } from './endings.ts'
import { instanceRepository, type KeptInstance } from './repository.ts'
import type { ObservedInstance } from './runtime.ts'
import { createTeamNews } from './team-news.ts'

/** A row this young may still be without its object: it is written before the object is made. */
const rowGraceMs = 15_000

/** The runtime ends an instance at its exact time; one that is still there this much later was forgotten. */
const expiryGraceMs = 10_000

export type InstanceKeeperDeps = InstanceDeps &
  Readonly<{
    log: { warn(fields: object, text: string): void; info(fields: object, text: string): void }
  }>

/**
 * Keeps rows and objects alike: what the runtime reports goes into the rows at once, and a repair compares all of both now and
 * then, so that a crash at any step leaves neither a row without an object nor an object without a row. Every step may be done
 * twice or by several processes at once.
 */
export function createInstanceKeeper(deps: InstanceKeeperDeps) {
  const { db, runtime, bus, clock, config, log } = deps
  const repository = instanceRepository(db)
  const endings = createInstanceEndings(deps)
  const tellTeams = createTeamNews(deps)
  const stop = new AbortController()
  /** What is being done for an instance: one thing after the other, so that an older state never wins. */
  const turns = new Map<string, Promise<void>>()

  /** The object is gone or must go: the row is closed, the gateways close its connections. */
  const close = async (id: string, reason?: string): Promise<void> => {
    const ended = await repository.end(id, clock.now(), reason)
    if (!ended) return
    bus.publish({ kind: 'instance-ended', instanceId: id })
    await tellTeams([id])
    // A start whose call was never answered causes no cool-down.
    const { participationId, challengeId, startedAt, answeredAt } = ended
    if (participationId !== null && answeredAt === null) await repository.forgetOperation(participationId, challengeId, startedAt)
  }

  const look = async (id: string): Promise<void> => {
    const row = await repository.find(id)
    // Read after the row, so that a stale state never overwrites the address that another process has written.
    const observed = runtime.find(id)
    if (!row || row.endedAt !== null) return
    if (!observed) return close(id)
    if (isCurrent(row, observed)) return
    const { state, exposure } = observed
    if (state.kind === 'ready') {
      await noteReady(deps, id, { state, exposure })
      return
    }
    // Another instance may get the address now, so the gateways close the connections to it.
    if (!state.address && row.host !== null && row.port !== null)
      bus.publish({ kind: 'instance-moved', instanceId: id, from: { host: row.host, port: row.port } })
    // An instance that never became ready is removed. One that ran may recover; the player decides.
    if (state.kind === 'failed' && row.status === 'Pending') {
      await close(id, state.message)
      await runtime.delete(id)
    }
  }

  const follow = async (id: string): Promise<void> => {
    const turn = (turns.get(id) ?? Promise.resolve()).catch(() => undefined).then(() => look(id))
    turns.set(id, turn)
    try {
      await turn
    } finally {
      if (turns.get(id) === turn) turns.delete(id)
    }
  }

  /**
   * Gives the object the end that its row has. A team may extend its instance meanwhile: the row is read after the object was seen,
   * which has the later end then, and again after the write, so that the last write has the end of the last row.
   */
  const alignEnd = async (id: string, object: ObservedInstance): Promise<void> => {
    let known = object.expiresAt
    for (;;) {
      const row = await repository.find(id)
      if (!row || row.endedAt !== null || row.expiresAt.getTime() === known.getTime()) return
      await runtime.extend(id, row.expiresAt)
      known = row.expiresAt
    }
  }

  const repairRow = async (row: KeptInstance, object: ObservedInstance | undefined, now: Date): Promise<void> => {
    if (!row.isAllowed || row.expiresAt.getTime() + expiryGraceMs < now.getTime()) {
      await close(row.id)
      await endings.announce([row.id])
    } else if (!object) {
      if (row.startedAt.getTime() + rowGraceMs >= now.getTime()) return
      // Another process may have made it while our watch has fallen behind.
      if (await runtime.exists?.(row.id)) return
      await close(row.id)
      // What was made before the object, a Secret perhaps, goes too.
      await runtime.delete(row.id)
    } else {
      if (object.expiresAt.getTime() !== row.expiresAt.getTime()) await alignEnd(row.id, object)
      if (!isCurrent(row, object)) await follow(row.id)
    }
  }

  /** Goes on with the others when one fails: the next repair finds it again. */
  const attempt = async (id: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (!stop.signal.aborted) log.warn({ err: error, instanceId: id }, 'Could not keep an instance in order')
    }
  }

  const keeper = {
    /**
     * Compares all rows with all objects once. The objects are listed before and after the rows: an object counts as one
     * without a row only if it was there before, a row as one without an object only if none has come since.
     */
    async repair(): Promise<void> {
      const before = runtime.list()
      if (!before) return
      const rows = await repository.listKept(clock.now())
      const now = clock.now()
      const known = new Set(rows.map(({ id }) => id))
      for (const row of rows) await attempt(row.id, () => repairRow(row, runtime.find(row.id), now))
      for (const { id } of before)
        if (!known.has(id)) {
          await attempt(id, async () => {
            await runtime.delete(id)
            log.info({ instanceId: id }, 'Removed an instance that no row knows')
          })
        }
    },

    /** Follows the runtime from now on and repairs at once and then periodically. Returns the function that ends it. */
    start(): () => Promise<void> {
      const running = new Set<Promise<void>>()
      const track = (work: Promise<void>): void => {
        running.add(work)
        void work.finally(() => running.delete(work))
      }
      const unwatch = runtime.watch((id) => track(attempt(id, () => follow(id))))
      const loop = async (): Promise<void> => {
        while (!stop.signal.aborted) {
          await attempt('all', () => keeper.repair())
          await delay(config.instances.repairIntervalMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined)
        }
      }
      track(loop())
      return async () => {
        stop.abort()
        unwatch()
        await Promise.all(running)
      }
    },
  }
  return keeper
}

export type InstanceKeeper = ReturnType<typeof createInstanceKeeper>
