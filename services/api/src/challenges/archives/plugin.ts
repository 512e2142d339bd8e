import fastifyPlugin from 'fastify-plugin'
import { type ArchiveReceiver, createArchiveReceiver } from './received-archive.ts'

declare module 'fastify' {
  interface FastifyInstance {
    archives: ArchiveReceiver
  }
}

/** Shares one archive receiver and its limits among all imports of a process. */
export const archivesPlugin = fastifyPlugin(
  async (app) => {
    app.decorate('archives', createArchiveReceiver())
  },
  { name: 'archives' },
)
