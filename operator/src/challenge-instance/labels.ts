import type { ChallengeInstance } from './types.ts'

/** On every object of an instance, with the instance's name: what selectors and the adoption of the flag's Secret go by. */
export const instanceLabel = 'capstan.dev/instance'

/** Set by the api on the instance alone: UUID of its row. */
export const instanceIdLabel = 'capstan.dev/instance-id'

/** Keeps an instance that records until its recordings are fetched. */
export const captureFinalizer = 'capstan.dev/capture'

/** Set by the collector on an instance that is being deleted, once every recording is stored; with the instant as value. */
export const drainedAnnotation = 'capstan.dev/capture-drained'

/** Set by the api: `traceparent` (W3C Trace Context) of the request that started the instance. */
export const traceparentAnnotation = 'capstan.dev/traceparent'

/** How often a pod of this instance had to be replaced right before this one: the growing delay goes by it. */
export const attemptAnnotation = 'capstan.dev/attempt'

/**
 * Labels of all children: who made them, and whose they are. Not the UUID of the instance's row: it is the right to connect, and nothing
 * around a challenge holds it.
 */
export function childLabels(instance: ChallengeInstance): Record<string, string> {
  const { gameId, challengeId, participationId, teamId } = instance.spec
  return {
    'app.kubernetes.io/name': 'capstan-challenge',
    'app.kubernetes.io/managed-by': 'capstan-operator',
    'app.kubernetes.io/part-of': 'capstan',
    [instanceLabel]: instance.metadata.name,
    'capstan.dev/game': String(gameId),
    'capstan.dev/challenge': String(challengeId),
    ...(participationId === undefined ? {} : { 'capstan.dev/participation': String(participationId) }),
    ...(teamId === undefined ? {} : { 'capstan.dev/team': String(teamId) }),
  }
}

/** Selects the pod of this instance alone. */
export const podSelector = (instance: ChallengeInstance): Record<string, string> => ({ [instanceLabel]: instance.metadata.name })
