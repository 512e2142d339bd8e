import { type Static, Type } from 'typebox'
import { Attachment, AttachmentType } from './files.ts'
import { HintOffer } from './hints.ts'
import {
  additive,
  instantMsInputSchema,
  nullable,
  nullableArray,
  nullableBoolean,
  nullableInstantMs,
  nullableInteger,
  nullableNumber,
  nullableString,
  stringEnum,
  withSchemaOptions,
} from './kit.ts'
import {
  ContainerDefaults,
  InputLimits,
  InstanceLimits,
  Limits,
  notEmpty,
  notNegative,
  positive,
  ScoreDefaults,
  share,
} from './limits.ts'
import { ReferenceLimits, ReferenceLimitsUpdate } from './reference-limits.ts'
import { challengeCategories } from './vocabulary.ts'

/** Maximum number of attempts of a team at a challenge, and cool-down of the team after a wrong answer. 0 means no limit. */
export const AttemptRules = {
  submissionLimit: Type.Integer({
    ...notNegative,
    maximum: Limits.maxSubmissionLimit,
    description: 'Submissions per team; 0: any.',
  }),
  cooldownSeconds: Type.Integer({
    ...notNegative,
    maximum: Limits.maxCooldownSeconds,
    description: 'Time without submissions of a team after its wrong answer.',
  }),
}

/** Release and deadline of a challenge in ms since 1970. Null means that the time is not set. */
export const ScheduleTimes = {
  release: instantMsInputSchema({ description: 'Players see an enabled challenge from then on; null: at once.' }),
  deadline: instantMsInputSchema({ description: 'Players may submit until then; null: until the end of the game.' }),
}

export const ChallengeCategory = stringEnum(challengeCategories, { title: 'ChallengeCategory' })
export type ChallengeCategory = Static<typeof ChallengeCategory>

/**
 * Type of a challenge, which never changes. In Static types all teams share one set of flags, and in Dynamic types each team has
 * its own flag.
 */
export const ChallengeType = stringEnum(['StaticAttachment', 'StaticContainer', 'DynamicAttachment', 'DynamicContainer'], {
  title: 'ChallengeType',
})
export type ChallengeType = Static<typeof ChallengeType>

export const FlagInput = Type.Object(
  {
    flag: Type.String({ ...notEmpty, maxLength: Limits.maxFlagLength }),
    attachmentType: Type.Optional(withSchemaOptions(AttachmentType, { default: 'None' })),
    fileHash: Type.Optional(nullableString({ maxLength: InputLimits.sha256HexLength })),
    remoteUrl: Type.Optional(nullableString({ maxLength: InputLimits.maxUrlLength })),
  },
  { title: 'FlagInput' },
)
export type FlagInput = Static<typeof FlagInput>

export const FlagEntry = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    flag: Type.String(),
    attachment: nullable(Attachment),
  },
  { title: 'FlagEntry' },
)
export type FlagEntry = Static<typeof FlagEntry>

/** How an answer is compared with a flag: exactly, case-insensitively, or by an RE2 pattern. */
export const FlagKind = stringEnum(['Exact', 'Caseless', 'Pattern'], { title: 'FlagKind' })
export type FlagKind = Static<typeof FlagKind>

const RuledFlag = Type.String({
  ...notEmpty,
  maxLength: Limits.maxFlagPatternLength,
  description: `A pattern, or a flag of at most ${Limits.maxFlagLength} characters.`,
})

export const FlagRule = Type.Object({ flag: RuledFlag, kind: FlagKind }, { title: 'FlagRule' })
export type FlagRule = Static<typeof FlagRule>

export const FlagRuleEntry = Type.Object(
  { id: Type.Integer({ format: 'int32', description: 'As in `flags` of the challenge.' }), flag: Type.String(), kind: FlagKind },
  { title: 'FlagRuleEntry' },
)
export type FlagRuleEntry = Static<typeof FlagRuleEntry>

/** Answer that an organizer tests against the flags. Nothing is stored. */
export const FlagTrial = Type.Object(
  {
    answer: Type.String({ ...notEmpty, maxLength: Limits.maxFlagLength, description: 'It is trimmed before the comparison.' }),
    draft: Type.Optional(nullable(FlagRule)),
  },
  { title: 'FlagTrial' },
)
export type FlagTrial = Static<typeof FlagTrial>

export const FlagTrialResult = Type.Object(
  {
    matches: Type.Array(Type.Integer({ format: 'int32' }), { description: 'Ids of the flags that accept the answer.' }),
    draftMatches: nullableBoolean({ description: 'True if the draft accepts the answer; null without a draft.' }),
  },
  { title: 'FlagTrialResult' },
)
export type FlagTrialResult = Static<typeof FlagTrialResult>

export const ContainerStatus = stringEnum(['Pending', 'Running', 'Destroyed'], { title: 'ContainerStatus' })
export type ContainerStatus = Static<typeof ContainerStatus>

export const TestStep = Type.Object(
  {
    time: Type.String({ format: 'date-time' }),
    state: stringEnum(['Requested', 'Starting', 'Ready', 'Failed', 'Stopped']),
    message: nullableString({ description: 'State or reason of the failure, as an English sentence of the runtime.' }),
    reason: nullableString({ description: 'The message as one PascalCase word; null if there is none.' }),
  },
  { title: 'TestStep' },
)
export type TestStep = Static<typeof TestStep>

export const TestReport = Type.Object(
  {
    hasRun: Type.Boolean({ description: 'True if a test instance with the current images has accepted connections.' }),
    steps: Type.Array(TestStep, {
      description: 'Start of the newest test instance, oldest event first. An api process loses its events when it restarts.',
    }),
    instanceId: nullableString({
      format: 'uuid',
      description: 'Newest test instance, for `GET /api/admin/instances/{id}/containers`; null if none is live.',
    }),
  },
  { title: 'TestReport' },
)
export type TestReport = Static<typeof TestReport>

export const InstanceHealth = stringEnum(['Starting', 'Running', 'Failing'])
export type InstanceHealth = Static<typeof InstanceHealth>

export const ContainerInfo = Type.Object(
  {
    status: ContainerStatus,
    startedAt: Type.String({ format: 'date-time' }),
    expectStopAt: Type.String({ format: 'date-time' }),
    entry: Type.String({ description: "`host:port`, or in proxy mode the instance's UUID (36 characters, no colon)." }),
  },
  { title: 'ContainerInfo' },
)
export type ContainerInfo = Static<typeof ContainerInfo>

/** Running instance of the caller's team. */
export const TeamInstance = Type.Object(
  {
    challengeId: Type.Integer({ format: 'int32' }),
    title: Type.String(),
    category: ChallengeCategory,
    state: InstanceHealth,
    startedBy: nullableString({ description: 'User name; null if the user was deleted.' }),
    startedAt: Type.String({ format: 'date-time' }),
    expectStopAt: Type.String({ format: 'date-time' }),
  },
  { title: 'TeamInstance' },
)
export type TeamInstance = Static<typeof TeamInstance>

export const ChallengeBrief = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    title: Type.String(),
    category: ChallengeCategory,
    type: ChallengeType,
    isEnabled: Type.Boolean(),
    score: Type.Integer({ format: 'int32', description: 'Present value.' }),
    minScore: Type.Integer({ format: 'int32', description: 'floor(minScoreRate * originalScore).' }),
    originalScore: Type.Integer({ format: 'int32' }),
    releaseUtc: nullableInstantMs({ ...additive, description: 'Planned release, in ms since 1970.' }),
    isReleased: Type.Boolean({ ...additive, description: 'False until the planned release.' }),
    deadlineUtc: nullableInstantMs({ ...additive, description: 'In ms since 1970.' }),
    hasUnlockRule: Type.Boolean({ ...additive, description: 'True if teams must unlock it.' }),
  },
  { title: 'ChallengeBrief' },
)
export type ChallengeBrief = Static<typeof ChallengeBrief>

/** New challenge. Clients may send a whole ChallengeBrief, because fields that are not listed here are ignored. */
export const ChallengeCreate = Type.Object(
  {
    title: Type.String({ ...notEmpty, maxLength: InputLimits.maxTitleLength }),
    category: Type.Optional(withSchemaOptions(ChallengeCategory, { default: 'Misc' })),
    type: Type.Optional(withSchemaOptions(ChallengeType, { default: 'StaticAttachment' })),
  },
  { title: 'ChallengeCreate' },
)
export type ChallengeCreate = Static<typeof ChallengeCreate>

export const ChallengeClone = Type.Object(
  { title: Type.String({ ...notEmpty, maxLength: InputLimits.maxTitleLength }) },
  { title: 'ChallengeClone' },
)
export type ChallengeClone = Static<typeof ChallengeClone>

export const ChallengeEdit = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    title: Type.String(),
    content: Type.String({ description: 'Markdown.' }),
    category: ChallengeCategory,
    type: ChallengeType,
    hints: Type.Array(Type.String()),
    flagTemplate: nullableString({ maxLength: Limits.maxFlagTemplateLength }),
    isEnabled: Type.Boolean(),
    acceptedCount: Type.Integer({ format: 'int32' }),
    fileName: nullableString({ default: 'attachment', description: 'Name under which dynamic attachments are handed out.' }),
    attachment: nullable(Attachment),
    testContainer: nullable(ContainerInfo),
    flags: Type.Array(FlagEntry, { description: 'Empty for DynamicContainer.' }),
    containerImage: Type.String({ default: '' }),
    ...ReferenceLimits,
    containerExposePort: Type.Integer({ format: 'int32', default: ContainerDefaults.port }),
    enableTrafficCapture: nullableBoolean({ default: false }),
    originalScore: Type.Integer({ format: 'int32', default: ScoreDefaults.points }),
    minScoreRate: Type.Number({ format: 'double', default: ScoreDefaults.minimumShare, ...share }),
    difficulty: Type.Number({ format: 'double', default: ScoreDefaults.decay }),
    submissionLimit: Type.Integer({ format: 'int32', ...additive, description: 'Submissions per team; 0: any.' }),
    cooldownSeconds: Type.Integer({ format: 'int32', ...additive, description: 'After a wrong answer of the team.' }),
    disableBloodBonus: Type.Boolean({ ...additive, description: 'True if it gives no bloods, no bonus and no blood notice.' }),
    releaseUtc: nullableInstantMs({ ...additive, description: 'Planned release, in ms since 1970.' }),
    deadlineUtc: nullableInstantMs({ ...additive, description: 'In ms since 1970.' }),
  },
  { title: 'ChallengeEdit' },
)
export type ChallengeEdit = Static<typeof ChallengeEdit>

/**
 * Changes to a challenge. Absent or null fields remain unchanged. Clients may send a whole ChallengeEdit, because unknown fields
 * are ignored.
 */
export const ChallengeUpdate = Type.Object(
  {
    title: Type.Optional(nullableString({ ...notEmpty, maxLength: InputLimits.maxTitleLength })),
    content: Type.Optional(nullableString({ maxLength: InputLimits.maxLongTextLength })),
    flagTemplate: Type.Optional(
      nullableString({ maxLength: Limits.maxFlagTemplateLength, description: 'Empty or blank clears it.' }),
    ),
    category: Type.Optional(nullable(ChallengeCategory)),
    hints: Type.Optional(
      nullableArray(Type.String({ maxLength: InputLimits.maxShortTextLength }), { maxItems: InputLimits.maxHints }),
    ),
    isEnabled: Type.Optional(nullableBoolean()),
    fileName: Type.Optional(nullableString({ ...notEmpty, maxLength: InputLimits.maxFileNameLength, description: 'Not blank.' })),
    containerImage: Type.Optional(nullableString({ maxLength: InputLimits.maxImageNameLength, description: 'Trimmed.' })),
    ...ReferenceLimitsUpdate,
    containerExposePort: Type.Optional(
      nullableInteger({ format: 'int32', minimum: InstanceLimits.minPort, maximum: InstanceLimits.maxPort }),
    ),
    enableTrafficCapture: Type.Optional(nullableBoolean({ description: 'Container types only.' })),
    originalScore: Type.Optional(nullableInteger({ format: 'int32', ...notNegative, maximum: InputLimits.maxScore })),
    minScoreRate: Type.Optional(nullableNumber({ format: 'double', ...share })),
    difficulty: Type.Optional(nullableNumber({ format: 'double', ...positive, maximum: InputLimits.maxDecay })),
    submissionLimit: Type.Optional(
      nullableInteger({ format: 'int32', ...notNegative, maximum: Limits.maxSubmissionLimit, ...additive }),
    ),
    cooldownSeconds: Type.Optional(
      nullableInteger({ format: 'int32', ...notNegative, maximum: Limits.maxCooldownSeconds, ...additive }),
    ),
    disableBloodBonus: Type.Optional(nullableBoolean(additive)),
    releaseUtc: Type.Optional(instantMsInputSchema({ ...additive, description: 'In ms since 1970; 0 clears it.' })),
    deadlineUtc: Type.Optional(instantMsInputSchema({ ...additive, description: 'In ms since 1970; 0 clears it.' })),
  },
  { title: 'ChallengeUpdate' },
)
export type ChallengeUpdate = Static<typeof ChallengeUpdate>

export const ChallengeAccess = Type.Object(
  {
    closeTime: nullableString({ format: 'date-time', description: 'Time when the instance stops.' }),
    instanceEntry: nullableString({ description: 'As ContainerInfo.entry; null = no instance.' }),
    url: nullableString({ description: 'Attachment.' }),
    fileSize: nullableInteger({ format: 'int64' }),
  },
  { title: 'ChallengeAccess' },
)
export type ChallengeAccess = Static<typeof ChallengeAccess>

/** One of several flags that a team must find to solve a challenge. */
export const ChallengePart = Type.Object(
  {
    points: Type.Integer({ format: 'int32', description: 'Points that a team gets in addition to those of the solve.' }),
    foundAt: nullableInstantMs({ description: 'In ms since 1970; null until the team has found it.' }),
  },
  { title: 'ChallengePart' },
)
export type ChallengePart = Static<typeof ChallengePart>

export const ChallengeView = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    title: Type.String(),
    content: Type.String(),
    category: ChallengeCategory,
    hints: nullableArray(Type.String()),
    score: Type.Integer({ format: 'int32' }),
    type: ChallengeType,
    context: ChallengeAccess,
    limit: Type.Integer({ format: 'int32', ...additive, description: 'Submissions per team; 0: any.' }),
    attempts: Type.Integer({ format: 'int32', ...additive, description: "Submissions of the caller's team so far." }),
    deadline: nullableInstantMs({ ...additive, description: 'In ms since 1970.' }),
    hintOffers: Type.Array(HintOffer, { ...additive, description: 'Hints that the team has not bought yet.' }),
    parts: Type.Array(ChallengePart, {
      ...additive,
      description: 'Flags that the team must find to solve the challenge. Empty if every flag solves it.',
    }),
    nextAttemptAt: nullableInstantMs({
      ...additive,
      description: "End of the cool-down after the team's last wrong answer. Null if there is no cool-down.",
    }),
  },
  { title: 'ChallengeView' },
)
export type ChallengeView = Static<typeof ChallengeView>

export const ChallengeRef = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    title: Type.String(),
    category: ChallengeCategory,
  },
  { title: 'ChallengeRef' },
)
export type ChallengeRef = Static<typeof ChallengeRef>

/** Result of a rejudge, which judges all stored submissions of a challenge again. */
export const RecalculationReport = Type.Object(
  {
    total: Type.Integer({ format: 'int32', description: 'Number of judged submissions.' }),
    changed: Type.Integer({ format: 'int32', description: 'Submissions whose status changed.' }),
    accepted: Type.Integer({ format: 'int32', description: 'Teams that now count as solvers.' }),
  },
  { title: 'RecalculationReport', 'x-inferred': true },
)
export type RecalculationReport = Static<typeof RecalculationReport>
