import fastifyPlugin from 'fastify-plugin'
import { type ArchiveReceiver, createArchiveReceiver } from './received-archive.ts'

declare module 'fastify' {
  interface FastifyInstance {
    archives: ArchiveReceiver
  }
}

/** Creates the archive receiver that all imports of a process share, with its limits. */
export const archivesPlugin = fastifyPlugin(
  async (app) => {
    app.decorate('archives', createArchiveReceiver())
  },
  { name: 'archives' },
)
