import { addressNetworkKey, limitKeyOfIpAddress } from '@capstan/contract/addresses'

/** Caller of a queue: a user, or else a client address. */
export type QueueCaller = Readonly<{
  /** Network of the caller's address. A client can easily act as many callers, but hardly from many networks. */
  network: string
  key: string
}>

/** @param userId absent if the request has no user */
export function queueCallerOf(address: string, userId?: string): QueueCaller {
  return { network: addressNetworkKey(address), key: userId ?? limitKeyOfIpAddress(address) }
}

/** Caller for tasks of the platform itself. */
export const platformCaller: QueueCaller = { network: 'platform', key: 'platform' }

export type FairQueueOptions = Readonly<{
  /** Maximum number of tasks that run at the same time. */
  running: number
  /** Maximum number of waiting tasks. */
  maxWaiting: number
  /** Maximum wait of a task, in ms. A task that waits longer is refused. */
  maxWaitMs: number
  refuse: () => Error
}>

export type TaskOptions = Readonly<{
  /** True if the task is never refused, for example because its response has begun. It waits without a limit. */
  isPatient?: boolean
}>

type Waiting = Readonly<{
  start: () => void
  /** Removes the task from the queue, and rejects its promise. A patient task has no such function. */
  refuse?: () => void
}>

/** Waiting tasks by caller, in order of arrival. The first task of the first caller runs next. */
type Callers = Map<string, Waiting[]>

function countTasks(callers: Callers | undefined): number {
  return callers?.values().reduce((sum, queue) => sum + queue.length, 0) ?? 0
}

/** Moves an entry to the end of a map, if the map contains it. */
function moveToEnd<Value>(map: Map<string, Value>, key: string): void {
  const value = map.get(key)
  if (value !== undefined && map.delete(key)) map.set(key, value)
}

/**
 * Runs costly tasks, a few at a time. Networks take turns, and the callers of a network take turns within it. A full queue
 * selects the network with the most waiting tasks, and in this network the caller with the most waiting tasks. The queue refuses
 * the last task of this caller. Patient tasks are never refused.
 */
export function createFairQueue({ running, maxWaiting, maxWaitMs, refuse }: FairQueueOptions) {
  const networks = new Map<string, Callers>()
  let active = 0
  let waiting = 0

  const leave = ({ network, key }: QueueCaller, one: Waiting): void => {
    const callers = networks.get(network)
    const queue = callers?.get(key)
    const place = queue?.indexOf(one) ?? -1
    if (!callers || !queue || place < 0) return
    queue.splice(place, 1)
    if (queue.length === 0) callers.delete(key)
    if (callers.size === 0) networks.delete(network)
    waiting -= 1
  }

  const next = (): void => {
    const [first] = networks
    if (!first) return
    const [network, callers] = first
    const [[key, [one]] = ['', []]] = callers
    if (!one) return
    leave({ network, key }, one)
    moveToEnd(callers, key)
    moveToEnd(networks, network)
    active += 1
    one.start()
  }

  /**
   * If the queue is full, refuses a waiting task to make room for a task of this caller.
   * @returns false if no waiting task was refused, so that the queue remains full
   */
  const makeRoom = ({ network, key }: QueueCaller): boolean => {
    if (waiting < maxWaiting) return true
    const own = networks.get(network)
    const ownTasks = countTasks(own)
    let [most, maxTasks] = [own, ownTasks]
    for (const callers of networks.values()) {
      const tasks = countTasks(callers)
      if (tasks > maxTasks) [most, maxTasks] = [callers, tasks]
    }
    const crowded = maxTasks > ownTasks + 1 ? most : own
    let longest: Waiting[] = []
    for (const queue of crowded?.values() ?? []) if (queue.length > longest.length) longest = queue
    if (crowded === own && longest.length <= (own?.get(key)?.length ?? 0) + 1) return false
    const last = longest.findLast(({ refuse }) => refuse)
    last?.refuse?.()
    return last !== undefined
  }

  const turn = async (caller: QueueCaller, isPatient: boolean): Promise<void> => {
    if (active < running) {
      active += 1
      return
    }
    if (!isPatient && !makeRoom(caller)) throw refuse()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = isPatient ? undefined : setTimeout(() => one.refuse?.(), maxWaitMs)
    const one: Waiting = {
      start() {
        clearTimeout(timer)
        resolve()
      },
      ...(!isPatient && {
        refuse() {
          clearTimeout(timer)
          leave(caller, one)
          reject(refuse())
        },
      }),
    }
    const callers = networks.get(caller.network) ?? new Map<string, Waiting[]>()
    networks.set(caller.network, callers)
    callers.set(caller.key, [...(callers.get(caller.key) ?? []), one])
    waiting += 1
    await promise
  }

  return async <Result>(
    caller: QueueCaller,
    work: () => Promise<Result>,
    { isPatient = false }: TaskOptions = {},
  ): Promise<Result> => {
    await turn(caller, isPatient)
    try {
      return await work()
    } finally {
      active -= 1
      next()
    }
  }
}
