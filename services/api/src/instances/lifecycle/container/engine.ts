import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough, Readable } from 'node:stream'
import { entryPortLabel, expiryLabel, instanceIdLabel, ownerLabel, readyLineLabel } from '@capstan/challenge-instance/labels'
import { clipLines } from '@capstan/challenge-instance/line-clip'
import { instanceName } from '@capstan/challenge-instance/names'
import { readForLine } from '../line-reader.ts'
import type { FurtherPorts, InstanceAddress, InstanceSpec, LogOptions, MeasuredUsage } from '../runtime.ts'
import { type EngineSettings, fileVariables, runArguments } from './run-arguments.ts'
import { readStatsLine, statsFormat } from './stats.ts'

/** Command line of a container engine. For our purposes, `docker` and `podman` take the same arguments. */
export type EngineCommand = Readonly<{
  program: string
  /** Arguments that precede all others, for example the script of an interpreter. */
  prefix?: readonly string[]
}>

export type EngineContainer = Readonly<{
  id: string
  name: string
  /** Status as the engine reports it: `created`, `running`, `exited`, … */
  status: string
  expiresAt: Date
  /** Address of the published ports. Undefined if the container is not running. */
  address: PublishedAddress | undefined
  /** Text of the line that reports readiness. If undefined, readiness is probed at the port. */
  readyLine: string | undefined
  /** Reason why the container ended. Undefined if it has not ended. */
  lastExit: string | undefined
}>

export type PublishedAddress = InstanceAddress & { readonly furtherPorts: FurtherPorts }

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
  State?: { readonly Status?: string; readonly ExitCode?: number; readonly OOMKilled?: boolean }
  Config?: { readonly Labels?: Readonly<Record<string, string>> | null }
  NetworkSettings?: {
    readonly Ports?: Readonly<Record<string, readonly { HostIp?: string; HostPort?: string }[] | null>> | null
  }
}>

function exitOf({ Status, ExitCode, OOMKilled }: NonNullable<Inspected['State']> = {}): string | undefined {
  if (Status !== 'exited' && Status !== 'dead') return undefined
  return `The container stopped (${OOMKilled ? 'it used more memory than its limit' : `exit code ${ExitCode}`})`
}

function readContainer({ Name, State, Config, NetworkSettings }: Inspected, publishHost: string): EngineContainer | undefined {
  const id = Config?.Labels?.[instanceIdLabel]
  const expiresAt = Config?.Labels?.[expiryLabel]
  if (!id || !expiresAt) return undefined
  const published = Object.entries(NetworkSettings?.Ports ?? {}).flatMap(([name, bindings]): [string, number][] => {
    const place = Number(bindings?.[0]?.HostPort)
    return place > 0 ? [[name.replace('/tcp', ''), place]] : []
  })
  const entry = Config?.Labels?.[entryPortLabel]
  // A container of an earlier version has only one port.
  const [, port] = published.find(([name]) => entry === undefined || name === entry) ?? []
  const furtherPorts = Object.fromEntries(published.filter(([name]) => name !== entry))
  return {
    id,
    // docker prefixes the name with a slash.
    name: Name?.replace(/^\//, '') || instanceName(id),
    status: State?.Status ?? 'unknown',
    expiresAt: new Date(expiresAt),
    address: port === undefined ? undefined : { host: publishHost, port, furtherPorts },
    readyLine: Config?.Labels?.[readyLineLabel],
    lastExit: exitOf(State),
  }
}

export function createEngine({ program, prefix = [] }: EngineCommand, settings: EngineSettings) {
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

  return {
    /** Pulls the image if needed, creates the container and starts it. @throws EngineError with the engine's message */
    async run(spec: InstanceSpec): Promise<void> {
      const variables = fileVariables(spec)
      if (variables === '') {
        const { args, env } = runArguments(spec, settings)
        await exec(args, env)
        return
      }
      const folder = await mkdtemp(path.join(tmpdir(), 'capstan-'))
      try {
        const file = path.join(folder, 'variables')
        await writeFile(file, variables, { mode: 0o600 })
        const { args, env } = runArguments(spec, settings, file)
        await exec(args, env)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
    async remove(name: string): Promise<void> {
      try {
        await exec(['rm', '--force', '--volumes', name])
      } catch (error) {
        if (!(error instanceof EngineError && /no such container|no container with/i.test(error.message))) throw error
      }
    },
    async list(): Promise<EngineContainer[]> {
      const names = (await exec(['ps', '--all', '--quiet', '--no-trunc', ...ownFilter])).split('\n').filter(Boolean)
      if (names.length === 0) return []
      const inspected = JSON.parse(await exec(['inspect', '--type', 'container', ...names])) as Inspected[]
      return inspected.flatMap((each) => readContainer(each, settings.publishHost) ?? [])
    },
    /**
     * Returns the usage of every running container of the machine, by container name. The call takes one or two seconds.
     * @throws EngineError
     */
    async stats(): Promise<Map<string, MeasuredUsage>> {
      const lines = (await exec(['stats', '--no-stream', '--format', statsFormat], {}, statsTimeoutMs)).split('\n')
      const known = lines.flatMap((line) => readStatsLine(line.trim()) ?? [])
      return new Map(known.map(({ name, ...usage }) => [name, usage]))
    },
    /**
     * Reads the output of a container from its beginning. `isThere` returns true once a line contains the text. `stop` stops
     * reading.
     */
    readForLine(name: string, text: string): { isThere(): boolean; stop(): void } {
      const child = spawn(program, [...prefix, 'logs', '--follow', name], {
        stdio: ['ignore', 'pipe', 'pipe'],
        windowsHide: true,
      })
      child.once('error', () => {})
      return { isThere: readForLine([child.stdout, child.stderr], text), stop: () => void child.kill() }
    },
    /** Opens the output of a container, without the end of very long lines. */
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
    /** Calls `onEvent` for every event of our containers. @returns a function that stops it */
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
      const lines = createInterface({ input: child.stdout })
      lines.on('line', onEvent)
      lines.on('error', end)
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
