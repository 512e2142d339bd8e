import { type ChildProcess, fork } from 'node:child_process'
import process from 'node:process'

/** A child process that answers one order at a time. */
export type Worker<Order, Answer> = Readonly<{
  pid: number
  ask(order: Order): Promise<Answer>
  stop(): Promise<void>
}>

type Reply = { readonly answer: unknown } | { readonly error: string }

/** In the child: answers the parent's orders, and ends with the parent. */
export function answerOrders<Order, Answer>(work: (order: Order) => Promise<Answer>): void {
  process.on('message', (order) => {
    work(order as Order)
      .then((answer): Reply => ({ answer }))
      .catch((error: unknown): Reply => ({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }))
      .then((reply) => process.send?.(reply))
      .catch(() => process.exit(1))
  })
  process.on('disconnect', () => process.exit(0))
  // Ctrl-C reaches the whole group; the parent decides who ends when.
  process.on('SIGINT', () => {})
}

/** Ends a process: asks first (by `signal`, if it has not been asked already), insists after ten seconds. */
export function stopProcess(child: ChildProcess, signal: NodeJS.Signals | null = 'SIGTERM'): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    const insist = setTimeout(() => child.kill('SIGKILL'), 10_000)
    child.once('exit', () => {
      clearTimeout(insist)
      resolve()
    })
    if (signal) child.kill(signal)
  })
}

/** Starts `file` (which calls `answerOrders`) as a process. @param flags further flags of Node @param environment further variables */
export function startWorker<Order, Answer>(
  file: URL,
  flags: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Worker<Order, Answer> {
  const child = fork(file, {
    env: { ...process.env, ...environment },
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: [...process.execArgv, ...flags],
  })
  return {
    pid: child.pid ?? 0,
    ask: (order) =>
      new Promise((resolve, reject) => {
        const onExit = () => reject(new Error(`${file.pathname} ended unexpectedly`))
        child.once('exit', onExit)
        child.once('message', (reply) => {
          child.off('exit', onExit)
          const { answer, error } = reply as { answer: Answer; error?: string }
          if (error === undefined) resolve(answer)
          else reject(new Error(error))
        })
        child.send(order as object)
      }),
    stop() {
      // Ends by itself then, and writes a profile where one is taken.
      if (child.connected) child.disconnect()
      return stopProcess(child, null)
    },
  }
}
