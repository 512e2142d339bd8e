import { negotiateLanguage } from '@capstan/contract/languages'
import { Problem, type ProblemCode } from '@capstan/contract/problems'
import { problemText, problemTitle } from '@capstan/contract/server-texts'
import { DatabaseUnavailable } from '@capstan/db/database-error'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { createKnownRoutes } from '../http/known-routes.ts'
import { databaseErrorOf, violationOf } from '../http/violations.ts'
import { recordSystem } from '../logs/record.ts'

/** Failures of the framework itself, by its code. */
const problemOfFrameworkCode: Readonly<Record<string, ProblemCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'request.content-type',
  FST_INVALID_MULTIPART_CONTENT_TYPE: 'request.content-type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'request.too-large',
  FST_REQ_FILE_TOO_LARGE: 'file.too-large',
  FST_FILES_LIMIT: 'request.invalid',
  FST_PARTS_LIMIT: 'request.invalid',
  FST_FIELDS_LIMIT: 'request.invalid',
  FST_PROTO_VIOLATION: 'request.invalid',
}

/** Clients that follow Retry-After come again then. */
const retryAfterSeconds = 5

/** The expected failure behind any thrown value; undefined: a defect. */
function toProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error
  const ofDatabase = databaseErrorOf(error)
  if (ofDatabase instanceof DatabaseUnavailable) return new Problem('server.unavailable', { retryAfterSeconds })
  const ofConstraint = violationOf(error)
  if (ofConstraint) return new Problem(ofConstraint)
  const { code, statusCode } = error as Partial<FastifyError>
  const ofFramework = code && problemOfFrameworkCode[code]
  if (ofFramework) return new Problem(ofFramework)
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return new Problem('request.invalid')
  return undefined
}

/** Writes the error body `{ title, status, code, requestId, detail? }`. Contract ErrorMessage; names of RFC 9457. */
function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  const { detail, retryAfterSeconds, text, title } = problem.details
  const own = text ? problemText(text, request.language) : title
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfterSeconds))))
  // The rest of such a request is not waited for (RFC 9110, section 15.5.9).
  if (problem.httpStatus === 408) reply.header('connection', 'close')
  return reply
    .status(problem.httpStatus)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .type('application/json; charset=utf-8')
    .send(
      JSON.stringify({
        title: own ?? problemTitle(problem.code, request.language),
        status: problem.wireStatus,
        code: problem.code,
        requestId: request.id,
        ...(detail !== undefined && { detail }),
      }),
    )
}

/** Answers what fails before there is a route, such as an address that is no UTF-8; no hook has run by then. */
export function answerFrameworkError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  request.language = negotiateLanguage(request.headers['accept-language'])
  reply.header('content-language', request.language)
  void sendProblem(request, reply, toProblem(error) ?? new Problem('server.unexpected'))
}

/** One root error handler: expected failures get their status, everything else is a logged 500 without a word about its cause. */
export const problemsPlugin = fastifyPlugin(
  async (app) => {
    app.setErrorHandler((error, request, reply) => {
      // The answer is under way, most often to a client that has gone: nothing can be said any more.
      if (reply.raw.headersSent) {
        request.log.warn({ err: error }, 'Answer broke off')
        reply.raw.destroy()
        return reply
      }
      const problem = toProblem(error)
      if (problem) return sendProblem(request, reply, problem)
      request.log.error({ err: error }, 'Request failed unexpectedly')
      // Without the error's own text, which may quote what was sent.
      const message = `${request.method} ${request.routeOptions.url ?? 'unknown route'} failed unexpectedly, request ${request.id}`
      recordSystem(app.deps.platformLog, { level: 'Error', address: request.ip, message, status: 'Failed' })
      return sendProblem(request, reply, new Problem('server.unexpected'))
    })
    const routes = createKnownRoutes()
    app.addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat()) routes.add(one, url)
    })
    app.setNotFoundHandler((request, reply) => {
      const path = request.url.split('?')[0] ?? '/'
      const methods = routes.methodsOf(path).filter((method) => method !== request.method)
      if (methods.length > 0) reply.header('allow', methods.join(', '))
      return sendProblem(request, reply, new Problem(methods.length > 0 ? 'route.method' : 'route.not-found'))
    })
  },
  { name: 'problems', dependencies: ['language'] },
)
