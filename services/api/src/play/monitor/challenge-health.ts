import type { ChallengeHealth } from '@capstan/contract/monitor'
import type { ObservedState } from '../../instances/lifecycle/runtime.ts'
import type { FailedRow, LastReadyRow, LiveRow } from './desk-repository.ts'

type InstanceFacts = Readonly<{
  live: readonly LiveRow[]
  stateOf: (id: string) => ObservedState | undefined
  /** Numbers of instances that never became ready, by challenge and image. */
  failed: readonly FailedRow[]
  ready: readonly LastReadyRow[]
}>

const none: ChallengeHealth = {
  running: 0,
  starting: 0,
  failing: 0,
  failedStarts: 0,
  reason: null,
  reasonCode: null,
  lastReadyAt: null,
}

export function stateKindOfInstance(row: LiveRow, state: ObservedState | undefined): ObservedState['kind'] {
  return state?.kind ?? (row.status === 'Running' ? 'ready' : 'pending')
}

/** Summarizes the instances of teams by challenge. Challenges without instances are absent. */
export function summarizeHealthByChallenge({ live, stateOf, failed, ready }: InstanceFacts): Map<number, ChallengeHealth> {
  const health = new Map<number, ChallengeHealth>()
  const change = (id: number, changed: (known: ChallengeHealth) => Partial<ChallengeHealth>) => {
    const known = health.get(id) ?? none
    health.set(id, { ...known, ...changed(known) })
  }
  for (const { challengeId, at } of ready) change(challengeId, () => ({ lastReadyAt: at?.toISOString() ?? null }))
  // Process the newest failure last, because the last failure sets the reason. A challenge can have failures with several images.
  for (const { challengeId, count, reason, reasonCode } of failed.toSorted(
    (one, other) => one.lastAt.getTime() - other.lastAt.getTime(),
  ))
    change(challengeId, ({ failedStarts }) => ({ failedStarts: failedStarts + count, reason, reasonCode }))
  for (const row of live) {
    if (row.participationId === null) continue
    const state = stateOf(row.id)
    const kind = stateKindOfInstance(row, state)
    change(row.challengeId, ({ running, starting, failing }) => {
      if (kind === 'ready') return { running: running + 1 }
      if (state?.kind !== 'failed') return { starting: starting + 1 }
      return { failing: failing + 1, reason: state.message, reasonCode: state.reason }
    })
  }
  return health
}

export function healthOfChallenge(health: ReadonlyMap<number, ChallengeHealth>, challengeId: number): ChallengeHealth {
  return health.get(challengeId) ?? none
}
