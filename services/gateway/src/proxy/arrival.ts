import type { ProblemCode } from '@capstan/contract/problems'
import type { InstanceWay } from '@capstan/contract/reach'
import type { DialTarget } from './dial.ts'

/** Address of an instance, and the properties of the instance that determine which limits apply. */
export type FoundInstance = DialTarget &
  Readonly<{
    instanceId: string
    kind: 'team' | 'test'
    entryPort?: number
    /** Container port to which the client connects. Absent if the client connects to the entry port. */
    furtherPort?: number
    /**
     * Addresses of the instance's players, as `limitKeyOfIpAddress` returns them. At a plain port, other addresses have lower
     * limits, because strangers find the port by port scans.
     */
    playerAddresses?: readonly string[]
  }>

export type Refusal = Readonly<{
  code: ProblemCode
  retryAfterSeconds?: number
}>

export type ArrivedClient = Readonly<{
  way: InstanceWay
  clientAddress: string
}>

export type Arrival<Found extends FoundInstance = FoundInstance> = ArrivedClient &
  Readonly<{
    /** Id of the instance, if the client sends it. */
    instanceId?: string
    /**
     * Looks up the instance through the api. Called for each attempt to connect, because the instance may have moved since the last
     * attempt.
     */
    find(): Promise<Found | ProblemCode>
    /**
     * True if the client lacks the access key, so that it will receive no byte of the instance. Such a client must not use up the
     * limits of players.
     */
    isStranger?(target: Found): boolean
  }>

/** Instance to which an admitted client is connected. `leaveSeat` stops counting this connection. */
export type AdmittedArrival<Found extends FoundInstance = FoundInstance> = Readonly<{
  target: Found
  leaveSeat: () => void
}>

export function isSameInstanceTarget(one: DialTarget, other: DialTarget): boolean {
  return one.host === other.host && one.port === other.port
}
