import type { ContainerAddress } from '@capstan/challenge-instance/container-address'
import { containerNameOf, containersOf, type InstanceContainer } from '@capstan/challenge-instance/containers'
import type { Caches } from '../challenge-instance/ports.ts'

/**
 * Returns the container with this name.
 * @returns undefined if there is no such container
 */
export function findContainer(
  { instances }: Pick<Caches, 'instances'>,
  namespace: string,
  { instance, container }: ContainerAddress,
): InstanceContainer | undefined {
  const owner = instances.get(`${namespace}/${instance}`)
  return owner && containersOf(owner).find((each) => containerNameOf(each) === container)
}
