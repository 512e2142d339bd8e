import { type Static, Type } from 'typebox'
import { ContainerDefinition, type StoredContainer } from './container-definition.ts'
import { nullableInteger, stringEnum } from './kit.ts'
import { ContainerLimits, InputLimits, InstanceLimits, notEmptyList } from './limits.ts'
import { ChallengeReach } from './reach.ts'

/** Containers of a challenge. The first container is the entry container, to which players connect. */

const closed = { additionalProperties: false } as const

/** Pattern that matches names of containers and networks, which are also host names. */
export const containerNamePattern = '^[a-z](?:[-a-z0-9]{0,22}[a-z0-9])?$'

export function ContainerName(description: string) {
  return Type.String({ pattern: containerNamePattern, maxLength: ContainerLimits.maxContainerNameLength, description })
}

/** Default name of the only container of a challenge. */
export const defaultContainerName = 'main'

/** Name of the network in which a container is by default. */
export const defaultNetworkName = 'default'

export const ContainerNetwork = Type.Object(
  {
    name: ContainerName('Network in the challenge. Containers that share a network can connect to each other.'),
    aliases: Type.Array(ContainerName('Further host name of the container in the network.'), {
      maxItems: ContainerLimits.maxAliases,
    }),
  },
  closed,
)
export type ContainerNetwork = Static<typeof ContainerNetwork>

export const ContainerDependency = Type.Object(
  {
    name: ContainerName('Container that must start first.'),
    when: stringEnum(['started', 'ready'], { description: 'State of that container in which this one starts.' }),
  },
  closed,
)
export type ContainerDependency = Static<typeof ContainerDependency>

/** Traffic to record: no traffic, connections to published ports, or these connections and all traffic between containers. */
export const RecordedTraffic = Type.Union([Type.Boolean(), Type.Literal('all')], {
  description:
    'True records connections to published ports; `all` also records the traffic between containers. Only for the first container.',
})
export type RecordedTraffic = Static<typeof RecordedTraffic>

/** Limits of a container that have the same names in `capstan.yaml`. */
export const ContainerSizes = {
  memoryMb: Type.Integer({ minimum: InstanceLimits.minMemoryMb, maximum: InstanceLimits.maxMemoryMb }),
  storageMb: Type.Integer({ minimum: InstanceLimits.minStorageMb, maximum: InstanceLimits.maxStorageMb }),
}

export const ChallengeContainer = Type.Object(
  {
    name: ContainerName('Name of the container, and its host name in its networks.'),
    image: Type.String({ maxLength: InputLimits.maxImageNameLength, description: 'Empty if no image is set.' }),
    port: nullableInteger({
      ...{ minimum: InstanceLimits.minPort, maximum: InstanceLimits.maxPort },
      description: 'Entry of players. Only the first container has one; the others may offer further ports.',
    }),
    reach: ChallengeReach,
    cpuTenths: Type.Integer({ minimum: InstanceLimits.minCpuTenths, maximum: InstanceLimits.maxCpuTenths }),
    ...ContainerSizes,
    capture: RecordedTraffic,
    definition: ContainerDefinition,
    networks: Type.Optional(
      Type.Array(ContainerNetwork, {
        ...notEmptyList,
        maxItems: ContainerLimits.maxNetworks,
        description: 'Networks of the container; by default it is in the network `default`.',
      }),
    ),
    dependsOn: Type.Optional(
      Type.Array(ContainerDependency, {
        maxItems: ContainerLimits.maxContainers,
        description: 'Containers that must start before this container.',
      }),
    ),
    receivesFlag: Type.Optional(
      Type.Boolean({ description: 'True if the container gets the flag; by default if players can connect to it.' }),
    ),
  },
  { title: 'ChallengeContainer' },
)
export type ChallengeContainer = Static<typeof ChallengeContainer>

/** Fields that a container may have only if the challenge has several containers. */
export const fieldsBesideOthers = ['networks', 'dependsOn', 'receivesFlag'] as const

/** Fields of the first container in a challenge with several containers. An absent `name` means the default name. */
export type FirstContainer = Pick<ChallengeContainer, (typeof fieldsBesideOthers)[number]> & Readonly<{ name?: string }>

/** Stored form of a container other than the first. Secret values are stored separately. */
export type FurtherContainer = Omit<ChallengeContainer, 'port' | 'reach' | 'capture' | 'definition'> &
  Readonly<{ definition: StoredContainer }>

/** Returns the networks of a container. If the container lists no networks, returns the default network. */
export function networksOf({ networks }: { readonly networks?: readonly ContainerNetwork[] }): readonly ContainerNetwork[] {
  return networks ?? [{ name: defaultNetworkName, aliases: [] }]
}

/** Returns a container without its networks if they are the default, and without its dependencies if the list is empty. */
export function withoutDefaultNetworks({
  networks = [],
  dependsOn = [],
  receivesFlag,
  ...container
}: ChallengeContainer): ChallengeContainer {
  const [first, ...others] = networks
  const isDefault =
    others.length === 0 && (first === undefined || (first.name === defaultNetworkName && first.aliases.length === 0))
  return {
    ...container,
    ...(!isDefault && { networks: networks.map(({ name, aliases }) => ({ name, aliases })) }),
    ...(dependsOn.length > 0 && { dependsOn: dependsOn.map(({ name, when }) => ({ name, when })) }),
    ...(receivesFlag !== undefined && { receivesFlag }),
  }
}
