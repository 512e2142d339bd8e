import { createBusGate } from '@capstan/bus/bus-gate'
import type { Readiness } from '@capstan/http/management'
import type { FastifyReply } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { shareConcurrentCalls } from '../http/shared.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Makes `/readyz` fail, so that load balancers send no new requests. The process still answers requests. */
    retire(): void
    readiness(): Promise<Readiness>
  }
}

/**
 * Serves `/healthz`, `/readyz` and `/livez` as plain text without a session. `/livez` ignores the database, because a restart
 * cannot repair it. A starting process becomes ready when it reaches Redis, or after a maximum wait.
 */
export const healthRoutes = fastifyPlugin(async (app) => {
  let isRetired = false
  const busState = () => app.deps.bus.health().state
  const isPastStart = createBusGate({ state: busState, log: app.log })
  app.decorate('retire', () => {
    isRetired = true
  })
  // Close keep-alive connections, so that clients reconnect and the load balancer chooses another process for them.
  app.addHook('onSend', async (_request, reply) => {
    if (isRetired) reply.header('connection', 'close')
  })
  const isHealthy = shareConcurrentCalls(async (): Promise<boolean> => {
    try {
      await app.deps.db.ping()
      return true
    } catch (error) {
      app.log.error({ err: error }, 'The database does not respond')
      return false
    }
  })
  const refuseReady = async (): Promise<string | undefined> => {
    if (isRetired) return 'Leaving'
    if (!(await isHealthy())) return 'The database does not respond'
    return isPastStart() ? undefined : 'Waiting for Redis'
  }
  const send = (reply: FastifyReply, { isReady, text }: Readiness) =>
    reply
      .status(isReady ? 200 : 503)
      .type('text/plain; charset=utf-8')
      .send(text)
  const judge = (isReady: boolean): Readiness => ({ isReady, text: isReady ? 'Healthy' : 'Unhealthy' })
  app.decorate('readiness', async () => {
    const reason = await refuseReady()
    return { isReady: reason === undefined, text: `${reason ?? 'Ready'}\nbus ${busState()}` }
  })
  app.get('/livez', async (_request, reply) => send(reply, judge(true)))
  app.get('/healthz', async (_request, reply) => send(reply, judge(await isHealthy())))
  app.get('/readyz', async (_request, reply) => send(reply, await app.readiness()))
})
