import { type Static, Type } from 'typebox'
import { Id, nullableInstantMs, nullableString, stringEnum } from './kit.ts'
import { InputLimits, Limits, notEmpty, notNegative } from './limits.ts'
import { correctionKinds } from './vocabulary.ts'

export const CorrectionKind = stringEnum(correctionKinds, { title: 'CorrectionKind' })
export type CorrectionKind = Static<typeof CorrectionKind>

/** Correction: a solve that an organizer granted or took back. */
export const SolveCorrection = Type.Object(
  {
    id: Id,
    teamId: Id,
    team: Type.String({ description: 'Name of the team.' }),
    challengeId: Id,
    challenge: Type.String({ description: 'Title of the challenge.' }),
    kind: CorrectionKind,
    reason: Type.String(),
    solvedAt: Type.Integer({ format: 'int64', description: 'Time of the solve, in ms since 1970.' }),
    time: Type.Integer({ format: 'int64', description: 'Time of the correction, in ms since 1970.' }),
    author: nullableString({ description: 'User name. Null for a deleted account.' }),
    revokedAt: nullableInstantMs({ description: 'In ms since 1970. Null if the correction applies.' }),
    revokedBy: nullableString({ description: 'User name. Null if it is not revoked, or for a deleted account.' }),
  },
  { title: 'SolveCorrection' },
)
export type SolveCorrection = Static<typeof SolveCorrection>

export const SolveCorrectionPage = Type.Object(
  { data: Type.Array(SolveCorrection), length: Type.Integer({ format: 'int32' }), total: Type.Integer({ format: 'int32' }) },
  { title: 'SolveCorrectionPage' },
)

export const SolveCorrectionCreate = Type.Object(
  {
    teamId: Id,
    challengeId: Id,
    kind: CorrectionKind,
    reason: Type.String({ ...notEmpty, maxLength: Limits.maxReasonLength, description: 'It is trimmed.' }),
    solvedAt: Type.Optional(
      Type.Integer({
        format: 'int64',
        ...notNegative,
        maximum: InputLimits.maxCount,
        description: 'Time of a granted solve, in ms since 1970. Absent: now.',
      }),
    ),
  },
  { title: 'SolveCorrectionCreate' },
)
export type SolveCorrectionCreate = Static<typeof SolveCorrectionCreate>
