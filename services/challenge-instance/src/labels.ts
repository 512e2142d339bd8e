import type { ChallengeInstanceSpec } from './definition.ts'

/** Labels, annotations and the finalizer of instances and their objects. */

/** Name of the instance, on every object of it. Selectors use it, and the operator adopts the flag's Secret by it. */
export const instanceLabel = 'capstan.dev/instance'

/** UUID of the instance's row. The api sets it on the instance and ignores objects without it. */
export const instanceIdLabel = 'capstan.dev/instance-id'

/** Owner of the instance that an object belongs to, as numbers. */
export const gameLabel = 'capstan.dev/game'
export const challengeLabel = 'capstan.dev/challenge'
export const participationLabel = 'capstan.dev/participation'
export const teamLabel = 'capstan.dev/team'

/** Delays the deletion of a recording instance until its recordings are fetched. */
export const captureFinalizer = 'capstan.dev/capture'

/** Time at which the collector had stored every recording of an instance that is being deleted. */
export const drainedAnnotation = 'capstan.dev/capture-drained'

/** `traceparent` (W3C Trace Context) of the request that started the instance. The api sets it. */
export const traceparentAnnotation = 'capstan.dev/traceparent'

/** Number of pods of this instance that were replaced in a row, which determines the backoff. */
export const attemptAnnotation = 'capstan.dev/attempt'

/**
 * ID of the container run that wrote the ready line, on pods whose challenge declares one; empty before. A restarted container
 * has another ID, so it is not ready yet.
 */
export const lineRunAnnotation = 'capstan.dev/line-run'

/** Labels of local containers, without a cluster: their platform, their expiry, and their entry port. */
export const ownerLabel = 'capstan.dev/owner'
export const expiryLabel = 'capstan.dev/expires-at'
export const entryPortLabel = 'capstan.dev/entry-port'
/** Text of the ready line of a local container. */
export const readyLineLabel = 'capstan.dev/ready-line'

/** Recommended Kubernetes labels for the name and the creator of an object. */
export const nameLabel = 'app.kubernetes.io/name'
export const managedByLabel = 'app.kubernetes.io/managed-by'
export const partOfLabel = 'app.kubernetes.io/part-of'

type Owner = {
  readonly [Name in 'gameId' | 'challengeId' | 'participationId' | 'teamId']?: ChallengeInstanceSpec[Name] | undefined
}

/** Returns the labels of an instance and its objects: what they are part of, who wrote them, and who owns them. */
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
