import type { OfferedPort } from '@capstan/contract/reach'
import type { ChallengeRow } from './repository.ts'

/** Port that players may use. */
export type PublishedPort = OfferedPort &
  Readonly<{
    /** Name of the container. Absent if the first container has the port. */
    container?: string
  }>

/**
 * Returns the ports that players may use, of all containers. The entry port is not included. No two containers publish the same
 * port.
 */
export function listPublishedPorts({
  container,
  furtherContainers,
}: Pick<ChallengeRow, 'container' | 'furtherContainers'>): PublishedPort[] {
  const further = furtherContainers.flatMap(({ name, definition }) =>
    (definition.offeredPorts ?? []).map((offered) => ({ ...offered, container: name })),
  )
  return [...(container.offeredPorts ?? []), ...further]
}
