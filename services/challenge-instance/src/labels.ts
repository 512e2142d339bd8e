import type { ChallengeInstanceSpec } from './definition.ts'

/** Labels, annotations and the finalizer of instances and of what belongs to them. */

/** On every object of an instance, with the instance's name: what selectors and the adoption of the flag's Secret go by. */
export const instanceLabel = 'capstan.dev/instance'

/** Set by the api on the instance alone: UUID of its row. Only objects that bear it are the api's. */
export const instanceIdLabel = 'capstan.dev/instance-id'

/** Whose instance an object belongs to, as numbers. */
export const gameLabel = 'capstan.dev/game'
export const challengeLabel = 'capstan.dev/challenge'
export const participationLabel = 'capstan.dev/participation'
export const teamLabel = 'capstan.dev/team'

/** Keeps an instance that records until its recordings are fetched. */
export const captureFinalizer = 'capstan.dev/capture'

/** Set by the collector on an instance that is being deleted, once every recording is stored; with the instant as value. */
export const drainedAnnotation = 'capstan.dev/capture-drained'

/** Set by the api: `traceparent` (W3C Trace Context) of the request that started the instance. */
export const traceparentAnnotation = 'capstan.dev/traceparent'

/** How often a pod of this instance had to be replaced right before this one: the growing delay goes by it. */
export const attemptAnnotation = 'capstan.dev/attempt'

/**
 * On a pod whose challenge says by a line that it is ready: the run of the container (its ID) that has written the line, empty until
 * one has. A run that follows is another, so it is not taken for ready.
 */
export const lineRunAnnotation = 'capstan.dev/line-run'

/** On the containers of one machine, where there is no cluster: which platform runs them, until when, and which port is the entry. */
export const ownerLabel = 'capstan.dev/owner'
export const expiryLabel = 'capstan.dev/expires-at'
export const entryPortLabel = 'capstan.dev/entry-port'
/** The same: text of the line by which they say that they are ready. */
export const readyLineLabel = 'capstan.dev/ready-line'

/** Labels that Kubernetes recommends, as far as they are used to say what an object is and who made it. */
export const nameLabel = 'app.kubernetes.io/name'
export const managedByLabel = 'app.kubernetes.io/managed-by'
export const partOfLabel = 'app.kubernetes.io/part-of'

type Owner = {
  readonly [Name in 'gameId' | 'challengeId' | 'participationId' | 'teamId']?: ChallengeInstanceSpec[Name] | undefined
}

/** Labels of an instance and of all around it: what they are part of, who wrote them, and whose they are. */
export const ownershipLabels = (
  { gameId, challengeId, participationId, teamId }: Owner,
  managedBy: string,
): Record<string, string> => ({
  [partOfLabel]: 'capstan',
  [managedByLabel]: managedBy,
  [gameLabel]: String(gameId),
  [challengeLabel]: String(challengeId),
  ...(participationId === undefined ? {} : { [participationLabel]: String(participationId) }),
  ...(teamId === undefined ? {} : { [teamLabel]: String(teamId) }),
})
