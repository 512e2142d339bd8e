import dns, { type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { hopConnectMs } from '@capstan/contract/limits'

/** Maximum age, in ms, of cached addresses that are used without a new lookup. */
const freshMs = 2_000
/**
 * Maximum age, in ms, of cached addresses that a call may use while a new lookup runs. With older addresses, the call
 * waits for the lookup.
 */
const usableMs = 60_000
/**
 * Time after a failed connection to an address, in ms. During this time, calls try the address only after all other
 * addresses.
 */
const avoidMs = 10_000

interface Known {
  addresses: readonly LookupAddress[]
  resolvedAt: number
}

type Resolve = (name: string) => Promise<readonly LookupAddress[]>

export type ReplicaLookup = Readonly<{
  lookup: LookupFunction
  /** Moves an address behind all other addresses for a limited time, because a connection to the address failed. */
  avoid: (address: string) => void
  /** Drops the addresses of a name, because connections to all of them failed. */
  forget: (name: string) => void
}>

export type ReplicaLookupOptions = Readonly<{
  resolve?: Resolve
  now?: () => number
  /** Maximum time of a name lookup, in ms. */
  lookupMs?: number
}>

/** Returns all addresses from the system's resolver. */
const resolveAll: Resolve = (name) =>
  new Promise((resolve, reject) =>
    dns.lookup(name, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses))),
  )

/** Rejects after `ms` if the promise is still pending. The system's resolver itself may need half a minute. */
function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(Object.assign(new Error('The name server does not respond'), { code: 'EAI_AGAIN' })), ms)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/**
 * Creates a lookup that returns all replicas of a process. Each call begins with the next replica, which spreads the
 * load. Addresses are cached, so that a slow or absent DNS server delays no call.
 */
export function createReplicaLookup({
  resolve = resolveAll,
  now = () => performance.now(),
  lookupMs = hopConnectMs,
}: ReplicaLookupOptions = {}): ReplicaLookup {
  const known = new Map<string, Known>()
  const pending = new Map<string, Promise<Known>>()
  const avoidedUntil = new Map<string, number>()
  let turn = 0

  const begin = (name: string): Promise<Known> => {
    const answer = within(lookupMs, resolve(name))
      .then((addresses) => {
        const found = { addresses, resolvedAt: now() }
        known.set(name, found)
        return found
      })
      .finally(() => pending.delete(name))
    pending.set(name, answer)
    return answer
  }
  const ask = (name: string): Promise<Known> => pending.get(name) ?? begin(name)

  const find = async (name: string): Promise<Known> => {
    const before = known.get(name)
    if (!before) return ask(name)
    const age = now() - before.resolvedAt
    if (age < freshMs) return before
    const answer = ask(name).catch(() => before)
    return age < usableMs ? before : answer
  }

  const inTurn = (addresses: readonly LookupAddress[]): LookupAddress[] => {
    turn += 1
    const at = turn % Math.max(1, addresses.length)
    const rotated = [...addresses.slice(at), ...addresses.slice(0, at)]
    const isAvoided = ({ address }: LookupAddress) => (avoidedUntil.get(address) ?? 0) > now()
    return [...rotated.filter((each) => !isAvoided(each)), ...rotated.filter(isAvoided)]
  }

  return {
    lookup: (name, options, callback) => {
      find(name).then(
        ({ addresses }) => {
          const [first, ...rest] = inTurn(addresses)
          if (!first) callback(Object.assign(new Error(`${name} has no address`), { code: 'ENOTFOUND' }), '')
          else if (options.all) callback(null, [first, ...rest])
          else callback(null, first.address, first.family)
        },
        (error: NodeJS.ErrnoException) => callback(error, ''),
      )
    },
    avoid: (address) => {
      for (const [each, until] of avoidedUntil) if (until <= now()) avoidedUntil.delete(each)
      avoidedUntil.set(address, now() + avoidMs)
    },
    forget: (name) => void known.delete(name),
  }
}
