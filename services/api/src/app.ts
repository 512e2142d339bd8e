import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { BodyLimits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import { createLimitedServer, type ListenerLimits } from '@capstan/http/listener'
import cookie from '@fastify/cookie'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import type { AppDeps } from './app-types.ts'
import { archivesPlugin } from './challenges/archives/plugin.ts'
import { challengeRoutes } from './challenges/editing/routes.ts'
import { exchangeRoutes } from './challenges/exchange/routes.ts'
import { importRoutes } from './challenges/imports/routes.ts'
import { sourceRoutes } from './challenges/sources/routes.ts'
import { awardRoutes } from './games/awards/routes.ts'
import { certificateTemplateRoutes } from './games/certificates/routes.ts'
import { divisionRoutes } from './games/editing/division-routes.ts'
import { gameEditRoutes } from './games/editing/edit-routes.ts'
import { createIndexPageReader } from './games/editing/index-page.ts'
import { gameRoutes } from './games/editing/routes.ts'
import { gameMailRoutes } from './games/mail/routes.ts'
import { noticeRoutes } from './games/notices/routes.ts'
import { participationRoutes } from './games/participations/routes.ts'
import { postRoutes } from './games/posts/routes.ts'
import { questionRoutes } from './games/questions/routes.ts'
import { correctionRoutes } from './games/solves/routes.ts'
import { webhookRoutes } from './games/webhooks/routes.ts'
import { writeupRoutes } from './games/writeups/routes.ts'
import { captureRoutes } from './instances/captures/routes.ts'
import { registerInternalRoutes } from './instances/internal/routes.ts'
import { instanceRoutes } from './instances/lifecycle/routes.ts'
import { accountRoutes } from './people/accounts/routes.ts'
import { secondFactorRoutes } from './people/second-factor/routes.ts'
import { signInRoutes } from './people/sign-in/routes.ts'
import { teamRoutes } from './people/teams/routes.ts'
import { userRoutes } from './people/users/routes.ts'
import { certificatesPlugin } from './play/certificates/plugin.ts'
import { certificateRoutes } from './play/certificates/routes.ts'
import { feedRoutes } from './play/feeds/routes.ts'
import { gameArchiveRoutes } from './play/game-archive/routes.ts'
import { monitorRoutes } from './play/monitor/routes.ts'
import { profileRoutes } from './play/profiles/routes.ts'
import { publicChainRoutes } from './play/public-chain/routes.ts'
import { scoreboardPlugin } from './play/scoreboard/plugin.ts'
import { scoreboardRoutes } from './play/scoreboard/routes.ts'
import { sheetRoutes } from './play/sheets/routes.ts'
import { playRoutes } from './play/submissions/routes.ts'
import { surveyRoutes } from './play/survey/routes.ts'
import { ticketRoutes } from './play/tickets/routes.ts'
import { changesPlugin } from './server/changes/plugin.ts'
import { fileRoutes } from './server/files/routes.ts'
import { healthRoutes } from './server/health/routes.ts'
import { readBody, refuseCostlyJson } from './server/http/json-body.ts'
import { languagePlugin } from './server/http/language.ts'
import { buildLazySerializers } from './server/http/lazy-serializers.ts'
import { logRoutes } from './server/logs/routes.ts'
import { metricsPlugin } from './server/metrics/plugin.ts'
import { openApiRoutes } from './server/openapi/routes.ts'
import { playersPlugin } from './server/players/plugin.ts'
import { clientAddressPlugin } from './server/plugins/client-address.ts'
import { compressionPlugin } from './server/plugins/compression.ts'
import { contentTypeOptionsPlugin } from './server/plugins/content-type-options.ts'
import { headAnswersPlugin } from './server/plugins/head-answers.ts'
import { operationsPlugin } from './server/plugins/operations.ts'
import { originPlugin } from './server/plugins/origin.ts'
import { problemsPlugin, sendFrameworkError } from './server/plugins/problems.ts'
import { rateLimitPlugin } from './server/plugins/rate-limit.ts'
import { requestLogPlugin } from './server/plugins/request-log.ts'
import { searchesPlugin } from './server/plugins/searches.ts'
import { sessionPlugin } from './server/plugins/session.ts'
import { tracingPlugin } from './server/plugins/tracing.ts'
import { transportSecurityPlugin } from './server/plugins/transport-security.ts'
import { unreadBodiesPlugin } from './server/plugins/unread-bodies.ts'
import { unsentAnswersPlugin } from './server/plugins/unsent-answers.ts'
import { uploadsPlugin } from './server/plugins/uploads.ts'
import { schemaRoutes } from './server/schemas/routes.ts'
import { sessionRoutes } from './server/sessions/routes.ts'
import { faviconRoutes } from './server/settings/favicon.ts'
import { settingsRoutes } from './server/settings/routes.ts'
import { tokensPlugin } from './server/tokens/plugin.ts'
import { tokenRoutes } from './server/tokens/routes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    deps: AppDeps
  }
}

/** Bodies must be JSON or multipart. If a call takes no body, a body in the request is ignored. */
function acceptContentTypes(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('remove', 'remove')
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    const { config, bodyLimit } = request.routeOptions
    if (Number(request.headers['content-length']) > bodyLimit) throw new Problem('request.too-large')
    const body = await readBody(payload, bodyLimit)
    if (!config.bodyBounds || body.length === 0) return undefined
    const refusal = refuseCostlyJson(body, config.bodyBounds)
    if (refusal) throw new Problem(refusal)
    return await new Promise((resolve, reject) => {
      void parseJson(request, body.toString(), (error, value) =>
        error ? reject(new Problem('request.invalid')) : resolve(value),
      )
    })
  })
  app.addContentTypeParser('*', (request, _payload, done) => {
    const { operation } = request.routeOptions.config
    done(operation?.body || operation?.upload ? new Problem('request.content-type') : null, undefined)
  })
}

export type AppOptions = Readonly<{
  logger?: FastifyBaseLogger
  /** Limits of the HTTP listener. Default: the limits of production. */
  listener?: ListenerLimits
}>

/**
 * Builds the api as a Fastify instance that does not listen yet. The plugins start in the order in which they are
 * registered. Tests call this function with other dependencies, so they run the same code as production.
 */
export async function buildApp(deps: AppDeps, options: AppOptions = {}): Promise<FastifyInstance> {
  const app = Fastify({
    ...(options.logger && { loggerInstance: options.logger }),
    serverFactory: (handler) => createLimitedServer(handler, options.listener, { clients: deps.config, log: options.logger }),
    bodyLimit: BodyLimits.default.maxBytes,
    // Request ids are random, because consecutive numbers would reveal how many requests others send.
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 500 },
    forceCloseConnections: 'idle',
    frameworkErrors: sendFrameworkError,
    schemaController: { compilersFactory: { buildSerializer: buildLazySerializers } },
  })
  app.decorate('deps', deps)
  acceptContentTypes(app)

  if (deps.tracer) await app.register(tracingPlugin, { tracer: deps.tracer })
  await app.register(clientAddressPlugin)
  await app.register(transportSecurityPlugin)
  await app.register(contentTypeOptionsPlugin)
  await app.register(unreadBodiesPlugin)
  await app.register(languagePlugin)
  await app.register(problemsPlugin)
  await app.register(metricsPlugin)
  await app.register(requestLogPlugin)
  await app.register(headAnswersPlugin)
  await app.register(compressionPlugin)
  await app.register(unsentAnswersPlugin)
  await app.register(cookie)
  await app.register(originPlugin)
  await app.register(changesPlugin)
  await app.register(tokensPlugin)
  await app.register(sessionPlugin)
  await app.register(rateLimitPlugin)
  await app.register(searchesPlugin)
  await app.register(uploadsPlugin)
  await app.register(operationsPlugin)
  await app.register(scoreboardPlugin)
  await app.register(playersPlugin)
  await app.register(archivesPlugin)
  await app.register(certificatesPlugin)

  await app.register(healthRoutes)
  await app.register(accountRoutes)
  await app.register(secondFactorRoutes)
  await app.register(signInRoutes)
  await app.register(sessionRoutes)
  await app.register(fileRoutes)
  await app.register(gameRoutes)
  await app.register(gameEditRoutes)
  await app.register(divisionRoutes)
  await app.register(awardRoutes)
  await app.register(correctionRoutes)
  await app.register(noticeRoutes)
  await app.register(gameMailRoutes)
  await app.register(challengeRoutes)
  await app.register(sourceRoutes)
  await app.register(exchangeRoutes)
  await app.register(participationRoutes)
  await app.register(questionRoutes)
  await app.register(writeupRoutes)
  await app.register(monitorRoutes)
  await app.register(sheetRoutes)
  await app.register(gameArchiveRoutes)
  await app.register(certificateTemplateRoutes)
  await app.register(certificateRoutes)
  await app.register(captureRoutes)
  await app.register(teamRoutes)
  await app.register(profileRoutes)
  await app.register(tokenRoutes)
  await app.register(webhookRoutes)
  await app.register(userRoutes)
  await app.register(importRoutes)
  await app.register(postRoutes)
  await app.register(logRoutes)
  await app.register(settingsRoutes)
  await app.register(faviconRoutes)
  await app.register(registerInternalRoutes, { readIndexPage: createIndexPageReader(deps) })
  await app.register(openApiRoutes)
  await app.register(schemaRoutes)
  await app.register(scoreboardRoutes)
  await app.register(publicChainRoutes)
  await app.register(feedRoutes)
  await app.register(playRoutes)
  await app.register(surveyRoutes)
  await app.register(ticketRoutes)
  await app.register(instanceRoutes)
  return app
}
