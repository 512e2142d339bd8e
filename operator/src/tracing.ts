import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import { traceparentAnnotation } from '@capstan/challenge-instance/labels'
import type { RequestWrapper } from '@capstan/kubernetes/client'
import type { Result } from '@capstan/kubernetes/work-queue'
import { runInSpan, type Tracer } from '@capstan/tracing/tracer'

/** Creates a span for each request of a reconciliation pass. Requests of informers and of the leader election have no span. */
export function traceRequests(tracer: Tracer): RequestWrapper {
  return ({ verb, plural }, send) =>
    tracer.current() ? runInSpan(tracer, `${verb} ${plural}`, { kind: 'client' }, send) : send()
}

/**
 * Creates a span for each reconciliation pass. Until the instance is ready, the span belongs to the trace of the request that
 * started the instance. Later passes start separate traces.
 */
export function tracePasses(tracer: Tracer) {
  return async (instance: ChallengeInstance | undefined, pass: () => Promise<Result>): Promise<Result> => {
    const parent = instance?.status?.startedAt === undefined ? instance?.metadata.annotations?.[traceparentAnnotation] : undefined
    const span = tracer.start('Reconcile', { parent, attributes: attributesOf(instance) })
    try {
      const result = await span.run(pass)
      span.end({ error: result.failure })
      return result
    } catch (error) {
      span.end({ error })
      throw error
    }
  }
}

/**
 * Returns the span attributes of the instance. They omit the name of the instance. In earlier versions, the name
 * contained the UUID, and clients that know the UUID can connect to the instance.
 */
function attributesOf(instance: ChallengeInstance | undefined): Record<string, number> {
  return instance === undefined
    ? {}
    : {
        'capstan.challenge_id': instance.spec.challengeId,
        ...(instance.spec.teamId === undefined ? {} : { 'capstan.team_id': instance.spec.teamId }),
      }
}
