import { isDeepStrictEqual } from 'node:util'
import { isApplied } from '../kube/apply.ts'
import { ApiError, isConflict, isNotFound, type JsonPatchStep, type KubeClient } from '../kube/client.ts'
import type { Clock } from '../kube/clock.ts'
import type { EventRecorder } from '../kube/events.ts'
import type { Informer } from '../kube/informer.ts'
import type { Log } from '../kube/log.ts'
import { unwanted } from '../kube/prune.ts'
import { controllerUid, type DesiredObject, type KubeObject, keyOf, type ObjectKey, type Resource } from '../kube/types.ts'
import type { Result } from '../kube/work-queue.ts'
import { hasExpired, nextAttempt, nextDeadlineMs, replacementDue } from './deadline.ts'
import { desiredObjects } from './desired/index.ts'
import { adoption, isFlagOf, isOwnedBy } from './desired/secret.ts'
import { desiredService } from './desired/service.ts'
import { addFinalizer, farewell, hasFinalizer, needsFinalizer, removeFinalizer } from './finalize.ts'
import { instanceLabel } from './labels.ts'
import { fieldManager } from './names.ts'
import type { NodePorts } from './node-ports.ts'
import { isQuietStart, observe, type Refusal, transition } from './observe.ts'
import { attemptOf, isBeingDeleted } from './pod-state.ts'
import { captureLostReason, conditionTypes, expiredReason } from './reasons.ts'
import type { InstanceSettings } from './settings.ts'
import {
  type ChallengeInstance,
  type ChallengeInstanceStatus,
  type Children,
  challengeInstances,
  type NetworkPolicy,
  networkPolicies,
  type Pod,
  pods,
  type Service,
  secrets,
  services,
} from './types.ts'

/** Caches of everything that a pass reads. */
export interface Caches {
  instances: Informer<ChallengeInstance>
  pods: Informer<Pod>
  services: Informer<Service>
  networkPolicies: Informer<NetworkPolicy>
  /** Metadata alone. */
  secrets: Informer<KubeObject>
}

export interface Deps {
  client: KubeClient
  caches: Caches
  events: EventRecorder
  settings: () => InstanceSettings
  /** Where instances of exposure NodePort get their ports; the API server chooses if absent. */
  nodePorts: NodePorts | undefined
  clock: Clock
  log: Log
  /** The instance of this name that was seen to end, told once. */
  takeEnded: (key: ObjectKey) => ChallengeInstance | undefined
  /** Told when an instance became ready for the first time. */
  onStarted: (instance: ChallengeInstance) => void
}

const done: Result = {}

/** One pass over one instance: read, decide, apply, report. Repairs the whole state, whatever happened before. */
export async function reconcile(key: ObjectKey, deps: Deps): Promise<Result> {
  const instance = deps.caches.instances.get(key)
  if (!instance) return endRest(key, deps)
  if (instance.metadata.deletionTimestamp !== undefined) return finalize(instance, deps)
  const now = deps.clock.now()
  if (hasExpired(instance, now)) return expire(instance, deps)
  const { ended, refusal, failures } = await converge(instance, now, deps)
  const children = childrenOf(instance, deps.caches)
  const settings = deps.settings()
  // Why a pod ended is told before what becomes of its successor.
  const seen = ended ? { ...children, pod: ended } : children
  const status = observe({ instance, children: seen, refusal, settings, now })
  const isOutdated = !isQuietStart(instance, status, now) && (await report(instance, status, deps))
  const requeueAfterMs = isOutdated ? 0 : nextDeadlineMs(instance, children.pod, settings, now)
  if (failures.length === 0) return { requeueAfterMs }
  return {
    requeueAfterMs,
    failure: failures.length === 1 ? failures[0] : new AggregateError(failures, `${failures.length} writes failed`),
  }
}

/** Deletes an instance whose time is over, unless somebody extends it at this very moment: then the API server says so. */
async function expire(instance: ChallengeInstance, deps: Deps): Promise<Result> {
  const { name, namespace, uid, resourceVersion } = instance.metadata
  try {
    await deps.client.delete(challengeInstances, namespace ?? '', name, { preconditions: { uid, resourceVersion } })
  } catch (error) {
    if (isNotFound(error)) return done
    if (isConflict(error)) return { requeueAfterMs: 100 }
    throw error
  }
  deps.log.info({ instance: name }, 'Deleted an expired instance')
  await deps.events.record(
    { resource: challengeInstances, object: instance },
    {
      type: 'Normal',
      reason: expiredReason,
      action: 'Delete',
      note: `The time of the instance was over at ${instance.spec.expiresAt}.`,
    },
  )
  return done
}

/**
 * Deletes the pod of an instance that ended. Children end with it anyway, by their owner references; but Kubernetes' garbage
 * collector takes minutes when a game ends with hundreds of instances, and a running challenge should not wait for it.
 */
async function endPod(instance: ChallengeInstance, { client, caches, settings }: Deps): Promise<void> {
  const pod = caches.pods.get(keyOf(instance))
  if (!pod || controllerUid(pod) !== instance.metadata.uid || isBeingDeleted(pod)) return
  await removeIfThere(client, pods, pod, settings().terminationGraceSeconds)
}

/** A flag's Secret is made a moment before its instance; one this old whose instance was never seen was left behind, in milliseconds. */
const orphanAgeMs = 45_000

/** What garbage collection does not end in time, or cannot: nothing owns a Secret whose instance ended before it was adopted. */
async function endRest(key: ObjectKey, deps: Deps): Promise<Result> {
  const ended = deps.takeEnded(key)
  if (ended) await endPod(ended, deps)
  const secret = deps.caches.secrets.get(key)
  if (!secret || secret.metadata.labels?.[instanceLabel] !== secret.metadata.name || secret.metadata.ownerReferences) return done
  const createdMs = Date.parse(secret.metadata.creationTimestamp)
  const leftMs = createdMs + orphanAgeMs - deps.clock.now().getTime()
  const wasOfEnded = ended !== undefined && createdMs <= Date.parse(ended.metadata.creationTimestamp)
  if (leftMs > 0 && !wasOfEnded) return { requeueAfterMs: leftMs }
  // A watch that broke unnoticed tells of no instance either: the API server has the last word.
  if (!wasOfEnded && (await isThere(secret, deps))) return { requeueAfterMs: orphanAgeMs }
  await removeIfThere(deps.client, secrets, secret)
  return done
}

/** Whether the API server has the instance that this Secret was made for. By a list, so that the right to list is enough. */
async function isThere({ metadata }: KubeObject, { client }: Deps): Promise<boolean> {
  const scope = { namespace: metadata.namespace, fieldSelector: `metadata.name=${metadata.name}`, metadataOnly: true }
  return (await client.listPage(challengeInstances, scope, { limit: 1 })).items.length > 0
}

/** Holds an instance that is being deleted until its recordings are fetched; without recordings there is nothing to do. */
async function finalize(instance: ChallengeInstance, deps: Deps): Promise<Result> {
  if (!hasFinalizer(instance)) return done
  const { namespace, name } = instance.metadata
  const now = deps.clock.now()
  const settings = deps.settings()
  const children = childrenOf(instance, deps.caches)
  const next = farewell(instance, children.pod, settings, now)
  if (next.kind === 'wait') {
    const { networkPolicy } = desiredObjects(instance, settings, 0)
    if (!isApplied(networkPolicy, children.networkPolicy)) {
      await applyAndRemember(networkPolicies, networkPolicy, deps.caches.networkPolicies, deps)
    }
    const status = observe({ instance, children, refusal: undefined, settings, now })
    return { requeueAfterMs: (await report(instance, status, deps)) ? 0 : next.leftMs }
  }
  // With a short grace, and before the garbage collector deletes it with the long one that keeps recordings.
  if (children.pod) await removeIfThere(deps.client, pods, children.pod, settings.terminationGraceSeconds)
  await patchInstance(instance, removeFinalizer(instance), deps)
  if (next.kind === 'giveUp') {
    deps.log.warn({ instance: name, namespace }, 'Let an instance go whose recordings were not fetched in time')
    await deps.events.record(
      { resource: challengeInstances, object: instance },
      { type: 'Warning', reason: captureLostReason, action: 'Delete', note: 'Recordings were not fetched in time and are lost.' },
    )
  }
  return done
}

/** A change of what was read; if it is another by now, the news of that brings us back. */
async function patchInstance(instance: ChallengeInstance, steps: JsonPatchStep[], deps: Deps): Promise<void> {
  try {
    await deps.client.patchJson(challengeInstances, instance.metadata.namespace ?? '', instance.metadata.name, steps)
  } catch (error) {
    const changed = error instanceof ApiError && error.status === 422
    if (!changed && !isNotFound(error)) throw error
  }
}

/** Deletes this very object, never a successor of the same name; fine if it is gone. */
async function removeIfThere(
  client: KubeClient,
  resource: Resource,
  { metadata }: KubeObject,
  gracePeriodSeconds?: number,
): Promise<void> {
  try {
    await client.delete(resource, metadata.namespace, metadata.name, {
      preconditions: { uid: metadata.uid },
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** Objects of this instance in the caches. What has its names but another owner is not among them. */
function childrenOf(instance: ChallengeInstance, caches: Caches): Children {
  const { namespace, name, uid } = instance.metadata
  const own = <T extends KubeObject>(object: T | undefined) => (object && controllerUid(object) === uid ? object : undefined)
  const key = `${namespace}/${name}`
  return {
    pod: own(caches.pods.get(key)),
    service: own(caches.services.get(key)),
    networkPolicy: own(caches.networkPolicies.get(key)),
    flagSecret: instance.spec.flag && caches.secrets.get(`${namespace}/${instance.spec.flag.secretName}`),
  }
}

/** Makes what is missing or different, all at once. Never throws: what failed is told, so that the status can still be written. */
async function converge(
  instance: ChallengeInstance,
  now: Date,
  deps: Deps,
): Promise<{ ended?: Pod | undefined; refusal: Refusal | undefined; failures: unknown[] }> {
  const { caches, client } = deps
  const children = childrenOf(instance, caches)
  const { pod, flagSecret } = children
  const ended = pod && isOver(replacementDue(pod), now) ? pod : undefined
  const attempt = ended ? nextAttempt(ended, now) : pod ? attemptOf(pod) : 0
  const desired = desiredObjects(instance, deps.settings(), attempt)
  const { namespace, name } = instance.metadata
  const key = `${namespace}/${name}`
  let refusal: Refusal | undefined
  const failures: unknown[] = []
  const writes: Promise<unknown>[] = []

  const strangers = [caches.pods.get(key), desired.service && caches.services.get(key), caches.networkPolicies.get(key)].filter(
    (object) => object !== undefined && controllerUid(object) !== instance.metadata.uid,
  )
  // Children of a predecessor of the same name are about to be collected, and their end brings us back. Others have come to stay.
  if (strangers.length > 0) {
    const leaving = strangers.every((object) =>
      object?.metadata.ownerReferences?.some(({ kind }) => kind === challengeInstances.kind),
    )
    return { refusal: leaving ? undefined : { reason: 'NameTaken', detail: `Another object has the name ${name}` }, failures }
  }

  const ports = nodePortsFor(instance, children.service, deps)
  if (ports?.hasFree() === false) {
    const detail = `Every node port from ${ports.range.first} to ${ports.range.last} is taken`
    return { refusal: { reason: 'QuotaExceeded', detail }, failures: [new Error(detail)] }
  }
  // The pod first, for everything else has time until it runs.
  const mayHaveFlag = instance.spec.flag === undefined || isFlagOf(flagSecret, instance)
  if (ended || (pod === undefined && mayHaveFlag)) writes.push(replacePod(ended, desired.pod, deps))
  if (!isApplied(desired.networkPolicy, children.networkPolicy)) {
    writes.push(applyAndRemember(networkPolicies, desired.networkPolicy, caches.networkPolicies, deps))
  }
  if (ports) writes.push(applyServiceWithPort(instance, ports, deps))
  else if (desired.service && !isApplied(desired.service, children.service))
    writes.push(applyAndRemember(services, desired.service, caches.services, deps))
  if (isFlagOf(flagSecret, instance) && !isOwnedBy(flagSecret, instance)) {
    const { name: secretName } = flagSecret.metadata
    const adopted = client.patchJson(secrets, namespace ?? '', secretName, adoption(flagSecret, instance))
    writes.push(adopted.then((secret) => caches.secrets.remember(secret)))
  }
  if (needsFinalizer(instance, deps.settings())) writes.push(patchInstance(instance, addFinalizer(instance), deps))
  writes.push(...prune(instance, Object.values(desired), deps))

  for (const outcome of await Promise.allSettled(writes)) {
    if (outcome.status === 'fulfilled') continue
    failures.push(outcome.reason)
    refusal ??= refusalOf(outcome.reason)
  }
  return { ended, refusal, failures }
}

const isOver = (deadline: Date | undefined, now: Date): boolean => deadline !== undefined && deadline <= now

/** Makes the pod; an ended predecessor goes first, at once, for none of its containers run. */
async function replacePod(ended: Pod | undefined, desired: DesiredObject, deps: Deps): Promise<void> {
  if (ended) await removeIfThere(deps.client, pods, ended, 0)
  await applyAndRemember(pods, desired, deps.caches.pods, deps)
}

async function applyAndRemember<T extends KubeObject>(
  resource: Resource<T>,
  desired: DesiredObject,
  cache: Informer<T>,
  { client }: Deps,
) {
  try {
    cache.remember(await client.apply(resource, desired, fieldManager))
  } catch (error) {
    throw error instanceof ApiError ? new RefusedWrite(resource.kind, error) : error
  }
}

/** Where this instance gets its node port from; undefined if it needs none, has one, or the API server chooses. */
const nodePortsFor = ({ spec }: ChallengeInstance, service: Service | undefined, { nodePorts }: Deps): NodePorts | undefined =>
  spec.exposure === 'NodePort' && service?.spec?.ports?.[0]?.nodePort === undefined ? nodePorts : undefined

/** Makes the service with a port of the range, passing over those that services elsewhere in the cluster have. */
async function applyServiceWithPort(instance: ChallengeInstance, ports: NodePorts, deps: Deps): Promise<void> {
  for (let port = ports.take(instance.metadata.uid); port !== undefined; port = ports.take(instance.metadata.uid)) {
    try {
      await applyAndRemember(services, desiredService(instance, port), deps.caches.services, deps)
      return ports.settle(port)
    } catch (error) {
      if (!isPortTaken(error)) {
        ports.settle(port)
        throw error
      }
      ports.avoid(port)
    }
  }
  throw new Error(`No node port from ${ports.range.first} to ${ports.range.last} was free`)
}

const isPortTaken = (error: unknown): boolean =>
  error instanceof RefusedWrite && error.answer.status === 422 && error.answer.message.includes('port is already allocated')

/** Which kind of object the API server did not take. */
class RefusedWrite extends Error {
  readonly kind: string
  readonly answer: ApiError
  readonly retryAfterMs: number | undefined

  constructor(kind: string, answer: ApiError) {
    super(`The API server did not take the ${kind}: ${answer.message}`, { cause: answer })
    this.name = 'RefusedWrite'
    this.kind = kind
    this.answer = answer
    this.retryAfterMs = answer.retryAfterMs
  }
}

/** What a failed write means for the instance; undefined if it is worth no more than another try. */
function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof RefusedWrite)) return undefined
  const { status, message } = error.answer
  if (status === 403 && message.includes('exceeded quota')) return { reason: 'QuotaExceeded', detail: message }
  if (status === 422 && message.includes('Only one reference can have Controller'))
    return { reason: 'NameTaken', detail: message }
  // Without a service or a policy nobody can play either, so the reason is the same.
  if (status === 400 || status === 403 || status === 422) return { reason: 'PodRefused', detail: `${error.kind}: ${message}` }
  return undefined
}

/** Deletes what belongs to the instance but is no longer wanted. */
function prune(instance: ChallengeInstance, desired: DesiredObject[], { caches, client }: Deps): Promise<void>[] {
  const remove = (resource: Resource, cache: Informer<KubeObject>) =>
    unwanted(cache.ownedBy(instance.metadata.uid), resource.kind, desired).map((object) =>
      removeIfThere(client, resource, object),
    )
  return [...remove(pods, caches.pods), ...remove(services, caches.services), ...remove(networkPolicies, caches.networkPolicies)]
}

/**
 * Writes the status if it differs, then tells about the transition. Answers whether the pass was about an instance that others had
 * changed by then: their change is in the cache now, its news counts as old, and so nothing but another look takes it up.
 */
async function report(instance: ChallengeInstance, status: ChallengeInstanceStatus, deps: Deps): Promise<boolean> {
  if (isDeepStrictEqual(instance.status, status)) return false
  let written: ChallengeInstance
  try {
    written = await deps.client.applyStatus(challengeInstances, instance, status, fieldManager)
  } catch (error) {
    // It ended: there is nobody to report to.
    if (isNotFound(error)) return false
    throw error
  }
  deps.caches.instances.remember(written)
  const change = transition(instance.status?.conditions, status.conditions)
  if (change) {
    deps.log.info({ instance: instance.metadata.name, reason: change.reason, detail: change.note }, 'Changed readiness')
    await deps.events.record({ resource: challengeInstances, object: written }, { ...change, action: 'Reconcile' })
  }
  const wasStarted = instance.status?.startedAt !== undefined
  const isReadyNow = status.conditions.some(({ type, status: value }) => type === conditionTypes.ready && value === 'True')
  if (!wasStarted && isReadyNow) deps.onStarted(instance)
  // The finalizer is refused for an instance that others changed.
  return !isDeepStrictEqual(decisiveOf(instance), decisiveOf(written)) || needsFinalizer(written, deps.settings())
}

/** What a pass goes by, besides the status; the specification counts its changes in the generation. */
const decisiveOf = ({ metadata: { generation, deletionTimestamp, labels, annotations } }: ChallengeInstance) => ({
  generation,
  deletionTimestamp,
  labels,
  annotations,
})
