import { type Static, Type } from 'typebox'
import { nullable, stringEnum } from './kit.ts'
import { Limits, notEmpty } from './limits.ts'
import { difficulties } from './vocabulary.ts'

/**
 * Difficulty label from the organizers. Unlike `difficulty` of a ChallengeEdit, which changes the point curve, it is only
 * informative.
 */
export const Difficulty = stringEnum(difficulties, { title: 'Difficulty' })
export type Difficulty = Static<typeof Difficulty>

const id = Type.Integer({ format: 'int32', description: 'Id of the challenge.' })
const difficulty = nullable(Difficulty, { description: 'Null if it is not set.' })

/** Words for finding a challenge. */
export const ChallengeTags = Type.Array(
  Type.String({
    ...notEmpty,
    maxLength: Limits.maxChallengeTagLength,
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
    description: 'Without control characters.',
  }),
  { maxItems: Limits.maxChallengeTags, description: 'Unique without regard to case.' },
)

/** Labels of a challenge that the reference lacks, for players to choose by. */
export const ChallengeLabels = Type.Object({ tags: ChallengeTags, difficulty }, { title: 'ChallengeLabels' })
export type ChallengeLabels = Static<typeof ChallengeLabels>

export const LabeledChallenge = Type.Object({ id, ...ChallengeLabels.properties }, { title: 'LabeledChallenge' })
export type LabeledChallenge = Static<typeof LabeledChallenge>

/** Details of a challenge on a board before it is opened. */
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
