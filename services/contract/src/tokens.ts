import { type Static, Type } from 'typebox'
import { nullableInteger, nullableString, stringEnum } from './kit.ts'
import { InputLimits, Limits, notEmpty, notNegative } from './limits.ts'
import { tokenScopes } from './vocabulary.ts'

/** Scope of an API token. A larger scope includes all smaller scopes. See `token-access.ts`. */
export const TokenScope = stringEnum(tokenScopes, { title: 'TokenScope' })
export type TokenScope = Static<typeof TokenScope>

const milliseconds = { format: 'int64', description: 'Milliseconds since 1970, UTC.' } as const

/** Token in responses to admins. Only the response to the creation of a token contains its secret. */
export const ApiToken = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    creatorId: Type.String({ format: 'uuid' }),
    creator: nullableString(),
    createdAt: Type.Integer(milliseconds),
    expiresAt: nullableInteger(milliseconds),
    lastUsedAt: nullableInteger(milliseconds),
    isRevoked: Type.Boolean(),
    scope: TokenScope,
    gameId: nullableInteger({ format: 'int32', description: 'The only game of the token.' }),
    gameTitle: nullableString(),
  },
  { title: 'ApiToken' },
)
export type ApiToken = Static<typeof ApiToken>

export const ApiTokenCreate = Type.Object(
  {
    name: Type.String({ ...notEmpty, maxLength: Limits.maxTokenNameLength }),
    expiresIn: Type.Optional(
      nullableInteger({
        format: 'int32',
        ...notNegative,
        maximum: InputLimits.maxTokenDays,
        description: 'Lifetime in days; 0 or null for no expiry.',
      }),
    ),
    scope: Type.Optional(stringEnum(tokenScopes, { default: 'ReadGame', description: 'Each scope includes the previous ones.' })),
    gameId: Type.Optional(
      nullableInteger({
        format: 'int32',
        minimum: InputLimits.minId,
        maximum: InputLimits.maxInt32,
        description: 'Restricts the token to calls of this game. Not with `WritePlatform`.',
      }),
    ),
  },
  { title: 'ApiTokenCreate' },
)
export type ApiTokenCreate = Static<typeof ApiTokenCreate>

export const ApiTokenCreated = Type.Object(
  { token: Type.String({ description: 'Only this response contains the token.' }), info: ApiToken },
  { title: 'ApiTokenCreated' },
)
export type ApiTokenCreated = Static<typeof ApiTokenCreated>
