import { type ChildProcess, execFile, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readImage } from './image.ts'

export const root: string = fileURLToPath(new URL('..', import.meta.url))

/** Process that answers at a port. */
export interface Server {
  readonly port: number
  readonly pid: number
  stop(): Promise<void>
}

const killAfterMs = 10_000
const startTimeoutMs = 60_000

/** Waits until a process has ended. @param end ends it, by default with SIGTERM */
export const stopProcess = async (child: ChildProcess, end: () => unknown = () => child.kill()): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  const kill = setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  end()
  await ended
  clearTimeout(kill)
}

export const findFreePort = async (): Promise<number> => {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

const bundles = new Map<string, Promise<unknown>>()

/** Builds the bundle that an image runs, once per run. */
const bundle = async (entry: string): Promise<void> => {
  const program = entry.replace(/\.bundle\.mjs$/, '.ts')
  const built =
    bundles.get(entry) ?? promisify(execFile)(process.execPath, ['services/sources/bundle.mjs', program], { cwd: root })
  bundles.set(entry, built)
  await built
}

export interface ServerOptions {
  /** Folder of its Dockerfile. The process runs the same command with the same variables. */
  readonly folder: string
  readonly environment: (port: number) => Readonly<Record<string, string>>
  /** Further flags of Node. */
  readonly flags?: readonly string[]
}

/** Starts a part of the platform like its image and waits until it is ready. */
export const startServer = async ({ folder, environment, flags = [] }: ServerOptions): Promise<Server> => {
  const [port, image] = [await findFreePort(), await readImage(folder)]
  await bundle(image.entry)
  const { PATH = '', HOME = '', KUBECONFIG } = process.env
  const child = spawn(process.execPath, [...flags, ...image.flags, image.entry], {
    cwd: root,
    env: { PATH, HOME, ...(KUBECONFIG && { KUBECONFIG }), ...image.environment, ...environment(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      if (!isReady) output = (output + chunk).slice(-4_000)
    })
  let isReady = false
  const deadlineMs = performance.now() + startTimeoutMs
  while (performance.now() < deadlineMs && child.exitCode === null) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
    isReady = answer?.ok === true
    if (isReady) return { port, pid: child.pid ?? 0, stop: () => stopProcess(child) }
    await delay(100)
  }
  await stopProcess(child)
  throw new Error(`${folder} ended, or was not ready within ${startTimeoutMs / 1000} s:\n${output.trim()}`)
}

/** Child process that answers one order at a time. */
export interface Worker<Order, Answer> {
  readonly pid: number
  ask(order: Order): Promise<Answer>
  stop(): Promise<void>
}

/** Answers the orders of the parent process. */
export const answerOrders = <Order, Answer>(work: (order: Order) => Promise<Answer>): void => {
  process.on('message', (order) => {
    work(order as Order)
      .then((answer) => process.send?.({ answer }))
      .catch((error: unknown) => process.send?.({ error: String(error) }))
  })
  process.on('disconnect', () => process.exit(0))
  // Ctrl-C signals the whole group, and the parent process stops its workers.
  process.on('SIGINT', () => {})
}

/** Starts `file`, which calls `answerOrders`, as a process. */
export const startWorker = <Order, Answer>(
  file: URL,
  flags: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Worker<Order, Answer> => {
  const child = fork(file, {
    env: { ...process.env, ...environment },
    serialization: 'advanced',
    execArgv: [...process.execArgv, ...flags],
  })
  return {
    pid: child.pid ?? 0,
    async ask(order) {
      const ended = new AbortController()
      const failed = once(child, 'exit', { signal: ended.signal }).then(() => {
        throw new Error(`${file.pathname} ended unexpectedly`)
      })
      failed.catch(() => {})
      child.send(order as object)
      const [reply] = await Promise.race([once(child, 'message', { signal: ended.signal }), failed])
      ended.abort()
      if (reply.error !== undefined) throw new Error(reply.error)
      return reply.answer
    },
    stop: () => stopProcess(child, () => child.connected && child.disconnect()),
  }
}
