import type { ExposureKind, StoredContainer } from '@capstan/contract/container-definition'

/**
 * Port to the runtimes of instances: a cluster (ChallengeInstance objects), docker or podman, or child processes. The api
 * stores the rows and makes all decisions. A runtime runs instances and reports their state. All adapters pass the same
 * tests.
 */

import type { InstanceAccess } from '@capstan/contract/reach'

/** `Proxy`: the gateway serves it by UUID. `Direct`: players get `host:port`. */
export type Exposure = 'Proxy' | 'Direct'

/** Specification of an instance. The UUID of the row names the object, so a second creation is harmless. */
export type InstanceSpec = Readonly<{
  id: string
  gameId: number
  challengeId: number
  participationId: number | undefined
  teamId: number | undefined
  image: string
  port: number
  cpuTenths: number
  memoryMb: number
  storageMb: number
  /**
   * Value of FLAG and of the configured further names, unless `container` overrides the names. Undefined for a static
   * challenge.
   */
  flag: string | undefined
  /** Further settings. Each runtime supports a subset: docs/containers.md. */
  container: StoredContainer
  secrets: Readonly<Record<string, string>>
  expiresAt: Date
  capture: boolean
  /** Access ways of the gateways, shown on the object. `*` stands for the label. If absent, only WebSockets are offered. */
  ways?: readonly InstanceAccess[]
}>

/** Ports on the host of the instance by port of the container, for all but its entry. */
export type FurtherPorts = Readonly<Record<number, number>>

export type InstanceAddress = Readonly<{
  host: string
  port: number
}>

/**
 * Reason why the instance does not listen. `address` is present if the instance will return to this address and no other
 * instance can get it.
 */
type NotListening = Readonly<{
  reason: string
  message: string
  address?: InstanceAddress
}>

export type ObservedState =
  /** Starting. `message` names the step (scheduled, pulling, starting). */
  | ({ readonly kind: 'pending' } & NotListening)
  /** Accepts connections. Without `furtherPorts`, each further port has the same number as in the container. */
  | (Readonly<{ kind: 'ready'; furtherPorts?: FurtherPorts }> & InstanceAddress)
  /** Cannot run without a change of the challenge. `message` is a sentence for users. */
  | ({ readonly kind: 'failed' } & NotListening)

/** Returns the address that currently belongs to the instance. */
export function addressOf(state: ObservedState): InstanceAddress | undefined {
  return state.kind === 'ready' ? { host: state.host, port: state.port } : state.address
}

export function isSameAddress(one: InstanceAddress, other: InstanceAddress | undefined): boolean {
  return one.host === other?.host && one.port === other.port
}

export type ObservedInstance = Readonly<{
  id: string
  state: ObservedState
  expiresAt: Date
  /** Exposure at creation, absent if the runtime has only one. */
  exposure?: Exposure | undefined
}>

export type MeasuredUsage = Readonly<{
  cpuMillicores: number
  memoryBytes: number
}>

/** Usage by id of the instance. Unmeasured instances are missing. */
export type MeasuredUsages = ReadonlyMap<string, MeasuredUsage>

export type ObservedCapture = Readonly<{
  id: string
  /** Address of its recorder, undefined if there is none. */
  address: { readonly host: string; readonly port: number } | undefined
  /** Health of the recording, undefined if unknown. `reason` is one PascalCase word, `message` is a sentence. */
  health: { readonly isRecording: boolean; readonly reason: string; readonly message: string } | undefined
  /** True if the instance has ended and waits until its recordings are fetched. */
  isEnding: boolean
  /** True after `release`. */
  isReleased: boolean
}>

/** Recordings of a runtime, for the collector. Instances without recording are left out. */
export interface CaptureSource {
  find(id: string): ObservedCapture | undefined
  /** Returns everything that records or waits to be fetched, undefined before the first complete list. */
  list(): readonly ObservedCapture[] | undefined
  /** Calls the listener with the id on every change; `find` returns the new state. @returns a function that ends it */
  watch(listener: (id: string) => void): () => void
  /** Releases an ending instance after everything is fetched. Unknown ids are ignored. @throws if the runtime refuses it */
  release(id: string, now: Date): Promise<void>
}

export type InstanceRuntime = Readonly<{
  /** Returns the exposure of new instances for a challenge that requests one. If absent, the default applies. */
  exposureFor?(asked: ExposureKind | undefined): Exposure
  /** Exposure of new instances. Running instances retain theirs. */
  exposure: Exposure
  /** Recordings. If absent, this runtime cannot record, and instances with `capture` run unrecorded. */
  captures?: CaptureSource
  /**
   * Measures the usage of every instance. The call may take seconds, so only dedicated requests wait for it. If absent, the
   * usage is unknown.
   * @throws if the measurement fails unexpectedly
   */
  readUsage?(): Promise<MeasuredUsages>
  /** Idempotent by `spec.id`. Returns when the request is accepted, not when the instance runs. @throws if it is refused */
  create(spec: InstanceSpec): Promise<void>
  /** Changes the end time. Unknown ids are ignored. */
  extend(id: string, expiresAt: Date): Promise<void>
  /** Deletes the object. Unknown ids are ignored. Returns when the request is accepted. @throws if it is refused */
  delete(id: string): Promise<void>
  find(id: string): ObservedInstance | undefined
  /** Queries whether the object exists now. If absent, `find` is always current. @throws if the query fails */
  exists?(id: string): Promise<boolean>
  /** Everything observed, undefined before the first complete list. */
  list(): readonly ObservedInstance[] | undefined
  /** Calls the listener with the id on every change; `find` returns the new state. @returns a function that ends it */
  watch(listener: (id: string) => void): () => void
  close(): Promise<void>
}>
