import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { challengeContainer, flagVariable, teamIdVariable, testTeamId } from '@capstan/challenge-instance/names'
import { readyReasons } from '@capstan/challenge-instance/reasons'
import { Limits } from '@capstan/contract/limits'
import type { Clock } from '../../server/http/clock.ts'
import { createDeadlineTimer } from './deadlines.ts'
import { watchForLine } from './line-reader.ts'
import { createOutputBuffer } from './process/output-buffer.ts'
import { measureProcessUsage } from './process/usage.ts'
import {
  describeSingleContainer,
  type FurtherPorts,
  type InstanceRuntime,
  type InstanceSpec,
  type ObservedInstance,
  type ObservedState,
  resourceLimitsOf,
} from './runtime.ts'
import { acceptsConnections } from './tcp-probe.ts'

/** Local program to start if a challenge uses `image`. */
export type ProcessImage = Readonly<{
  image: string
  command: readonly [string, ...string[]]
  cwd: string
}>

export type ProcessRuntimeOptions = Readonly<{
  clock: Clock
  /** Images that can run. All other images fail. */
  images: readonly ProcessImage[]
  /** Names of environment variables that contain the flag. The variable FLAG always contains the flag, too. */
  flagEnvironmentNames?: readonly string[]
  /** Maximum time until a program listens, in ms. After this time, the program has failed. */
  startTimeoutMs?: number
  /** Maximum number of concurrent processes. Instances beyond this number fail. */
  maxProcesses?: number
}>

const host = '127.0.0.1'
const killGraceMs = 2_000
const probeMs = 25

interface Running {
  readonly spec: InstanceSpec
  expiresAt: Date
  state: ObservedState
  child: ChildProcess | undefined
  readonly output: ReturnType<typeof createOutputBuffer>
  lastExit?: string
}

/**
 * Ports outside the ephemeral range of the system. No other program gets such a port before the challenge listens on
 * it. Connections to the challenge therefore never reach another program.
 */
const ports = { first: 20_000, last: 29_999 }
const portsTried = 1_000

/** Ports of running and starting programs, so that no port is assigned twice. */
const given = new Set<number>()

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
}

function giveBack(taken: readonly number[]): void {
  for (const port of taken) given.delete(port)
}

async function takePorts(count: number): Promise<number[]> {
  const taken: number[] = []
  for (let tries = 0; taken.length < count; tries += 1) {
    if (tries === portsTried) {
      giveBack(taken)
      throw new Error('There are not enough free ports')
    }
    const port = randomInt(ports.first, ports.last + 1)
    if (given.has(port)) continue
    given.add(port)
    if (await isFree(port)) taken.push(port)
    else given.delete(port)
  }
  return taken
}

/**
 * Module that each demo challenge preloads. The module ends the challenge when the standard input closes. The input closes when
 * the api ends, even if the api is killed.
 */
const guardUrl = new URL('./process/end-with-parent.mjs', import.meta.url)

/**
 * Returns the environment of a challenge. It has only the search path of our environment, because other variables contain
 * secrets.
 */
function environmentOf(
  { containers: [entry], flag, teamId }: InstanceSpec,
  port: number,
  furtherPorts: FurtherPorts,
  flagNames: readonly string[],
): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    ...(process.platform === 'win32' && { SystemRoot: process.env.SystemRoot ?? '' }),
    // This option limits only the heap. The runtime has no isolation, so it cannot limit other memory.
    NODE_OPTIONS: `--import=${guardUrl.href} --max-old-space-size=${entry.memoryMb}`,
    HOST: host,
    PORT: String(port),
    ...Object.fromEntries(Object.entries(furtherPorts).map(([number, place]) => [`PORT_${number}`, String(place)])),
    [teamIdVariable]: teamId === undefined ? testTeamId : String(teamId),
    ...(flag !== undefined && Object.fromEntries([flagVariable, ...flagNames].map((name) => [name, flag]))),
  }
}

function failed(reason: string, message: string): ObservedState {
  return { kind: 'failed', reason, message }
}

/**
 * Runs the bundled demo challenges as child processes, to try the platform without a cluster or a container engine. The platform
 * must run as a single api process on one machine. This runtime provides no isolation.
 */
export function createProcessRuntime(options: ProcessRuntimeOptions): InstanceRuntime {
  const images = new Map(options.images.map((image) => [image.image, image]))
  const flagNames = options.flagEnvironmentNames ?? []
  const startTimeoutMs = options.startTimeoutMs ?? 15_000
  const maxProcesses = options.maxProcesses ?? Limits.maxLocalProcesses
  const instances = new Map<string, Running>()
  const listeners = new Set<(id: string) => void>()
  const leaving = new Set<ChildProcess>()

  const announce = (id: string): void => {
    for (const listener of listeners) listener(id)
  }
  const setState = (id: string, running: Running, state: ObservedState): void => {
    if (instances.get(id) !== running) return
    running.state = state
    announce(id)
  }

  const kill = (child: ChildProcess): Promise<void> =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return resolve()
      leaving.add(child)
      const timer = setTimeout(() => child.kill('SIGKILL'), killGraceMs)
      child.once('exit', () => {
        clearTimeout(timer)
        leaving.delete(child)
        resolve()
      })
      child.kill('SIGTERM')
    })

  const remove = async (id: string): Promise<void> => {
    const running = instances.get(id)
    if (!running) return
    instances.delete(id)
    deadlines.refresh()
    announce(id)
    if (running.child) await kill(running.child)
  }

  const deadlines = createDeadlineTimer({
    clock: options.clock,
    list: () => [...instances].map(([id, { expiresAt }]) => ({ id, at: expiresAt })),
    onDue: (id) => void remove(id),
  })

  const awaitReady = async (
    id: string,
    running: Running,
    port: number,
    furtherPorts: FurtherPorts,
    isReady: () => boolean | Promise<boolean>,
  ): Promise<void> => {
    const until = performance.now() + startTimeoutMs
    while (instances.get(id) === running && running.state.kind === 'pending') {
      if (await isReady()) return setState(id, running, { kind: 'ready', host, port, furtherPorts })
      if (performance.now() > until) return setState(id, running, failed('NotAnswering', readyReasons.NotAnswering.message))
      await delay(probeMs)
    }
  }

  const launch = async (id: string, running: Running, image: ProcessImage): Promise<void> => {
    const { furtherPorts: wanted = [], readiness } = running.spec.containers[0].definition
    const taken = await takePorts(1 + wanted.length)
    const [port = 0, ...others] = taken
    const furtherPorts = Object.fromEntries(wanted.map((each, index) => [each, others[index] ?? 0]))
    if (instances.get(id) !== running) return giveBack(taken)
    const [program, ...args] = image.command
    const line = readiness?.line
    const child = spawn(program, args, {
      cwd: image.cwd,
      env: environmentOf(running.spec, port, furtherPorts, flagNames),
      stdio: 'pipe',
      windowsHide: true,
    })
    running.child = child
    child.stdin.on('error', () => {})
    child.once('error', () => {
      giveBack(taken)
      setState(id, running, failed('StartFailed', 'The challenge could not be started.'))
    })
    child.once('exit', (code, signal) => {
      giveBack(taken)
      running.lastExit = signal === null ? `The program ended (exit code ${code})` : `The program ended (${signal})`
      setState(id, running, failed('Crashed', 'The challenge exited.'))
    })
    const outputs = [child.stdout, child.stderr]
    const isReady = line === undefined ? () => acceptsConnections(host, port) : watchForLine(outputs, line)
    for (const output of outputs) output.on('data', running.output.source()).on('error', () => {})
    child.once('close', running.output.end)
    await awaitReady(id, running, port, furtherPorts, isReady)
  }

  const killAll = (): void => {
    for (const { child } of instances.values()) child?.kill('SIGKILL')
    for (const child of leaving) child.kill('SIGKILL')
  }
  process.once('exit', killAll)

  /**
   * Returns the first state of a new instance. The state is failed if the maximum number of processes is reached. Processes that
   * are stopping count, too.
   */
  const admit = (): ObservedState => {
    const taken = [...instances.values()].filter(({ state }) => state.kind !== 'failed').length + leaving.size
    return taken < maxProcesses
      ? { kind: 'pending', reason: 'Starting', message: 'The challenge is starting.' }
      : failed('QuotaExceeded', readyReasons.QuotaExceeded.message)
  }

  const observe = (id: string, { state, expiresAt }: Running): ObservedInstance => ({ id, state, expiresAt })

  return {
    exposure: 'Proxy',
    async create(spec) {
      if (instances.has(spec.id)) return
      const [entry, ...others] = spec.containers
      const image = others.length > 0 ? undefined : images.get(entry.image)
      const refuse = () =>
        others.length > 0
          ? failed('EngineMissing', 'This challenge needs docker, podman or Kubernetes. None of them is available here.')
          : failed('NotBundled', `Only the bundled demo challenges run here, but ${entry.image} is not one of them.`)
      const state = image ? admit() : refuse()
      const running: Running = { spec, expiresAt: spec.expiresAt, state, child: undefined, output: createOutputBuffer() }
      instances.set(spec.id, running)
      deadlines.refresh()
      announce(spec.id)
      if (image && state.kind === 'pending')
        void launch(spec.id, running, image).catch(() =>
          setState(spec.id, running, failed('StartFailed', 'The challenge could not be started.')),
        )
    },
    async extend(id, expiresAt) {
      const running = instances.get(id)
      if (!running) return
      running.expiresAt = expiresAt
      deadlines.refresh()
      announce(id)
    },
    async readUsage() {
      if (process.platform !== 'linux') return undefined
      const usages = await Promise.all(
        [...instances].map(async ([id, { child }]) => [id, child?.pid && (await measureProcessUsage(child.pid))] as const),
      )
      return new Map(usages.flatMap(([id, usage]) => (usage ? [[id, new Map([[challengeContainer, usage]])] as const] : [])))
    },
    containers: {
      find(id) {
        const running = instances.get(id)
        return (
          running && [
            describeSingleContainer(running.state, {
              lastExit: running.lastExit,
              limits: resourceLimitsOf(running.spec.containers[0]),
            }),
          ]
        )
      },
      async openLog(id, container, options) {
        return container === challengeContainer ? instances.get(id)?.output.open(options) : undefined
      },
    },
    delete: remove,
    find(id) {
      const running = instances.get(id)
      return running && observe(id, running)
    },
    list: () => [...instances].map(([id, running]) => observe(id, running)),
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      process.off('exit', killAll)
      deadlines.close()
      const children = [...instances.values()].flatMap(({ child }) => (child ? [child] : []))
      instances.clear()
      listeners.clear()
      await Promise.all(children.map(kill))
    },
  }
}
