import { execFile, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { overridden } from '../lib/environment.ts'
import { imageCommandOf, imageEnvironmentOf } from './image-command.ts'
import { stopProcess } from './worker.ts'

/** A part of the platform, running as it does in a container. */
export type ServerProcess = Readonly<{
  port: number
  pid: number
  stop(): Promise<void>
}>

export type ServerOptions = Readonly<{
  /** For messages. */
  name: string
  /** Its image runs `node [flags] entry` with some variables; so does this. */
  dockerfile: URL
  /** Besides this process' own environment. */
  environment: (port: number) => Readonly<Record<string, string>>
  /** Further flags of Node. */
  flags?: readonly string[]
}>

const startTimeoutMs = 30_000

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('No free port'))))
    })
  })
}

const root = fileURLToPath(new URL('../..', import.meta.url))

const bundles = new Map<string, Promise<unknown>>()

/** Makes the bundle that an image runs, once. Any other entry is there already. */
async function prepareEntry(entry: string): Promise<void> {
  if (!entry.endsWith('.bundle.mjs') || bundles.has(entry)) return void (await bundles.get(entry))
  const program = entry.replace(/\.bundle\.mjs$/, '.ts')
  const bundled = promisify(execFile)(process.execPath, ['services/sources/bundle.mjs', program], { cwd: root })
  bundles.set(entry, bundled)
  await bundled
}

/** Starts the process and waits until /readyz says so. Its log is written as in production, and read by nobody. */
export async function startServerProcess({ name, dockerfile, environment, flags = [] }: ServerOptions): Promise<ServerProcess> {
  const port = await findFreePort()
  const image = await readFile(dockerfile, 'utf8')
  const command = imageCommandOf(image)
  await prepareEntry(command.at(-1) ?? '')
  const child = spawn(process.execPath, [...flags, ...command], {
    cwd: root,
    env: overridden(process.env, { ...imageEnvironmentOf(image), ...environment(port) }),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output = (output + chunk).slice(-4_000)
  })
  const deadlineMs = performance.now() + startTimeoutMs
  while (performance.now() < deadlineMs && child.exitCode === null) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
    if (answer?.ok) return { port, pid: child.pid ?? 0, stop: () => stopProcess(child) }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await stopProcess(child)
  throw new Error(`The ${name} was not ready within ${startTimeoutMs / 1000} s:\n${output.trim()}`)
}
