import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { conditionTypes } from '@capstan/challenge-instance/conditions'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import {
  drainedAnnotation,
  instanceIdLabel,
  instanceLabel,
  ownershipLabels,
  traceparentAnnotation,
} from '@capstan/challenge-instance/labels'
import {
  apiName,
  challengeContainer,
  deriveFormerInstanceName,
  deriveInstanceName,
  flagKey,
  flagVariable,
  secretVariableKey,
} from '@capstan/challenge-instance/names'
import { isFinalFailureReason, readyReasons } from '@capstan/challenge-instance/reasons'
import type { ExposureKind, StoredContainer } from '@capstan/contract/container-definition'
import { secrets } from '@capstan/kubernetes/built-in-kinds'
import { findCondition } from '@capstan/kubernetes/conditions'
import type { DesiredObject } from '@capstan/kubernetes/types'
import type { InstanceConfig } from '../../../server/config.ts'
import {
  type ContainerSpec,
  type EntryContainerSpec,
  type Exposure,
  type FurtherPlaces,
  type InstanceSpec,
  keyOfContainerPort,
  type ObservedCapture,
  type ObservedContainer,
  type ObservedInstance,
  type ObservedRecorder,
  type ObservedState,
  resourceLimitsOf,
} from '../runtime.ts'

type Flag = NonNullable<ChallengeInstanceSpec['flag']>
type Settings = NonNullable<ChallengeInstanceSpec['container']>

export type KubernetesSettings = Pick<
  InstanceConfig,
  | 'namespace'
  | 'exposure'
  | 'egress'
  | 'flagEnvironmentNames'
  | 'imagePullSecrets'
  | 'pidsLimit'
  | 'runtimeClassName'
  | 'securityProfile'
  | 'captureLimits'
  | 'choices'
> &
  Partial<Pick<InstanceConfig, 'operatorLogs'>>

/** Object that was read from the cluster. An object of an earlier version may lack newer fields. */
export type ReadInstance = Pick<ChallengeInstance, 'metadata' | 'status'> & {
  spec: Pick<ChallengeInstanceSpec, 'expiresAt'> &
    Partial<Pick<ChallengeInstanceSpec, 'exposure' | 'container' | 'containers' | 'resources'>> & {
      capture?: { enabled?: boolean }
    }
}

function labelsOf(spec: InstanceSpec): Record<string, string> {
  return {
    ...ownershipLabels(spec, apiName),
    [instanceIdLabel]: spec.id,
  }
}

const wayNames = { http: 'Http', tls: 'Tls', tcp: 'Tcp' } as const

function waysOf({ ways = [] }: InstanceSpec): NonNullable<ChallengeInstanceSpec['ways']> {
  return ways.flatMap(({ way, address, port }) =>
    way === 'websocket' ? [] : [{ way: wayNames[way], address, ...(port !== undefined && { port }) }],
  )
}

/** Returns the data of the Secret of an instance: the flag and the secret variables. */
function secretsOf({ flag, containers: [entry, ...others] }: InstanceSpec): Record<string, string> {
  const keysOf = (values: ContainerSpec['secrets'], container?: string) =>
    Object.entries(values).map(([name, value]) => [secretVariableKey(name, container), value] as const)
  return {
    ...(flag !== undefined && { [flagKey]: flag }),
    ...Object.fromEntries([...keysOf(entry.secrets), ...others.flatMap(({ name, secrets }) => keysOf(secrets, name))]),
  }
}

/**
 * Returns the Secret of an instance. Only the containers of the instance read the Secret.
 * @returns undefined if the Secret would be empty
 */
export function desiredSecret(spec: InstanceSpec, { namespace }: KubernetesSettings): object | undefined {
  const stringData = secretsOf(spec)
  if (Object.keys(stringData).length === 0) return undefined
  return {
    apiVersion: secrets.apiVersion,
    kind: secrets.kind,
    metadata: {
      name: deriveInstanceName(spec.id),
      namespace,
      labels: { ...labelsOf(spec), [instanceLabel]: deriveInstanceName(spec.id) },
    },
    type: 'Opaque',
    immutable: true,
    stringData,
  }
}

/**
 * Returns the environment variables and the file in which the container finds its flag. If the challenge sets no variables, the
 * default variables apply.
 */
function placesOfFlag({ flag }: StoredContainer, settings: KubernetesSettings): Omit<Flag, 'secretName'> {
  const { variables, file } = flag ?? {}
  return {
    environmentNames: [...new Set(variables ?? [flagVariable, ...settings.flagEnvironmentNames])],
    ...(file && { file: { path: file.path, mode: file.mode ?? '0444', owner: file.owner ?? 0 } }),
  }
}

/** Returns the settings of a container. For an absent setting, the value of the image applies. */
function settingsOf({ definition, secrets: hidden }: ContainerSpec): Settings {
  const { environment = [], readOnlyRoot, writablePaths = [], furtherPorts = [], readiness } = definition
  const secretNames = Object.keys(hidden)
  return {
    ...(definition.command && { command: definition.command }),
    ...(definition.args && { args: definition.args }),
    ...(environment.length > 0 && { environment }),
    ...(secretNames.length > 0 && { secretEnvironment: secretNames }),
    ...(definition.user !== undefined && { user: definition.user }),
    ...(definition.group !== undefined && { group: definition.group }),
    ...(readOnlyRoot !== undefined && { rootFileSystem: readOnlyRoot ? ('ReadOnly' as const) : ('Writable' as const) }),
    ...(writablePaths.length > 0 && { writablePaths }),
    ...(furtherPorts.length > 0 && { furtherPorts }),
    ...(readiness && Object.keys(readiness).length > 0 && { readiness }),
    ...(definition.startTimeoutSeconds !== undefined && { startTimeoutSeconds: definition.startTimeoutSeconds }),
  }
}

/**
 * Returns the settings of the entry container.
 * @returns undefined if there are no settings. The image then determines the values
 */
function entrySettingsOf(entry: EntryContainerSpec): ChallengeInstanceSpec['container'] {
  const { name } = entry
  const settings = { ...settingsOf(entry), ...(name !== undefined && { name }), ...placeOf(entry) }
  return Object.keys(settings).length === 0 ? undefined : settings
}

const states = { started: 'Started', ready: 'Ready' } as const

/** Returns the networks and dependencies of a container in an instance with several containers. */
function placeOf({ networks, dependsOn = [] }: ContainerSpec): Pick<Settings, 'networks' | 'dependsOn'> {
  return {
    ...(networks && { networks: networks.map(({ name, aliases }) => ({ name, ...(aliases.length > 0 && { aliases }) })) }),
    ...(dependsOn.length > 0 && { dependsOn: dependsOn.map(({ name, when }) => ({ name, when: states[when] })) }),
  }
}

/** Returns the additional containers. @returns undefined if there are none */
function additionalContainersOf(
  { containers: [, ...others], flag }: InstanceSpec,
  settings: KubernetesSettings,
): ChallengeInstanceSpec['containers'] {
  if (others.length === 0) return undefined
  return others.map((container) => {
    const { name, image, definition, receivesFlag } = container
    const imagePullSecrets = pullSecretsOf(definition, settings)
    return {
      name,
      image,
      resources: resourcesOf(container, settings),
      ...(imagePullSecrets.length > 0 && { imagePullSecrets }),
      ...(flag !== undefined && receivesFlag && { flag: placesOfFlag(definition, settings) }),
      ...placeOf(container),
      ...settingsOf(container),
      egress: allowedOr(definition.egress, settings.choices.egress, settings.egress),
      profile: allowedOr(definition.security, settings.choices.security, settings.securityProfile),
    }
  })
}

function resourcesOf(
  { cpuTenths, memoryMb, storageMb }: ContainerSpec,
  { pidsLimit }: KubernetesSettings,
): ChallengeInstanceSpec['resources'] {
  return { cpuTenths, memoryMb, storageMb, pids: pidsLimit }
}

/** Returns the pull secrets in the order of use: first the secret of the challenge, then the secrets of the platform. */
function pullSecretsOf({ pullSecret }: StoredContainer, { imagePullSecrets }: KubernetesSettings): string[] {
  return [...new Set([...(pullSecret === undefined ? [] : [pullSecret]), ...imagePullSecrets])]
}

/**
 * If the platform allows the value that the challenge requests, returns this value. Otherwise, returns the default of the
 * platform.
 */
function allowedOr<Value extends string>(asked: Value | undefined, allowed: readonly Value[], otherwise: Value): Value {
  return asked !== undefined && allowed.includes(asked) ? asked : otherwise
}

export function chooseAllowedExposure(
  asked: ExposureKind | undefined,
  { choices, exposure }: Pick<KubernetesSettings, 'choices' | 'exposure'>,
): ExposureKind {
  return allowedOr(asked, choices.exposure, exposure)
}

/**
 * Returns the recording settings of an instance. With several containers, the settings list the containers to record. If the
 * challenge records `all`, each container is listed without ports. Otherwise, only containers with ports for players are listed,
 * with these ports.
 */
function captureOf(
  { capture, containers }: InstanceSpec,
  { captureLimits }: KubernetesSettings,
): ChallengeInstanceSpec['capture'] {
  const named = containers.flatMap(({ name, port, definition }) =>
    name === undefined ? [] : [{ name, ports: [...(port === undefined ? [] : [port]), ...offeredPortsOf(definition)] }],
  )
  if (capture === false || named.length === 0) return { enabled: capture !== false, ...captureLimits }
  const recorded = capture === 'all' ? named.map(({ name }) => ({ name })) : named.filter(({ ports }) => ports.length > 0)
  return { enabled: true, ...captureLimits, containers: recorded }
}

function offeredPortsOf({ offeredPorts = [] }: StoredContainer): number[] {
  return offeredPorts.map(({ port }) => port)
}

export function desiredInstance(
  spec: InstanceSpec,
  settings: KubernetesSettings,
  traceparent?: string,
): DesiredObject & { spec: ChallengeInstanceSpec } {
  const [entry] = spec.containers
  const { definition } = entry
  const imagePullSecrets = pullSecretsOf(definition, settings)
  const container = entrySettingsOf(entry)
  const containers = additionalContainersOf(spec, settings)
  const offered = waysOf(spec)
  const exposure = chooseAllowedExposure(definition.exposure, settings)
  return {
    apiVersion: challengeInstances.apiVersion,
    kind: challengeInstances.kind,
    metadata: {
      name: deriveInstanceName(spec.id),
      namespace: settings.namespace,
      labels: labelsOf(spec),
      ...(traceparent !== undefined && { annotations: { [traceparentAnnotation]: traceparent } }),
    },
    spec: {
      gameId: spec.gameId,
      challengeId: spec.challengeId,
      ...(spec.participationId !== undefined && { participationId: spec.participationId }),
      ...(spec.teamId !== undefined && { teamId: spec.teamId }),
      image: entry.image,
      port: entry.port,
      ...(imagePullSecrets.length > 0 && { imagePullSecrets }),
      resources: resourcesOf(entry, settings),
      ...(spec.flag !== undefined &&
        entry.receivesFlag && {
          flag: { secretName: deriveInstanceName(spec.id), ...placesOfFlag(definition, settings) },
        }),
      ...(container && { container }),
      expiresAt: spec.expiresAt.toISOString(),
      exposure,
      ...(exposure === 'Proxy' && offered.length > 0 && { ways: offered }),
      egress: allowedOr(definition.egress, settings.choices.egress, settings.egress),
      security: {
        profile: allowedOr(definition.security, settings.choices.security, settings.securityProfile),
        ...(settings.runtimeClassName !== undefined && { runtimeClassName: settings.runtimeClassName }),
      },
      capture: captureOf(spec, settings),
      ...(containers && { containers }),
    },
  }
}

/**
 * Returns the addresses of the ports of additional containers.
 * @returns undefined if they have no ports
 */
function furtherPlacesOf({ spec: { containers = [] }, status }: ReadInstance): FurtherPlaces | undefined {
  const hosts = new Map(status?.containers?.map(({ name, host }) => [name, host]))
  const places = containers.flatMap(({ name, furtherPorts = [] }) => {
    const host = hosts.get(name)
    return furtherPorts.map((port) => [keyOfContainerPort(name, port), host === undefined ? undefined : { host, port }] as const)
  })
  if (places.length === 0) return undefined
  return Object.fromEntries(places.flatMap(([key, place]) => (place === undefined ? [] : [[key, place]])))
}

/** Returns the containers of an instance. The first is the entry container, to which players connect. */
export function toObservedContainers({ status, spec }: ReadInstance): ObservedContainer[] {
  const { resources, container, containers = [] } = spec
  const limits = new Map(containers.map((further) => [further.name, resourceLimitsOf(further.resources)]))
  const limitsOfEntry = resources && resourceLimitsOf(resources)
  const several = status?.containers?.map(
    ({ name, ready, reason, message, restarts, lastExit, lastTransitionTime }): ObservedContainer => ({
      ...{ name, isReady: ready, reason, message, restarts, lastExit },
      since: new Date(lastTransitionTime),
      limits: limits.get(name) ?? limitsOfEntry,
    }),
  )
  if (several) return several
  const ready = findCondition(status?.conditions, conditionTypes.ready)
  const reachable = findCondition(status?.conditions, conditionTypes.reachable)
  const only: ObservedContainer = {
    name: container?.name ?? challengeContainer,
    isReady: ready?.status === 'True',
    reason: ready?.reason ?? 'Starting',
    message: reachable?.message ?? readyReasons.Starting.message,
    restarts: status?.restarts ?? 0,
    lastExit: undefined,
    since: ready && new Date(ready.lastTransitionTime),
    limits: limitsOfEntry,
  }
  return [only, ...containers.map(({ name }) => ({ ...only, name, limits: limits.get(name) }))]
}

function stateOf(object: ReadInstance): ObservedState {
  const { status, spec } = object
  const ready = findCondition(status?.conditions, conditionTypes.ready)
  const starting = { kind: 'pending', reason: 'Created', message: 'The challenge is starting.' } as const
  if (!ready) return starting
  // The operator reports the address of a container for as long as the pod with this address exists.
  const address = status?.address
  const furtherPlaces = furtherPlacesOf(object)
  const places = { ...(address && { address }), ...(furtherPlaces && { furtherPlaces }) }
  // An operator of an earlier version starts only the first container.
  if (spec.containers !== undefined && status?.containers === undefined) return { ...starting, ...places }
  if (ready.status === 'True' && address) return { kind: 'ready', ...address, ...(furtherPlaces && { furtherPlaces }) }
  const { reason, message } = ready
  const kind = ready.status === 'False' && isFinalFailureReason(reason) ? 'failed' : 'pending'
  return { kind, reason, message, ...places }
}

/**
 * @returns the UUID of the row, or undefined for an object whose name and label do not match. The api does not create such objects.
 */
export function instanceIdOfObject({ metadata }: ReadInstance): string | undefined {
  const id = metadata.labels?.[instanceIdLabel]
  return id !== undefined && [deriveInstanceName(id), deriveFormerInstanceName(id)].includes(metadata.name) ? id : undefined
}

export function toExposure(exposure: KubernetesSettings['exposure']): Exposure {
  return exposure === 'Proxy' ? 'Proxy' : 'Direct'
}

/** @returns undefined for an object that the api did not create, and for an object whose deletion started */
export function toObservedInstance(object: ReadInstance): ObservedInstance | undefined {
  const id = instanceIdOfObject(object)
  if (id === undefined || object.metadata.deletionTimestamp !== undefined) return undefined
  const { expiresAt, exposure } = object.spec
  return { id, state: stateOf(object), expiresAt: new Date(expiresAt), exposure: exposure && toExposure(exposure) }
}

/**
 * Returns the recorders from which files can be fetched. The kubelet reports whether a recorder is healthy. An unhealthy recorder
 * is omitted while the instance runs, because another program may answer at its address.
 */
function recordersOf({ metadata, status }: ReadInstance): ObservedRecorder[] {
  const { captureAddress, containers = [], conditions } = status ?? {}
  const isEnding = metadata.deletionTimestamp !== undefined
  if (captureAddress) {
    const isHealthy = findCondition(conditions, conditionTypes.captureHealthy)?.status === 'True'
    return isEnding || isHealthy ? [captureAddress] : []
  }
  // A pod may get its address just before the deletion of its instance starts. The list of recorders may then lack this pod. The
  // list is complete once the status has the reason `Ending`.
  if (isEnding && findCondition(conditions, conditionTypes.ready)?.reason !== 'Ending') return []
  return containers.flatMap(({ name, captureAddress: address }) => (address ? [{ container: name, ...address }] : []))
}

/**
 * @returns undefined for an object that the api did not create, or that is not recorded. An object whose deletion started is
 * included, so that its recordings are fetched.
 */
export function toObservedCapture(object: ReadInstance): ObservedCapture | undefined {
  const id = instanceIdOfObject(object)
  const { metadata, spec, status } = object
  if (id === undefined || spec.capture?.enabled !== true) return undefined
  const healthy = findCondition(status?.conditions, conditionTypes.captureHealthy)
  return {
    id,
    recorders: recordersOf(object),
    health: healthy && { isRecording: healthy.status === 'True', reason: healthy.reason, message: healthy.message },
    isEnding: metadata.deletionTimestamp !== undefined,
    isReleased: metadata.annotations?.[drainedAnnotation] !== undefined,
  }
}
