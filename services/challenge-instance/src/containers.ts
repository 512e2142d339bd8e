import type { ChallengeInstance } from './challenge-instance.ts'
import type { ChallengeInstanceSpec } from './definition.ts'
import { challengeContainer } from './names.ts'

type FurtherContainer = NonNullable<ChallengeInstanceSpec['containers']>[number]

export type Network = Required<NonNullable<FurtherContainer['networks']>[number]>
export type Dependency = NonNullable<FurtherContainer['dependsOn']>[number]

/** Name of one of several containers of an instance, its networks, and the containers on which it depends. */
export interface Place {
  name: string
  /** True for the container that players reach first. */
  isEntry: boolean
  networks: readonly Network[]
  dependsOn: readonly Dependency[]
  /** Names and aliases that this container can resolve, each with the name of the container to which it belongs. */
  peers: Readonly<Record<string, string>>
}

/** Settings for recording one container. */
type ContainerCapture = Omit<ChallengeInstanceSpec['capture'], 'containers'> & {
  /** True if the object of the instance lists the containers to record. */
  isListed?: boolean
  /** Ports whose connections are recorded. If absent, all traffic is recorded. */
  ports?: readonly number[]
}

/**
 * Container of an instance, in the form of an instance that has only this container. It has the metadata and the status of
 * the real instance.
 */
export interface InstanceContainer extends Pick<ChallengeInstance, 'apiVersion' | 'kind' | 'metadata' | 'status'> {
  spec: Omit<ChallengeInstanceSpec, 'port' | 'containers' | 'capture'> & { port?: number; capture: ContainerCapture }
  /** Name and relations of the container. Absent if the instance has only one container. */
  place?: Place
}

/** Default network of containers. */
const defaultNetwork: Network = { name: 'default', aliases: [] }

/**
 * Returns the containers of an instance, the entry first. If there is only one, returns the instance itself, so the names of its
 * objects do not change.
 */
export function containersOf(instance: ChallengeInstance): readonly [InstanceContainer, ...InstanceContainer[]] {
  const { containers, ...spec } = instance.spec
  if (containers === undefined) return [instance]
  const { container = {} } = spec
  const members = [{ ...container, name: container.name ?? '' }, ...containers].map(memberOf)
  const placeOf = (member: Member, index: number): Place => ({ ...member, isEntry: index === 0, peers: peersOf(member, members) })
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
 * Returns the names and aliases with which a container can address others. If an alias equals the name of a container, the name
 * wins.
 */
function peersOf(member: Member, members: readonly Member[]): Place['peers'] {
  const joined = new Set(member.networks.map(({ name }) => name))
  const peers = members.filter(
    ({ name, networks }) => name !== member.name && networks.some((network) => joined.has(network.name)),
  )
  const aliases = peers.flatMap(({ name, networks }) =>
    networks.filter((network) => joined.has(network.name)).flatMap((network) => network.aliases.map((alias) => [alias, name])),
  )
  return Object.fromEntries([...aliases, ...peers.map(({ name }) => [name, name])])
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
 * Returns the settings for recording a container. If the instance does not list the containers to record, only the entry is
 * recorded.
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

/** Returns the name that the pod and all other objects of a container have. */
export function objectNameOf({ metadata, place }: InstanceContainer): string {
  return place === undefined || place.isEntry ? metadata.name : `${metadata.name}-${place.name}`
}
