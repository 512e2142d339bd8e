import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough, Readable } from 'node:stream'
import { entryPortLabel, expiryLabel, instanceIdLabel, ownerLabel, planLabel } from '@capstan/challenge-instance/labels'
import { clipLines } from '@capstan/challenge-instance/line-clip'
import { deriveInstanceName } from '@capstan/challenge-instance/names'
import { watchForLine } from '../line-reader.ts'
import type { InstanceSpec, LogOptions, ResourceAmount } from '../runtime.ts'
import type { ContainerPlan, EngineSettings, PlannedContainer, PlannedNetwork } from './plan.ts'
import {
  argumentsOfCreateCommand,
  argumentsOfNetworkConnectCommands,
  argumentsOfNetworkCreateCommand,
  type EngineKind,
  formatVariablesFile,
} from './run-arguments.ts'
import { parseStatsLine, statsFormat } from './stats.ts'

/** Command line of a container engine. For our purposes, `docker` and `podman` take the same arguments. */
export type EngineCommand = Readonly<{
  program: string
  /** Arguments that precede all other arguments, for example the script of an interpreter. */
  prefix?: readonly string[]
}>

export type EngineContainer = Readonly<{
  id: string
  engineName: string
  plan: ContainerPlan
  /** Entry port of the instance. Undefined for additional containers. */
  entryPort: number | undefined
  /** Status of the container as the engine reports it: `created`, `running`, `exited`, … */
  status: string
  expiresAt: Date
  /** Map from container port to host port. Empty if the container is not running. */
  published: Readonly<Record<number, number>>
  /** Reason why the container ended. Undefined if it has not ended. */
  lastExit: string | undefined
}>

export class EngineError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'EngineError'
  }
}

/** Maximum time of a measurement. An engine that takes longer has failed. */
const statsTimeoutMs = 15_000

type Inspected = Readonly<{
  Name?: string
  State?: Readonly<{ Status?: string; ExitCode?: number; OOMKilled?: boolean }>
  Config?: { readonly Labels?: Readonly<Record<string, string>> | null }
  NetworkSettings?: {
    readonly Ports?: Readonly<Record<string, readonly { HostIp?: string; HostPort?: string }[] | null>> | null
  }
}>

/** Fields of an inspected network. podman writes the names of the fields in lower case. */
type InspectedNetwork = Readonly<Record<'Labels' | 'labels', Readonly<Record<string, string>> | null | undefined>>

/** Errors of docker and podman if the object to remove does not exist. */
const missing = /no such container|no such object|no container with|no such network|network not found|unable to find network/i

function exitOf({ Status, ExitCode, OOMKilled }: NonNullable<Inspected['State']> = {}): string | undefined {
  if (Status !== 'exited' && Status !== 'dead') return undefined
  return `The container stopped (${OOMKilled ? 'it used more memory than its limit' : `exit code ${ExitCode}`})`
}

/** @returns undefined for a container that an earlier version of the platform created without a plan */
function readPlan(label: string | undefined): ContainerPlan | undefined {
  return label === undefined ? undefined : (JSON.parse(label) as ContainerPlan)
}

function readContainer({ Name, State, Config, NetworkSettings }: Inspected): EngineContainer | undefined {
  const labels = Config?.Labels ?? {}
  const { [instanceIdLabel]: id, [expiryLabel]: expiresAt, [entryPortLabel]: entry } = labels
  if (!id || !expiresAt) return undefined
  const published = Object.entries(NetworkSettings?.Ports ?? {}).flatMap(([name, bindings]): [number, number][] => {
    const place = Number(bindings?.[0]?.HostPort)
    return place > 0 ? [[Number(name.replace('/tcp', '')), place]] : []
  })
  const plan = readPlan(labels[planLabel]) ?? { ports: published.map(([port]) => port) }
  return {
    id,
    // docker prefixes the name with a slash.
    engineName: Name?.replace(/^\//, '') || deriveInstanceName(id),
    plan,
    entryPort: entry === undefined ? undefined : Number(entry),
    status: State?.Status ?? 'unknown',
    expiresAt: new Date(expiresAt),
    published: Object.fromEntries(published),
    lastExit: exitOf(State),
  }
}

/** Maximum time of one readiness command, in ms. */
const commandTimeoutMs = 10_000

export function createEngine({ program, prefix = [] }: EngineCommand, settings: EngineSettings) {
  /** Runs a command of the engine. Only for commands whose output does not come from a container. */
  const exec = (args: readonly string[], env: Record<string, string> = {}, timeoutMs = 0): Promise<string> =>
    new Promise((resolve, reject) => {
      const maxBuffer = 64 * 1024 * 1024
      const options = { env: { ...process.env, ...env }, maxBuffer, windowsHide: true, timeout: timeoutMs }
      execFile(program, [...prefix, ...args], options, (error, stdout, stderr) => {
        if (error) reject(new EngineError(stderr.trim() || error.message))
        else resolve(stdout)
      })
    })
  const ownFilter = ['--filter', `label=${ownerLabel}=${settings.owner}`]
  const instanceFilter = (id: string) => ['--filter', `label=${instanceIdLabel}=${id}`]
  const lines = async (args: readonly string[]): Promise<string[]> => (await exec(args)).split('\n').filter(Boolean)

  /**
   * Inspects objects. If an object was removed after it was listed, inspects the objects one by one and omits the removed object.
   */
  const inspect = async <T>(command: readonly string[], names: readonly string[]): Promise<T[]> => {
    try {
      return JSON.parse(await exec([...command, ...names])) as T[]
    } catch (error) {
      if (!(error instanceof EngineError && missing.test(error.message))) throw error
      if (names.length === 1) return []
      const each = await Promise.all(names.map((name) => inspect<T>(command, [name])))
      return each.flat()
    }
  }

  let kind: Promise<EngineKind> | undefined
  /** Returns the engine behind the command, because the command `docker` may run podman. */
  const readKind = async (): Promise<EngineKind> => (/podman/i.test(await exec(['--version'])) ? 'podman' : 'docker')

  /** Runs a command that removes objects. Succeeds even if the objects do not exist. */
  const removeIfThere = async (args: readonly string[]): Promise<void> => {
    try {
      await exec(args)
    } catch (error) {
      if (!(error instanceof EngineError && missing.test(error.message))) throw error
    }
  }

  return {
    /**
     * Creates a network. If the engine does not support closed networks, creates an open network.
     * @returns false if the plan requires a closed network, but the network is open
     * @throws EngineError
     */
    async createNetwork(id: string, network: PlannedNetwork): Promise<boolean> {
      kind ??= readKind().catch((error: unknown) => {
        // After a failure, the next call must determine again whether the engine is docker or podman.
        kind = undefined
        throw error
      })
      try {
        await exec(argumentsOfNetworkCreateCommand(id, network, settings, await kind))
        return true
      } catch (error) {
        if (
          network.kind !== 'door' ||
          !(error instanceof EngineError) ||
          !/unsupported\b[^\n]{0,60}\boption/i.test(error.message)
        )
          throw error
        await exec(argumentsOfNetworkCreateCommand(id, { ...network, kind: 'egress' }, settings, await kind))
        return false
      }
    },
    /** Pulls the image if needed, and creates the container in its networks. @throws EngineError with the engine's message */
    async create(spec: InstanceSpec, container: PlannedContainer): Promise<void> {
      const variables = formatVariablesFile(container)
      const folder = variables === '' ? undefined : await mkdtemp(path.join(tmpdir(), 'capstan-'))
      try {
        const file = folder && path.join(folder, 'variables')
        if (file !== undefined) await writeFile(file, variables, { mode: 0o600 })
        const { args, env } = argumentsOfCreateCommand(spec, container, settings, file)
        await exec(args, env)
      } finally {
        if (folder !== undefined) await rm(folder, { recursive: true, force: true })
      }
      for (const args of argumentsOfNetworkConnectCommands(container)) await exec(args)
    },
    async start(name: string): Promise<void> {
      await exec(['start', name])
    },
    /** Removes the containers of an instance, then its networks. */
    async remove(id: string): Promise<void> {
      const names = await lines(['ps', '--all', '--quiet', '--no-trunc', ...instanceFilter(id)])
      if (names.length > 0) await removeIfThere(['rm', '--force', '--volumes', ...names])
      const networks = await lines(['network', 'ls', '--format', '{{.Name}}', ...instanceFilter(id)])
      for (const name of networks) await removeIfThere(['network', 'rm', name])
    },
    async list(): Promise<EngineContainer[]> {
      const names = await lines(['ps', '--all', '--quiet', '--no-trunc', ...ownFilter])
      if (names.length === 0) return []
      const inspected = await inspect<Inspected>(['inspect', '--type', 'container'], names)
      return inspected.flatMap((each) => readContainer(each) ?? [])
    },
    /** Returns the ids of the instances that have networks. */
    async listNetworkOwners(): Promise<string[]> {
      const names = await lines(['network', 'ls', '--format', '{{.Name}}', ...ownFilter])
      if (names.length === 0) return []
      const inspected = await inspect<InspectedNetwork>(['network', 'inspect'], names)
      const labels = inspected.map((network) => network.Labels ?? network.labels)
      return [...new Set(labels.flatMap((each) => each?.[instanceIdLabel] ?? []))]
    },
    /** True if the program ends with code 0 in the container. Its output is discarded, because it may be of any length. */
    succeeds(name: string, command: readonly string[]): Promise<boolean> {
      return new Promise((resolve) => {
        const child = spawn(program, [...prefix, 'exec', name, ...command], {
          stdio: 'ignore',
          windowsHide: true,
          timeout: commandTimeoutMs,
        })
        child.once('error', () => resolve(false))
        child.once('exit', (code) => resolve(code === 0))
      })
    },
    /**
     * Returns the usage of every running container of the machine, by container name. The call takes one or two seconds.
     * @throws EngineError
     */
    async stats(): Promise<Map<string, ResourceAmount>> {
      const output = (await exec(['stats', '--no-stream', '--format', statsFormat], {}, statsTimeoutMs)).split('\n')
      const known = output.flatMap((line) => parseStatsLine(line.trim()) ?? [])
      return new Map(known.map(({ name, ...usage }) => [name, usage]))
    },
    /**
     * Searches the output of a container, from its beginning, for a line that contains `text`. `isThere` returns true once such a
     * line was read. `stop` ends the search.
     */
    readForLine(name: string, text: string): { isThere(): boolean; stop(): void } {
      const child = spawn(program, [...prefix, 'logs', '--follow', name], {
        stdio: ['ignore', 'pipe', 'pipe'],
        windowsHide: true,
      })
      child.once('error', () => {})
      return { isThere: watchForLine([child.stdout, child.stderr], text), stop: () => void child.kill() }
    },
    /** Opens the output of a container. Very long lines are truncated. */
    openLog(name: string, { tailLines, follow, signal }: LogOptions): Readable {
      const options = ['--tail', String(tailLines), ...(follow ? ['--follow'] : [])]
      const child = spawn(program, [...prefix, 'logs', ...options, name], {
        stdio: ['ignore', 'pipe', 'pipe'],
        windowsHide: true,
        signal,
      })
      const output = new PassThrough().on('error', () => {})
      child.once('error', (error) => output.destroy(error))
      child.once('close', () => output.end())
      for (const part of [child.stdout, child.stderr]) part.pipe(output, { end: false })
      return Readable.from(clipLines(output))
    },
    /** Calls `onEvent` for every event of our containers. @returns a function that ends the calls */
    follow(onEvent: () => void, onEnd: () => void): () => void {
      const child = spawn(program, [...prefix, 'events', ...ownFilter, '--format', '{{json .}}'], {
        stdio: ['ignore', 'pipe', 'ignore'],
        windowsHide: true,
      })
      let isOver = false
      const end = (): void => {
        if (!isOver) onEnd()
        isOver = true
      }
      const events = createInterface({ input: child.stdout })
      events.on('line', onEvent)
      events.on('error', end)
      child.once('error', end)
      child.once('exit', end)
      return () => {
        isOver = true
        child.kill()
      }
    },
  }
}

export type Engine = ReturnType<typeof createEngine>

/** Returns docker or, if it does not respond, podman. @returns undefined if neither responds */
export async function findEngine(): Promise<EngineCommand | undefined> {
  for (const program of ['docker', 'podman']) {
    const answers = await new Promise<boolean>((resolve) => {
      execFile(program, ['ps', '--quiet'], { timeout: 5_000, windowsHide: true }, (error) => resolve(error === null))
    })
    if (answers) return { program }
  }
  return undefined
}
