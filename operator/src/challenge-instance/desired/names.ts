import type { InstanceContainer } from '@capstan/challenge-instance/containers'
import type { InstanceSettings, NameServer } from '../settings.ts'

/** True if the container must resolve the names of other containers, and if name servers are configured. */
export function needsNameServer({ place }: InstanceContainer, { names }: InstanceSettings): boolean {
  return names !== 'off' && place !== undefined && Object.values(place.names).some((name) => name !== place.name)
}

/**
 * Returns the name server that a container uses.
 * @returns undefined if the container needs no name server, or if the server does not exist yet
 */
export function nameServerOf(container: InstanceContainer, settings: InstanceSettings): NameServer | undefined {
  const { names } = settings
  if (!needsNameServer(container, settings) || names === 'off' || names === 'unknown') return undefined
  return container.spec.egress === 'None' ? names.closed : names.forwarding
}

/** True if the container cannot start because its name server does not exist or its address is unknown. */
export function lacksNameServer(container: InstanceContainer, settings: InstanceSettings): boolean {
  return needsNameServer(container, settings) && nameServerOf(container, settings) === undefined
}
