import { operations } from '@capstan/contract/operations'
import { describe, expect, it } from 'vitest'
import { ApiError, TransportError } from './http.ts'
import { getRefreshRules, getRetryDelayMs, getSwrOptionsOfRead, isRetryableError } from './server-state.ts'

describe('the refresh rules', () => {
  it('the refresh rules have default intervals on a fast connection', () => {
    expect(getRefreshRules(false)).toMatchObject({
      refreshInterval: 10_000,
      errorRetryInterval: 5_000,
      focusThrottleInterval: 5_000,
      dedupingInterval: 2_000,
      loadingTimeout: 3_000,
    })
  })

  it('a slow connection has a longer retry interval and a longer loading timeout', () => {
    expect(getRefreshRules(true)).toMatchObject({
      refreshInterval: 10_000,
      errorRetryInterval: 10_000,
      focusThrottleInterval: 5_000,
      dedupingInterval: 2_000,
      loadingTimeout: 5_000,
    })
  })

  it.each([operations.getClientConfig, operations.getCaptchaInfo])(
    'the refresh rules do not read $path again after the first read',
    (operation) => {
      expect(getSwrOptionsOfRead(operation)).toMatchObject({
        revalidateOnFocus: false,
        revalidateOnReconnect: false,
        refreshInterval: 0,
      })
    },
  )

  it('the config is never read if the page contains it', () => {
    expect(getSwrOptionsOfRead(operations.getClientConfig).revalidateIfStale).toBe(false)
    expect(getSwrOptionsOfRead(operations.getCaptchaInfo).revalidateIfStale).toBeUndefined()
  })

  it('only the general refresh rules apply to the list of games', () => {
    expect(getSwrOptionsOfRead(operations.listGames)).toEqual({})
  })
})

describe('the retry after an error', () => {
  const refused = (httpStatus: number) => new ApiError({ title: '', status: httpStatus, httpStatus })

  it.each([400, 401, 403, 404])('a failed read is not retried after status %d', (status) => {
    expect(isRetryableError(refused(status))).toBe(false)
  })

  it.each([429, 500, 503])('a failed read is retried after status %d', (status) => {
    expect(isRetryableError(refused(status))).toBe(true)
  })

  it('a failed read is retried after the connection is lost', () => {
    expect(isRetryableError(new TransportError('network', 'Network Error'))).toBe(true)
  })

  it.each(['game.not-started', 'game.before-start'] as const)(
    'a failed read is retried after the error %s, because the clocks of browser and server differ',
    (code) => {
      expect(isRetryableError(new ApiError({ title: '', status: 400, httpStatus: 400, code }))).toBe(true)
    },
  )

  it.each([
    ['for the time in the rules, regardless of earlier retries', new TransportError('network', 'Network Error'), 5_000],
    [
      'for the time that the server requires',
      new ApiError({ title: '', status: 429, httpStatus: 429, retryAfterSeconds: 30 }),
      30_000,
    ],
    [
      'for a second if the game starts now',
      new ApiError({ title: '', status: 400, httpStatus: 400, code: 'game.not-started' }),
      1_000,
    ],
  ])('the retry of a failed read waits %s', (_rule, error, minMs) => {
    const delayMs = getRetryDelayMs(error, 5_000)
    expect(delayMs).toBeGreaterThanOrEqual(minMs)
    expect(delayMs).toBeLessThanOrEqual(minMs * 1.2)
  })
})
