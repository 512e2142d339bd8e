import fastifyPlugin from 'fastify-plugin'
import { createTokenService, type TokenService } from './service.ts'

declare module 'fastify' {
  interface FastifyInstance {
    tokens: TokenService
  }
}

/** Creates the token service, whose cache all requests share. */
export const tokensPlugin = fastifyPlugin(
  async (app) => void app.decorate('tokens', createTokenService({ ...app.deps, changes: app.changes })),
  { name: 'tokens', dependencies: ['changes'] },
)
