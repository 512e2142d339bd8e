/** Address of a container of an instance, in requests from the api to the operator. ADR 73. */
export interface ContainerAddress {
  /** Name of the ChallengeInstance. */
  instance: string
  /** Name of the container, as `containerNameOf` returns it. */
  container: string
}

/** Returns the path of a request to the operator about a container. */
export function containerPath({ instance, container }: ContainerAddress, what: string): string {
  return `/instances/${encodeURIComponent(instance)}/containers/${encodeURIComponent(container)}/${what}`
}

/** Parses the path of a request about a container. @returns undefined if the path has another form */
export function readContainerPath(pathname: string, what: string): ContainerAddress | undefined {
  const [, instance, container, last] = /^\/instances\/([a-z0-9.-]+)\/containers\/([a-z0-9-]+)\/([a-z]+)$/.exec(pathname) ?? []
  return instance === undefined || container === undefined || last !== what ? undefined : { instance, container }
}
