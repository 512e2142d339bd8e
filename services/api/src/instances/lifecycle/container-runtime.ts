import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { readyReasons } from '@capstan/challenge-instance/reasons'
import type { Clock } from '../../server/http/clock.ts'
import { createKeyedQueue } from '../../server/keyed-queue.ts'
import { createEngine, type EngineCommand, type EngineContainer, EngineError } from './container/engine.ts'
import {
  findContainerByName,
  findDependencyState,
  instanceStateOf,
  type Member,
  type MemberState,
  nameOfContainer,
  toObservedContainer,
} from './container/members.ts'
import { respondsAtPath } from './container/path-probe.ts'
import {
  type EngineSettings,
  planContainers,
  planNetworks,
  portOfReadinessProbe,
  refuseUnsupportedContainerSettings,
} from './container/plan.ts'
import { createDeadlineTimer } from './deadlines.ts'
import type { InstanceRuntime, InstanceSpec, ObservedInstance, ObservedState } from './runtime.ts'
import { acceptsConnections } from './tcp-probe.ts'

export type ContainerRuntimeOptions = Readonly<{
  clock: Clock
  engine: EngineCommand
  settings: EngineSettings
  log: { warn(fields: object, text: string): void }
  /** Time between two polls of all containers, in ms. Polls run even if the engine reports no events. */
  pollIntervalMs?: number
  /** Maximum time until a container accepts connections on its port, in ms. After this time, the container has failed. */
  startTimeoutMs?: number
}>

const probeMs = 100
/** Time between two runs of a readiness command, in ms. */
const commandIntervalMs = 1_000
/**
 * Time for which a probe's connection must stay open, in ms. A port forwarder accepts a connection, and closes it at once if the
 * container does not listen yet.
 */
const probeHoldMs = 60

const starting = { kind: 'pending', reason: 'Starting', message: 'The challenge is starting.' } as const
const pulling = { kind: 'pending', reason: 'Pulling', message: 'The image of the challenge is being downloaded.' } as const

function failed(reason: string, message: string): MemberState {
  return { kind: 'failed', reason, message }
}

/** Errors of docker and podman if they cannot get an image. */
const pullFailure =
  /unable to find image|pull access denied|manifest unknown|not found|no such image|initializing source|invalid reference/i

function startFailure(error: unknown): MemberState {
  return error instanceof EngineError && pullFailure.test(error.message)
    ? failed('ImagePullFailed', readyReasons.ImagePullFailed.message)
    : failed('ContainerFailed', readyReasons.ContainerFailed.message)
}

interface Tracked {
  expiresAt: Date
  /** Containers of the instance. The first is the entry container, to which players connect. */
  members: [Member, ...Member[]]
  state: ObservedState
  /** True while the containers of the instance are being created. */
  isCreating: boolean
}

function aMember(plan: Member['plan'], state: MemberState): Member {
  return { plan, state, isStarting: false, isProbed: false }
}

/**
 * Runs instances as containers of docker or podman on this machine, for trials and development without a cluster. It limits
 * memory, CPU and processes, but neither connections nor storage.
 */
export function createContainerRuntime(options: ContainerRuntimeOptions): InstanceRuntime {
  const { log, settings, pollIntervalMs = 5_000, startTimeoutMs = 60_000 } = options
  const engine = createEngine(options.engine, settings)
  const tracked = new Map<string, Tracked>()
  const listeners = new Set<(id: string) => void>()
  /** Ids of recently deleted instances. A poll that began before the deletion must not add them again. */
  const removed = new Set<string>()
  const inTurn = createKeyedQueue()
  let hasLooked = false
  /** True if the engine may contain networks without containers, for example after a crash of the platform. */
  let mayHaveStrayNetworks = true
  let isClosed = false
  let looking: Promise<void> | undefined
  let looksAgain = false

  const announce = (id: string): void => {
    for (const listener of listeners) listener(id)
  }
  const isTracked = (id: string, instance: Tracked): boolean => tracked.get(id) === instance
  const forget = (id: string): void => {
    if (!tracked.delete(id)) return
    deadlines.refresh()
    announce(id)
  }

  const removeObjects = async (id: string): Promise<void> => {
    try {
      await inTurn(id, () => engine.remove(id))
    } catch (error) {
      mayHaveStrayNetworks = true
      throw error
    }
  }
  const remove = async (id: string): Promise<void> => {
    removed.add(id)
    try {
      await removeObjects(id)
    } catch (error) {
      removed.delete(id)
      throw error
    }
    forget(id)
  }

  const deadlines = createDeadlineTimer({
    clock: options.clock,
    list: () => [...tracked].filter(([id]) => !removed.has(id)).map(([id, { expiresAt }]) => ({ id, at: expiresAt })),
    onDue: (id) =>
      void remove(id).catch((error: unknown) =>
        log.warn({ err: error, instanceId: id }, 'Could not remove an expired container'),
      ),
  })

  /** Updates the state of the instance, and starts containers whose dependencies are met. */
  const advance = (id: string, instance: Tracked): void => {
    if (!isTracked(id, instance) || removed.has(id)) return
    for (const member of instance.members) {
      const { container, state } = member
      if (instance.isCreating || container?.status !== 'created' || state.kind === 'failed' || member.isStarting) continue
      member.state = findDependencyState(member, instance.members) ?? starting
      if (member.state === starting) startMember(id, instance, member, container)
    }
    const state = instanceStateOf(instance.members, settings.publishHost)
    if (JSON.stringify(instance.state) === JSON.stringify(state)) return
    instance.state = state
    announce(id)
  }
  const setState = (id: string, instance: Tracked, member: Member, state: MemberState): void => {
    member.state = state
    advance(id, instance)
  }

  const startMember = (id: string, instance: Tracked, member: Member, { engineName }: EngineContainer): void => {
    member.isStarting = true
    engine.start(engineName).then(
      () => void look(),
      (error: unknown) => {
        if (!isTracked(id, instance) || removed.has(id) || isClosed) return
        log.warn({ err: error, instanceId: id, container: engineName }, 'Could not start a container')
        setState(id, instance, member, startFailure(error))
      },
    )
  }

  /** Returns the probe of a running container, and the time between two probes in ms. */
  const probeOf = ({ plan }: Member, { engineName, published, entryPort }: EngineContainer) => {
    const { line, command, path } = plan.readiness ?? {}
    const stop = () => {}
    if (command !== undefined) return { isThere: () => engine.succeeds(engineName, command), stop, intervalMs: commandIntervalMs }
    if (line !== undefined) return { ...engine.readForLine(engineName, line), intervalMs: probeMs }
    const probed = portOfReadinessProbe(plan, entryPort)
    if (probed === undefined) return { isThere: () => true, stop, intervalMs: probeMs }
    const { publishHost: host } = settings
    // A container that an earlier version of the platform created does not always publish its probed port.
    const port = published[probed] ?? Object.values(published)[0] ?? 0
    const isThere = () =>
      path === undefined ? acceptsConnections(host, port, probeHoldMs) : respondsAtPath(`http://${host}:${port}${path}`)
    return { isThere, stop, intervalMs: path === undefined ? probeMs : commandIntervalMs }
  }
  const probe = async (id: string, instance: Tracked, member: Member, container: EngineContainer): Promise<void> => {
    const { isThere, stop, intervalMs } = probeOf(member, container)
    const { startTimeoutSeconds } = member.plan
    const untilMs = performance.now() + (startTimeoutSeconds === undefined ? startTimeoutMs : startTimeoutSeconds * 1_000)
    const isWaiting = () => !isClosed && isTracked(id, instance) && member.state.kind === 'pending'
    try {
      while (isWaiting()) {
        const isReady = await isThere()
        if (!isWaiting()) return
        if (isReady) return setState(id, instance, member, { kind: 'ready' })
        if (performance.now() > untilMs)
          return setState(id, instance, member, failed('NotAnswering', readyReasons.NotAnswering.message))
        await delay(intervalMs)
      }
    } finally {
      stop()
      member.isProbed = false
    }
  }

  const takeMember = (id: string, instance: Tracked, member: Member, container: EngineContainer): void => {
    member.container = container
    if (container.status === 'exited' || container.status === 'dead') {
      member.state = failed('Crashed', 'The challenge exited.')
    } else if (container.status === 'running' && member.state.kind === 'pending') {
      member.state = starting
      if (member.isProbed) return
      member.isProbed = true
      void probe(id, instance, member, container)
    }
  }

  /** Returns all planned containers of an instance, including missing containers. */
  const membersOf = (containers: readonly EngineContainer[]): [Member, ...Member[]] | undefined => {
    const [one] = containers
    const plans = one?.plan.members?.map((name) => containers.find(({ plan }) => plan.name === name)?.plan ?? { name, ports: [] })
    const [entry, ...further] = plans ?? containers.map(({ plan }) => plan)
    return entry && [aMember(entry, starting), ...further.map((plan) => aMember(plan, starting))]
  }

  /** @param isComplete true if all containers of the instance were created before the list was read */
  const take = (id: string, containers: readonly EngineContainer[], isComplete: boolean): void => {
    const [one] = containers
    if (!one || removed.has(id)) return
    const known = tracked.get(id)
    const members = known?.members ?? membersOf(containers)
    if (!members) return
    const instance = known ?? { expiresAt: one.expiresAt, members, state: starting, isCreating: false }
    if (!known) {
      tracked.set(id, instance)
      deadlines.refresh()
      announce(id)
    }
    for (const member of members) {
      const container = containers.find(({ plan }) => plan.name === member.plan.name)
      if (container) takeMember(id, instance, member, container)
      else if (isComplete && member.state.kind !== 'failed')
        member.state = failed('ContainerFailed', readyReasons.ContainerFailed.message)
    }
    advance(id, instance)
  }

  const removeStrayNetworks = async (): Promise<void> => {
    mayHaveStrayNetworks = false
    try {
      const stray = (await engine.listNetworkOwners()).filter((id) => !tracked.has(id))
      for (const id of stray) if (!tracked.has(id)) await removeObjects(id)
    } catch (error) {
      mayHaveStrayNetworks = true
      throw error
    }
  }

  const lookOnce = async (): Promise<void> => {
    const before = new Set(tracked.keys())
    const creating = new Set([...tracked].filter(([, { isCreating }]) => isCreating).map(([id]) => id))
    const removedBefore = new Set(removed)
    const containers = Map.groupBy(await engine.list(), ({ id }) => id)
    for (const [id, own] of containers) take(id, own, !creating.has(id))
    for (const [id, instance] of tracked) {
      if (!before.has(id) || containers.has(id) || instance.isCreating || instance.members.some(({ container }) => !container))
        continue
      mayHaveStrayNetworks = true
      forget(id)
    }
    for (const id of removedBefore) if (!containers.has(id)) removed.delete(id)
    hasLooked = true
    if (mayHaveStrayNetworks) await removeStrayNetworks()
  }

  /** Polls all containers. If a poll is already running, one more poll starts after it. */
  const look = (): Promise<void> => {
    if (looking) {
      looksAgain = true
      return looking
    }
    const run = async (): Promise<void> => {
      do {
        looksAgain = false
        await lookOnce().catch((error: unknown) => {
          if (!isClosed) log.warn({ err: error }, 'Could not list the containers')
        })
      } while (looksAgain && !isClosed)
    }
    looking = run().finally(() => {
      looking = undefined
    })
    return looking
  }

  const timer = setInterval(() => void look(), pollIntervalMs)
  timer.unref()
  let stopFollowing = (): void => {}
  const follow = (): void => {
    stopFollowing = engine.follow(
      () => void look(),
      () => void (isClosed || setTimeout(() => isClosed || follow(), pollIntervalMs).unref()),
    )
  }
  follow()
  void look()

  const createContainers = async (spec: InstanceSpec, instance: Tracked): Promise<void> => {
    const { id } = spec
    const isWanted = () => isTracked(id, instance) && !removed.has(id)
    const containers = planContainers(spec, settings)
    const fail = (error: unknown, failing: readonly Member[]) => {
      log.warn({ err: error, instanceId: id }, 'Could not create a container')
      for (const member of failing) setState(id, instance, member, startFailure(error))
    }
    const createAll = async (): Promise<void> => {
      for (const network of planNetworks(containers, settings)) {
        if (!isWanted()) return
        if (!(await engine.createNetwork(id, network)))
          log.warn(
            { instanceId: id, network: network.name },
            'This engine cannot close a network. The container reaches the internet',
          )
      }
      for (const [index, container] of containers.entries()) {
        if (!isWanted()) return
        await engine.create(spec, container).catch((error: unknown) => fail(error, instance.members.slice(index, index + 1)))
      }
    }
    await createAll().catch((error: unknown) => fail(error, instance.members))
    instance.isCreating = false
    // The instance was deleted during its start. Delete its objects again, because the first deletion may have missed new
    // objects.
    if (!isWanted()) await removeObjects(id)
    advance(id, instance)
    await look()
  }

  return {
    exposure: 'Proxy',
    async create(spec) {
      if (tracked.has(spec.id)) return
      const containers = planContainers(spec, settings)
      const members = containers.map((container) => {
        const refusal = refuseUnsupportedContainerSettings(container)
        return aMember(container.plan, refusal === undefined ? pulling : failed('NotSupported', refusal))
      }) as Tracked['members']
      const instance: Tracked = {
        expiresAt: spec.expiresAt,
        members,
        state: instanceStateOf(members, settings.publishHost),
        isCreating: true,
      }
      tracked.set(spec.id, instance)
      removed.delete(spec.id)
      deadlines.refresh()
      announce(spec.id)
      if (instance.state.kind === 'failed') return
      void createContainers(spec, instance).catch((error: unknown) =>
        log.warn({ err: error, instanceId: spec.id }, 'Could not remove an unneeded container'),
      )
    },
    async extend(id, expiresAt) {
      const instance = tracked.get(id)
      if (!instance) return
      instance.expiresAt = expiresAt
      deadlines.refresh()
      announce(id)
    },
    async readUsage() {
      if (tracked.size === 0) return new Map()
      const stats = await engine.stats()
      return new Map(
        [...tracked].map(([id, { members }]) => {
          const usages = members.flatMap((member) => {
            const usage = member.container && stats.get(member.container.engineName)
            return usage ? [[nameOfContainer(member), usage] as const] : []
          })
          return [id, new Map(usages)] as const
        }),
      )
    },
    containers: {
      find(id) {
        const instance = removed.has(id) ? undefined : tracked.get(id)
        return instance?.members.map(toObservedContainer)
      },
      async openLog(id, name, options) {
        const member = findContainerByName(tracked.get(id)?.members ?? [], name)
        // A container that the engine could not create has no output.
        if (member?.container === undefined) return member && Readable.from([])
        return engine.openLog(member.container.engineName, options)
      },
    },
    delete: remove,
    find(id) {
      const instance = removed.has(id) ? undefined : tracked.get(id)
      return instance && { id, state: instance.state, expiresAt: instance.expiresAt }
    },
    list: () =>
      hasLooked
        ? [...tracked]
            .filter(([id]) => !removed.has(id))
            .map(([id, { state, expiresAt }]): ObservedInstance => ({ id, state, expiresAt }))
        : undefined,
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    /** Leaves the containers running. After a restart the platform finds them by their labels. */
    async close() {
      isClosed = true
      clearInterval(timer)
      stopFollowing()
      deadlines.close()
      listeners.clear()
      await looking
    },
  }
}
