import type { ChallengeInstanceSpec } from './definition.ts'

/** Labels, annotations and the finalizer of instances and their objects. */

/**
 * Name of the instance, as a label of all its objects. Selectors use this label, and the operator adopts only a Secret that has
 * it.
 */
export const instanceLabel = 'capstan.dev/instance'

/** Name of the container, as a label of its pod if the instance has several containers. */
export const containerLabel = 'capstan.dev/container'

/** Returns the label that marks the pods in a network of their instance. */
export function networkLabel(network: string): string {
  return `network.capstan.dev/${network}`
}

/** UUID of the instance's row. The api sets this label on the instance, and ignores instances that lack it. */
export const instanceIdLabel = 'capstan.dev/instance-id'

/** Numbers of the game, challenge, participation and team of the instance, as labels of all its objects. */
export const gameLabel = 'capstan.dev/game'
export const challengeLabel = 'capstan.dev/challenge'
export const participationLabel = 'capstan.dev/participation'
export const teamLabel = 'capstan.dev/team'

/** Finalizer that delays the deletion of a recorded instance until its recordings are fetched. */
export const captureFinalizer = 'capstan.dev/capture'

/** Time at which the collector stored the last recording of an instance that is being deleted. */
export const drainedAnnotation = 'capstan.dev/capture-drained'

/** `traceparent` (W3C Trace Context) of the request that started the instance. The api sets it. */
export const traceparentAnnotation = 'capstan.dev/traceparent'

/** Number of pods of the instance that failed in a row before this one. It determines the delay of the next replacement. */
export const attemptAnnotation = 'capstan.dev/attempt'

/**
 * ID of the container run that wrote the readiness line, as an annotation of pods whose challenge declares such a line. The
 * annotation is empty until the line is written. A restarted container has another ID, so it must write the line again.
 */
export const lineRunAnnotation = 'capstan.dev/line-run'

/** Host names that a container may resolve, as a JSON object that maps each name or alias to the name of a container. */
export const namesAnnotation = 'capstan.dev/names'

/**
 * Labels of local containers, which run outside of a cluster: the platform that started them, their expiry, and their entry port.
 */
export const ownerLabel = 'capstan.dev/owner'
export const expiryLabel = 'capstan.dev/expires-at'
export const entryPortLabel = 'capstan.dev/entry-port'
/** Plan of a local container, as JSON: name, networks, dependencies, ports, and readiness check. */
export const planLabel = 'capstan.dev/plan'

/** Recommended Kubernetes labels for the name and the creator of an object. */
export const nameLabel = 'app.kubernetes.io/name'
export const managedByLabel = 'app.kubernetes.io/managed-by'
export const partOfLabel = 'app.kubernetes.io/part-of'

type Owner = {
  readonly [Name in 'gameId' | 'challengeId' | 'participationId' | 'teamId']?: ChallengeInstanceSpec[Name] | undefined
}

/** Returns the labels of an instance and its objects: their application, their creator, and their owner. */
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
