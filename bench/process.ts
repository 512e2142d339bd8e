import { type ChildProcess, execFile, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findFreePort } from '@capstan/db/testing/find-free-port'
import { type Image, readImageDockerfile } from './image.ts'

export const root: string = fileURLToPath(new URL('..', import.meta.url))

export type Server = Readonly<{
  port: number
  pid: number
  stop(): Promise<void>
}>

const killAfterMs = 10_000
const startTimeoutMs = 60_000

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  const kill = setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  child.kill()
  await ended
  clearTimeout(kill)
}

/**
 * Starts a service of the platform with the command and environment variables of its image, and waits until it is ready.
 * @param folder folder that contains the Dockerfile of the service
 * @param flags additional command-line options of Node
 */
export async function startServer(
  folder: string,
  environment: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<Server> {
  const [port, image] = [await findFreePort(), await readImageDockerfile(folder)]
  const program = image.entry.replace(/\.bundle\.mjs$/, '.ts')
  await promisify(execFile)(process.execPath, ['services/sources/bundle.mjs', program], { cwd: root })
  const { PATH = '', HOME = '', KUBECONFIG } = process.env
  const addresses = { CAPSTAN_HOST: '127.0.0.1', CAPSTAN_PORT: String(port), CAPSTAN_HEALTH_PORT: String(port) }
  // A process that is killed after `killAfterMs` writes no profile.
  const ending = { CAPSTAN_SHUTDOWN_DELAY_MS: '0' }
  const child = spawn(process.execPath, [...flags, ...image.flags, image.entry], {
    cwd: root,
    env: { PATH, HOME, ...(KUBECONFIG && { KUBECONFIG }), ...addresses, ...ending, ...image.environment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let isReady = false
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => isReady || output.push(String(chunk)))
  const deadlineMs = performance.now() + startTimeoutMs
  while (performance.now() < deadlineMs && child.exitCode === null) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
    isReady = answer?.ok === true
    if (isReady) return { port, pid: child.pid ?? 0, stop: () => stopProcess(child) }
    await delay(100)
  }
  await stopProcess(child)
  throw new Error(`${folder} ended, or was not ready within ${startTimeoutMs / 1000} s:\n${output.join('').slice(-4_000)}`)
}

/** Child process of the bench, with the result that the process reported at its start. */
type Worker<Result> = Readonly<{
  pid: number
  result: Result
  stop(): Promise<void>
}>

/** Waits for a message from the parent process, calls `start` with the message, and sends the result back. */
export function runAsWorker<Order, Result>(start: (order: Order) => Promise<Result>): void {
  process.once('message', async (order) => process.send?.(await start(order as Order)))
  process.on('disconnect', () => process.exit(0))
  // Ignore Ctrl-C, which signals all processes of the group. The parent process stops its workers itself.
  process.on('SIGINT', () => {})
}

/** Runs `file`, which calls `runAsWorker`, in a child process. */
export async function startWorker<Result>(file: URL, order: object, image?: Image): Promise<Worker<Result>> {
  const child = fork(file, {
    env: { ...process.env, ...image?.environment },
    serialization: 'advanced',
    execArgv: [...process.execArgv, ...(image?.flags ?? [])],
  })
  child.send(order)
  const [result] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  if (child.exitCode !== null) throw new Error(`${file.pathname} ended during its start`)
  return { pid: child.pid ?? 0, result, stop: () => stopProcess(child) }
}
