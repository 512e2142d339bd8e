import fastifyPlugin from 'fastify-plugin'
import { type CertificateThread, createCertificateThread } from './drawing/thread.ts'

declare module 'fastify' {
  interface FastifyInstance {
    certificates: CertificateThread
  }
}

/** Creates the thread that draws the certificates of a process. */
export const certificatesPlugin = fastifyPlugin(
  async (app) => {
    const certificates = createCertificateThread()
    app.decorate('certificates', certificates)
    app.addHook('onClose', () => certificates.close())
  },
  { name: 'certificates' },
)
