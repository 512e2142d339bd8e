import { type Static, Type } from 'typebox'
import { AdminGame } from './games.ts'
import { nullable, nullableBoolean } from './kit.ts'
import { notNegative } from './limits.ts'

/** Information whether a challenge has a flag and images, and whether its images have run as a test instance. */
export const ChallengeReadiness = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    title: Type.String(),
    isEnabled: Type.Boolean(),
    hasFlag: Type.Boolean({ description: 'True for DynamicContainer, which creates a flag for each team.' }),
    hasImage: nullableBoolean({ description: 'True if every container has an image. Null without a container.' }),
    hasRun: nullableBoolean({ description: 'As in TestReport. Null without a container.' }),
  },
  { title: 'ChallengeReadiness' },
)
export type ChallengeReadiness = Static<typeof ChallengeReadiness>

function count(description: string) {
  return Type.Integer({ format: 'int32', ...notNegative, description })
}

/** Numbers of challenges of a game: in total, enabled, with containers, and without a flag, an image or a test. */
export const ReadyCounts = Type.Object(
  {
    total: count('Challenges.'),
    enabled: count('Challenges that players see.'),
    withoutFlag: count('Challenges without a flag.'),
    containers: count('Enabled challenges with a container.'),
    withoutImage: count('Enabled challenges with a container that has no image.'),
    untested: count('Enabled challenges whose images never ran as a test instance.'),
  },
  { title: 'ReadyCounts' },
)
export type ReadyCounts = Static<typeof ReadyCounts>

export function countChallengesByReadiness(challenges: readonly ChallengeReadiness[]): ReadyCounts {
  const enabled = challenges.filter(({ isEnabled }) => isEnabled)
  return {
    total: challenges.length,
    enabled: enabled.length,
    withoutFlag: challenges.filter(({ hasFlag }) => !hasFlag).length,
    containers: enabled.filter(({ hasImage }) => hasImage !== null).length,
    withoutImage: enabled.filter(({ hasImage }) => hasImage === false).length,
    untested: enabled.filter(({ hasImage, hasRun }) => hasImage && !hasRun).length,
  }
}

export const ListedGame = Type.Object(
  { ...AdminGame.properties, challenges: nullable(ReadyCounts, { description: 'Null once the game has started.' }) },
  { title: 'ListedGame' },
)
export type ListedGame = Static<typeof ListedGame>

export const ListedGamePage = Type.Object(
  {
    data: Type.Array(ListedGame),
    length: Type.Integer({ format: 'int32', description: 'Items in `data`.' }),
    total: Type.Integer({ format: 'int32', description: 'Items overall.' }),
  },
  { title: 'ListedGamePage' },
)
export type ListedGamePage = Static<typeof ListedGamePage>
