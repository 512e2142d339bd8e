import type { ChallengeInstanceSpec } from './definition.ts'

/**
 * Labels, annotations and the finalizer of ChallengeInstances and of their objects. Objects of an instance are its pods and other
 * Kubernetes objects that belong to it.
 */

/**
 * Label that contains the name of the instance. All objects of an instance have it. Selectors use this label, and the
 * operator adopts only Secrets that have it.
 */
export const instanceLabel = 'capstan.dev/instance'

/** Pod label with a container name as value. Only pods of instances with several containers have this label. */
export const containerLabel = 'capstan.dev/container'

/** Returns the label of a network. If a pod is in the network of its instance, the pod has this label. */
export function networkLabel(network: string): string {
  return `network.capstan.dev/${network}`
}

/**
 * Label of a ChallengeInstance that contains the UUID of its row in the database. The api sets this label, and
 * ignores ChallengeInstances without it.
 */
export const instanceIdLabel = 'capstan.dev/instance-id'

/** Labels of all objects of an instance, with the numbers of its game, challenge, participation and team. */
export const gameLabel = 'capstan.dev/game'
export const challengeLabel = 'capstan.dev/challenge'
export const participationLabel = 'capstan.dev/participation'
export const teamLabel = 'capstan.dev/team'

/** Finalizer that delays the deletion of an instance with recorded traffic until all its recordings are fetched. */
export const captureFinalizer = 'capstan.dev/capture'

/** Annotation of an instance that is being deleted. It contains the time at which the collector stored the last recording. */
export const drainedAnnotation = 'capstan.dev/capture-drained'

/** Annotation with the `traceparent` (W3C Trace Context) of the request that started the instance. The api sets it. */
export const traceparentAnnotation = 'capstan.dev/traceparent'

/**
 * Annotation of a pod with the number of pods that failed in a row before this pod. The number determines the delay before the next
 * replacement.
 */
export const attemptAnnotation = 'capstan.dev/attempt'

/**
 * Annotation of pods that become ready by writing a line. It contains the ID of the container run that wrote the line, and is empty
 * until then. After a restart, the container has another ID and must write the line again.
 */
export const lineRunAnnotation = 'capstan.dev/line-run'

/**
 * Annotation with the host names that a container may resolve, as a JSON object that maps each name or alias to the name of a
 * container.
 */
export const namesAnnotation = 'capstan.dev/names'

/**
 * Labels of containers that run on one machine without a cluster. They contain the platform that started the
 * container, and the container's expiry and entry port.
 */
export const ownerLabel = 'capstan.dev/owner'
export const expiryLabel = 'capstan.dev/expires-at'
export const entryPortLabel = 'capstan.dev/entry-port'
/**
 * Label that stores the networks, dependencies, ports and readiness check of a container as JSON. Only containers outside of
 * Kubernetes have this label.
 */
export const planLabel = 'capstan.dev/plan'

/** Recommended Kubernetes labels for the name and the creator of an object. */
export const nameLabel = 'app.kubernetes.io/name'
export const managedByLabel = 'app.kubernetes.io/managed-by'
export const partOfLabel = 'app.kubernetes.io/part-of'

type Owner = {
  readonly [Name in 'gameId' | 'challengeId' | 'participationId' | 'teamId']?: ChallengeInstanceSpec[Name] | undefined
}

/**
 * Returns the labels that an instance and all its objects have: for the application, the creator, the game, the challenge and the
 * team.
 */
export function ownershipLabels(
  { gameId, challengeId, participationId, teamId }: Owner,
  managedBy: string,
): Record<string, string> {
  return {
    [partOfLabel]: 'capstan',
    [managedByLabel]: managedBy,
    [gameLabel]: String(gameId),
    [challengeLabel]: String(challengeId),
    ...(participationId === undefined ? {} : { [participationLabel]: String(participationId) }),
    ...(teamId === undefined ? {} : { [teamLabel]: String(teamId) }),
  }
}
