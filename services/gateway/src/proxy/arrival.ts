import type { ProblemCode } from '@capstan/contract/problems'
import type { InstanceWay } from '@capstan/contract/reach'
import type { DialTarget } from './dial.ts'

/** Address of an instance, and the properties of the instance from which limits are computed. */
export type FoundInstance = DialTarget &
  Readonly<{
    instanceId: string
    kind: 'team' | 'test'
    entryPort?: number
    /** Container port. Absent if it is the entry port. */
    furtherPort?: number
    /**
     * Addresses of the instance's players, as `addressLimitKey` returns them. At a plain port, other addresses have lower limits,
     * because strangers find the port by port scans.
     */
    playerAddresses?: readonly string[]
  }>

export type Refusal = Readonly<{
  code: ProblemCode
  retryAfterSeconds?: number
}>

export type Arrival<Found extends FoundInstance = FoundInstance> = Readonly<{
  way: InstanceWay
  clientAddress: string
  /** Id of the instance, if the client sends it. */
  instanceId?: string
  /** Looks up the instance at the api. Called again for each connection, because the instance may have moved. */
  find(): Promise<Found | ProblemCode>
  /** True if the client will receive no byte of the instance. Such a client must not use up attempts and seats of the players. */
  isStranger?(target: Found): boolean
}>

/** Client that is within the limits and has a seat, with the instance that it reaches. */
export type AdmittedArrival<Found extends FoundInstance = FoundInstance> = Readonly<{
  target: Found
  leaveSeat: () => void
}>

/** True if both targets have the same address. */
export function isSameTarget(one: DialTarget, other: DialTarget): boolean {
  return one.host === other.host && one.port === other.port
}
