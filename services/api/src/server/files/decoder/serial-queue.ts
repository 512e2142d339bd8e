import { Problem } from '@capstan/contract/problems'

export interface SerialQueue {
  /**
   * Runs `work` after all earlier work is done.
   * @throws Problem `request.rate-limited` if too much work waits, or if this work has waited too long
   */
  run<Result>(work: () => Promise<Result>): Promise<Result>
}

/** Creates a queue that runs one task at a time, in order of arrival. */
export function createSerialQueue({ waiting, maxWaitMs }: { readonly waiting: number; readonly maxWaitMs: number }): SerialQueue {
  const row = new Set<() => void>()
  let isBusy = false
  const refusal = (): Problem => new Problem('request.rate-limited', { retryAfterSeconds: maxWaitMs / 1000 })

  const turn = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const go = (): void => {
        row.delete(go)
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        row.delete(go)
        reject(refusal())
      }, maxWaitMs)
      row.add(go)
    })

  return {
    async run(work) {
      if (isBusy && row.size >= waiting) throw refusal()
      if (isBusy) await turn()
      isBusy = true
      try {
        return await work()
      } finally {
        const [next] = row
        // Start the next task directly, so that no later call overtakes it.
        if (next) next()
        else isBusy = false
      }
    },
  }
}
