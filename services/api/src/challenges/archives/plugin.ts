import fastifyPlugin from 'fastify-plugin'
import { type ArchiveReceiver, createArchiveReceiver } from './received-archive.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Takes in what is to be imported, from wherever it comes. */
    archives: ArchiveReceiver
  }
}

/** Archives of all kinds share what a process has for them. */
export const archivesPlugin = fastifyPlugin(
  async (app) => {
    app.decorate('archives', createArchiveReceiver())
  },
  { name: 'archives' },
)
