import type { ProblemCode } from '@capstan/contract/problems'
import type { InstanceWay } from '@capstan/contract/reach'
import type { DialTarget } from './dial.ts'

/** Address and owner of an instance. */
export type FoundInstance = DialTarget &
  Readonly<{
    instanceId: string
    kind: 'team' | 'test'
    entryPort?: number
    /** Container port, if it is not the entry port. */
    furtherPort?: number
    /** Addresses of its players, as limits count them. A plain port prefers players, because strangers find it by port scans. */
    playerAddresses?: readonly string[]
  }>

export type Refusal = Readonly<{
  code: ProblemCode
  retryAfterSeconds?: number
}>

export type Arrival<Found extends FoundInstance = FoundInstance> = Readonly<{
  way: InstanceWay
  clientAddress: string
  /** Known in advance if the client names the instance itself. */
  instanceId?: string
  /** Asks the api, for each connection. */
  find(): Promise<Found | ProblemCode>
  /** True if the client will receive no byte of the instance. Such a client uses no attempt or seat of the players. */
  isStranger?(target: Found): boolean
}>

/** Admitted arrival, which is counted and has a seat. */
export type AdmittedArrival<Found extends FoundInstance = FoundInstance> = Readonly<{
  target: Found
  leaveSeat: () => void
}>

/** True if both are the same address. */
export function isSameTarget(one: DialTarget, other: DialTarget): boolean {
  return one.host === other.host && one.port === other.port
}
