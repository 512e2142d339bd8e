import fastifyPlugin from 'fastify-plugin'
import { createTokenService, type TokenService } from './service.ts'

declare module 'fastify' {
  interface FastifyInstance {
    tokens: TokenService
  }
}

/** Adds the token service to the app. All requests share its cache. */
export const tokensPlugin = fastifyPlugin(
  async (app) => void app.decorate('tokens', createTokenService({ ...app.deps, changes: app.changes })),
  { name: 'tokens', dependencies: ['changes'] },
)
