import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Duplex } from 'node:stream'
import { listDemoImages } from '../challenges/images.ts'
import { type ContainerManifest, imageName } from '../challenges/manifest.ts'
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

/**
 * Starts the program of a container challenge like an instance of a player.
 * @throws if it ends before it listens
 */
export async function startDemoProgram(
  manifest: ContainerManifest,
  instance: { readonly flag?: string; readonly teamId: string },
): Promise<DemoProgram> {
  const found = listDemoImages().find(({ image }) => image === imageName(manifest))
  if (!found) throw new Error(`There is no demo image '${manifest.image}'`)
  const [program, ...args] = found.command
  const child = spawn(program, args, {
    cwd: found.cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PORT: '0',
      HOST: '127.0.0.1',
      TEAM_ID: instance.teamId,
      ...(instance.flag === undefined ? {} : { FLAG: instance.flag }),
    },
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

/** Waits for the line `Listening on host:port`, which each program prints. */
async function listeningPort(output: NodeJS.ReadableStream): Promise<number> {
  for await (const line of createInterface({ input: output })) {
    const port = /^Listening on .*:(\d+)$/.exec(line)?.[1]
    if (port) return Number(port)
  }
  throw new Error('The program ended before it listened')
}
