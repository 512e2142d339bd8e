import { type Static, Type } from 'typebox'
import { ChallengeCategory, ChallengeType } from './challenges.ts'
import { EventType, ParticipationRef, ParticipationStatus } from './games.ts'
import {
  Id,
  instantInputSchema,
  nullable,
  nullableInstantMs,
  nullableInteger,
  nullableString,
  Pages,
  stringEnum,
  withSchemaOptions,
} from './kit.ts'
import { InputLimits, notEmpty, notNegative, PageLimits } from './limits.ts'
import { AnswerResult } from './submissions.ts'
import { eventKinds } from './vocabulary.ts'

/** Returns the filters that all lists for monitors have. An absent filter does not restrict the list. */
export function monitorFilters(texts: string) {
  return {
    hint: Type.Optional(
      Type.String({
        ...notEmpty,
        maxLength: InputLimits.maxSearchLength,
        description: `Words that all occur in ${texts}, in any letter case. There are no wildcards.`,
      }),
    ),
    team: Type.Optional(Id),
    challenge: Type.Optional(Id),
    from: Type.Optional(instantInputSchema({ description: 'First instant.' })),
    until: Type.Optional(instantInputSchema({ description: 'Last instant.' })),
  }
}

const paged = { count: Type.Optional(Pages.count()), skip: Type.Optional(Pages.skip) }

export const SubmissionFilter = Type.Object({
  ...monitorFilters('the answer or the name of the team, the user or the challenge'),
  type: Type.Optional(AnswerResult),
  ...paged,
})
export type SubmissionFilter = Static<typeof SubmissionFilter>

export const EventFilter = Type.Object({
  ...monitorFilters('the values or the name of the team or the user'),
  kind: Type.Optional(stringEnum(eventKinds)),
  hideContainer: Type.Optional(Type.Boolean({ default: false, description: 'Leaves out starts and ends of instances.' })),
  ...paged,
})
export type EventFilter = Static<typeof EventFilter>

export const CheatFilter = Type.Object({
  ...monitorFilters('the answer or the name of a team, the user or the challenge'),
  count: Type.Optional(Pages.count(PageLimits.pairs)),
  skip: paged.skip,
})
export type CheatFilter = Static<typeof CheatFilter>

const page = {
  total: Type.Integer({
    format: 'int32',
    ...notNegative,
    description: 'Entries on all pages. Above 10,000 it is a lower bound.',
  }),
}

const who = {
  user: Type.String({ description: 'Empty if the user was deleted or does not exist.' }),
  userId: nullableString({ format: 'uuid' }),
}

/** Submission with the ids of its team, user and challenge. */
export const MonitoredSubmission = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    answer: Type.String(),
    status: AnswerResult,
    time: Type.String({ format: 'date-time' }),
    ...who,
    team: Type.String(),
    teamId: Type.Integer({ format: 'int32' }),
    challenge: Type.String(),
    challengeId: Type.Integer({ format: 'int32' }),
  },
  { title: 'MonitoredSubmission' },
)
export type MonitoredSubmission = Static<typeof MonitoredSubmission>

export const MonitoredSubmissionPage = Type.Object(
  { data: Type.Array(MonitoredSubmission), ...page },
  { title: 'MonitoredSubmissionPage' },
)
export type MonitoredSubmissionPage = Static<typeof MonitoredSubmissionPage>

/** Event with the ids of its team, user and challenge. `values` has the same content as in `GameEvent`. */
export const MonitoredEvent = Type.Object(
  {
    id: Type.Integer({ format: 'int64' }),
    time: Type.String({ format: 'date-time' }),
    type: EventType,
    values: Type.Array(Type.String()),
    ...who,
    team: Type.String({ description: 'Empty if no team caused the event.' }),
    teamId: nullableInteger({ format: 'int32' }),
    challengeId: nullableInteger({ format: 'int32', description: 'Null if the event has no challenge.' }),
  },
  { title: 'MonitoredEvent' },
)
export type MonitoredEvent = Static<typeof MonitoredEvent>

export const MonitoredEventPage = Type.Object({ data: Type.Array(MonitoredEvent), ...page }, { title: 'MonitoredEventPage' })
export type MonitoredEventPage = Static<typeof MonitoredEventPage>

/** Submission that contains a flag of another team. */
export const MonitoredCheat = Type.Object(
  { ownerTeamId: Type.Integer({ format: 'int32' }), submission: MonitoredSubmission },
  { title: 'MonitoredCheat' },
)
export type MonitoredCheat = Static<typeof MonitoredCheat>

/** Pair of teams. At least one of the two teams submitted flags of the other team. */
export const CheatPair = Type.Object(
  {
    owner: withSchemaOptions(ParticipationRef, { description: 'Owner of the flag that was submitted last.' }),
    submitter: ParticipationRef,
    isMutual: Type.Boolean({ description: 'True if each team submitted flags of the other.' }),
    count: Type.Integer({ format: 'int32', ...notNegative, description: 'Submissions that match.' }),
    records: Type.Array(MonitoredCheat, { description: 'Newest first, at most 100.' }),
  },
  { title: 'CheatPair' },
)
export type CheatPair = Static<typeof CheatPair>

export const CheatPairPage = Type.Object(
  { data: Type.Array(CheatPair), total: Type.Integer({ format: 'int32', ...notNegative, description: 'Pairs on all pages.' }) },
  { title: 'CheatPairPage' },
)
export type CheatPairPage = Static<typeof CheatPairPage>

/** Team of a game, as an option in the filter by team. */
export const MonitoredTeam = Type.Object(
  { id: Type.Integer({ format: 'int32' }), name: Type.String(), status: ParticipationStatus },
  { title: 'MonitoredTeam' },
)
export type MonitoredTeam = Static<typeof MonitoredTeam>

function figure(description: string) {
  return Type.Integer({ format: 'int32', ...notNegative, description })
}

/** State of all team instances of a challenge, which may be up to 3 s old. */
export const ChallengeHealth = Type.Object(
  {
    running: figure('Instances that accept connections.'),
    starting: figure('Instances that are starting.'),
    failing: figure('Instances that are failing.'),
    failedStarts: figure('Instances of the last hour that ended because they did not start.'),
    reason: nullableString({ description: 'Reason of the newest failure, as an English sentence; null without failures.' }),
    reasonCode: nullableString({ description: 'The reason as one PascalCase word; null if it is unknown.' }),
    lastReadyAt: nullableString({ format: 'date-time', description: 'Start of the newest instance that became ready.' }),
  },
  { title: 'ChallengeHealth' },
)
export type ChallengeHealth = Static<typeof ChallengeHealth>

const challengeHead = {
  id: Type.Integer({ format: 'int32' }),
  title: Type.String(),
  category: ChallengeCategory,
  type: ChallengeType,
  isEnabled: Type.Boolean({ description: 'False if players cannot see the challenge.' }),
  releaseUtc: nullableInstantMs({ description: 'Planned release, in ms since 1970.' }),
  isReleased: Type.Boolean({ description: 'False until the planned release.' }),
  deadlineUtc: nullableInstantMs({ description: 'In ms since 1970.' }),
  score: Type.Integer({ format: 'int32', description: 'Current value.' }),
  solved: figure('Teams that solved it.'),
}

export const MonitoredChallenge = Type.Object(
  { ...challengeHead, instances: nullable(ChallengeHealth, { description: 'Null if the challenge has no instances.' }) },
  { title: 'MonitoredChallenge' },
)
export type MonitoredChallenge = Static<typeof MonitoredChallenge>

/** Challenge for monitors, without flags and without data of a team. */
export const MonitoredChallengeView = Type.Object(
  {
    ...challengeHead,
    content: Type.String({ description: 'Markdown.' }),
    hints: Type.Array(Type.String({ description: 'Markdown.' })),
    hintPrices: Type.Array(Type.Integer({ format: 'int32' }), { description: 'Price of each of `hints` in points; 0: free.' }),
    flagPoints: Type.Array(Type.Integer({ format: 'int32' }), {
      description: 'Points of each flag that a team must find. Empty if every flag solves the challenge.',
    }),
    attachment: nullable(
      Type.Object({
        url: Type.String(),
        fileSize: nullableInteger({ format: 'int64', description: 'Size in bytes; null for a link to another site.' }),
      }),
      { description: 'Null if the challenge has no file or each team has its own.' },
    ),
    hasTeamFiles: Type.Boolean({ description: 'True if each team gets its own file, which contains its flag.' }),
  },
  { title: 'MonitoredChallengeView' },
)
export type MonitoredChallengeView = Static<typeof MonitoredChallengeView>
