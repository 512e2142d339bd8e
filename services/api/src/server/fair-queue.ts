export type FairQueueOptions = Readonly<{
  /** Maximum number of tasks that run at the same time. */
  running: number
  /** Maximum number of waiting tasks. A full queue refuses the last task of the caller with the most waiting tasks. */
  maxWaiting: number
  /** Maximum wait of a task, in ms. A task that waits longer is refused. */
  maxWaitMs: number
  refuse: () => Error
}>

type Waiting = Readonly<{
  start: () => void
  refuse: () => void
}>

/** Runs costly tasks, a few at a time. Callers take turns, so a caller with many tasks hardly delays other callers. */
export function createFairQueue({ running, maxWaiting, maxWaitMs, refuse }: FairQueueOptions) {
  /** Waiting tasks, as a map from caller to tasks in order of arrival. The first task of the first caller runs next. */
  const queues = new Map<string, Waiting[]>()
  let active = 0
  let waiting = 0

  const leave = (caller: string, one: Waiting): void => {
    const queue = queues.get(caller) ?? []
    const place = queue.indexOf(one)
    if (place < 0) return
    queue.splice(place, 1)
    if (queue.length === 0) queues.delete(caller)
    waiting -= 1
  }

  const next = (): void => {
    const [first] = queues
    const one = first?.[1][0]
    if (!first || !one) return
    const [caller, queue] = first
    leave(caller, one)
    if (queues.delete(caller)) queues.set(caller, queue)
    active += 1
    one.start()
  }

  /**
   * If the queue is full, refuses the last task of the caller with the most waiting tasks.
   * @returns false if the queue remains full
   */
  const makeRoom = (caller: string): boolean => {
    if (waiting < maxWaiting) return true
    const own = queues.get(caller)?.length ?? 0
    let longest: Waiting[] = []
    for (const queue of queues.values()) if (queue.length > longest.length) longest = queue
    if (longest.length <= own + 1) return false
    longest.at(-1)?.refuse()
    return true
  }

  const turn = async (caller: string): Promise<void> => {
    if (active < running) {
      active += 1
      return
    }
    if (!makeRoom(caller)) throw refuse()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => one.refuse(), maxWaitMs)
    const one: Waiting = {
      start() {
        clearTimeout(timer)
        resolve()
      },
      refuse() {
        clearTimeout(timer)
        leave(caller, one)
        reject(refuse())
      },
    }
    const queue = queues.get(caller)
    if (queue) queue.push(one)
    else queues.set(caller, [one])
    waiting += 1
    await promise
  }

  return async <Result>(caller: string, work: () => Promise<Result>): Promise<Result> => {
    await turn(caller)
    try {
      return await work()
    } finally {
      active -= 1
      next()
    }
  }
}
