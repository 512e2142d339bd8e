import { createBusGate } from '@capstan/bus/bus-gate'
import type { Readiness } from '@capstan/http/management'
import type { FastifyReply } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { shared } from '../http/shared.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** From now on `/readyz` says no, so that nothing new is sent here; requests are still answered. */
    retire(): void
    /** What `/readyz` says, here and on the management port. */
    readiness(): Promise<Readiness>
  }
}

/**
 * `/healthz` and `/readyz`, text/plain, without a session. `/livez` says that this process answers: a database that
 * is away is no reason to restart it. A process that starts is ready once it reached Redis, or waited for it long enough.
 */
export const healthRoutes = fastifyPlugin(async (app) => {
  let isRetired = false
  const busState = () => app.deps.bus.health().state
  const isPastStart = createBusGate({ state: busState, log: app.log })
  app.decorate('retire', () => {
    isRetired = true
  })
  // A client that keeps its connection open opens a new one, which goes to another process.
  app.addHook('onSend', async (_request, reply) => {
    if (isRetired) reply.header('connection', 'close')
  })
  const isHealthy = shared(async (): Promise<boolean> => {
    try {
      await app.deps.db.ping()
      return true
    } catch (error) {
      app.log.error({ err: error }, 'Database does not answer')
      return false
    }
  })
  const refuseReady = async (): Promise<string | undefined> => {
    if (isRetired) return 'Leaving'
    if (!(await isHealthy())) return 'The database does not answer'
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
