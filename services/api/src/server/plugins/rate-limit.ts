import { createMemoryRateLimitStore, type RateLimitStore } from '@capstan/bus/rate-limit-store'
import { addressNetworkKey } from '@capstan/contract/addresses'
import type { RateLimitPolicy } from '@capstan/contract/operation'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { disconnectSignalOf } from '../http/disconnect-signal.ts'
import {
  callerKeyOfAddress,
  concurrencyRule,
  createRateLimiter,
  globalRule,
  networkRule,
  policyRules,
  type RateLimiter,
} from '../http/rate-limiter.ts'
import type { SessionUser } from '../sessions/session-user.ts'

declare module 'fastify' {
  interface FastifyInstance {
    rateLimiter: RateLimiter
    /**
     * Counts a call toward the global limit and, if a policy is given, toward the limit of this policy.
     * @param isExempt true if the limit of the policy does not apply. Runs only if the global limit allows the call.
     * @throws Problem `request.rate-limited`
     */
    limitRate(
      reply: FastifyReply,
      user: SessionUser | undefined,
      policy: RateLimitPolicy | undefined,
      isExempt?: () => Promise<boolean>,
    ): Promise<void>
    /**
     * Runs the work of a call. Under the policy `concurrency`, the call counts as running until its work has ended, even if its client
     * disconnects before. Otherwise a client could start any number of calls at the same time and disconnect each of them.
     */
    countWhileWorking<Result>(request: FastifyRequest, work: () => Promise<Result>): Promise<Result>
  }
}

/** Returns the key of the counter for a call. Calls with an API token are counted separately from calls of the token's owner. */
function callerOf(request: FastifyRequest, user: SessionUser | undefined): string {
  if (!user) return callerKeyOfAddress(request.ip)
  return user.token ? `token:${user.token.id}` : `user:${user.id}`
}

async function createStore(redisUrl: string | undefined, log: FastifyBaseLogger): Promise<RateLimitStore> {
  if (!redisUrl) return createMemoryRateLimitStore()
  const { createRedisRateLimitStore } = await import('@capstan/bus/rate-limit-redis')
  return createRedisRateLimitStore(redisUrl, { log })
}

/**
 * Limits calls per API token. Calls without a token are limited per user, and calls without a user per address (per /64 network
 * for IPv6). Replicas share the counts if Redis is configured. The rules are in docs/contract/errors-and-limits.md#rate-limits.
 * `config.rateLimits: false` disables all of them.
 */
export const rateLimitPlugin = fastifyPlugin(
  async (app) => {
    const { config, clock, sleep } = app.deps
    const store = await createStore(config.redisUrl, app.log)
    app.addHook('onClose', () => store.close())
    const limiter = createRateLimiter({ store, clock, ...(sleep && { sleep }) })
    app.decorate('rateLimiter', limiter)

    const permits = new WeakMap<FastifyRequest, () => Promise<void>>()
    const disconnects = new WeakMap<FastifyRequest, AbortSignal>()
    const working = new WeakSet<FastifyRequest>()
    const release = (request: FastifyRequest): void => {
      const leave = permits.get(request)
      if (!leave) return
      permits.delete(request)
      leave().catch((error: unknown) => request.log.warn(error))
    }
    app.addHook('onResponse', (request, _reply, done) => {
      release(request)
      done()
    })

    app.decorate('limitRate', async (reply, user, policy, isExempt) => {
      const { request } = reply
      if (!config.rateLimits) return
      const caller = callerOf(request, user)
      if (!request.isLocal) {
        await limiter.take(`global:${caller}`, globalRule)
        const network = `address:${addressNetworkKey(request.ip)}`
        if (!user && network !== caller) await limiter.take(`global:${network}`, networkRule)
      }
      if (!policy || (await isExempt?.())) return
      if (policy !== 'concurrency') return limiter.take(`${policy}:${caller}`, policyRules[policy])
      // A slow download must not delay other calls, so concurrent calls of each GET route are counted separately.
      const key = request.method === 'GET' ? `concurrency:${caller}:${request.routeOptions.url}` : `concurrency:${caller}`
      const disconnect = disconnectSignalOf(reply)
      permits.set(request, await limiter.enter(key, concurrencyRule, disconnect))
      // Release the permit if the client disconnects, because Fastify then does not call `onResponse`.
      const onDisconnect = () => {
        if (!working.has(request)) release(request)
      }
      if (disconnect.aborted) onDisconnect()
      disconnect.throwIfAborted()
      disconnect.addEventListener('abort', onDisconnect)
      disconnects.set(request, disconnect)
    })

    app.decorate('countWhileWorking', async (request, work) => {
      const disconnect = disconnects.get(request)
      if (!disconnect) return work()
      disconnect.throwIfAborted()
      working.add(request)
      try {
        return await work()
      } finally {
        working.delete(request)
        if (disconnect.aborted) release(request)
      }
    })
  },
  { name: 'rate-limit', dependencies: ['client-address', 'problems'] },
)
