import { type Static, Type } from 'typebox'
import { Id, nullableInstantMs, nullableString } from './kit.ts'
import { Limits, notEmpty } from './limits.ts'

const points = Type.Integer({
  format: 'int32',
  minimum: -Limits.maxAwardPoints,
  maximum: Limits.maxAwardPoints,
  description: 'Negative for points that are taken. Never 0.',
})

function instantMs(description: string) {
  return Type.Integer({ format: 'int64', description })
}

/** Award in responses to organizers. */
export const Award = Type.Object(
  {
    id: Id,
    teamId: Id,
    team: Type.String({ description: 'Name of the team.' }),
    points,
    reason: Type.String(),
    isReasonShown: Type.Boolean({ description: 'True if the team reads the reason.' }),
    time: instantMs('In ms since 1970.'),
    author: nullableString({ description: 'User name. Null for an imported award or a deleted account.' }),
    revokedAt: nullableInstantMs({ description: 'In ms since 1970. Null if the award counts.' }),
    revokedBy: nullableString({ description: 'User name. Null if it is not revoked, or for a deleted account.' }),
  },
  { title: 'Award' },
)
export type Award = Static<typeof Award>

export const AwardPage = Type.Object(
  { data: Type.Array(Award), length: Type.Integer({ format: 'int32' }), total: Type.Integer({ format: 'int32' }) },
  { title: 'AwardPage' },
)

export const AwardCreate = Type.Object(
  {
    teamId: Id,
    points,
    reason: Type.String({ ...notEmpty, maxLength: Limits.maxReasonLength, description: 'It is trimmed.' }),
    isReasonShown: Type.Optional(Type.Boolean({ default: true, description: 'False if only organizers read the reason.' })),
  },
  { title: 'AwardCreate' },
)
export type AwardCreate = Static<typeof AwardCreate>

/** Award of the caller's team. */
export const TeamAward = Type.Object(
  {
    id: Type.Integer({ format: 'int32', description: 'Number of the award among the awards of the team.' }),
    points,
    reason: nullableString({ description: 'Null if only organizers read it.' }),
    time: instantMs('In ms since 1970.'),
  },
  { title: 'TeamAward' },
)
export type TeamAward = Static<typeof TeamAward>
