import { existsSync } from 'node:fs'
import path from 'node:path'
import { presentClientConfig } from '@capstan/api/settings/presenter'
import { createSettingsService } from '@capstan/api/settings/service'
import type { RunningApi } from '@capstan/api/start-api'
import { problemAnswer } from '@capstan/contract/server-texts'
import { pagesPlugin, takeNoBodies } from '@capstan/pages/pages'
import Fastify from 'fastify'
import { PlainError } from './data-folder.ts'

const builtWeb = path.join(import.meta.dirname, '..', '..', 'web', 'dist-web')

/** The pages of the platform, with title and description straight from the settings. */
export const buildLocalPages = async ({ deps }: Pick<RunningApi, 'deps'>, folder = builtWeb) => {
  if (!existsSync(path.join(folder, 'index.html')))
    throw new PlainError('The web client is not built: run npm start or npm run build')
  const settings = createSettingsService(deps)
  const app = Fastify()
  takeNoBodies(app)
  app.setNotFoundHandler(async (request, reply) => {
    const { status, headers, body } = problemAnswer('route.not-found', request.headers['accept-language'])
    return reply.status(status).headers(headers).send(body)
  })
  await app.register(pagesPlugin, {
    folder,
    readSettings: async () => {
      const known = await settings.read()
      const { title, description } = known.globalConfig
      return { title, description: description ?? '', config: presentClientConfig(known) }
    },
  })
  app.get('/*', async (request, reply) => (await app.answerIndexPage(request, reply)) ?? reply.callNotFound())
  await app.ready()
  return app
}
