import type { ExposureKind, StoredContainer } from '@capstan/contract/container-definition'

/**
 * The port behind which instances run: a cluster (ChallengeInstance objects), docker or podman, or child processes.
 * The api decides and keeps the rows; a runtime makes what it is told and says what it sees. All adapters pass the same tests.
 */

import type { InstanceAccess } from '@capstan/contract/reach'

/** `Proxy`: reached through the gateway by UUID; `Direct`: `host:port` is handed to players. */
export type Exposure = 'Proxy' | 'Direct'

/** What to run. The row's UUID names the object, so creating twice is harmless. */
export type InstanceSpec = Readonly<{
  /** UUID of the instance row. */
  id: string
  gameId: number
  challengeId: number
  /** Undefined: a test instance. */
  participationId: number | undefined
  teamId: number | undefined
  image: string
  port: number
  cpuTenths: number
  memoryMb: number
  storageMb: number
  /** Given as FLAG and under the configured further names, unless `container` says otherwise; undefined: a static challenge. */
  flag: string | undefined
  /** How it is run beyond that. Each runtime does as much of it as it can: docs/containers.md. */
  container: StoredContainer
  /** Variables that nobody is told, by name. */
  secrets: Readonly<Record<string, string>>
  expiresAt: Date
  capture: boolean
  /** What the gateways offer, for whoever looks at the object: `*` stands for the label. Absent: WebSockets alone. */
  ways?: readonly InstanceAccess[]
}>

/** Where ports of a container beside its entry are, on the same host, by their numbers in it. */
export type FurtherPorts = Readonly<Record<number, number>>

export type InstanceAddress = Readonly<{
  host: string
  port: number
}>

/** Why nothing listens. `address`: where it will again, as nobody else can have that address meanwhile; absent: there is none. */
type NotListening = Readonly<{
  reason: string
  message: string
  address?: InstanceAddress
}>

export type ObservedState =
  /** On its way; `message` says what is happening (scheduled, pulling, starting). */
  | ({ readonly kind: 'pending' } & NotListening)
  /** Accepts connections. Without `furtherPorts` each further port is where it is in the container. */
  | (Readonly<{ kind: 'ready'; furtherPorts?: FurtherPorts }> & InstanceAddress)
  /** Will not run without a change of the challenge; `message` is for people. */
  | ({ readonly kind: 'failed' } & NotListening)

/** The address that is an instance's own at this moment. */
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
  /** How it was made. Absent: as this runtime makes all of them. */
  exposure?: Exposure | undefined
}>

/** What an instance uses at this moment. */
export type MeasuredUsage = Readonly<{
  cpuMillicores: number
  memoryBytes: number
}>

/** By id of the instance; one that is missing is not known. */
export type MeasuredUsages = ReadonlyMap<string, MeasuredUsage>

/** The recording of one instance, as far as seen. */
export type ObservedCapture = Readonly<{
  /** UUID of the instance row. */
  id: string
  /** Where its recordings are fetched; undefined: there is nothing that has any. */
  address: { readonly host: string; readonly port: number } | undefined
  /** Undefined: nothing is known yet. `reason` is one PascalCase word, `message` a sentence. */
  health: { readonly isRecording: boolean; readonly reason: string; readonly message: string } | undefined
  /** The instance has ended and waits until its recordings are fetched. */
  isEnding: boolean
  /** `release` was called. */
  isReleased: boolean
}>

/** What a runtime that records traffic lets the collector see and do. Instances that do not record are not among them. */
export interface CaptureSource {
  find(id: string): ObservedCapture | undefined
  /** Everything that records or waits to be fetched; undefined until the first complete look. */
  list(): readonly ObservedCapture[] | undefined
  /** Calls back on every change with the id; `find` then tells. Returns a function that ends it. */
  watch(listener: (id: string) => void): () => void
  /** Lets an instance that is ending go: everything is fetched. Unknown ids are ignored. @throws when it cannot be recorded */
  release(id: string, now: Date): Promise<void>
}

export type InstanceRuntime = Readonly<{
  /** How one of a challenge that asks for this is made from now on. Absent: as all others are. */
  exposureFor?(asked: ExposureKind | undefined): Exposure
  /** How instances are made from now on. Those that run keep the way they were made with. */
  exposure: Exposure
  /** Absent: nothing can be recorded here; instances with `capture` run like any other. */
  captures?: CaptureSource
  /**
   * Measures what every instance uses. Takes up to seconds: not for a request that has more to say.
   * Absent: it is never known here. @throws when the measuring fails where it should not
   */
  readUsage?(): Promise<MeasuredUsages>
  /** Idempotent by `spec.id`. Returns when the wish is recorded, not when it runs. @throws when it cannot be recorded */
  create(spec: InstanceSpec): Promise<void>
  /** New end of life. Unknown ids are ignored. */
  extend(id: string, expiresAt: Date): Promise<void>
  /** Unknown ids are ignored. Returns when the wish is recorded. @throws when it cannot be recorded */
  delete(id: string): Promise<void>
  /** Last seen state; undefined: there is no such object. */
  find(id: string): ObservedInstance | undefined
  /** Asks whether there is such an object at this moment. Absent: `find` is never behind. @throws when nobody can tell */
  exists?(id: string): Promise<boolean>
  /** Everything that exists, as far as seen; undefined until the first complete look. */
  list(): readonly ObservedInstance[] | undefined
  /** Calls back on every change with the id; `find` then tells. Returns a function that ends it. */
  watch(listener: (id: string) => void): () => void
  close(): Promise<void>
}>
