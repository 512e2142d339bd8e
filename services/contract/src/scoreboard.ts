import { type Static, Type } from 'typebox'
import { ChallengeCategory } from './challenges.ts'
import { BloodBonus, BloodPoints } from './common.ts'
import { ChallengePermissions } from './divisions.ts'
import { BoughtHint } from './hints.ts'
import { additive, nullable, nullableInstantMs, nullableInteger, nullableString, stringEnum } from './kit.ts'
import { Limits } from './limits.ts'
import { LockedChallenge } from './unlock.ts'
import { bloodTypes } from './vocabulary.ts'

/** Type of a solve: not accepted, one of the first three solves of a challenge, or a later solve. */
export const SolveRank = stringEnum(['Unaccepted', ...bloodTypes, 'Normal'], { title: 'SolveRank' })
export type SolveRank = Static<typeof SolveRank>

export const SolvedChallenge = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    score: Type.Integer({ format: 'int32', description: 'With bonus.' }),
    type: SolveRank,
    userName: nullableString(),
    time: Type.String({ format: 'date-time' }),
  },
  { title: 'SolvedChallenge' },
)
export type SolvedChallenge = Static<typeof SolvedChallenge>

/** Award: points that an organizer gave to a team or took from it. */
export const BoardAward = Type.Object(
  {
    points: Type.Integer({ format: 'int32', description: 'Negative for points that were taken.' }),
    time: Type.Integer({ format: 'int64', description: 'In ms since 1970.' }),
  },
  { title: 'BoardAward' },
)
export type BoardAward = Static<typeof BoardAward>

/** Flag that a team found, in a challenge with several flags to find. */
export const BoardFoundFlag = Type.Object(
  {
    id: Type.Integer({ format: 'int32', description: 'Id of the challenge.' }),
    points: Type.Integer({ format: 'int32' }),
    time: Type.Integer({ format: 'int64', description: 'In ms since 1970.' }),
  },
  { title: 'BoardFoundFlag' },
)
export type BoardFoundFlag = Static<typeof BoardFoundFlag>

export const ScoreboardTeam = Type.Object(
  {
    id: Type.Integer({ format: 'int32', description: 'Team id.' }),
    name: Type.String(),
    bio: nullableString(),
    organization: nullableString(),
    divisionId: Type.Optional(nullableInteger({ format: 'int32', ...additive })),
    avatar: nullableString(),
    score: Type.Integer({ format: 'int32' }),
    rank: Type.Integer({
      format: 'int32',
      description: 'From 1, no shared ranks; 0 = not on the board, or without an overall rank.',
    }),
    organizationRank: nullableInteger({ format: 'int32' }),
    divisionRank: Type.Optional(nullableInteger({ format: 'int32', description: 'Same as `organizationRank`.', ...additive })),
    lastSubmissionTime: Type.String({
      format: 'date-time',
      description: 'Time of the last counted solve or found flag with points; 0001-01-01T00:00:00+00:00 without one.',
    }),
    solvedChallenges: Type.Array(SolvedChallenge),
    solvedCount: Type.Integer({ format: 'int32' }),
    foundFlags: Type.Optional(
      Type.Array(BoardFoundFlag, {
        ...additive,
        description:
          'In order of time. Their points are part of the score, apart from those of solves. Absent if there are none.',
      }),
    ),
    boughtHints: Type.Optional(
      Type.Array(BoughtHint, {
        ...additive,
        description: 'In order of time. Their prices lower the score. Absent if there are none.',
      }),
    ),
    awards: Type.Optional(Type.Array(BoardAward, { ...additive, description: 'In order of time. Absent if there are none.' })),
  },
  { title: 'ScoreboardTeam' },
)
export type ScoreboardTeam = Static<typeof ScoreboardTeam>

export const BloodEntry = Type.Object(
  {
    id: Type.Integer({ format: 'int32', description: 'Team id.' }),
    name: Type.String(),
    avatar: nullableString(),
    submitTimeUtc: nullableString({ format: 'date-time' }),
  },
  { title: 'BloodEntry' },
)
export type BloodEntry = Static<typeof BloodEntry>

export const BoardChallenge = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    title: Type.String(),
    category: ChallengeCategory,
    score: Type.Integer({ format: 'int32' }),
    solved: Type.Integer({ format: 'int32', description: 'Teams.' }),
    bloods: Type.Array(BloodEntry, { maxItems: Limits.bloodsPerChallenge, description: 'In order.' }),
    disableBloodBonus: Type.Boolean({ ...additive, description: 'True if it gives no bloods and no bonus.' }),
    deadline: nullableInstantMs({ ...additive, description: 'In ms since 1970.' }),
    flagPoints: Type.Optional(
      Type.Integer({
        ...{ format: 'int32', ...additive },
        description: 'Points of all its flags, which a team gets in addition to `score`. Absent if its flags have none.',
      }),
    ),
    isValueFixed: Type.Optional(
      Type.Boolean({
        ...additive,
        description: 'True if each team retains the points that the challenge was worth when the team solved it. Absent: false.',
      }),
    ),
  },
  { title: 'BoardChallenge' },
)
export type BoardChallenge = Static<typeof BoardChallenge>

export const TimelinePoint = Type.Object(
  {
    time: Type.String({ format: 'date-time' }),
    score: Type.Integer({ format: 'int32', description: 'Running total after a solve, a found flag, an award or a purchase.' }),
  },
  { title: 'TimelinePoint' },
)
export type TimelinePoint = Static<typeof TimelinePoint>

export const TeamTimeline = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    name: Type.String(),
    items: Type.Array(TimelinePoint),
  },
  { title: 'TeamTimeline' },
)
export type TeamTimeline = Static<typeof TeamTimeline>

/** Division with its rights. `defaultPermissions` applies to each challenge that is not in `challengeConfigs`. */
export const BoardDivision = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    name: Type.String(),
    defaultPermissions: Type.Integer({ format: 'int32' }),
    challengeConfigs: Type.Record(Type.String(), ChallengePermissions, { description: 'By challenge id.' }),
  },
  { title: 'BoardDivision' },
)
export type BoardDivision = Static<typeof BoardDivision>

export const Scoreboard = Type.Object(
  {
    updateTimeUtc: Type.String({ format: 'date-time' }),
    bloodBonus: BloodBonus,
    bloodPoints: Type.Optional(
      nullable(BloodPoints, { ...additive, description: 'Bonuses in points, which replace `bloodBonus`. Absent: none.' }),
    ),
    timeLines: Type.Record(Type.String(), Type.Array(TeamTimeline, { maxItems: Limits.timelineTeams }), {
      description: '`all` and every division with teams -> its top ten.',
    }),
    items: Type.Array(ScoreboardTeam, { description: 'Sorted by rank. Teams without an overall rank come last.' }),
    challenges: Type.Record(Type.String(), Type.Array(BoardChallenge), {
      description: 'Category -> enabled challenges; empty categories are left out.',
    }),
    challengeCount: Type.Integer({ format: 'int32' }),
    divisions: Type.Optional(Type.Array(BoardDivision, { description: 'By id.', ...additive })),
  },
  { title: 'Scoreboard' },
)
export type Scoreboard = Static<typeof Scoreboard>

/** Game in responses to participants. */
export const PlayerBoard = Type.Object(
  {
    challenges: Type.Record(Type.String(), Type.Array(BoardChallenge), {
      description: 'Category -> enabled challenges; empty categories are left out.',
    }),
    challengeCount: Type.Integer({ format: 'int32' }),
    locked: Type.Optional(
      Type.Array(LockedChallenge, { ...additive, description: 'Challenges above that the team has not unlocked. Absent: none.' }),
    ),
    rank: nullable(ScoreboardTeam),
    teamToken: Type.String(),
    writeupRequired: Type.Boolean(),
    writeupDeadline: Type.String({ format: 'date-time' }),
  },
  { title: 'PlayerBoard' },
)
export type PlayerBoard = Static<typeof PlayerBoard>
