import type { Tracer } from '@capstan/tracing/tracer'
import type { KubernetesAccess } from './kubernetes/access.ts'
import { createKubernetesClient, isStatus } from './kubernetes/client.ts'
import {
  apiVersion,
  type ChallengeInstanceObject,
  desiredFlagSecret,
  desiredInstance,
  drainedAnnotation,
  exposureOf,
  instanceIdLabel,
  type KubernetesSettings,
} from './kubernetes/instance-objects.ts'
import { createInstanceWatch } from './kubernetes/instance-watch.ts'
import { readPodMetrics } from './kubernetes/pod-metrics.ts'
import { formerInstanceName, type InstanceRuntime, instanceName } from './runtime.ts'

export interface KubernetesRuntimeOptions {
  readonly access: KubernetesAccess
  readonly settings: KubernetesSettings
  readonly log: { warn(fields: object, text: string): void }
  /** Absent: no traces. */
  readonly tracer?: Tracer | undefined
}

/** Runs what `request` does and takes it as done when the server answers with `status`. */
const unless = async (status: number, request: Promise<unknown>): Promise<unknown> => {
  try {
    return await request
  } catch (error) {
    if (isStatus(error, status)) return undefined
    throw error
  }
}

/** Nobody serves this API, or who serves it is away. */
const isUnserved = (error: unknown): boolean => isStatus(error, 404) || isStatus(error, 503)

/**
 * Instances as ChallengeInstance objects of a cluster, which the operator turns into pods. The api writes these objects and the
 * flags' Secrets, watches the objects, reads what pods use where the cluster measures it, and touches nothing else.
 * Design §3, §4; ADR 9.
 */
export const createKubernetesRuntime = ({ access, settings, log, tracer }: KubernetesRuntimeOptions): InstanceRuntime => {
  const client = createKubernetesClient(access, tracer)
  const instances = `/apis/${apiVersion}/namespaces/${settings.namespace}/challengeinstances`
  const secrets = `/api/v1/namespaces/${settings.namespace}/secrets`
  const metrics = `/apis/metrics.k8s.io/v1beta1/namespaces/${settings.namespace}/pods`
  const collection = `${instances}?labelSelector=${encodeURIComponent(instanceIdLabel)}`
  const watch = createInstanceWatch({ client, collection, log })

  /** Under which names the object of an instance may be: the one that was seen, else today's or that of an earlier version. */
  const namesOf = (id: string): readonly string[] => {
    const seen = watch.nameOf(id)
    return seen === undefined ? [instanceName(id), formerInstanceName(id)] : [seen]
  }
  const change = async (id: string, patch: object): Promise<void> => {
    for (const name of namesOf(id)) {
      const changed = await unless(404, client.send('PATCH', `${instances}/${name}`, patch, 'application/merge-patch+json'))
      if (changed) return watch.remember(changed as ChallengeInstanceObject)
    }
  }

  return {
    exposure: exposureOf(settings.exposure),
    async create(spec) {
      if (watch.nameOf(spec.id) !== undefined) return
      // The Secret first: the operator calls an instance without its flag failed.
      const secret = desiredFlagSecret(spec, settings)
      if (secret) await unless(409, client.send('POST', secrets, secret))
      const created = await unless(
        409,
        client.send('POST', instances, desiredInstance(spec, settings, tracer?.current()?.traceparent)),
      )
      if (created) watch.remember(created as ChallengeInstanceObject)
    },
    extend: (id, expiresAt) => change(id, { spec: { expiresAt: expiresAt.toISOString() } }),
    async delete(id) {
      for (const name of namesOf(id)) {
        await unless(404, client.send('DELETE', `${instances}/${name}`))
        // The operator makes the instance its owner; until then nobody else would remove it.
        await unless(404, client.send('DELETE', `${secrets}/${name}`))
      }
    },
    async readUsage() {
      try {
        return readPodMetrics(await client.send('GET', metrics), watch.idOf)
      } catch (error) {
        if (isUnserved(error)) return new Map()
        throw error
      }
    },
    find: (id) => watch.find(id),
    async exists(id) {
      const labelled = `${instances}?labelSelector=${encodeURIComponent(`${instanceIdLabel}=${id}`)}`
      const { items } = (await client.send('GET', labelled)) as { readonly items: readonly ChallengeInstanceObject[] | null }
      for (const item of items ?? []) watch.remember(item)
      return watch.find(id) !== undefined
    },
    list: () => watch.list(),
    watch: (listener) => watch.listen(listener),
    captures: {
      find: watch.findCapture,
      list: watch.listCaptures,
      watch: watch.listenToCaptures,
      release: (id, now) => change(id, { metadata: { annotations: { [drainedAnnotation]: now.toISOString() } } }),
    },
    async close() {
      await watch.close()
      client.close()
    },
  }
}
