import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Duplex } from 'node:stream'
import { listDemoImages } from '../challenges/images.ts'
import {
  type ContainerManifest,
  challengeFolder,
  demoImageName,
  hasSeveralContainers,
  type ManifestProgram,
  type SeveralContainersManifest,
} from '../challenges/manifest.ts'
import { connectToInstance } from './tcp-over-websocket.ts'

/** Demo challenge that runs as a child process on a free port of 127.0.0.1. */
export type DemoProgram = AsyncDisposable &
  Readonly<{
    /** `host:port`. */
    entry: string
    pid: number
    connect(): Promise<Duplex>
    stop(): Promise<void>
  }>

type Instance = Readonly<{ flag?: string; teamId: string }>
type Environment = Readonly<Record<string, string>>

/**
 * Starts the programs of a challenge, like an instance of a player. Players connect to the first program.
 * @throws if a program ends before it listens
 */
export function startDemoProgram(
  manifest: ContainerManifest | SeveralContainersManifest,
  instance: Instance,
): Promise<DemoProgram> {
  if (hasSeveralContainers(manifest)) return startPrograms(manifest, instance)
  const found = listDemoImages().find(({ image }) => image === demoImageName(manifest))
  if (!found) throw new Error(`There is no demo image '${manifest.image}'`)
  return startProgram(found.command, found.cwd, instance)
}

async function startProgram(
  [program, ...args]: readonly [string, ...string[]],
  cwd: string,
  { flag, teamId }: Instance,
  environment: Environment = {},
): Promise<DemoProgram> {
  const child = spawn(program, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...environment, PORT: '0', HOST: '127.0.0.1', TEAM_ID: teamId, ...(flag !== undefined && { FLAG: flag }) },
  })
  const exited = once(child, 'exit')
  const port = await listeningPort(child.stdout)
  const entry = `127.0.0.1:${port}`
  const stop = async () => {
    child.kill()
    await exited
  }
  return {
    entry,
    pid: child.pid ?? 0,
    connect: () => connectToInstance({ entry, baseUrl: 'http://127.0.0.1' }),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Starts each program after its dependencies. The environment variables of a program contain the addresses of its dependencies. */
async function startPrograms({ slug, programs }: SeveralContainersManifest, { flag, teamId }: Instance): Promise<DemoProgram> {
  const [entry] = programs
  const started = new Map<string, DemoProgram>()
  const start = async ({ name, run, environment, dependsOn, receivesFlag }: ManifestProgram): Promise<void> => {
    if (started.has(name)) return
    for (const program of programs) if (dependsOn.includes(program.name)) await start(program)
    const addressOf = (value: string) => {
      const of = programs.find((program) => value === `${program.name}:${program.port}`)
      return started.get(of?.name ?? '')?.entry ?? value
    }
    const variables = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, addressOf(value)]))
    const instance = { teamId, ...(receivesFlag && flag !== undefined && { flag }) }
    started.set(name, await startProgram([process.execPath, ...run.slice(1)], challengeFolder(slug), instance, variables))
  }
  for (const program of programs) await start(program)
  const stop = async () => void (await Promise.all(started.values().map((program) => program.stop())))
  return { ...(started.get(entry.name) as DemoProgram), stop, [Symbol.asyncDispose]: stop }
}

/** Waits for the line `Listening on host:port`, which each program prints. */
async function listeningPort(output: NodeJS.ReadableStream): Promise<number> {
  for await (const line of createInterface({ input: output })) {
    const port = /^Listening on .*:(\d+)$/.exec(line)?.[1]
    if (port) return Number(port)
  }
  throw new Error('The program ended before it listened')
}
