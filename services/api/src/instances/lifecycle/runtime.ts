import type { Readable } from 'node:stream'
import { challengeContainer } from '@capstan/challenge-instance/names'
import { readyReasons } from '@capstan/challenge-instance/reasons'
import type { ContainerEvent } from '@capstan/contract/admin'
import type { ExposureKind, StoredContainer } from '@capstan/contract/container-definition'
import type { ContainerDependency, ContainerNetwork, RecordedTraffic } from '@capstan/contract/containers'
import type { WebSocket } from 'ws'

/**
 * Interface of the runtimes of instances: a cluster (ChallengeInstance objects), docker or podman, or child processes. The api
 * stores the rows and makes all decisions. A runtime runs instances and reports their state. All implementations pass the same
 * tests.
 */

import type { InstanceAccess } from '@capstan/contract/reach'

/** Way in which players connect to an instance. `Proxy`: the gateway serves it by UUID. `Direct`: players get `host:port`. */
export type Exposure = 'Proxy' | 'Direct'

/** Specification of one container of an instance. */
export type ContainerSpec = Readonly<{
  /** Name of the container, and its host name in its networks. Absent if the instance has only one container. */
  name?: string
  image: string
  /** Entry port of the instance. Absent for additional containers. */
  port?: number
  cpuTenths: number
  memoryMb: number
  storageMb: number
  /** Other settings of the container. Each runtime supports some of these settings: docs/containers.md. */
  definition: StoredContainer
  /** Values of the secret variables, by the name of the variable. */
  secrets: Readonly<Record<string, string>>
  /** True if the container gets the flag of the instance, provided that the instance has a flag. */
  receivesFlag: boolean
  /** Networks of the container. If absent, the default network applies. Absent if the instance has only one container. */
  networks?: readonly ContainerNetwork[]
  /** Containers that must start before this container. */
  dependsOn?: readonly ContainerDependency[]
}>

/** Specification of the container to which players connect. */
export type EntryContainerSpec = ContainerSpec & Readonly<{ port: number }>

export type AdditionalContainerSpec = ContainerSpec & Readonly<{ name: string }>

/** Specification of an instance. The UUID of the row determines the name of the object, so a second creation has no effect. */
export type InstanceSpec = Readonly<{
  id: string
  gameId: number
  challengeId: number
  participationId: number | undefined
  teamId: number | undefined
  /**
   * Flag of the instance. By default, the flag is in the variable FLAG and in the other variables that are configured for the flag.
   * The definition of a container may replace these variables. Undefined for a static challenge.
   */
  flag: string | undefined
  /** Containers of the instance. The first is the entry container, to which players connect. */
  containers: readonly [EntryContainerSpec, ...AdditionalContainerSpec[]]
  expiresAt: Date
  capture: RecordedTraffic
  /**
   * Addresses at which the gateways offer the instance. The object contains these addresses only for display. `*` represents the
   * label of the instance. If absent, the gateways offer only WebSockets.
   */
  ways?: readonly InstanceAccess[]
}>

/** Map from container port to the port on the host of the instance. The entry port is not included. */
export type FurtherPorts = Readonly<Record<number, number>>

export type InstanceAddress = Readonly<{
  host: string
  port: number
}>

/** Addresses of the ports of additional containers, by `portKey`. */
export type FurtherPlaces = Readonly<Record<string, InstanceAddress>>

/** Key of a port of an additional container. */
export function keyOfContainerPort(container: string, port: number): string {
  return `${container}:${port}`
}

/**
 * Reason why the instance currently accepts no connections. If `address` is present, the instance will use this address
 * again, and no other instance can get it. The same applies to the addresses in `furtherPlaces`.
 */
type NotListening = Readonly<{
  reason: string
  message: string
  address?: InstanceAddress
  furtherPlaces?: FurtherPlaces
}>

export type ObservedState =
  /** The instance is starting. `message` names the step (scheduled, pulling, starting). */
  | ({ readonly kind: 'pending' } & NotListening)
  /**
   * The instance accepts connections. If `furtherPorts` is absent, each additional port has the same number outside of the
   * container as inside.
   */
  | (Readonly<{ kind: 'ready'; furtherPorts?: FurtherPorts; furtherPlaces?: FurtherPlaces }> & InstanceAddress)
  /** The instance cannot run until the challenge is changed. `message` is a sentence for users. */
  | ({ readonly kind: 'failed' } & NotListening)

/** Reason of the failure of an instance: one PascalCase word, and an English sentence. */
export type InstanceFailure = Pick<NotListening, 'reason' | 'message'>

export type ObservedInstance = Readonly<{
  id: string
  state: ObservedState
  expiresAt: Date
  /** Exposure with which the instance was created. Absent if the runtime supports only one exposure. */
  exposure?: Exposure | undefined
}>

/** Amounts of CPU and memory: a usage or a limit. */
export type ResourceAmount = Readonly<{
  cpuMillicores: number
  memoryBytes: number
}>

export function sumResourceAmounts(amounts: readonly ResourceAmount[]): ResourceAmount {
  return amounts.reduce(
    (sum, { cpuMillicores, memoryBytes }) => ({
      cpuMillicores: sum.cpuMillicores + cpuMillicores,
      memoryBytes: sum.memoryBytes + memoryBytes,
    }),
    { cpuMillicores: 0, memoryBytes: 0 },
  )
}

/** Returns the limits of a container in the same units as its usage. */
export function resourceLimitsOf({ cpuTenths, memoryMb }: Readonly<{ cpuTenths: number; memoryMb: number }>): ResourceAmount {
  return { cpuMillicores: cpuTenths * 100, memoryBytes: memoryMb * 1024 * 1024 }
}

/**
 * Usage of containers, by the id of the instance and then by the name of the container. Containers that were not measured are
 * missing.
 */
export type MeasuredUsages = ReadonlyMap<string, ReadonlyMap<string, ResourceAmount>>

/** Address of the recorder of a container. The name of the container is absent if the instance has only one container. */
export type ObservedRecorder = InstanceAddress & Readonly<{ container?: string }>

export type ObservedCapture = Readonly<{
  id: string
  /** Recorders from which recordings can be fetched. */
  recorders: readonly ObservedRecorder[]
  /** Health of the recording. Undefined if it is unknown. `reason` is one PascalCase word, `message` is a sentence. */
  health: Readonly<{ isRecording: boolean; reason: string; message: string }> | undefined
  /** True if the instance has ended and waits until its recordings are fetched. */
  isEnding: boolean
  /** True after `release`. */
  isReleased: boolean
}>

/** State of the recordings in a runtime, for the collector. Instances without recording are omitted. */
export interface CaptureSource {
  find(id: string): ObservedCapture | undefined
  /**
   * Returns all instances that record or whose recordings wait to be fetched.
   * @returns undefined before the first complete list
   */
  list(): readonly ObservedCapture[] | undefined
  /**
   * Calls the listener with the id on every change. The listener can read the new state with `find`.
   * @returns a function that stops the calls
   */
  watch(listener: (id: string) => void): () => void
  /**
   * Releases an ending instance. Call this after all its files are fetched. Unknown ids are ignored.
   * @throws if the runtime refuses the release
   */
  release(id: string, now: Date): Promise<void>
}

/** State of a container, for display to organizers. */
export type ObservedContainer = Readonly<{
  name: string
  isReady: boolean
  /** Reason of the state in one PascalCase word. */
  reason: string
  /** Technical detail of the state. */
  message: string
  /** Number of restarts of the container, including replacements of its pod. */
  restarts: number
  /** Reason of the last exit. Undefined if the container has not exited. */
  lastExit: string | undefined
  /** Time of the last change of the state. Undefined if it is unknown. */
  since: Date | undefined
  /** Limits of CPU and memory. Undefined if they are unknown. */
  limits: ResourceAmount | undefined
}>

export type LogOptions = Readonly<{
  /** Maximum number of existing lines to return. Older lines are skipped. */
  tailLines: number
  /** True to continue with new output after the existing lines. */
  follow: boolean
  /** Signal with which the caller closes the output. */
  signal: AbortSignal
}>

/** Returns the data about the container of an instance with a single container. */
export function describeSingleContainer(
  state: ObservedState,
  { lastExit, limits }: Pick<ObservedContainer, 'lastExit' | 'limits'>,
): ObservedContainer {
  const isReady = state.kind === 'ready'
  const { reason, message } = isReady ? { reason: 'Ready', message: readyReasons.Ready.message } : state
  return { name: challengeContainer, isReady, reason, message, restarts: 0, lastExit, since: undefined, limits }
}

/** State and output of the containers of instances, for organizers. */
export interface ContainerInspector {
  /** Returns the containers of an instance, starting with the entry container. @returns undefined if the instance is unknown */
  find(id: string): readonly ObservedContainer[] | undefined
  /**
   * Returns the newest events of a container, the newest first. This function is absent if the runtime has no events.
   * @returns undefined if there is no such container
   * @throws if the events cannot be read
   */
  listEvents?(id: string, container: string): Promise<readonly ContainerEvent[] | undefined>
  /**
   * Opens the output of a container. Very long lines are truncated. The output may contain flags, so do not store or log it. This
   * function is absent if the runtime has no output.
   * @returns undefined if there is no such container
   * @throws if the output cannot be opened
   */
  openLog?(id: string, container: string, options: LogOptions): Promise<Readable | undefined>
  /**
   * Opens a terminal in a container of a test instance. Binary messages contain input and output, and text messages contain the
   * size of the terminal. If absent, this runtime has no terminals.
   * @returns undefined if there is no such container
   * @throws if the terminal cannot be opened
   */
  openTerminal?(id: string, container: string): Promise<WebSocket | undefined>
}

export type InstanceRuntime = Readonly<{
  /** Converts the exposure in the settings of a challenge into the exposure of a new instance. */
  exposureFor?(asked: ExposureKind | undefined): Exposure
  /** Default exposure of new instances. Running instances retain their exposure. */
  exposure: Exposure
  /** Access to traffic recordings. Undefined if the runtime cannot record traffic. */
  captures?: CaptureSource
  /** Access to the containers of instances. If absent, the runtime reports no containers. */
  containers?: ContainerInspector
  /**
   * Measures the usage of every container. The call may take seconds, so only dedicated requests wait for it. Without this
   * function, the usage is unknown.
   * @returns undefined if nothing measures containers here, for example in a cluster without a metrics server
   * @throws if the measurement fails unexpectedly
   */
  readUsage?(): Promise<MeasuredUsages | undefined>
  /**
   * Creates the object. Repeated calls with the same `spec.id` have no effect. Returns when the request is accepted, before the
   * instance runs.
   * @throws if the request is refused
   */
  create(spec: InstanceSpec): Promise<void>
  /** Changes the end time. Unknown ids are ignored. */
  extend(id: string, expiresAt: Date): Promise<void>
  /** Deletes the object. Unknown ids are ignored. Returns when the request is accepted. @throws if the request is refused */
  delete(id: string): Promise<void>
  find(id: string): ObservedInstance | undefined
  /**
   * Queries whether the object exists now. A runtime whose `find` is always current does not have this function. @throws if the
   * query fails
   */
  exists?(id: string): Promise<boolean>
  /** Returns all observed instances. @returns undefined before the first complete list */
  list(): readonly ObservedInstance[] | undefined
  /**
   * Calls the listener with the id on every change. The listener can read the new state with `find`.
   * @returns a function that stops the calls
   */
  watch(listener: (id: string) => void): () => void
  close(): Promise<void>
}>
