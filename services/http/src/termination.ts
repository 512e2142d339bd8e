import { constants } from 'node:os'
import process from 'node:process'

/**
 * Resolves at the first termination signal. The next signal runs the exit handlers and exits at once. A listener is necessary,
 * because process 1 of a container otherwise ignores signals.
 */
export function waitForTermination(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isShuttingDown = false
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (isShuttingDown) process.exit(128 + constants.signals[signal])
        isShuttingDown = true
        resolve(signal)
      })
    }
  })
}
