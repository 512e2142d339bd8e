import { type Static, Type } from 'typebox'
import { Id, nullableArray, nullableInteger, nullableString } from './kit.ts'
import { InputLimits, Limits, notEmpty, notNegative } from './limits.ts'

function permissions(description: string) {
  return Type.Integer({ format: 'int32', ...notNegative, maximum: InputLimits.maxInt32, description })
}

const permissionBits =
  'Or-ed: 1 join, 2 overall rank, 4 review, 256 see, 512 submit, 1024 points, 2048 bloods, 4096 counts for the value.'

/** Rights of a division for one challenge. For this challenge they replace the default rights of the division. */
export const ChallengePermissions = Type.Object(
  { challengeId: Id, permissions: permissions(permissionBits) },
  { title: 'ChallengePermissions' },
)
export type ChallengePermissions = Static<typeof ChallengePermissions>

export const Division = Type.Object(
  {
    id: Id,
    name: Type.String(),
    inviteCode: nullableString(),
    defaultPermissions: permissions(permissionBits),
    challengeConfigs: Type.Array(ChallengePermissions, { description: 'By challenge id.' }),
  },
  { title: 'Division' },
)
export type Division = Static<typeof Division>

const divisionFields = {
  name: Type.String({ ...notEmpty, maxLength: InputLimits.maxDivisionNameLength }),
  inviteCode: Type.Optional(
    nullableString({ maxLength: Limits.maxDivisionCodeLength, description: 'Blank clears it, and null retains it.' }),
  ),
  defaultPermissions: Type.Optional(
    nullableInteger({
      format: 'int32',
      ...notNegative,
      maximum: InputLimits.maxInt32,
      description: `${permissionBits} Absent in a new division: all.`,
    }),
  ),
  challengeConfigs: Type.Optional(
    nullableArray(ChallengePermissions, { maxItems: InputLimits.maxDivisionChallenges, description: 'Replaces the old list.' }),
  ),
} as const

export const DivisionCreate = Type.Object(divisionFields, { title: 'DivisionCreate' })
export type DivisionCreate = Static<typeof DivisionCreate>

/** Changes to a division. Absent or null fields remain unchanged. */
export const DivisionUpdate = Type.Object(
  {
    ...divisionFields,
    name: Type.Optional(nullableString({ ...notEmpty, maxLength: InputLimits.maxDivisionNameLength })),
  },
  { title: 'DivisionUpdate' },
)
export type DivisionUpdate = Static<typeof DivisionUpdate>

/** Division in responses to players. */
export const OfferedDivision = Type.Object(
  {
    id: Id,
    name: Type.String(),
    inviteCodeRequired: Type.Boolean({ description: 'True if its code or the code of the game is required.' }),
  },
  { title: 'OfferedDivision' },
)

/** Teams of the caller in a game, and the divisions that the caller may choose. */
export const JoinCheck = Type.Object(
  {
    joinedTeams: Type.Array(
      Type.Object({ id: Id, division: nullableInteger({ format: 'int32', description: 'Division id.' }) }),
      {
        description: "The caller's teams that are in the game already.",
      },
    ),
    joinableDivisions: Type.Array(Id, { description: 'Ids of the divisions that teams may join.' }),
  },
  { title: 'JoinCheck' },
)
export type JoinCheck = Static<typeof JoinCheck>
