import fastifyPlugin from 'fastify-plugin'
import { type CertificateThread, createCertificateThread } from './drawing/thread.ts'

declare module 'fastify' {
  interface FastifyInstance {
    certificates: CertificateThread
  }
}

export const certificatesPlugin = fastifyPlugin(
  async (app) => {
    const certificates = createCertificateThread()
    app.decorate('certificates', certificates)
    app.addHook('onClose', () => certificates.close())
  },
  { name: 'certificates' },
)
