import { type Static, Type } from 'typebox'
import { UserProfile } from './accounts.ts'
import { additive, nullableArray, nullableString, Uuid } from './kit.ts'
import { InputLimits, Limits, notEmpty } from './limits.ts'

/** Changes to a team. An empty or absent `name` leaves the name unchanged, but `bio` is always replaced. */
export const TeamWrite = Type.Object(
  {
    name: Type.Optional(
      nullableString({ maxLength: Limits.maxTeamNameLength, description: 'Required and not empty on creation.' }),
    ),
    bio: Type.Optional(nullableString({ maxLength: Limits.maxTeamBioLength })),
  },
  { title: 'TeamWrite' },
)
export type TeamWrite = Static<typeof TeamWrite>

export const TeamMember = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    userName: nullableString(),
    bio: nullableString(),
    avatar: nullableString(),
    captain: Type.Boolean(),
  },
  { title: 'TeamMember' },
)
export type TeamMember = Static<typeof TeamMember>

export const TeamInfo = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    name: nullableString(),
    bio: nullableString(),
    avatar: nullableString({ description: '`/assets/{hash}/avatar` or null.' }),
    locked: Type.Boolean(),
    members: nullableArray(TeamMember, { description: 'Null if members are not listed (writeup list).' }),
    ofProvider: Type.Optional(
      Type.Boolean({
        ...additive,
        description: 'True if an identity provider decides who joins, so that no invitation code works. Absent for other teams.',
      }),
    ),
  },
  { title: 'TeamInfo' },
)
export type TeamInfo = Static<typeof TeamInfo>

export const TeamPage = Type.Object(
  {
    data: Type.Array(TeamInfo),
    length: Type.Integer({ format: 'int32', description: 'Items in `data`.' }),
    total: Type.Integer({ format: 'int32', description: 'Total number of items; equals `length` if the call has no paging.' }),
  },
  { title: 'TeamPage' },
)
export type TeamPage = Static<typeof TeamPage>

export const TeamRef = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    name: Type.String(),
    avatar: nullableString(),
  },
  { title: 'TeamRef' },
)
export type TeamRef = Static<typeof TeamRef>

export const TeamWithProfiles = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    name: nullableString(),
    bio: nullableString(),
    avatar: nullableString(),
    locked: Type.Boolean(),
    captainId: Type.String({ format: 'uuid' }),
    members: Type.Array(UserProfile),
  },
  { title: 'TeamWithProfiles' },
)
export type TeamWithProfiles = Static<typeof TeamWithProfiles>

export const TeamTransferRequest = Type.Object(
  {
    newCaptainId: Uuid,
  },
  { title: 'TeamTransferRequest' },
)
export type TeamTransferRequest = Static<typeof TeamTransferRequest>

export const TeamTokenCheck = Type.Object(
  {
    teamToken: Type.String({
      ...notEmpty,
      maxLength: InputLimits.maxTokenLength,
      description: '`{team id}:{base64 Ed25519 signature}`, the `teamToken` of PlayerBoard.',
    }),
    publicKey: Type.String({
      ...notEmpty,
      maxLength: InputLimits.maxTokenLength,
      contentEncoding: 'base64',
      description: "The game's 32-byte public key.",
    }),
  },
  { title: 'TeamTokenCheck' },
)
export type TeamTokenCheck = Static<typeof TeamTokenCheck>

/** Invitation code of a team: `{team name}:{team id}:{32 hex digits}`. */
export const InviteCode = Type.String({ maxLength: InputLimits.maxTokenLength, pattern: '^.+:\\d+:[0-9a-f]{32}$' })
export type InviteCode = Static<typeof InviteCode>
