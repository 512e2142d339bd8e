import { type Static, Type } from 'typebox'
import { nullable, stringEnum } from './kit.ts'
import { Limits, notEmpty } from './limits.ts'
import { difficulties } from './vocabulary.ts'

/** How hard organizers say a challenge is. Unlike `difficulty` of a ChallengeEdit, which bends the curve of points, it only tells. */
export const Difficulty = stringEnum(difficulties, { title: 'Difficulty' })
export type Difficulty = Static<typeof Difficulty>

const id = Type.Integer({ format: 'int32', description: 'Of the challenge.' })
const difficulty = nullable(Difficulty, { description: 'Null: not given.' })

/** Words that players find a challenge by. */
export const ChallengeTags = Type.Array(
  Type.String({
    ...notEmpty,
    maxLength: Limits.challengeTagMaxLength,
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
    description: 'Without control characters.',
  }),
  { maxItems: Limits.challengeTagsMax, description: 'Each once, without regard to upper and lower case.' },
)

/** What organizers say of a challenge beside the reference, for players to choose by. */
export const ChallengeLabels = Type.Object({ tags: ChallengeTags, difficulty }, { title: 'ChallengeLabels' })
export type ChallengeLabels = Static<typeof ChallengeLabels>

/** The labels of one challenge among others. */
export const LabeledChallenge = Type.Object({ id, ...ChallengeLabels.properties }, { title: 'LabeledChallenge' })
export type LabeledChallenge = Static<typeof LabeledChallenge>

/** What a board shows of a challenge before it is opened. */
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
