import { isConflict, isNotFound, type KubeClient } from './client.ts'
import { type Clock, sleep } from './clock.ts'
import type { Log } from './log.ts'
import type { KubeObject, Resource } from './types.ts'

interface Lease extends KubeObject {
  spec?: {
    holderIdentity?: string
    leaseDurationSeconds?: number
    acquireTime?: string
    renewTime?: string
    leaseTransitions?: number
  }
}

const leases: Resource<Lease> = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', plural: 'leases' }

export interface LeaderElectionOptions {
  client: Pick<KubeClient, 'get' | 'create' | 'update'>
  clock: Clock
  log: Log
  namespace: string
  name: string
  /** Who we are; different for every process. */
  identity: string
  /** After how long without renewal somebody else may take over, in seconds. 12 by default. */
  durationSeconds?: number
  /** When a leader who cannot renew gives up, in milliseconds after the last renewal: before others may take over. 8,000 by default. */
  giveUpMs?: number
  /** Time between two tries, in milliseconds. 2,000 by default. */
  retryMs?: number
}

export interface LeaderElection {
  /** Resolves when we lead, or when `signal` is aborted. */
  acquire(signal: AbortSignal): Promise<void>
  /** Keeps the lease. Resolves when it is lost, or when `signal` is aborted. */
  keep(signal: AbortSignal): Promise<void>
  /** Gives the lease back, so that a successor need not wait for its end. Never rejects. */
  release(): Promise<void>
  isLeader(): boolean
}

/**
 * Leadership through a Lease. How old a foreign lease is, is measured from when we saw it change, on our own monotonic clock:
 * wrong clocks do no harm. Being leader is an optimisation, not a lock: two leaders must be harmless.
 */
export function createLeaderElection(options: LeaderElectionOptions): LeaderElection {
  const { client, clock, log, namespace, name, identity } = options
  const durationSeconds = options.durationSeconds ?? 12
  const giveUpMs = options.giveUpMs ?? 8000
  const retryMs = options.retryMs ?? 2000
  let held: Lease | undefined
  let renewedAtMs = 0
  let seen: { version: string; atMs: number } | undefined

  const instant = () => clock.now().toISOString().replace('Z', '000Z')

  function claim(lease: Lease | undefined): NonNullable<Lease['spec']> {
    const mine = lease?.spec?.holderIdentity === identity
    const now = instant()
    return {
      holderIdentity: identity,
      leaseDurationSeconds: durationSeconds,
      acquireTime: (mine ? lease?.spec?.acquireTime : undefined) ?? now,
      renewTime: now,
      leaseTransitions: (lease?.spec?.leaseTransitions ?? 0) + (mine ? 0 : 1),
    }
  }

  async function read(): Promise<Lease | undefined> {
    try {
      return await client.get(leases, namespace, name)
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  /** Whether nobody else holds the lease, as far as we have seen. */
  function isFree(lease: Lease): boolean {
    const holder = lease.spec?.holderIdentity
    if (!holder || holder === identity) return true
    const version = lease.metadata.resourceVersion
    if (seen?.version !== version) seen = { version, atMs: clock.elapsedMs() }
    return clock.elapsedMs() - seen.atMs > (lease.spec?.leaseDurationSeconds ?? durationSeconds) * 1000
  }

  /** The try that is under way, for whoever gives the lease back must know how it ended. */
  let underWay: Promise<unknown> = Promise.resolve()
  function attempt(): Promise<boolean> {
    const result = tryOnce()
    underWay = result.catch(() => undefined)
    return result
  }

  /** One try to become or stay leader. The resource version of what we read decides between two who try at once. */
  async function tryOnce(): Promise<boolean> {
    const startedAtMs = clock.elapsedMs()
    const current = held ?? (await read())
    try {
      if (current === undefined) {
        held = await client.create(leases, namespace, {
          apiVersion: leases.apiVersion,
          kind: leases.kind,
          metadata: { name, namespace },
          spec: claim(undefined),
        })
      } else if (isFree(current)) {
        held = await client.update(leases, { ...current, spec: claim(current) })
      } else {
        return false
      }
      renewedAtMs = startedAtMs
      return true
    } catch (error) {
      // Somebody wrote in between, or deleted it: read it anew at the next try.
      held = undefined
      if (isConflict(error) || isNotFound(error)) return false
      throw error
    }
  }

  return {
    async acquire(signal) {
      while (!signal.aborted) {
        try {
          if (await attempt()) {
            log.info({ lease: name, identity }, 'Became leader')
            return
          }
        } catch (error) {
          log.warn({ err: error, lease: name }, 'Could not read or write the lease')
        }
        await sleep(clock, retryMs, signal)
      }
    },

    async keep(signal) {
      while (!signal.aborted) {
        await sleep(clock, retryMs, signal)
        if (signal.aborted) return
        const leftMs = giveUpMs - (clock.elapsedMs() - renewedAtMs)
        const expired = sleep(clock, Math.max(0, leftMs), signal).then(() => 'expired' as const)
        // A renewal that hangs must not keep us leader: the deadline runs beside it.
        const outcome = await Promise.race([
          attempt().catch((error: unknown) => {
            log.warn({ err: error, lease: name }, 'Could not renew the lease')
            return 'failed' as const
          }),
          expired,
        ])
        if (signal.aborted || outcome === true) continue
        if (outcome === false) {
          const lease = await read().catch(() => undefined)
          if (lease === undefined || isFree(lease)) continue
          log.error({ lease: name, holder: lease.spec?.holderIdentity }, 'Lost the lease to another')
          return
        }
        if (clock.elapsedMs() - renewedAtMs >= giveUpMs) {
          log.error({ lease: name }, 'Lost the lease: it could not be renewed in time')
          return
        }
      }
    },

    async release() {
      await underWay
      const lease = held
      held = undefined
      if (lease === undefined) return
      try {
        await client.update(leases, {
          ...lease,
          spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: instant() },
        })
      } catch (error) {
        log.warn({ err: error, lease: name }, 'Could not give the lease back')
      }
    },

    isLeader: () => held !== undefined && clock.elapsedMs() - renewedAtMs < durationSeconds * 1000,
  }
}
