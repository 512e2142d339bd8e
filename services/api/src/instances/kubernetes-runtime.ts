import type { Tracer } from '@capstan/tracing/tracer'
import type { KubernetesAccess } from './kubernetes/access.ts'
import { createKubernetesClient, isStatus } from './kubernetes/client.ts'
import {
  apiVersion,
  type ChallengeInstanceObject,
  desiredFlagSecret,
  desiredInstance,
  drainedAnnotation,
  instanceIdLabel,
  type KubernetesSettings,
} from './kubernetes/instance-objects.ts'
import { createInstanceWatch } from './kubernetes/instance-watch.ts'
import { readPodMetrics } from './kubernetes/pod-metrics.ts'
import { type InstanceRuntime, instanceName } from './runtime.ts'

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

  return {
    exposure: settings.exposure === 'Proxy' ? 'Proxy' : 'Direct',
    async create(spec) {
      // The Secret first: the operator calls an instance without its flag failed.
      const secret = desiredFlagSecret(spec, settings)
      if (secret) await unless(409, client.send('POST', secrets, secret))
      const created = await unless(
        409,
        client.send('POST', instances, desiredInstance(spec, settings, tracer?.current()?.traceparent)),
      )
      if (created) watch.remember(created as ChallengeInstanceObject)
    },
    async extend(id, expiresAt) {
      const change = { spec: { expiresAt: expiresAt.toISOString() } }
      const path = `${instances}/${instanceName(id)}`
      const changed = await unless(404, client.send('PATCH', path, change, 'application/merge-patch+json'))
      if (changed) watch.remember(changed as ChallengeInstanceObject)
    },
    async delete(id) {
      await unless(404, client.send('DELETE', `${instances}/${instanceName(id)}`))
      // The operator makes the instance its owner; until then nobody else would remove it.
      await unless(404, client.send('DELETE', `${secrets}/${instanceName(id)}`))
    },
    async readUsage() {
      try {
        return readPodMetrics(await client.send('GET', metrics))
      } catch (error) {
        if (isUnserved(error)) return new Map()
        throw error
      }
    },
    find: (id) => watch.find(id),
    async exists(id) {
      const named = `${collection}&fieldSelector=${encodeURIComponent(`metadata.name=${instanceName(id)}`)}`
      const { items } = (await client.send('GET', named)) as { readonly items: readonly ChallengeInstanceObject[] | null }
      for (const item of items ?? []) watch.remember(item)
      return watch.find(id) !== undefined
    },
    list: () => watch.list(),
    watch: (listener) => watch.listen(listener),
    captures: {
      find: watch.findCapture,
      list: watch.listCaptures,
      watch: watch.listenToCaptures,
      async release(id) {
        const change = { metadata: { annotations: { [drainedAnnotation]: new Date().toISOString() } } }
        const path = `${instances}/${instanceName(id)}`
        const changed = await unless(404, client.send('PATCH', path, change, 'application/merge-patch+json'))
        if (changed) watch.remember(changed as ChallengeInstanceObject)
      },
    },
    async close() {
      await watch.close()
      client.close()
    },
  }
}
