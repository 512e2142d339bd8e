import { type Static, Type } from 'typebox'
import { ParticipationRef } from './games.ts'
import { additive, nullable, stringEnum, withSchemaOptions } from './kit.ts'
import { Limits, notEmpty } from './limits.ts'
import { SolvedChallenge } from './scoreboard.ts'

/**
 * Status of a submission. `FlagSubmitted` means that the submission is not judged yet. Players see `WrongAnswer` instead of
 * `CheatDetected`. `Expired` is reserved and never sent.
 */
export const AnswerResult = stringEnum(['FlagSubmitted', 'Accepted', 'WrongAnswer', 'CheatDetected', 'NotFound', 'Expired'], {
  title: 'AnswerResult',
})
export type AnswerResult = Static<typeof AnswerResult>

export const FlagSubmission = Type.Object(
  {
    flag: Type.String({ ...notEmpty, maxLength: Limits.maxFlagLength, description: 'It is trimmed before the comparison.' }),
  },
  { title: 'FlagSubmission' },
)
export type FlagSubmission = Static<typeof FlagSubmission>

/** Flag that a correct answer matched, in a challenge with several flags to find. */
export const FoundFlag = Type.Object(
  {
    points: Type.Integer({ format: 'int32', description: 'Points that the team gets for it.' }),
    isNew: Type.Boolean({ description: 'False if the team had found it before. It then gets no points.' }),
    found: Type.Integer({ format: 'int32', description: 'Flags that the team has found so far.' }),
    total: Type.Integer({ format: 'int32', description: 'Flags that the team must find.' }),
  },
  { title: 'FoundFlag' },
)
export type FoundFlag = Static<typeof FoundFlag>

export const FlagVerdict = Type.Object(
  {
    id: Type.Integer({ format: 'int32', description: 'Id of the submission.' }),
    status: AnswerResult,
    solve: nullable(SolvedChallenge, {
      description: 'Solve of this submission, with its current points. Null if the flag is wrong or gives no points.',
    }),
    found: nullable(FoundFlag, {
      ...additive,
      description: 'Flag that the answer found. Null if the flag is wrong, or if every flag solves the challenge.',
    }),
  },
  { title: 'FlagVerdict' },
)
export type FlagVerdict = Static<typeof FlagVerdict>

/** Progress of a team in a challenge with several flags to find. */
export const FlagProgress = Type.Object(
  {
    challengeId: Type.Integer({ format: 'int32' }),
    found: Type.Integer({ format: 'int32' }),
    total: Type.Integer({ format: 'int32', description: 'Flags that the team must find.' }),
  },
  { title: 'FlagProgress' },
)
export type FlagProgress = Static<typeof FlagProgress>

export const Submission = Type.Object(
  {
    answer: Type.String({ maxLength: Limits.maxFlagLength }),
    status: AnswerResult,
    time: Type.String({ format: 'date-time' }),
    user: Type.String(),
    team: Type.String(),
    challenge: Type.String(),
  },
  { title: 'Submission' },
)
export type Submission = Static<typeof Submission>

export const CheatRecord = Type.Object(
  {
    ownedTeam: withSchemaOptions(ParticipationRef, { description: 'Team that owns the flag.' }),
    submitTeam: ParticipationRef,
    submission: Submission,
  },
  { title: 'CheatRecord' },
)
export type CheatRecord = Static<typeof CheatRecord>

/** Submission of the caller's team. */
export const TeamAttempt = Type.Object(
  {
    id: Type.Integer({ format: 'int32', description: 'Id of the submission.' }),
    answer: Type.String({ maxLength: Limits.maxFlagLength }),
    status: AnswerResult,
    time: Type.Integer({ format: 'int64', description: 'In ms since 1970.' }),
    user: Type.String({ description: 'Empty if the account was deleted.' }),
    isOwn: Type.Boolean({ description: 'True if the caller submitted it.' }),
  },
  { title: 'TeamAttempt' },
)
export type TeamAttempt = Static<typeof TeamAttempt>
