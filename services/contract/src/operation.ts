import type { Static, TSchema } from 'typebox'
import type { BodyBounds } from './limits.ts'

/**
 * Permission for a call. See docs/contract/sessions-and-accounts.md#roles. `captain`: captain of the team in the path.
 * `participant`: member of a team that is Accepted in the game in the path.
 */
export type Access = 'anonymous' | 'user' | 'captain' | 'participant' | 'monitor' | 'admin'

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Name of an additional rate limit of a call. `RateLimits` contains the numbers of each limit. */
export type RateLimitPolicy =
  | 'register'
  | 'signIn'
  | 'ticketMessage'
  | 'ticketState'
  | 'powChallenge'
  | 'submit'
  | 'container'
  | 'concurrency'

/** HTTP call of the contract: the only definition of its address, access, input and output. */
export type Operation = Readonly<{
  tag: string
  method: HttpMethod
  path: string
  access: Access
  rateLimit?: RateLimitPolicy
  summary?: string
  description?: string
  params?: TSchema
  query?: TSchema
  body?: TSchema
  /** Bounds of the JSON body. `BodyLimits.default` if absent. */
  bodyBounds?: BodyBounds
  /** Multipart body with one file, or with several files under the same field name. */
  upload?: Readonly<{ field: string; maxBytes?: number; many?: boolean }>
  /** Schema of the JSON response with status 200. Absent if its body is empty. */
  response?: TSchema
  download?: string
  /**
   * True if a second identical call within a few seconds has no further effect. Our web repeats such a call if its response was
   * lost. See docs/contract/http.md#lost-responses.
   */
  repeatable?: true
  errors: readonly number[]
}>

type Shape<Schema> = Schema extends TSchema ? Static<Schema> : undefined

export type ParamsOf<Op extends Operation> = Shape<Op['params']>
export type QueryOf<Op extends Operation> = Shape<Op['query']>
export type BodyOf<Op extends Operation> = Shape<Op['body']>
export type ResponseOf<Op extends Operation> = Shape<Op['response']>

export function operation<const Op extends Operation>(definition: Op): Op {
  return definition
}
