export interface FairTurnsOptions {
  /** At the same time. */
  readonly running: number
  /** More than this do not wait, they are refused. */
  readonly waitingMax: number
  readonly refuse: () => Error
}

/**
 * Runs costly work a few at a time. Callers take turns, so that whoever asks for much waits for itself: somebody else's next piece
 * comes after one of each caller who waits, however many those have left.
 */
export const createFairTurns = ({ running, waitingMax, refuse }: FairTurnsOptions) => {
  /** Whose turn is next comes first; within a caller in order of arrival. */
  const queues = new Map<string, (() => void)[]>()
  let underWay = 0
  let waiting = 0

  const next = (): void => {
    const [first] = queues
    if (!first) return
    const [caller, queue] = first
    const start = queue.shift()
    queues.delete(caller)
    if (queue.length > 0) queues.set(caller, queue)
    waiting -= 1
    underWay += 1
    start?.()
  }

  const turn = async (caller: string): Promise<void> => {
    if (underWay < running) {
      underWay += 1
      return
    }
    if (waiting >= waitingMax) throw refuse()
    waiting += 1
    const { promise, resolve } = Promise.withResolvers<void>()
    const queue = queues.get(caller) ?? []
    queue.push(resolve)
    queues.set(caller, queue)
    await promise
  }

  return async <Result>(caller: string, work: () => Promise<Result>): Promise<Result> => {
    await turn(caller)
    try {
      return await work()
    } finally {
      underWay -= 1
      next()
    }
  }
}
