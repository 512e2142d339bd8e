import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { drainedAnnotation, instanceIdLabel } from '@capstan/challenge-instance/labels'
import { apiName, deriveFormerInstanceName, deriveInstanceName } from '@capstan/challenge-instance/names'
import type { ApiAccess } from '@capstan/kubernetes/access'
import { secrets } from '@capstan/kubernetes/built-in-kinds'
import { createKubeClient, hasErrorStatus, type RequestWrapper } from '@capstan/kubernetes/client'
import type { Log } from '@capstan/kubernetes/log'
import { runInSpan, type Tracer } from '@capstan/tracing/tracer'
import {
  chooseAllowedExposure,
  desiredInstance,
  desiredSecret,
  type KubernetesSettings,
  toExposure,
} from './kubernetes/instance-objects.ts'
import { createInstanceWatch } from './kubernetes/instance-watch.ts'
import { createOperatorClient } from './kubernetes/operator-client.ts'
import { podMetrics, usageOfContainers } from './kubernetes/pod-metrics.ts'
import type { ContainerInspector, InstanceRuntime } from './runtime.ts'

export type KubernetesRuntimeOptions = Readonly<{
  access: ApiAccess
  settings: KubernetesSettings
  log: Pick<Log, 'warn'>
  /** Tracer of calls to the API server. If absent, the calls are not traced. */
  tracer?: Tracer | undefined
}>

/**
 * Maximum number of concurrent connections to the API server. It is high, because many teams start instances at the same moment,
 * and each start waits for a response.
 */
const maxConnections = 64

/**
 * Waits for the response to a request. A response with the HTTP status `status` does not cause an error.
 * @returns undefined for a response with this status
 */
async function unless<T>(status: number, request: Promise<T>): Promise<T | undefined> {
  try {
    return await request
  } catch (error) {
    if (hasErrorStatus(error, status)) return undefined
    throw error
  }
}

/** Creates a span for each API server request that a traced call makes. Requests of the watch and the repair are not traced. */
function traceRequests(tracer: Tracer): RequestWrapper {
  return ({ method, plural }, send) =>
    tracer.current() ? runInSpan(tracer, `${method} ${plural}`, { kind: 'client' }, send) : send()
}

/**
 * Runs instances as ChallengeInstance objects of a cluster. The operator turns these objects into pods. The api writes only these
 * objects and the Secrets of their flags. The api also reads the usage of pods.
 */
export function createKubernetesRuntime({ access, settings, log, tracer }: KubernetesRuntimeOptions): InstanceRuntime {
  const { namespace } = settings
  const client = createKubeClient(access, { userAgent: apiName, wrapRequest: tracer && traceRequests(tracer), maxConnections })
  const watch = createInstanceWatch({ client, namespace, log })
  const operator = settings.operatorLogs && createOperatorClient(settings.operatorLogs)

  /**
   * Returns the possible names of the object. If the object was observed, returns only its name. Otherwise, returns the current and
   * the earlier form of the name.
   */
  const namesOf = (id: string): readonly string[] => {
    const seen = watch.nameOf(id)
    return seen === undefined ? [deriveInstanceName(id), deriveFormerInstanceName(id)] : [seen]
  }
  const change = async (id: string, patch: object): Promise<void> => {
    for (const name of namesOf(id)) {
      const changed = await unless(404, client.patchMerge(challengeInstances, namespace, name, patch))
      if (changed) return watch.recordWrite(changed)
    }
  }

  const containers: ContainerInspector = {
    find: watch.findContainers,
    ...(operator && {
      async listEvents(id, container) {
        const instance = watch.nameOf(id)
        return instance === undefined ? undefined : operator.listEvents({ instance, container })
      },
      ...(settings.operatorLogs?.terminals && {
        async openTerminal(id: string, container: string) {
          const instance = watch.nameOf(id)
          return instance === undefined ? undefined : operator.openTerminal({ instance, container })
        },
      }),
      async openLog(id, container, { tailLines, follow, signal }) {
        const instance = watch.nameOf(id)
        return instance === undefined ? undefined : operator.openLog({ instance, container, tailLines, follow }, signal)
      },
    }),
  }

  return {
    exposure: toExposure(settings.exposure),
    exposureFor: (asked) => toExposure(chooseAllowedExposure(asked, settings)),
    async create(spec) {
      if (watch.nameOf(spec.id) !== undefined) return
      // Create the Secret first, because the operator fails an instance whose flag is missing.
      const secret = desiredSecret(spec, settings)
      if (secret) await unless(409, client.create(secrets, namespace, secret))
      const instance = desiredInstance(spec, settings, tracer?.current()?.traceparent)
      // Refuse unknown fields: an earlier CRD would drop new fields, and the instance would then run without them.
      const created = await unless(409, client.create(challengeInstances, namespace, instance, { isStrict: true }))
      if (created) watch.recordWrite(created)
    },
    extend: (id, expiresAt) => change(id, { spec: { expiresAt: expiresAt.toISOString() } }),
    async delete(id) {
      for (const name of namesOf(id)) {
        await unless(404, client.delete(challengeInstances, namespace, name))
        // The operator makes the instance the owner of the Secret. Until then, only this call can remove the Secret.
        await unless(404, client.delete(secrets, namespace, name))
      }
    },
    async readUsage() {
      try {
        return usageOfContainers((await client.listPage(podMetrics, { namespace })).items, watch.ownerOf)
      } catch (error) {
        // The metrics API is not installed or is unavailable.
        if (hasErrorStatus(error, 404, 503)) return undefined
        throw error
      }
    },
    find: (id) => watch.find(id),
    async exists(id) {
      const scope = { namespace, labelSelector: `${instanceIdLabel}=${id}` }
      const { items } = await client.listPage<ChallengeInstance>(challengeInstances, scope)
      for (const item of items) watch.recordWrite(item)
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
    containers,
    async close() {
      await watch.close()
      client.close()
    },
  }
}
