import { existsSync } from 'node:fs'
import path from 'node:path'
import { createIndexPageReader } from '@capstan/api/games/editing/index-page'
import type { RunningApi } from '@capstan/api/start-api'
import { createProblemResponse } from '@capstan/contract/server-texts'
import { ignoreRequestBodies, pagesPlugin } from '@capstan/pages/pages'
import Fastify from 'fastify'
import { PlainError } from './data-folder.ts'

const builtWeb = path.join(import.meta.dirname, '..', '..', 'web', 'dist-web')

type LocalPagesOptions = Readonly<{
  /**
   * Address of the source repository. If an admin sets another address, that address is used instead. Default: the
   * address in the web build.
   */
  repository?: string | undefined
  folder?: string
}>

/** Builds the server of the web pages. It reads the content of pages directly from the database. */
export async function buildLocalPages(
  { deps }: Pick<RunningApi, 'deps'>,
  { repository, folder = builtWeb }: LocalPagesOptions = {},
) {
  if (!existsSync(path.join(folder, 'index.html')))
    throw new PlainError('The web client is not built: run npm start or npm run build')
  const app = Fastify()
  ignoreRequestBodies(app)
  app.setNotFoundHandler(async (request, reply) => {
    const { status, headers, body } = createProblemResponse('route.not-found', request.headers['accept-language'])
    return reply.status(status).headers(headers).send(body)
  })
  await app.register(pagesPlugin, {
    folder,
    readSettings: createIndexPageReader(deps),
    repository,
  })
  app.get('/*', async (request, reply) => (await app.answerIndexPage(request, reply)) ?? reply.callNotFound())
  await app.ready()
  return app
}
