import { sql } from 'drizzle-orm'
import fastifyPlugin from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance {
    /** From now on `/readyz` says no, so that nothing new is sent here; requests are still answered. */
    retire(): void
  }
}

/**
 * `/healthz` and `/readyz`, text/plain, without a session (behaviour §1). `/livez` says that this process answers: a database that
 * is away is no reason to restart it.
 */
export const healthRoutes = fastifyPlugin(async (app) => {
  let isRetired = false
  app.decorate('retire', () => {
    isRetired = true
  })
  // Whoever keeps connections open comes again on a new one, which goes to another process.
  app.addHook('onSend', async (_request, reply) => {
    if (isRetired) reply.header('connection', 'close')
  })
  const isHealthy = async (): Promise<boolean> => {
    try {
      await app.deps.db.execute(sql`select 1`)
      return true
    } catch (error) {
      app.log.error({ err: error }, 'Database does not answer')
      return false
    }
  }
  app.get('/livez', async (_request, reply) => reply.type('text/plain; charset=utf-8').send('Healthy'))
  for (const path of ['/healthz', '/readyz']) {
    app.get(path, async (_request, reply) => {
      const healthy = !(isRetired && path === '/readyz') && (await isHealthy())
      return reply
        .status(healthy ? 200 : 503)
        .type('text/plain; charset=utf-8')
        .send(healthy ? 'Healthy' : 'Unhealthy')
    })
  }
})
