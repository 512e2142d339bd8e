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
import { type AddressInput, ApiError, addressOf, call, type TransportError } from './http.ts'
import { readTimes, useStaleReads } from './stale-reads.ts'

/** Everything a read can fail with. */
export type CallFailure = ApiError | TransportError

const seconds = (count: number) => count * 1000

/** Refresh rules of every read. No other place sets an interval for all reads. */
export function refreshRules(slowConnection: boolean): SWRConfiguration<unknown, CallFailure> {
  return {
    refreshInterval: seconds(10),
    errorRetryInterval: seconds(slowConnection ? 10 : 5),
    // Always as long: SWR's own delay doubles up to twenty minutes, and there is no refresh while a read has failed.
    onErrorRetry: (error, _key, { errorRetryInterval }, revalidate, options) => {
      setTimeout(() => void revalidate(options), retryDelayMs(error, errorRetryInterval))
    },
    focusThrottleInterval: seconds(5),
    dedupingInterval: seconds(2),
    loadingTimeout: seconds(slowConnection ? 5 : 3),
    revalidateOnFocus: true,
    revalidateOnReconnect: true,
    keepPreviousData: false,
    shouldRetryOnError: worthRetrying,
  }
}

/** Config and captcha: read once, then left alone. */
const staticRules: SWRConfiguration = { revalidateOnFocus: false, revalidateOnReconnect: false, refreshInterval: 0 }

const rulesByPath: ReadonlyMap<string, SWRConfiguration> = new Map([
  // Comes with the page.
  [operations.getClientConfig.path, { ...staticRules, revalidateIfStale: false }],
  [operations.getCaptchaInfo.path, staticRules],
])

/** The server's clock says that the game has not started; the visitor's may say otherwise. */
export const isEarly = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'game.not-started' || error.code === 'game.before-start')

/** Only "too early", "too many", server faults and lost connections are tried again. */
export const worthRetrying = (error: unknown): boolean =>
  !(error instanceof ApiError) || isEarly(error) || error.httpStatus === 429 || error.httpStatus >= 500

/** How long to wait before a failed read is tried again, in milliseconds; with a random part, so that not all clients come at once. */
export const retryDelayMs = (error: unknown, intervalMs: number): number => {
  const leastMs = isEarly(error) ? seconds(1) : intervalMs
  const askedMs = error instanceof ApiError ? seconds(error.retryAfterSeconds ?? 0) : 0
  return Math.max(leastMs, askedMs) * (1 + Math.random() / 5)
}

/** True where the browser reports a slow connection. */
export function isSlowConnection(): boolean {
  const { connection } = navigator as { connection?: { effectiveType?: string; saveData?: boolean } }
  return connection?.saveData === true || connection?.effectiveType === 'slow-2g' || connection?.effectiveType === '2g'
}

/** Rules that a read adds to the general ones. */
export const rulesOf = (operation: Operation): SWRConfiguration => rulesByPath.get(operation.path) ?? {}

/** Changes the cache that the page's reads are in: SWR's own `mutate` knows only the cache without a provider. */
let mutate: ScopedMutator = mutateDefaultCache

interface CallOptions<Op extends Operation> extends SWRConfiguration<ResponseOf<Op>, CallFailure> {
  /** Reads the answer in a way of its own. @param known what was read before */
  readonly read?: (known: ResponseOf<Op> | undefined) => Promise<ResponseOf<Op>>
}

type CallArguments<Op extends Operation> =
  Record<never, never> extends AddressInput<Op>
    ? [input?: AddressInput<Op> | null, options?: CallOptions<Op>]
    : [input: AddressInput<Op> | null, options?: CallOptions<Op>]

const looseAddress = addressOf as (operation: Operation, input?: unknown) => string

type Address<Op extends Operation> = Parameters<typeof addressOf<Op>>

/**
 * Reads a GET call and keeps it fresh by `refreshRules`. With `input` null nothing is read yet.
 * Data that is known stays on screen while it is read again.
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
    { ...rulesOf(operation), ...rules } as SWRConfiguration<ResponseOf<Op>, CallFailure>,
  )
  const { data, error } = read
  // Shown though it could not be read again: the page says so, once for all.
  const isStale = key !== null && data !== undefined && error !== undefined && worthRetrying(error) && !isEarly(error)
  const id = useId()
  useEffect(() => {
    if (!isStale) return
    const { add, remove } = useStaleReads.getState()
    add(id, { readAt: readTimes.get(key), retry: () => mutateOfPage(key) })
    return () => remove(id)
  }, [isStale, id, key, mutateOfPage])
  return read
}

/** Tells what is known of a call at that moment, without a question to the server. */
export function useKnown(): <Op extends Operation>(...address: Address<Op>) => ResponseOf<Op> | undefined {
  const { cache } = useSWRConfig()
  return (...address) => cache.get(addressOf(...address))?.data
}

/** Whether a call has been read, or is known from the last visit. */
export function useIsKnown<Op extends Operation>(...address: Address<Op>): boolean {
  return useKnown()(...address) !== undefined
}

/** Reads one call again, or puts `data` in its place first. Use after a change. */
export function refresh<Op extends Operation>(...address: Address<Op>): Promise<unknown> {
  return mutate(addressOf(...address))
}

const hintDelayMs = 1_000
const hinted = new Set<string>()

/**
 * Reads what is under an address again in a moment, when what somebody has hinted at has reached it: once a second at most, however
 * many hints come.
 */
export function refreshSoonUnder(prefix: string): void {
  if (hinted.has(prefix)) return
  hinted.add(prefix)
  setTimeout(() => {
    hinted.delete(prefix)
    void refreshUnder(prefix)
  }, hintDelayMs)
}

/** Shows `data` as the answer of a read, without asking the server. */
export function setCallData<Op extends Operation>(
  address: Address<Op>,
  data: ResponseOf<Op> | ((known: ResponseOf<Op> | undefined) => ResponseOf<Op> | undefined),
): Promise<unknown> {
  return mutate(addressOf(...address), data, { revalidate: false })
}

/** Reads again everything whose address begins so, for example `/api/game/3`. */
export const refreshUnder = (prefix: string): Promise<unknown> =>
  mutate((key) => typeof key === 'string' && (key === prefix || key.startsWith(`${prefix}/`) || key.startsWith(`${prefix}?`)))

/** Forgets all answers; for a change of the signed-in user. */
export const forgetAll = (): Promise<unknown> => mutate(() => true, undefined, { revalidate: true })
