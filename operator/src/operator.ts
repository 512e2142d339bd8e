import { isDeepStrictEqual } from 'node:util'
import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { containersOf } from '@capstan/challenge-instance/containers'
import { leaseName, operatorName, reportingController } from '@capstan/challenge-instance/names'
import type { ApiAccess } from '@capstan/kubernetes/access'
import { dropUnusedPodFields, networkPolicies, pods, secrets, services } from '@capstan/kubernetes/built-in-kinds'
import { createKubeClient, isNotFoundError, type RequestObserver } from '@capstan/kubernetes/client'
import type { Clock } from '@capstan/kubernetes/clock'
import {
  apiServerScope,
  dropUnusedNodeFields,
  endpointSlices,
  listClusterCidrs,
  nodes,
  serviceRanges,
} from '@capstan/kubernetes/cluster-addresses'
import { createEventRecorder } from '@capstan/kubernetes/events'
import { createInformer, type Informer, type InformerOptions } from '@capstan/kubernetes/informer'
import { createLeaderElection, type LeaderElectionOptions } from '@capstan/kubernetes/lease'
import type { Log } from '@capstan/kubernetes/log'
import { createServerClock } from '@capstan/kubernetes/server-clock'
import { type KubeObject, objectKeyOf, type Resource } from '@capstan/kubernetes/types'
import type { Tracer } from '@capstan/tracing/tracer'
import { createController } from './challenge-instance/controller.ts'
import { createReadinessLineWatch, maxFollowedPods } from './challenge-instance/line-watch.ts'
import { createInstanceMetrics } from './challenge-instance/metrics.ts'
import { createNodePortAllocator } from './challenge-instance/node-ports.ts'
import type { Caches, Ports } from './challenge-instance/ports.ts'
import { reconcile } from './challenge-instance/reconcile.ts'
import type { InstanceSettings } from './challenge-instance/settings.ts'
import type { Config } from './config.ts'
import { createGuardMonitor } from './guards/guard-monitor.ts'
import { type FindObject, listGuards } from './guards/guards.ts'
import { createHealthServer } from './http-health.ts'
import { createEventSource } from './logs/event-source.ts'
import { createLogServer, maxOpenLogs } from './logs/log-server.ts'
import { createLogSource } from './logs/log-source.ts'
import { createTerminalSource } from './logs/terminal-source.ts'
import { createControllerMetrics } from './metrics.ts'
import { findNameServers } from './name-servers.ts'
import { readReportedAddresses } from './node-addresses/reports.ts'
import { tracePasses, traceRequests } from './tracing.ts'

export interface OperatorOptions {
  config: Config
  access: ApiAccess
  clock: Clock
  log: Log
  /** Returns a random number in [0, 1). */
  random: () => number
  /** Tracer of reconciliation passes and their requests. Undefined if tracing is off. */
  tracer?: Tracer | undefined
  /** Lease times, which only tests set. */
  lease?: Pick<LeaderElectionOptions, 'durationSeconds' | 'giveUpMs' | 'retryMs'>
}

export interface Operator {
  /** Promise of the port for health checks and metrics. It resolves when `run` listens on this port. */
  healthPort: Promise<number>
  isLeader(): boolean
  /**
   * Runs until `signal` is aborted or leadership is lost. Resolves to `stopped` or `lost`. After `lost` the process should end.
   * Rejects if the health port cannot be opened.
   */
  run(signal: AbortSignal): Promise<'stopped' | 'lost'>
}

/** Interval, in ms, at which every instance is reconciled even if it has not changed. */
const resyncMs = 600_000

/** Duration from which a reconciliation pass counts as stuck, in ms. Each of its requests has a shorter timeout. */
const stuckMs = 120_000

/** Interval, in ms, at which the operator again requests a kind that the API server does not serve yet. */
const unservedMs = 600_000

/**
 * Opens a server and returns its port.
 * @throws an error that names the port if the server cannot listen
 */
async function listenOn(port: number, server: { listen(port: number): Promise<number> }): Promise<number> {
  try {
    return await server.listen(port)
  } catch (cause) {
    throw new Error(`Could not listen on port ${port}`, { cause })
  }
}

/** Creates the operator from its parts: caches, controller, leader election, health checks and metrics. */
export function createOperator({ config, access, clock: ownClock, log, random, lease, tracer }: OperatorOptions): Operator {
  const metrics = createControllerMetrics()
  const clock = createServerClock(ownClock)
  const observeRequest: RequestObserver = (request) => {
    metrics.observeRequest(request)
    if (request.serverDate) clock.observe(request.serverDate)
  }
  const common = { userAgent: operatorName, observeRequest }
  const client = createKubeClient(access, { ...common, wrapRequest: tracer && traceRequests(tracer) })
  // Use separate connections for the leader lease, because slow requests could delay its renewal.
  const leaseClient = createKubeClient(access, common)
  // Use separate connections for logs, because the operator needs a connection for each log that it follows.
  const logClient = createKubeClient(access, { ...common, maxConnections: maxFollowedPods })
  // Use separate connections for logs that admins read, because each open log occupies a connection.
  const adminLogClient = createKubeClient(access, { ...common, maxConnections: maxOpenLogs })
  const namespace = config.instanceNamespace
  const cache = <T extends KubeObject>(
    resource: Resource<T>,
    options: { metadataOnly?: boolean } & Pick<InformerOptions<T>, 'resyncMs' | 'reduce'> = {},
  ): Informer<T> =>
    createInformer({
      client,
      resource,
      scope: { namespace, metadataOnly: options.metadataOnly },
      clock,
      log,
      random,
      ...(options.resyncMs === undefined ? {} : { resyncMs: options.resyncMs }),
      ...(options.reduce === undefined ? {} : { reduce: options.reduce }),
    })
  const caches: Caches = {
    instances: cache(challengeInstances, { resyncMs }),
    pods: cache(pods, { reduce: dropUnusedPodFields }),
    services: cache(services),
    networkPolicies: cache(networkPolicies),
    secrets: cache(secrets, { metadataOnly: true }),
  }
  const informers = Object.values(caches) as Informer<KubeObject>[]

  // Reconciliation starts before these caches are filled. Until they are filled, egress Internet is denied.
  const base = { client, clock, log, random }
  const nodeCache = createInformer({ ...base, resource: nodes, scope: {}, reduce: dropUnusedNodeFields })
  const apiServerCache = createInformer({ ...base, resource: endpointSlices, scope: apiServerScope })
  const serviceRangeCache = createInformer({ ...base, resource: serviceRanges, scope: {}, unservedMs })
  const reportCache =
    config.nodeReporters !== undefined
      ? createInformer({
          ...base,
          resource: pods,
          scope: { namespace: config.platformNamespace, labelSelector: config.nodeReporters },
          reduce: dropUnusedPodFields,
        })
      : undefined
  const serviceCache =
    config.names.closed === undefined
      ? undefined
      : createInformer({ ...base, resource: services, scope: { namespace: config.platformNamespace } })
  const addressCaches: Pick<Informer<KubeObject>, 'onChange' | 'run' | 'synced' | 'whenSynced'>[] = [
    nodeCache,
    apiServerCache,
    serviceRangeCache,
    ...(reportCache ? [reportCache] : []),
  ]
  const settingCaches = [...addressCaches, ...(serviceCache ? [serviceCache] : [])]
  const addresses = () =>
    addressCaches.every((cache) => cache.synced())
      ? listClusterCidrs({
          nodes: nodeCache.list(),
          apiServers: apiServerCache.list(),
          services: serviceRangeCache.list(),
          further: [...(reportCache?.list() ?? [])].flatMap((pod) => readReportedAddresses(pod) ?? []),
        })
      : undefined
  const names = (): InstanceSettings['names'] => {
    if (serviceCache === undefined) return 'off'
    if (!serviceCache.synced()) return 'unknown'
    return findNameServers(config, (name) => serviceCache.get(`${config.platformNamespace}/${name}`))
  }
  let settings: InstanceSettings = { ...config.instances, names: names() }
  function refreshSettings(): void {
    const known = { clusterCidrs: addresses(), names: names() }
    const { clusterCidrs: formerCidrs, names: formerNames } = settings
    if (isDeepStrictEqual(known, { clusterCidrs: formerCidrs, names: formerNames })) return
    settings = { ...settings, ...known }
    for (const instance of caches.instances.list()) {
      const reachesInternet = containersOf(instance).some(({ spec }) => spec.egress === 'Internet')
      if (reachesInternet || instance.spec.containers !== undefined) controller.queue.add(objectKeyOf(instance))
    }
  }
  for (const cache of settingCaches) cache.onChange(refreshSettings)

  const firstSeenMs = new Map<string, number>()
  caches.instances.onChange((now, before) => {
    if (now && !before && now.status === undefined) firstSeenMs.set(now.metadata.uid, clock.elapsedMs())
    if (!now && before) firstSeenMs.delete(before.metadata.uid)
  })
  const instanceMetrics = createInstanceMetrics(metrics.registry, caches.instances.list)
  function onStarted({ metadata }: ChallengeInstance): void {
    const seenMs = firstSeenMs.get(metadata.uid)
    firstSeenMs.delete(metadata.uid)
    if (seenMs !== undefined) instanceMetrics.observeStart((clock.elapsedMs() - seenMs) / 1000)
  }

  const events = createEventRecorder({ client, clock, log, controller: reportingController, instance: config.identity })
  const lines = createReadinessLineWatch({
    client: { followLog: logClient.followLog, patchMerge: client.patchMerge },
    cache: caches.pods,
    clock,
    requeue: (key, delayMs) => controller.queue.addAfter(key, delayMs),
  })
  const ports: Ports = {
    client,
    caches,
    events,
    settings: () => settings,
    nodePorts: config.nodePortRange && createNodePortAllocator(config.nodePortRange, { services: caches.services.list, clock }),
    lines,
    clock,
    log,
    findDeletedInstance: (key) => controller.findDeletedInstance(key),
    forgetDeletedInstance: (instance) => controller.forgetDeletedInstance(instance),
    onStarted,
  }
  const trace = tracer ? tracePasses(tracer) : <T>(_instance: unknown, pass: () => T): T => pass()
  const controller = createController({
    caches,
    clock,
    log,
    random,
    workers: config.workers,
    onFailure: () => metrics.reconcileErrors.inc(),
    async reconcile(key) {
      const stopTimer = metrics.reconcileSeconds.startTimer()
      try {
        return await trace(caches.instances.get(key), () => reconcile(key, ports))
      } finally {
        stopTimer()
      }
    },
  })
  metrics.watchQueue(controller.queue.depth)

  const find: FindObject = async (resource, within, name) => {
    // Read policies from the cache, because the operator has no permission to get a single policy.
    if (resource === networkPolicies) return caches.networkPolicies.get(`${within}/${name}`)
    try {
      return await client.get(resource, within, name)
    } catch (error) {
      if (isNotFoundError(error)) return undefined
      throw error
    }
  }
  const guards = listGuards(config.guards, namespace)
  const guardMonitor = createGuardMonitor({ guards, find, namespace, events, clock, log, registry: metrics.registry })

  const election = createLeaderElection({
    client: leaseClient,
    clock,
    log,
    namespace: config.platformNamespace,
    name: leaseName,
    identity: config.identity,
    ...lease,
  })
  metrics.watchLeader(election.isLeader)

  const health = createHealthServer(
    {
      refuseLive: () => (controller.queue.longestRunMs() > stuckMs ? 'a reconciliation hangs' : undefined),
      refuseReady: () => (informers.every((informer) => informer.synced()) ? undefined : 'the caches are not filled yet'),
    },
    metrics.registry,
  )
  const { token, terminals } = config.logs
  const logServer =
    token === undefined
      ? undefined
      : createLogServer({
          source: createLogSource({ client: adminLogClient, caches, clock, namespace }),
          events: createEventSource({ client: adminLogClient, caches, namespace }),
          terminals: terminals ? createTerminalSource({ access, caches, namespace }) : undefined,
          token,
          log,
        })
  const listening = Promise.withResolvers<number>()
  listening.promise.catch(() => undefined)

  return {
    healthPort: listening.promise,
    isLeader: election.isLeader,
    async run(signal) {
      try {
        listening.resolve(await listenOn(config.healthPort, health))
        if (logServer) await listenOn(config.logs.port, logServer)
      } catch (error) {
        listening.reject(error)
        throw error
      }
      const stopCaches = new AbortController()
      const following = Promise.all([...informers, ...settingCaches].map((informer) => informer.run(stopCaches.signal)))
      for (const cache of settingCaches) void cache.whenSynced(stopCaches.signal).then(refreshSettings)
      try {
        await Promise.all(informers.map((informer) => informer.whenSynced(signal)))
        log.info({ namespace }, 'Filled the caches')
        await election.acquire(signal)
        if (signal.aborted) return 'stopped'
        controller.start()
        const stopGuards = new AbortController()
        const guarding = guardMonitor.run(stopGuards.signal)
        await election.renewUntilLost(signal)
        stopGuards.abort()
        await Promise.all([controller.stop(), guarding])
        if (!signal.aborted) return 'lost'
        await election.release()
        return 'stopped'
      } finally {
        lines.stop()
        stopCaches.abort()
        await following
        await Promise.all([health.close(), logServer?.close()])
        client.close()
        leaseClient.close()
        logClient.close()
        adminLogClient.close()
      }
    },
  }
}
