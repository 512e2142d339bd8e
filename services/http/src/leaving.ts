import { constants } from 'node:os'
import process from 'node:process'

/**
 * Resolves with the signal that asks this process to leave. The next one ends it at once, with what listens for its exit: a
 * process that is number 1 of a container would ignore a signal that nobody listens to.
 */
export const untilAskedToLeave = (): Promise<NodeJS.Signals> =>
  new Promise((resolve) => {
    let isLeaving = false
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (isLeaving) process.exit(128 + constants.signals[signal])
        isLeaving = true
        resolve(signal)
      })
    }
  })
