import fastifyPlugin from 'fastify-plugin'
import { createPlayerService, type PlayerService } from './service.ts'

declare module 'fastify' {
  interface FastifyInstance {
    players: PlayerService
  }
}

/** Creates the cache of players that the app shares. */
export const playersPlugin = fastifyPlugin(
  async (app) => void app.decorate('players', createPlayerService({ ...app.deps, changes: app.changes })),
  { name: 'players', dependencies: ['changes'] },
)
