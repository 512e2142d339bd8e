import fastifyPlugin from 'fastify-plugin'
import { createPlayerService, type PlayerService } from './service.ts'

declare module 'fastify' {
  interface FastifyInstance {
    players: PlayerService
  }
}

/** Creates the player service, whose cache all requests share. */
export const playersPlugin = fastifyPlugin(
  async (app) => void app.decorate('players', createPlayerService({ ...app.deps, changes: app.changes })),
  { name: 'players', dependencies: ['changes'] },
)
