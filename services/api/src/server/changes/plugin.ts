import fastifyPlugin from 'fastify-plugin'
import { type ChangeFeed, createChangeFeed } from './feed.ts'

declare module 'fastify' {
  interface FastifyInstance {
    changes: ChangeFeed
  }
}

export const changesPlugin = fastifyPlugin(async (app) => void app.decorate('changes', createChangeFeed(app.deps)), {
  name: 'changes',
})
