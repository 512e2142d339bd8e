import { setTimeout as delay } from 'node:timers/promises'
import { createKeyedQueue } from '../../server/keyed-queue.ts'
import type { InstanceDeps } from '../deps.ts'
import { doesRowMatchState, listFormerAddresses, observedAddressOf, storeInstanceAddress } from './address.ts'
import { finishInstanceEndings } from './endings.ts'
import { doesInstanceRemainAfterFailure } from './policy.ts'
import { createInstanceRepository, type RepairRow } from './repository.ts'
import type { InstanceFailure, ObservedInstance } from './runtime.ts'
import { notifyTeamsOfInstances } from './team-notifier.ts'

/** Minimum age of a row, in ms, at which a missing object counts as lost. The object is created only after the row is written. */
const rowGraceMs = 15_000

/**
 * Delay of the repair, in ms. The repair ends an instance this time after the scheduled end, if the runtime has not ended the
 * instance.
 */
const expiryGraceMs = 10_000

export type InstanceReconcilerDeps = InstanceDeps &
  Readonly<{
    log: { warn(fields: object, text: string): void; info(fields: object, text: string): void }
  }>

/**
 * Synchronizes rows and objects. Each change of the runtime is written at once, and a periodic repair compares all rows with
 * all objects. A crash at any step therefore leaves no lasting difference. Every step may run twice, or in several processes
 * at once.
 */
export function createInstanceReconciler(deps: InstanceReconcilerDeps) {
  const { db, runtime, bus, clock, config, log } = deps
  const repository = createInstanceRepository(db)
  const stop = new AbortController()
  /** Processes the changes of each instance one after another, so that an older state never replaces a newer one. */
  const inTurn = createKeyedQueue()

  /**
   * Marks the instance as ended, and notifies the gateways, which close the connections. If the object still exists, the repair
   * deletes it.
   */
  const close = async (id: string, failure?: InstanceFailure): Promise<void> => {
    const ended = await repository.end(id, clock.now(), failure)
    if (!ended) return
    bus.publish({ kind: 'instance-ended', instanceId: id })
    await notifyTeamsOfInstances(deps, [id])
    // A start causes no cool-down if its caller received no response.
    const { participationId, challengeId, startedAt, answeredAt } = ended
    if (participationId !== null && answeredAt === null) await repository.forgetOperation(participationId, challengeId, startedAt)
  }

  /** Changes the row to the observed state: stores new addresses, or ends the instance. */
  const syncRow = async (id: string): Promise<void> => {
    const row = await repository.find(id)
    // Read the observed state only after the row. A state that was read before the row might be stale, and would overwrite a newer
    // address in the row.
    const observed = runtime.find(id)
    if (!row || row.endedAt !== null) return
    if (!observed) return close(id)
    if (doesRowMatchState(row, observed)) return
    const { state } = observed
    const changed = await storeInstanceAddress(deps, id, observed)
    // The instance has lost its address, but the row still contains it. Another instance may get the address, so the gateways
    // must close the connections to this address.
    if (!changed && observedAddressOf(state) === undefined)
      for (const from of listFormerAddresses(row, state)) bus.publish({ kind: 'instance-moved', instanceId: id, from })
    // Remove a team's instance that never became ready. An instance that was ready may recover, so the players decide when to
    // stop it.
    if (state.kind === 'failed' && row.status === 'Pending' && !doesInstanceRemainAfterFailure(row)) {
      await close(id, state)
      await runtime.delete(id)
    }
  }

  const syncRowInTurn = (id: string): Promise<void> => inTurn(id, () => syncRow(id))

  /**
   * Sets the end time of the object to the end time in the row. The team may extend the instance concurrently.
   * Therefore the row is read after the object, and again after each write, until both end times are equal.
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

  const repairRow = async (row: RepairRow, object: ObservedInstance | undefined, now: Date): Promise<void> => {
    if (!row.isAllowed || row.expiresAt.getTime() + expiryGraceMs < now.getTime()) {
      await close(row.id)
      await finishInstanceEndings(deps, [row.id])
    } else if (!object) {
      if (row.startedAt.getTime() + rowGraceMs >= now.getTime()) return
      // Another process may have created the object, and our watch may not have reported it yet.
      if (await runtime.exists?.(row.id)) return
      await close(row.id)
      // The Secret of the instance may exist even if its object does not.
      await runtime.delete(row.id)
    } else {
      if (object.expiresAt.getTime() !== row.expiresAt.getTime()) await alignEnd(row.id, object)
      if (!doesRowMatchState(row, object)) await syncRowInTurn(row.id)
    }
  }

  /** Runs `work` and logs a failure, so that the other instances are still repaired. The next repair retries the work. */
  const attempt = async (id: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (!stop.signal.aborted) log.warn({ err: error, instanceId: id }, 'Could not reconcile an instance')
    }
  }

  const reconciler = {
    /**
     * Compares all rows with all objects, and repairs differences. Do not change the order of the reads: another order would delete
     * new instances.
     */
    async repair(): Promise<void> {
      const before = runtime.list()
      if (!before) return
      const rows = await repository.listLiveForRepair(clock.now())
      const now = clock.now()
      const known = new Set(rows.map(({ id }) => id))
      for (const row of rows) await attempt(row.id, () => repairRow(row, runtime.find(row.id), now))
      for (const { id } of before)
        if (!known.has(id)) {
          await attempt(id, async () => {
            await runtime.delete(id)
            log.info({ instanceId: id }, 'Removed an instance without a row')
          })
        }
    },

    /**
     * Processes the changes that the runtime reports. Repairs all instances at once, and then periodically.
     * @returns a function that stops the reconciler
     */
    start(): () => Promise<void> {
      const running = new Set<Promise<void>>()
      const track = (work: Promise<void>): void => {
        running.add(work)
        void work.finally(() => running.delete(work))
      }
      const unwatch = runtime.watch((id) => track(attempt(id, () => syncRowInTurn(id))))
      const loop = async (): Promise<void> => {
        while (!stop.signal.aborted) {
          await attempt('all', () => reconciler.repair())
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
  return reconciler
}

export type InstanceReconciler = ReturnType<typeof createInstanceReconciler>
