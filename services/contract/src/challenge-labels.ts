import { type Static, Type } from 'typebox'
import { nullable, stringEnum } from './kit.ts'
import { Limits, notEmpty } from './limits.ts'
import { difficulties } from './vocabulary.ts'

/**
 * Difficulty label that organizers choose. It has no effect on points, unlike the field `difficulty` of ChallengeEdit, which is a
 * parameter of the score curve.
 */
export const Difficulty = stringEnum(difficulties, { title: 'Difficulty' })
export type Difficulty = Static<typeof Difficulty>

const id = Type.Integer({ format: 'int32', description: 'Id of the challenge.' })
const difficulty = nullable(Difficulty, { description: 'Null if it is not set.' })

/** Tags of a challenge. Players can filter challenges by tag. */
export const ChallengeTags = Type.Array(
  Type.String({
    ...notEmpty,
    maxLength: Limits.maxChallengeTagLength,
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
    description: 'Without control characters.',
  }),
  { maxItems: Limits.maxChallengeTags, description: 'Unique without regard to case.' },
)

/** Tags and difficulty, which help players to choose a challenge. The reference platform has neither tags nor this difficulty. */
export const ChallengeLabels = Type.Object({ tags: ChallengeTags, difficulty }, { title: 'ChallengeLabels' })
export type ChallengeLabels = Static<typeof ChallengeLabels>

export const LabeledChallenge = Type.Object({ id, ...ChallengeLabels.properties }, { title: 'LabeledChallenge' })
export type LabeledChallenge = Static<typeof LabeledChallenge>

/** Details of a challenge that a board shows even before a player opens the challenge. */
export const ChallengeMarks = Type.Object(
  {
    id,
    hasContainer: Type.Boolean({ description: 'True if teams start an instance.' }),
    hasFile: Type.Boolean({ description: 'True if the challenge has a file.' }),
    ...ChallengeLabels.properties,
  },
  { title: 'ChallengeMarks' },
)
export type ChallengeMarks = Static<typeof ChallengeMarks>
