import fastifyPlugin from 'fastify-plugin'
import { createPlayerService, type PlayerService } from './service.ts'

declare module 'fastify' {
  interface FastifyInstance {
    players: PlayerService
  }
}

/** One memory of players for the whole app. */
export const playersPlugin = fastifyPlugin(
  async (app) => void app.decorate('players', createPlayerService({ ...app.deps, changes: app.changes })),
  { name: 'players', dependencies: ['changes'] },
)
