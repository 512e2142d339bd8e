/** One observed fact in a status, as Kubernetes' conventions have it. */
export interface Condition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  reason: string
  message: string
  observedGeneration?: number
  lastTransitionTime: string
}

/** A fact without the moment since when it holds. */
export type Fact = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

/** Kubernetes' instants have whole seconds. */
export const timestamp = (instant: Date): string => `${instant.toISOString().slice(0, 19)}Z`

/** Facts as conditions: `lastTransitionTime` moves only where a status flips. Facts that are no longer given disappear. */
export function conditionsFrom(facts: Fact[], previous: Condition[], observedGeneration: number, now: Date): Condition[] {
  return facts.map((fact) => {
    const before = previous.find((condition) => condition.type === fact.type)
    const since = before?.status === fact.status ? before.lastTransitionTime : timestamp(now)
    return { ...fact, observedGeneration, lastTransitionTime: since }
  })
}

/** The condition of this type, if there is one. */
export const findCondition = <T extends { type: string }>(conditions: T[] | undefined, type: string): T | undefined =>
  conditions?.find((condition) => condition.type === type)
