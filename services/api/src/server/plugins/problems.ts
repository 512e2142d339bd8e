import { negotiateLanguage } from '@capstan/contract/languages'
import { Problem, type ProblemCode } from '@capstan/contract/problems'
import { formatProblemText, problemTitle } from '@capstan/contract/server-texts'
import { DatabaseUnavailable } from '@capstan/db/database-error'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { createKnownRouteTable } from '../http/known-routes.ts'
import { databaseErrorOf, problemCodeOfViolation } from '../http/violations.ts'
import { recordSystemAction } from '../logs/record.ts'

/** Problem codes for error codes of Fastify and its plugins. */
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

/** Retry-After header while the database is unavailable, in seconds. */
const retryAfterSeconds = 5

function toProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error
  const ofDatabase = databaseErrorOf(error)
  if (ofDatabase instanceof DatabaseUnavailable) return new Problem('server.unavailable', { retryAfterSeconds })
  const ofConstraint = problemCodeOfViolation(error)
  if (ofConstraint) return new Problem(ofConstraint)
  const { code, statusCode } = error as Partial<FastifyError>
  const ofFramework = code && problemOfFrameworkCode[code]
  if (ofFramework) return new Problem(ofFramework)
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return new Problem('request.invalid')
  return undefined
}

/**
 * Sends the error body `{ title, status, code, requestId, detail? }`, which is `ErrorMessage` in the contract. The member names
 * follow RFC 9457.
 */
function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  const { detail, retryAfterSeconds, text, title } = problem.details
  const own = text ? formatProblemText(text, request.language) : title
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfterSeconds))))
  // The server does not wait for the rest of a request that timed out (RFC 9110, section 15.5.9).
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

/**
 * Handles errors that occur before routing, for example if the address is not valid UTF-8. No hook has run before such an error.
 */
export function sendFrameworkError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  request.language = negotiateLanguage(request.headers['accept-language'])
  reply.header('content-language', request.language)
  void sendProblem(request, reply, toProblem(error) ?? new Problem('server.unexpected'))
}

/**
 * Handles all errors. An expected failure gets its own status. Any other error is logged and becomes a 500 that does not contain
 * the cause.
 */
export const problemsPlugin = fastifyPlugin(
  async (app) => {
    app.setErrorHandler((error, request, reply) => {
      // The headers are already sent, so no error body is possible. Usually the client has disconnected.
      if (reply.raw.headersSent) {
        request.log.warn({ err: error }, 'The response was aborted')
        reply.raw.destroy()
        return reply
      }
      const problem = toProblem(error)
      if (problem) return sendProblem(request, reply, problem)
      request.log.error({ err: error }, 'Request failed unexpectedly')
      // Omit the error's own message, because it may quote user input.
      const message = `${request.method} ${request.routeOptions.url ?? 'unknown route'} failed unexpectedly, request ${request.id}`
      recordSystemAction(app.deps.platformLog, { level: 'Error', address: request.ip, message, status: 'Failed' })
      return sendProblem(request, reply, new Problem('server.unexpected'))
    })
    const routes = createKnownRouteTable()
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
