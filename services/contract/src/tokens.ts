import { type Static, Type } from 'typebox'
import { nullableInteger, nullableString, stringEnum } from './kit.ts'
import { InputLimits, Limits, notEmpty, notNegative } from './limits.ts'
import { tokenScopes } from './vocabulary.ts'

/** Scope of a token. Each scope includes the earlier ones. See `token-access.ts`. */
export const TokenScope = stringEnum(tokenScopes, { title: 'TokenScope' })
export type TokenScope = Static<typeof TokenScope>

const milliseconds = { format: 'int64', description: 'Milliseconds since 1970, UTC.' } as const

/** Token as admins see it. The secret is shown only once, at creation. */
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
    gameId: nullableInteger({ format: 'int32', description: 'The one game that it is for.' }),
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
        description: 'Days; 0 or null: never.',
      }),
    ),
    scope: Type.Optional(stringEnum(tokenScopes, { default: 'ReadGame', description: 'Each opens what those before it do.' })),
    gameId: Type.Optional(
      nullableInteger({
        format: 'int32',
        minimum: InputLimits.minId,
        maximum: InputLimits.maxInt32,
        description: 'Opens calls of this game alone; not with `WritePlatform`.',
      }),
    ),
  },
  { title: 'ApiTokenCreate' },
)
export type ApiTokenCreate = Static<typeof ApiTokenCreate>

export const ApiTokenCreated = Type.Object(
  { token: Type.String({ description: 'Shown here alone.' }), info: ApiToken },
  { title: 'ApiTokenCreated' },
)
export type ApiTokenCreated = Static<typeof ApiTokenCreated>
