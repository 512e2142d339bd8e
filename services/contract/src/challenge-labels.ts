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

const id = Type.Integer({ format: 'int32', description: 'Of the challenge.' })
const difficulty = nullable(Difficulty, { description: 'Null: not given.' })

/** Words by which players find a challenge. */
export const ChallengeTags = Type.Array(
  Type.String({
    ...notEmpty,
    maxLength: Limits.maxChallengeTagLength,
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
    description: 'Without control characters.',
  }),
  { maxItems: Limits.maxChallengeTags, description: 'Each once, without regard to upper and lower case.' },
)

/** Labels of a challenge that the reference lacks, for players to choose by. */
export const ChallengeLabels = Type.Object({ tags: ChallengeTags, difficulty }, { title: 'ChallengeLabels' })
export type ChallengeLabels = Static<typeof ChallengeLabels>

/** Labels of one challenge in a list. */
export const LabeledChallenge = Type.Object({ id, ...ChallengeLabels.properties }, { title: 'LabeledChallenge' })
export type LabeledChallenge = Static<typeof LabeledChallenge>

/** Details of a challenge on a board before it is opened. */
export const ChallengeMarks = Type.Object(
  {
    id,
    hasContainer: Type.Boolean({ description: 'Teams start an instance.' }),
    hasFile: Type.Boolean({ description: 'There is something to download.' }),
    ...ChallengeLabels.properties,
  },
  { title: 'ChallengeMarks' },
)
export type ChallengeMarks = Static<typeof ChallengeMarks>
