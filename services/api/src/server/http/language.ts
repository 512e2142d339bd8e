import { defaultLanguage, type LanguageCode, negotiateLanguage } from '@capstan/contract/languages'
import { type MessageCode, serverTexts } from '@capstan/contract/server-texts'
import fastifyPlugin from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyRequest {
    /** Language that was negotiated from Accept-Language. */
    language: LanguageCode
  }
}

export function getLocalizedMessage(code: MessageCode, language: LanguageCode): string {
  return serverTexts[language].messages[code]
}

export const languagePlugin = fastifyPlugin(
  async (app) => {
    app.decorateRequest('language', defaultLanguage)
    app.addHook('onRequest', (request, reply, done) => {
      request.language = negotiateLanguage(request.headers['accept-language'])
      reply.header('content-language', request.language)
      done()
    })
  },
  { name: 'language' },
)
