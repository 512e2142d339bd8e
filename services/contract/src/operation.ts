import type { Static, TSchema } from 'typebox'
import type { BodyBounds } from './limits.ts'

/**
 * Who may make a call. Rules: docs/contract/sessions-and-accounts.md#roles.
 * `captain`: of the team in the path. `participant`: member of an Accepted team of the game in the path.
 */
export type Access = 'anonymous' | 'user' | 'captain' | 'participant' | 'monitor' | 'admin'

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Extra rate limit of a call; figures in `limits.ts`. */
export type RateLimitPolicy = 'register' | 'submit' | 'container' | 'concurrency'

/** One HTTP call of the contract: the only place that knows its address, access and shapes. */
export interface Operation {
  readonly tag: string
  readonly method: HttpMethod
  /** OpenAPI template, for example `/api/team/{id}`. */
  readonly path: string
  readonly access: Access
  readonly rateLimit?: RateLimitPolicy
  readonly summary?: string
  readonly description?: string
  readonly params?: TSchema
  readonly query?: TSchema
  /** JSON body. */
  readonly body?: TSchema
  /** How much JSON the body may hold; absent: `BodyLimits.default`. */
  readonly bodyBounds?: BodyBounds
  /** Multipart body: one file, or several under one field name. */
  readonly upload?: { readonly field: string; readonly maxBytes?: number; readonly many?: boolean }
  /** JSON answer of status 200; absent = empty body. */
  readonly response?: TSchema
  /** Content type of a file answer. */
  readonly download?: string
  /** Refusals by HTTP status. */
  readonly errors: readonly number[]
}

type Shape<Schema> = Schema extends TSchema ? Static<Schema> : undefined

export type ParamsOf<Op extends Operation> = Shape<Op['params']>
export type QueryOf<Op extends Operation> = Shape<Op['query']>
export type BodyOf<Op extends Operation> = Shape<Op['body']>
export type ResponseOf<Op extends Operation> = Shape<Op['response']>

/** Checks an operation's shape and keeps its exact type. */
export const operation = <const Op extends Operation>(definition: Op): Op => definition
