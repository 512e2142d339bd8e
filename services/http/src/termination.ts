import { constants } from 'node:os'
import process from 'node:process'

/**
 * Resolves with the first termination signal. The next signal exits at once and runs the exit handlers. Process 1 of a
 * container ignores signals without a listener.
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
