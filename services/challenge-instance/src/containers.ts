import type { ChallengeInstance } from './challenge-instance.ts'
import type { ChallengeInstanceSpec } from './definition.ts'

type FurtherContainer = NonNullable<ChallengeInstanceSpec['containers']>[number]

export type Network = Required<NonNullable<FurtherContainer['networks']>[number]>
export type Dependency = NonNullable<FurtherContainer['dependsOn']>[number]

/** Settings of a container that only matter beside other containers. */
export interface Place {
  name: string
  /** True for the container that players reach and that is recorded. */
  isEntry: boolean
  networks: readonly Network[]
  dependsOn: readonly Dependency[]
}

/**
 * Container of an instance, in the shape of an instance that has only this container. The metadata and the status are those of
 * the instance.
 */
export interface InstanceContainer extends Pick<ChallengeInstance, 'apiVersion' | 'kind' | 'metadata' | 'status'> {
  spec: Omit<ChallengeInstanceSpec, 'port' | 'containers'> & { port?: number }
  /** Absent if the instance has no other container. */
  place?: Place
}

/** Network of containers that name none. */
const defaultNetwork: Network = { name: 'default', aliases: [] }

/**
 * Returns the containers of an instance, the entry first. The only container of an instance is the instance itself, so its
 * objects do not depend on the list.
 */
export function containersOf(instance: ChallengeInstance): readonly [InstanceContainer, ...InstanceContainer[]] {
  const { containers, ...spec } = instance.spec
  if (containers === undefined) return [instance]
  const { name = '', networks, dependsOn } = spec.container ?? {}
  return [
    { ...instance, spec, place: { name, isEntry: true, networks: networksOf(networks), dependsOn: dependsOn ?? [] } },
    ...containers.map((further) => furtherOf(instance, further)),
  ]
}

function furtherOf(instance: ChallengeInstance, further: FurtherContainer): InstanceContainer {
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
      capture: { ...shared.capture, enabled: false },
    },
    place: { name, isEntry: false, networks: networksOf(networks), dependsOn: dependsOn ?? [] },
  }
}

function networksOf(networks: FurtherContainer['networks']): readonly Network[] {
  return networks?.map(({ name, aliases }) => ({ name, aliases: aliases ?? [] })) ?? [defaultNetwork]
}

/** Returns the name of the pod of a container and of the container's other objects. */
export function objectNameOf({ metadata, place }: InstanceContainer): string {
  return place === undefined || place.isEntry ? metadata.name : `${metadata.name}-${place.name}`
}
