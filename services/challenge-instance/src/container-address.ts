/** Instance and container to which a request from the api to the operator refers. See ADR 73. */
export interface ContainerAddress {
  /** Name of the ChallengeInstance object. */
  instance: string
  /** Name of the container, as `containerNameOf` returns it. */
  container: string
}

/** Returns the path of a request to the operator about a container. */
export function pathOfContainerRequest({ instance, container }: ContainerAddress, what: string): string {
  return `/instances/${encodeURIComponent(instance)}/containers/${encodeURIComponent(container)}/${what}`
}

/**
 * Parses the path of a request about a container.
 * @returns undefined if the path is not the path of such a request
 */
export function parseContainerRequestPath(pathname: string, what: string): ContainerAddress | undefined {
  const [, instance, container, last] = /^\/instances\/([a-z0-9.-]+)\/containers\/([a-z0-9-]+)\/([a-z]+)$/.exec(pathname) ?? []
  return instance === undefined || container === undefined || last !== what ? undefined : { instance, container }
}
