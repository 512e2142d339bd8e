import { type Static, Type } from 'typebox'
import { Id, nullable, nullableInteger, nullableNumber, nullableString, stringEnum, withSchemaOptions } from './kit.ts'
import { Limits, positive } from './limits.ts'
import { surveyModes } from './vocabulary.ts'

export const SurveyMode = stringEnum(surveyModes, {
  title: 'SurveyMode',
  description: 'Named: organizers see who answered. Anonymous: no stored answer contains its author.',
})
export type SurveyMode = Static<typeof SurveyMode>

const rating = nullableInteger({
  format: 'int32',
  ...positive,
  maximum: Limits.maxSurveyRating,
  description: 'Null for no rating.',
})

export const SurveyAnswer = Type.Object(
  {
    challengeId: nullable(Id, { description: 'Challenge that the team can see. Null for the whole game.' }),
    rating,
    text: Type.String({ maxLength: Limits.maxSurveyTextLength, description: 'Plain text. It is trimmed.' }),
  },
  { title: 'SurveyAnswer' },
)
export type SurveyAnswer = Static<typeof SurveyAnswer>

export const SurveyWrite = Type.Object(
  {
    mode: withSchemaOptions(SurveyMode, {
      description: 'Mode that the caller has seen. The call is refused if the survey has another one.',
    }),
    answers: Type.Array(SurveyAnswer, {
      maxItems: Limits.maxSurveyAnswers,
      description: 'The last answer for a challenge counts. Answers without rating and text are dropped.',
    }),
  },
  { title: 'SurveyWrite' },
)
export type SurveyWrite = Static<typeof SurveyWrite>

/** Survey as the api returns it to players. */
export const Survey = Type.Object(
  {
    mode: SurveyMode,
    challenges: Type.Array(Type.Object({ id: Id, title: Type.String() }), {
      description: 'Challenges that the caller can rate.',
    }),
    answers: Type.Array(SurveyAnswer, { description: "The caller's own answers." }),
  },
  { title: 'Survey' },
)
export type Survey = Static<typeof Survey>

export const SurveyText = Type.Object(
  {
    rating: nullableInteger({ format: 'int32' }),
    text: Type.String(),
    author: nullableString({ description: 'User name. Null in an anonymous survey.' }),
  },
  { title: 'SurveyText' },
)
export type SurveyText = Static<typeof SurveyText>

const count = Type.Integer({ format: 'int32' })

export const SurveyResult = Type.Object(
  {
    challengeId: nullableInteger({ format: 'int32', description: 'Null for the whole game.' }),
    title: nullableString({ description: 'Title of the challenge. Null for the whole game.' }),
    answers: count,
    ratings: Type.Array(count, { description: 'Number of answers with each rating, from 1.' }),
    mean: nullableNumber({ description: 'Null without a rating.' }),
    textCount: count,
    texts: Type.Array(SurveyText, { description: `Up to ${Limits.surveyTexts}, in alphabetical order.` }),
  },
  { title: 'SurveyResult' },
)
export type SurveyResult = Static<typeof SurveyResult>

export const SurveyResults = Type.Object(
  {
    mode: SurveyMode,
    results: Type.Array(SurveyResult, { description: 'The whole game first, then challenges with answers by title.' }),
  },
  { title: 'SurveyResults' },
)
export type SurveyResults = Static<typeof SurveyResults>
