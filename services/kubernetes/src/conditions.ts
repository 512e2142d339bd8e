/** Condition of a status, by the Kubernetes conventions. */
export interface Condition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  reason: string
  message: string
  observedGeneration?: number
  lastTransitionTime: string
}

/** Condition whose transition time is not set yet. */
export type Fact = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

/** Returns an instant in the format of Kubernetes, with whole seconds. */
export function formatTimestamp(instant: Date): string {
  return `${instant.toISOString().slice(0, 19)}Z`
}

/**
 * Adds the transition time to each new condition. The time changes only if the status of the condition changes.
 * Previous conditions that have no new value are dropped.
 */
export function updateConditions(facts: Fact[], previous: Condition[], observedGeneration: number, now: Date): Condition[] {
  return facts.map((fact) => {
    const before = previous.find((condition) => condition.type === fact.type)
    const since = before?.status === fact.status ? before.lastTransitionTime : formatTimestamp(now)
    return { ...fact, observedGeneration, lastTransitionTime: since }
  })
}

export function findCondition<T extends { type: string }>(conditions: T[] | undefined, type: string): T | undefined {
  return conditions?.find((condition) => condition.type === type)
}
