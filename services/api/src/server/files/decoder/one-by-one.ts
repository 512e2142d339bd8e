import { Problem } from '@capstan/contract/problems'

export interface OneByOne {
  /**
   * Does `work` when all that came before is done.
   * @throws Problem `request.rate-limited` when too many wait already, or when it waited too long
   */
  run<Result>(work: () => Promise<Result>): Promise<Result>
}

/** One work at a time, in the order of coming. */
export function createOneByOne({ waiting, maxWaitMs }: { readonly waiting: number; readonly maxWaitMs: number }): OneByOne {
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
        // The place goes to the next waiting work at once, so that no later call gets in between.
        if (next) next()
        else isBusy = false
      }
    },
  }
}
