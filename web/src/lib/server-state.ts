import type { Operation, ResponseOf } from '@capstan/contract/operation'
import { operations } from '@capstan/contract/operations'
import { useEffect, useId, useLayoutEffect } from 'react'
import useSWR, {
  mutate as mutateDefaultCache,
  type ScopedMutator,
  type SWRConfiguration,
  type SWRResponse,
  useSWRConfig,
} from 'swr'
import { serverNow } from './clock.ts'
import { type AddressInput, ApiError, addressOfCall, call, type TransportError } from './http.ts'
import { readTimes, useStaleReads } from './stale-reads.ts'

/** Every possible error of a read. */
export type CallFailure = ApiError | TransportError

function seconds(count: number) {
  return count * 1000
}

/** Returns the default SWR options for reading data. */
export function getRefreshRules(slowConnection: boolean): SWRConfiguration<unknown, CallFailure> {
  return {
    refreshInterval: seconds(10),
    errorRetryInterval: seconds(slowConnection ? 10 : 5),
    // Use a constant retry delay, because SWR's default delay grows up to twenty minutes.
    onErrorRetry: (error, _key, { errorRetryInterval }, revalidate, options) => {
      setTimeout(() => void revalidate(options), getRetryDelayMs(error, errorRetryInterval))
    },
    focusThrottleInterval: seconds(5),
    dedupingInterval: seconds(2),
    loadingTimeout: seconds(slowConnection ? 5 : 3),
    revalidateOnFocus: true,
    revalidateOnReconnect: true,
    keepPreviousData: false,
    shouldRetryOnError: isRetryableError,
  }
}

/** SWR options for data that the page reads only once. */
const staticRules: SWRConfiguration = { revalidateOnFocus: false, revalidateOnReconnect: false, refreshInterval: 0 }

const rulesByPath: ReadonlyMap<string, SWRConfiguration> = new Map([
  [operations.getClientConfig.path, { ...staticRules, revalidateIfStale: false }],
  [operations.getCaptchaInfo.path, staticRules],
])

/**
 * True if the server responds that the game has not started. This happens if the visitor's clock is ahead of the server's clock.
 */
export function isNotStartedError(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'game.not-started' || error.code === 'game.before-start')
}

/** True for errors after which a retry is useful: "too early", "too many", server errors and lost connections. */
export function isRetryableError(error: unknown): boolean {
  return !(error instanceof ApiError) || isNotStartedError(error) || error.httpStatus === 429 || error.httpStatus >= 500
}

/**
 * Returns the delay before a failed read is retried, in ms. It has a random part, so that clients do not retry at the same time.
 */
export function getRetryDelayMs(error: unknown, intervalMs: number): number {
  const minMs = isNotStartedError(error) ? seconds(1) : intervalMs
  const askedMs = error instanceof ApiError ? seconds(error.retryAfterSeconds ?? 0) : 0
  return Math.max(minMs, askedMs) * (1 + Math.random() / 5)
}

export function isSlowConnection(): boolean {
  const { connection } = navigator as { connection?: { effectiveType?: string; saveData?: boolean } }
  return connection?.saveData === true || connection?.effectiveType === 'slow-2g' || connection?.effectiveType === '2g'
}

/** Returns the SWR options of an operation that differ from the default options. */
export function getSwrOptionsOfRead(operation: Operation): SWRConfiguration {
  return rulesByPath.get(operation.path) ?? {}
}

/** Function that changes the cache of the page. SWR's global `mutate` changes only the default cache, not a provider's cache. */
let mutate: ScopedMutator = mutateDefaultCache

type CallOptions<Op extends Operation> = SWRConfiguration<ResponseOf<Op>, CallFailure> &
  Readonly<{
    /**
     * Function that reads the data. It replaces the default call.
     * @param known data of the previous read
     */
    read?: (known: ResponseOf<Op> | undefined) => Promise<ResponseOf<Op>>
  }>

type CallArguments<Op extends Operation> =
  Record<never, never> extends AddressInput<Op>
    ? [input?: AddressInput<Op> | null, options?: CallOptions<Op>]
    : [input: AddressInput<Op> | null, options?: CallOptions<Op>]

const looseAddress = addressOfCall as (operation: Operation, input?: unknown) => string

type Address<Op extends Operation> = Parameters<typeof addressOfCall<Op>>

/**
 * Reads a GET call, and refreshes it by `getRefreshRules`. Reads nothing while `input` is null. Known data remains visible during a
 * new read.
 */
export function useCall<Op extends Operation>(
  operation: Op,
  ...[input, options]: CallArguments<Op>
): SWRResponse<ResponseOf<Op>, CallFailure> {
  const key = input === null ? null : looseAddress(operation, input)
  const { mutate: mutateOfPage, cache } = useSWRConfig()
  const { read: readItself, ...rules } = options ?? {}
  useLayoutEffect(() => {
    mutate = mutateOfPage
  }, [mutateOfPage])
  const read = useSWR<ResponseOf<Op>, CallFailure>(
    key,
    async (address: string) => {
      const answer = await (readItself
        ? readItself(cache.get(address)?.data as ResponseOf<Op> | undefined)
        : (call as (operation: Op, input: unknown) => Promise<ResponseOf<Op>>)(operation, input ?? {}))
      readTimes.set(address, serverNow())
      return answer
    },
    { ...getSwrOptionsOfRead(operation), ...rules } as SWRConfiguration<ResponseOf<Op>, CallFailure>,
  )
  const { data, error } = read
  // The page shows old data, because the last refresh failed.
  const isStale =
    key !== null && data !== undefined && error !== undefined && isRetryableError(error) && !isNotStartedError(error)
  const id = useId()
  useEffect(() => {
    if (!isStale) return
    const { add, remove } = useStaleReads.getState()
    add(id, { readAt: readTimes.get(key), retry: () => mutateOfPage(key) })
    return () => remove(id)
  }, [isStale, id, key, mutateOfPage])
  return read
}

/** Returns a function that returns the cached data of a call and sends no request. */
export function useCachedCallData(): <Op extends Operation>(...address: Address<Op>) => ResponseOf<Op> | undefined {
  const { cache } = useSWRConfig()
  return (...address) => cache.get(addressOfCall(...address))?.data
}

/** True if the data of a call is known from a read or from the previous visit. */
export function useIsCallDataKnown<Op extends Operation>(...address: Address<Op>): boolean {
  return useCachedCallData()(...address) !== undefined
}

/** Sends one read call again. Use this function after a change. */
export function refreshCall<Op extends Operation>(...address: Address<Op>): Promise<unknown> {
  return mutate(addressOfCall(...address))
}

const hintDelayMs = 1_000
const hinted = new Set<string>()

/** Reads all data below the address `prefix` again after one second. Further calls within that second have no effect. */
export function scheduleRefreshOfCallsWithPrefix(prefix: string): void {
  if (hinted.has(prefix)) return
  hinted.add(prefix)
  setTimeout(() => {
    hinted.delete(prefix)
    void refreshCallsWithPrefix(prefix)
  }, hintDelayMs)
}

/** Shows `data` as the result of a read, and sends no request. */
export function setCallData<Op extends Operation>(
  address: Address<Op>,
  data: ResponseOf<Op> | ((known: ResponseOf<Op> | undefined) => ResponseOf<Op> | undefined),
): Promise<unknown> {
  return mutate(addressOfCall(...address), data, { revalidate: false })
}

/** Repeats all reads whose address starts with the prefix, for example `/api/game/3`. */
export function refreshCallsWithPrefix(prefix: string): Promise<unknown> {
  return mutate(
    (key) => typeof key === 'string' && (key === prefix || key.startsWith(`${prefix}/`) || key.startsWith(`${prefix}?`)),
  )
}

/** Clears the cache after a different user has signed in, or after the user has logged out. */
export function resetCallCache(): Promise<unknown> {
  return mutate(() => true, undefined, { revalidate: true })
}
