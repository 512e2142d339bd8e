import { type BodyBounds, BodyLimits } from '@capstan/contract/limits'
import type { BodyOf, Operation, ParamsOf, QueryOf, RateLimitPolicy, ResponseOf } from '@capstan/contract/operation'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import type { TSchema } from 'typebox'
import { toResponseSchema } from '../http/answer-schema.ts'
import { createValidator, type InputPart } from '../http/validation.ts'
import { createCallActionRecorder, type Recorder } from '../logs/record.ts'
import type { SessionUser } from '../sessions/session-user.ts'

type UserOf<Op extends Operation> = Op['access'] extends 'anonymous' ? SessionUser | undefined : SessionUser

/** Context of one API call: the validated input, the user, and Fastify's objects for headers and files. */
export type OperationContext<Op extends Operation> = Readonly<{
  user: UserOf<Op>
  params: ParamsOf<Op>
  query: QueryOf<Op>
  body: BodyOf<Op>
  record: Recorder
  request: FastifyRequest
  reply: FastifyReply
}>

/** Result of a handler: the JSON response, the reply if it was already sent, or undefined for a response without a body. */
export type HandlerResult<Op extends Operation> =
  | Promise<ResponseOf<Op> | FastifyReply>
  | (Op['response'] extends TSchema ? never : Promise<void>)

export type OperationHandler<Op extends Operation> = (context: OperationContext<Op>) => HandlerResult<Op>

export type OperationOptions = Readonly<{
  /** True if banned users may make the call. Only the log-out call sets this. */
  allowBanned?: boolean
  /**
   * Returns true if the request is a retry of a call whose result is already stored. A retry does not count toward the rate limit
   * of the call.
   */
  isRepetition?: (request: FastifyRequest, user: SessionUser) => Promise<boolean>
  /** Rate limit of a costly call for which the reference platform defines no limit. */
  rateLimit?: RateLimitPolicy
}>

/**
 * Options of costly downloads for which the reference platform defines no limit. A limit is needed, because a process can write only
 * a few of these downloads at the same time.
 */
export const costlyDownload = { rateLimit: 'concurrency' } as const satisfies OperationOptions

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Registers one operation of the contract. `operation` determines address, access, rate limit and schemas. The handler returns
     * the JSON response, or the reply if it has already sent a file or serialized bytes.
     */
    operation<const Op extends Operation>(operation: Op, handler: OperationHandler<Op>, options?: OperationOptions): void
    /** All registered operations. The access tests and the API description use them. */
    registeredOperations: Operation[]
  }
  interface FastifyContextConfig {
    operation?: Operation
    /** Size limits of the JSON body. If absent, the call takes no body, and a body that a client sends is ignored. */
    bodyBounds?: BodyBounds
  }
}

function routePath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function isObjectOrArray(schema: TSchema): boolean {
  const { type } = schema as { type?: unknown }
  return type === 'object' || type === 'array'
}

/** Sends bare strings and numbers as JSON, and `undefined` as an empty body (docs/contract/http.md). */
function send(reply: FastifyReply, operation: Operation, result: unknown): FastifyReply {
  if (result === reply || reply.sent) return reply
  if (!operation.response) return reply.status(200).send()
  if (isObjectOrArray(operation.response)) return reply.send(result)
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(result))
}

export const operationsPlugin = fastifyPlugin(
  async (app) => {
    app.decorate('registeredOperations', [])
    // Scope of the calls with an upload. Other calls parse no forms, so they need no hooks of the parser.
    let uploads: FastifyInstance = app
    await app.register(async (scope) => {
      await scope.register(multipart)
      uploads = scope
    })
    app.decorate('operation', function register<
      Op extends Operation,
    >(this: typeof app, operation: Op, handler: OperationHandler<Op>, options: OperationOptions = {}) {
      app.registeredOperations.push(operation)
      const validatorOf = (part: InputPart, schema: TSchema | undefined) =>
        schema ? createValidator(part, schema) : () => undefined
      const params = validatorOf('params', operation.params)
      const query = validatorOf('query', operation.query)
      const body = validatorOf('body', operation.body)
      const users = new WeakMap<FastifyRequest, SessionUser>()
      const bodyBounds = operation.body && (operation.bodyBounds ?? BodyLimits.default)
      const scope = operation.upload ? uploads : this
      scope.route({
        method: operation.method,
        url: routePath(operation.path),
        ...(operation.response &&
          isObjectOrArray(operation.response) && { schema: { response: { 200: toResponseSchema(operation.response) } } }),
        ...(bodyBounds && { bodyLimit: bodyBounds.maxBytes }),
        config: { operation, ...(bodyBounds && { bodyBounds }) },
        onRequest: async (request, reply) => {
          let user: SessionUser | undefined
          try {
            user = await app.authorise(request, reply, operation.access, options)
          } catch (refusal) {
            // A refused call counts toward the global limit of the caller's address.
            await app.limitRate(reply, undefined, undefined)
            app.recordRefusal(request)
            throw refusal
          }
          if (user) users.set(request, user)
          const isRepetition = async () => user !== undefined && (await options.isRepetition?.(request, user)) === true
          await app.limitRate(reply, user, operation.rateLimit ?? options.rateLimit, isRepetition)
          if (operation.upload && user) app.admitUpload(request, reply, user.id)
        },
        handler: async (request, reply) => {
          const user = users.get(request)
          const context = {
            user,
            params: params(request.params),
            query: query(request.query),
            body: body(request.body),
            record: createCallActionRecorder(app.deps.platformLog, user, request.ip),
            request,
            reply,
          } as OperationContext<Op>
          return send(reply, operation, await app.countWhileWorking<unknown>(request, () => handler(context)))
        },
      })
    })
  },
  { name: 'operations', dependencies: ['session', 'rate-limit', 'uploads'] },
)
