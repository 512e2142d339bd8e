import { deriveInstanceName } from '@capstan/challenge-instance/names'
import type { ContainerChoices, EgressKind, Readiness, StoredContainer } from '@capstan/contract/container-definition'
import { type ContainerDependency, networksOf } from '@capstan/contract/containers'
import { type ContainerSpec, type InstanceSpec, type ResourceAmount, resourceLimitsOf } from '../runtime.ts'

export type EngineSettings = Readonly<{
  /** Label that distinguishes containers of this platform from other containers on the same machine. */
  owner: string
  publishHost: string
  flagEnvironmentNames: readonly string[]
  pidsLimit: number
  /** Default egress of a container in an instance with several containers. */
  egress: EgressKind
  choices: Pick<ContainerChoices, 'egress'>
}>

/** Data about a container that the runtime needs after a restart of the platform. A label of the container stores this data. */
export type ContainerPlan = Readonly<{
  /** Name of the container. Absent if the instance has only one container. */
  name?: string
  /** Ports to which the gateway can connect. */
  ports: readonly number[]
  readiness?: Readiness
  /** Maximum time until the container is ready. If absent, the default of the runtime applies. */
  startTimeoutSeconds?: number
  dependsOn?: readonly ContainerDependency[]
  /** CPU and memory limits. Absent for a container that an earlier version of the platform created. */
  limits?: ResourceAmount
  /** Names of all containers of the instance, the entry container first. Absent if the instance has only one container. */
  members?: readonly string[]
}>

export type PlannedContainer = Readonly<{
  plan: ContainerPlan
  /** Name of the container in the engine. */
  engineName: string
  image: string
  cpuTenths: number
  memoryMb: number
  definition: StoredContainer
  secrets: Readonly<Record<string, string>>
  /** Flag of the instance. The value is undefined if the container does not get the flag. */
  flag: string | undefined
  /** Entry port of the instance. The value is undefined for additional containers. */
  entryPort: number | undefined
  /**
   * Networks that the container joins. Empty if the instance has only one container, because the engine then uses its default
   * network.
   */
  networks: readonly JoinedNetwork[]
}>

type JoinedNetwork = Readonly<{ name: string; aliases: readonly string[] }>

export type PlannedNetwork = Readonly<{
  name: string
  /**
   * `inner`: connects containers only to each other. `door`: contains one container, and publishes its ports. `egress`: like
   * `door`, but leads to the internet.
   */
  kind: 'inner' | 'door' | 'egress'
}>

/**
 * Returns the port that the readiness probe checks, with the same rules as on a cluster.
 * @returns undefined if the container has no port, or if an output line or a command determines its readiness
 */
export function portOfReadinessProbe(
  { readiness = {}, ports }: Pick<ContainerPlan, 'readiness' | 'ports'>,
  entryPort: number | undefined,
): number | undefined {
  if (readiness.line !== undefined || readiness.command !== undefined) return undefined
  return readiness.port ?? entryPort ?? ports[0]
}

/** Returns the ports that the engine publishes. A probed port is included even if the gateway cannot connect to it. */
export function portsToPublish({ plan, entryPort }: Pick<PlannedContainer, 'plan' | 'entryPort'>): number[] {
  const probed = portOfReadinessProbe(plan, entryPort)
  return [...new Set([...plan.ports, ...(probed === undefined ? [] : [probed])])]
}

/** Returns the containers of an instance in the order of the challenge's list. */
export function planContainers({ id, flag, containers }: InstanceSpec, settings: EngineSettings): PlannedContainer[] {
  const instanceName = deriveInstanceName(id)
  const members = containers.flatMap(({ name }) => name ?? [])
  return containers.map((container, index): PlannedContainer => {
    const { name, image, cpuTenths, memoryMb, port, definition, secrets, receivesFlag } = container
    const planned = {
      plan: planOf(container, members),
      engineName: index === 0 ? instanceName : `${instanceName}-${name}`,
      ...{ image, cpuTenths, memoryMb, definition, secrets },
      flag: receivesFlag ? flag : undefined,
      entryPort: port,
    }
    if (name === undefined) return { ...planned, networks: [] }
    const inner = networksOf(container).map((network) => ({
      name: `${instanceName}.net.${network.name}`,
      aliases: [name, ...network.aliases],
    }))
    const hasDoor = portsToPublish(planned).length > 0 || mayLeave(definition, settings)
    return { ...planned, networks: [...(hasDoor ? [{ name: doorOf(planned), aliases: [] }] : []), ...inner] }
  })
}

function planOf(container: ContainerSpec, members: readonly string[]): ContainerPlan {
  const { name, port, dependsOn = [], definition } = container
  const { furtherPorts = [], readiness, startTimeoutSeconds } = definition
  return {
    ...(name !== undefined && { name, members }),
    limits: resourceLimitsOf(container),
    ...(dependsOn.length > 0 && { dependsOn }),
    ports: [...(port === undefined ? [] : [port]), ...furtherPorts],
    ...(readiness && { readiness }),
    ...(startTimeoutSeconds !== undefined && { startTimeoutSeconds }),
  }
}

function doorOf({ engineName }: Pick<PlannedContainer, 'engineName'>): string {
  return `${engineName}.door`
}

function mayLeave({ egress }: StoredContainer, settings: EngineSettings): boolean {
  const allowed = egress !== undefined && settings.choices.egress.includes(egress) ? egress : settings.egress
  return allowed === 'Internet'
}

export function planNetworks(containers: readonly PlannedContainer[], settings: EngineSettings): PlannedNetwork[] {
  const networks = containers.flatMap((container) =>
    container.networks.map(({ name }): PlannedNetwork => {
      if (name !== doorOf(container)) return { name, kind: 'inner' }
      return { name, kind: mayLeave(container.definition, settings) ? 'egress' : 'door' }
    }),
  )
  return [...new Map(networks.map((network) => [network.name, network])).values()]
}

/** Explains to organizers in a sentence why an engine cannot run a container. @returns undefined if the engine can run it */
export function refuseUnsupportedContainerSettings({ image, flag, definition, secrets }: PlannedContainer): string | undefined {
  // Refuse a leading `-`, because the engine would read such an image name as a command-line option.
  if (!/^[a-zA-Z0-9]/.test(image)) return 'The name of an image begins with a letter or a digit.'
  if (flag !== undefined && definition.flag?.file !== undefined) return 'A flag in a file needs a cluster. Use a variable here.'
  if (Object.values(secrets).some((value) => value.includes('\n')))
    return 'Secret variables with several lines need a cluster. Use one line here.'
  return undefined
}
