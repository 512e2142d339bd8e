import type { ChallengeInstance } from './challenge-instance.ts'
import type { ChallengeInstanceSpec } from './definition.ts'
import { challengeContainer } from './names.ts'

type FurtherContainer = NonNullable<ChallengeInstanceSpec['containers']>[number]

export type Network = Required<NonNullable<FurtherContainer['networks']>[number]>
export type Dependency = NonNullable<FurtherContainer['dependsOn']>[number]

/**
 * Place of a container in an instance that has several containers: the name, networks and dependencies of the container, and the
 * containers that it can reach.
 */
export interface Place {
  name: string
  isEntry: boolean
  networks: readonly Network[]
  dependsOn: readonly Dependency[]
  /**
   * Map from each host name that this container can resolve to the name of a container. The host names are names and
   * aliases of containers. This container can also resolve its own names, as in the networks of docker and podman.
   */
  names: Readonly<Record<string, string>>
}

/** Settings for recording one container. */
type ContainerCapture = Omit<ChallengeInstanceSpec['capture'], 'containers'> & {
  /** True if the ChallengeInstance contains a list of the containers to record. */
  isListed?: boolean
  /** Ports whose connections are recorded. If undefined, all traffic is recorded. */
  ports?: readonly number[]
}

/**
 * Container of an instance, represented as an instance that has only this container. The metadata and the status come
 * from the real instance.
 */
export interface InstanceContainer extends Pick<ChallengeInstance, 'apiVersion' | 'kind' | 'metadata' | 'status'> {
  spec: Omit<ChallengeInstanceSpec, 'port' | 'containers' | 'capture'> & { port?: number; capture: ContainerCapture }
  /** Name and networks of the container. Undefined if the instance has only one container. */
  place?: Place
}

/** Network of a container that lists no networks. */
const defaultNetwork: Network = { name: 'default', aliases: [] }

/**
 * Returns the containers of an instance, with the entry container first. An instance with a single container is returned unchanged.
 * Its objects therefore have the same names as in versions that supported only one container.
 */
export function containersOf(instance: ChallengeInstance): readonly [InstanceContainer, ...InstanceContainer[]] {
  const { containers, ...spec } = instance.spec
  if (containers === undefined) return [instance]
  const { container = {} } = spec
  const members = [{ ...container, name: container.name ?? '' }, ...containers].map(memberOf)
  const placeOf = (member: Member, index: number): Place => ({ ...member, isEntry: index === 0, names: namesOf(member, members) })
  const [entry, ...further] = members.map(placeOf)
  return [
    { ...instance, spec: { ...spec, capture: captureOf(instance, entry) }, ...(entry && { place: entry }) },
    ...containers.map((item, index) => furtherOf(instance, item, further[index])),
  ]
}

type Member = Pick<Place, 'name' | 'networks' | 'dependsOn'>

function memberOf({ name, networks, dependsOn = [] }: Pick<FurtherContainer, 'name' | 'networks' | 'dependsOn'>): Member {
  return {
    name,
    networks: networks?.map((network) => ({ name: network.name, aliases: network.aliases ?? [] })) ?? [defaultNetwork],
    dependsOn,
  }
}

/**
 * Returns the names and aliases that a container can resolve. If an alias equals the name of a container, the name has priority.
 */
function namesOf(member: Member, members: readonly Member[]): Place['names'] {
  const joined = new Set(member.networks.map(({ name }) => name))
  const reached = members.filter(({ networks }) => networks.some((network) => joined.has(network.name)))
  const aliases = reached.flatMap(({ name, networks }) =>
    networks.filter((network) => joined.has(network.name)).flatMap((network) => network.aliases.map((alias) => [alias, name])),
  )
  return Object.fromEntries([...aliases, ...reached.map(({ name }) => [name, name])])
}

function furtherOf(instance: ChallengeInstance, further: FurtherContainer, place: Place | undefined): InstanceContainer {
  const { port, flag, container, containers, ways, imagePullSecrets, ...shared } = instance.spec
  const { name, image, resources, networks, dependsOn, egress, profile, ...own } = further
  const { flag: places, imagePullSecrets: pullSecrets, ...settings } = own
  return {
    ...instance,
    spec: {
      ...shared,
      image,
      resources,
      ...(pullSecrets && { imagePullSecrets: pullSecrets }),
      ...(places && { flag: { secretName: instance.metadata.name, ...places } }),
      container: settings,
      egress,
      exposure: 'Proxy',
      security: { ...shared.security, profile },
      capture: captureOf(instance, place),
    },
    ...(place && { place }),
  }
}

/** Returns the name under which admins see a container. */
export function containerNameOf({ place }: InstanceContainer): string {
  return place?.name ?? challengeContainer
}

/**
 * Returns the settings for recording a container. If the instance does not list the containers to record, only the entry
 * container is recorded.
 */
function captureOf({ spec }: ChallengeInstance, place: Place | undefined): ContainerCapture {
  const { containers, ...capture } = spec.capture
  const listed = containers?.find(({ name }) => name === place?.name)
  const isRecorded = containers === undefined ? place?.isEntry : listed !== undefined
  return {
    ...capture,
    enabled: capture.enabled && isRecorded === true,
    ...(containers && { isListed: true }),
    ...(listed?.ports && { ports: listed.ports }),
  }
}

/** Returns the name that all Kubernetes objects of a container share, such as its pod. */
export function objectNameOf({ metadata, place }: InstanceContainer): string {
  return place === undefined || place.isEntry ? metadata.name : `${metadata.name}-${place.name}`
}
