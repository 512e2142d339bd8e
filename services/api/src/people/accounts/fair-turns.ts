export type FairTurnsOptions = Readonly<{
  /** At the same time. */
  running: number
  /** More than this do not wait: of the caller who has most, the last is refused. */
  waitingMax: number
  /** Who has waited for longer is refused. */
  maxWaitMs: number
  refuse: () => Error
}>

type Waiting = Readonly<{
  start: () => void
  refuse: () => void
}>

/**
 * Runs costly work a few at a time. Callers take turns, so that whoever asks for much waits for itself: somebody else's next piece
 * comes after one of each caller who waits, however many those have left. Nor can one caller fill the room: where it is full, who has
 * most in it makes place for others.
 */
export function createFairTurns({ running, waitingMax, maxWaitMs, refuse }: FairTurnsOptions) {
  /** Whose turn is next comes first; within a caller in order of arrival. */
  const queues = new Map<string, Waiting[]>()
  let underWay = 0
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
    underWay += 1
    one.start()
  }

  /** @returns whether there is room for one more of this caller */
  const makeRoom = (caller: string): boolean => {
    if (waiting < waitingMax) return true
    const own = queues.get(caller)?.length ?? 0
    let longest: Waiting[] = []
    for (const queue of queues.values()) if (queue.length > longest.length) longest = queue
    if (longest.length <= own + 1) return false
    longest.at(-1)?.refuse()
    return true
  }

  const turn = async (caller: string): Promise<void> => {
    if (underWay < running) {
      underWay += 1
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
      underWay -= 1
      next()
    }
  }
}
