import { isConflictError, isNotFoundError, type KubeClient } from './client.ts'
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
  identity: string
  /** Time after the last renewal until the lease expires, in seconds, by default 12. */
  durationSeconds?: number
  /**
   * Time after the last renewal at which a leader resigns, in ms, by default 8,000. This time must be shorter than the
   * lease, so that a leader resigns before another process takes over.
   */
  giveUpMs?: number
  /** Interval between attempts, in ms, by default 2,000. */
  retryMs?: number
}

export interface LeaderElection {
  /** Resolves when this process becomes leader, or when `signal` is aborted. */
  acquire(signal: AbortSignal): Promise<void>
  /** Renews the lease. Resolves when the lease is lost, or when `signal` is aborted. */
  renewUntilLost(signal: AbortSignal): Promise<void>
  /** Releases the lease. The promise never rejects. */
  release(): Promise<void>
  isLeader(): boolean
}

/**
 * Creates a leader election through a Lease. A process measures with its own monotonic clock how long the lease of another
 * process has not changed. So wrong wall clocks are harmless. The election only avoids duplicate work and is no lock, so two
 * leaders at the same time must do no harm.
 */
export function createLeaderElection(options: LeaderElectionOptions): LeaderElection {
  const { client, clock, log, namespace, name, identity } = options
  const durationSeconds = options.durationSeconds ?? 12
  const giveUpMs = options.giveUpMs ?? 8000
  const retryMs = options.retryMs ?? 2000
  let ownLease: Lease | undefined
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
      if (isNotFoundError(error)) return undefined
      throw error
    }
  }

  /** True if, as far as this process knows, no other process has a valid lease. */
  function isFree(lease: Lease): boolean {
    const holder = lease.spec?.holderIdentity
    if (!holder || holder === identity) return true
    const version = lease.metadata.resourceVersion
    if (seen?.version !== version) seen = { version, atMs: clock.elapsedMs() }
    return clock.elapsedMs() - seen.atMs > (lease.spec?.leaseDurationSeconds ?? durationSeconds) * 1000
  }

  /**
   * Current attempt. `release` waits for this attempt, because only afterwards is it known whether there is a lease to
   * release.
   */
  let underWay: Promise<unknown> = Promise.resolve()
  function attempt(): Promise<boolean> {
    const result = tryOnce()
    underWay = result.catch(() => undefined)
    return result
  }

  /** Tries once to become or remain the leader. The resource version decides between concurrent attempts. */
  async function tryOnce(): Promise<boolean> {
    const startedAtMs = clock.elapsedMs()
    const current = ownLease ?? (await read())
    try {
      if (current === undefined) {
        ownLease = await client.create(leases, namespace, {
          apiVersion: leases.apiVersion,
          kind: leases.kind,
          metadata: { name, namespace },
          spec: claim(undefined),
        })
      } else if (isFree(current)) {
        ownLease = await client.update(leases, { ...current, spec: claim(current) })
      } else {
        return false
      }
      renewedAtMs = startedAtMs
      return true
    } catch (error) {
      // Another process wrote or deleted the lease, so the next attempt reads it again.
      ownLease = undefined
      if (isConflictError(error) || isNotFoundError(error)) return false
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

    async renewUntilLost(signal) {
      while (!signal.aborted) {
        await sleep(clock, retryMs, signal)
        if (signal.aborted) return
        const leftMs = giveUpMs - (clock.elapsedMs() - renewedAtMs)
        const expired = sleep(clock, Math.max(0, leftMs), signal).then(() => 'expired' as const)
        // The deadline runs concurrently, so that a slow renewal does not extend the leadership.
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
          log.error({ lease: name, holder: lease.spec?.holderIdentity }, 'Lost the lease to another process')
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
      const lease = ownLease
      ownLease = undefined
      if (lease === undefined) return
      try {
        await client.update(leases, {
          ...lease,
          spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: instant() },
        })
      } catch (error) {
        log.warn({ err: error, lease: name }, 'Could not release the lease')
      }
    },

    isLeader: () => ownLease !== undefined && clock.elapsedMs() - renewedAtMs < durationSeconds * 1000,
  }
}
