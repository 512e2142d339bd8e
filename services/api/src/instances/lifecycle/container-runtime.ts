import { challengeContainer, formerInstanceName, instanceName } from '@capstan/challenge-instance/names'
import { readyReasons } from '@capstan/challenge-instance/reasons'
import type { Clock } from '../../server/http/clock.ts'
import { createEngine, type EngineCommand, type EngineContainer, EngineError, type PublishedAddress } from './container/engine.ts'
import { type EngineSettings, refuseSpec } from './container/run-arguments.ts'
import { createDeadlines } from './deadlines.ts'
import { type InstanceRuntime, type InstanceSpec, type ObservedInstance, type ObservedState, onlyContainer } from './runtime.ts'
import { acceptsConnections } from './tcp-probe.ts'

export type ContainerRuntimeOptions = Readonly<{
  clock: Clock
  engine: EngineCommand
  settings: EngineSettings
  log: { warn(fields: object, text: string): void }
  /** Time between two polls of all containers, in ms. Polls run even if the engine reports no events. */
  pollIntervalMs?: number
  /** Maximum time until a container accepts connections on its port, in ms. After this time it has failed. */
  startTimeoutMs?: number
}>

const probeMs = 100
/**
 * Time for which a probe's connection must stay open, in ms. A port forwarder accepts a connection, and closes it at once if the
 * container does not listen yet.
 */
const probeHoldMs = 60

const starting: ObservedState = { kind: 'pending', reason: 'Starting', message: 'The challenge is starting.' }
const pulling: ObservedState = { kind: 'pending', reason: 'Pulling', message: 'The image of the challenge is being downloaded.' }

function failed(reason: string, message: string): ObservedState {
  return { kind: 'failed', reason, message }
}

/** Errors of docker and podman if they cannot get an image. */
const pullFailure =
  /unable to find image|pull access denied|manifest unknown|not found|no such image|initializing source|invalid reference/i

function startFailure(error: unknown): ObservedState {
  return error instanceof EngineError && pullFailure.test(error.message)
    ? failed('ImagePullFailed', readyReasons.ImagePullFailed.message)
    : failed('ContainerFailed', readyReasons.ContainerFailed.message)
}

interface Tracked {
  readonly name: string
  expiresAt: Date
  state: ObservedState
  /** If undefined, the default applies. */
  readonly startTimeoutMs?: number | undefined
  isStarting: boolean
  lastExit?: string | undefined
}

/**
 * Runs instances as containers of docker or podman on this machine, for trials and development without a cluster. It limits
 * memory, CPU and processes, but neither connections nor storage.
 */
export function createContainerRuntime(options: ContainerRuntimeOptions): InstanceRuntime {
  const { log, pollIntervalMs = 5_000, startTimeoutMs = 60_000 } = options
  const engine = createEngine(options.engine, options.settings)
  const tracked = new Map<string, Tracked>()
  const listeners = new Set<(id: string) => void>()
  /** Ids of recently deleted instances. A poll that began before the deletion must not add them again. */
  const removed = new Set<string>()
  let hasLooked = false
  let isClosed = false
  let looking: Promise<void> | undefined
  let looksAgain = false

  const announce = (id: string): void => {
    for (const listener of listeners) listener(id)
  }
  const setState = (id: string, instance: Tracked, state: ObservedState): void => {
    if (tracked.get(id) !== instance || JSON.stringify(instance.state) === JSON.stringify(state)) return
    instance.state = state
    announce(id)
  }
  const forget = (id: string): void => {
    if (!tracked.delete(id)) return
    deadlines.refresh()
    announce(id)
  }

  const remove = async (id: string): Promise<void> => {
    removed.add(id)
    try {
      const known = tracked.get(id)
      // Before the first poll, the container may still have a name of an earlier version.
      for (const name of known ? [known.name] : [instanceName(id), formerInstanceName(id)]) await engine.remove(name)
    } catch (error) {
      removed.delete(id)
      throw error
    }
    forget(id)
  }

  const deadlines = createDeadlines({
    clock: options.clock,
    list: () => [...tracked].filter(([id]) => !removed.has(id)).map(([id, { expiresAt }]) => ({ id, at: expiresAt })),
    onDue: (id) =>
      void remove(id).catch((error: unknown) =>
        log.warn({ err: error, instanceId: id }, 'Could not remove an expired container'),
      ),
  })

  const awaitReady = async (
    id: string,
    instance: Tracked,
    address: PublishedAddress,
    isReady: () => boolean | Promise<boolean>,
  ): Promise<void> => {
    const untilMs = performance.now() + (instance.startTimeoutMs ?? startTimeoutMs)
    while (!isClosed && tracked.get(id) === instance && instance.state.kind === 'pending') {
      if (await isReady()) return setState(id, instance, { kind: 'ready', ...address })
      if (performance.now() > untilMs) return setState(id, instance, failed('NotAnswering', readyReasons.NotAnswering.message))
      await new Promise((resolve) => setTimeout(resolve, probeMs))
    }
  }
  const probing = new Set<string>()
  const probe = (id: string, instance: Tracked, address: PublishedAddress, line: string | undefined): void => {
    if (probing.has(id)) return
    probing.add(id)
    const reading = line === undefined ? undefined : engine.readForLine(instance.name, line)
    const isReady = reading?.isThere ?? (() => acceptsConnections(address.host, address.port, probeHoldMs))
    void awaitReady(id, instance, address, isReady).finally(() => {
      reading?.stop()
      probing.delete(id)
    })
  }

  const take = (container: EngineContainer): void => {
    const { id } = container
    if (removed.has(id)) return
    const { name, expiresAt } = container
    const instance = tracked.get(id) ?? { name, expiresAt, state: starting, isStarting: false }
    const isNew = !tracked.has(id)
    instance.isStarting = false
    instance.lastExit = container.lastExit
    tracked.set(id, instance)
    if (isNew) {
      deadlines.refresh()
      announce(id)
    }
    if (container.status === 'exited' || container.status === 'dead')
      setState(id, instance, failed('Crashed', 'The challenge exited.'))
    else if (container.address && instance.state.kind === 'pending') probe(id, instance, container.address, container.readyLine)
  }

  const lookOnce = async (): Promise<void> => {
    const before = new Set(tracked.keys())
    const removedBefore = new Set(removed)
    const containers = await engine.list()
    const present = new Set(containers.map(({ id }) => id))
    for (const container of containers) take(container)
    for (const [id, instance] of tracked) if (before.has(id) && !present.has(id) && !instance.isStarting) forget(id)
    for (const id of removedBefore) if (!present.has(id)) removed.delete(id)
    hasLooked = true
  }

  /** Polls all containers. A call during a poll causes one more poll after it. */
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

  const start = async (spec: InstanceSpec, instance: Tracked): Promise<void> => {
    try {
      await engine.run(spec)
    } catch (error) {
      log.warn({ err: error, instanceId: spec.id }, 'Could not start a container')
      setState(spec.id, instance, startFailure(error))
      return
    }
    // The instance was deleted during its start. The engine may have looked for the container before it existed.
    if (removed.has(spec.id) || tracked.get(spec.id) !== instance) await engine.remove(instance.name)
    await look()
  }

  return {
    exposure: 'Proxy',
    async create(spec) {
      if (tracked.has(spec.id)) return
      const refusal = refuseSpec(spec)
      const seconds = spec.container.startTimeoutSeconds
      const instance: Tracked = {
        name: instanceName(spec.id),
        expiresAt: spec.expiresAt,
        state: refusal === undefined ? pulling : failed('NotSupported', refusal),
        startTimeoutMs: seconds === undefined ? undefined : seconds * 1_000,
        isStarting: true,
      }
      tracked.set(spec.id, instance)
      removed.delete(spec.id)
      deadlines.refresh()
      announce(spec.id)
      if (refusal !== undefined) return
      void start(spec, instance).catch((error: unknown) =>
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
        [...tracked].flatMap(([id, { name }]) => {
          const usage = stats.get(name)
          return usage ? [[id, usage] as const] : []
        }),
      )
    },
    containers: {
      find(id) {
        const instance = removed.has(id) ? undefined : tracked.get(id)
        return instance && [onlyContainer(instance.state, instance.lastExit)]
      },
      async openLog(id, container, options) {
        const instance = tracked.get(id)
        return instance && container === challengeContainer ? engine.openLog(instance.name, options) : undefined
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
