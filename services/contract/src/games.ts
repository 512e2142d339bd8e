import { type Static, Type } from 'typebox'
import { BloodBonus, BloodPoints } from './common.ts'
import { OfferedDivision } from './divisions.ts'
import {
  additive,
  Id,
  instantInputSchema,
  instantMsInputSchema,
  nullable,
  nullableArray,
  nullableInstantMs,
  nullableInteger,
  nullableString,
  type SchemaOptions,
  stringEnum,
  withSchemaOptions,
} from './kit.ts'
import { Defaults, InputLimits, Limits, notEmpty, notNegative, positive } from './limits.ts'
import { EditedQuestion, JoinAnswers, QuestionList } from './questions.ts'
import { TeamRef, TeamWithProfiles } from './teams.ts'
import { bloodTypes, surveyModes, verdicts } from './vocabulary.ts'

/** Status of a team in a game. `Unsubmitted` means that the team has not joined, so this status is never stored. */
export const ParticipationStatus = stringEnum([...verdicts, 'Unsubmitted'], {
  title: 'ParticipationStatus',
})
export type ParticipationStatus = Static<typeof ParticipationStatus>

export const GameSummary = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    title: Type.String(),
    summary: Type.String(),
    poster: nullableString(),
    limit: Type.Integer({ format: 'int32', description: 'Team members allowed; 0 = unlimited.' }),
    start: Type.String({ format: 'date-time' }),
    end: Type.String({ format: 'date-time' }),
  },
  { title: 'GameSummary' },
)
export type GameSummary = Static<typeof GameSummary>

export const GameDetail = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    title: Type.String(),
    summary: Type.String(),
    content: Type.String(),
    hidden: Type.Boolean(),
    organizations: nullableArray(Type.String(), { description: 'Names of the divisions that teams may join.' }),
    divisions: Type.Optional(nullableArray(OfferedDivision, { description: 'All divisions.', ...additive })),
    organizationCodesRequired: Type.Optional(
      Type.Array(Type.String(), { description: 'Divisions that require their own invitation code.', 'x-inferred': true }),
    ),
    inviteCodeRequired: Type.Boolean(),
    writeupRequired: Type.Boolean(),
    poster: nullableString(),
    limit: Type.Integer({ format: 'int32', description: 'Team members allowed; 0 = unlimited.' }),
    teamCount: Type.Integer({ format: 'int32', description: 'Participations in any state.' }),
    organization: nullableString({ description: "The caller's division." }),
    division: Type.Optional(nullableInteger({ format: 'int32', description: "Id of the caller's division.", ...additive })),
    teamName: nullableString({ description: "The caller's team in this game." }),
    practiceMode: Type.Boolean(),
    registrationOpens: Type.Optional(
      nullableInstantMs({ ...additive, description: 'Start of registration, in ms since 1970; null = none.' }),
    ),
    registrationCloses: Type.Optional(
      nullableInstantMs({ ...additive, description: 'End of registration, in ms since 1970; null = none.' }),
    ),
    teamLimit: Type.Optional(
      nullableInteger({ format: 'int32', ...additive, description: 'Maximum number of teams; null = unlimited.' }),
    ),
    freeze: Type.Optional(
      nullableInstantMs({
        ...additive,
        description: 'Instant from which the scoreboard shows nothing new, in ms since 1970; null = never.',
      }),
    ),
    revealed: Type.Optional(
      nullableInstantMs({ ...additive, description: 'Reveal of the scoreboard, in ms since 1970; null = not revealed.' }),
    ),
    freePlaces: Type.Optional(
      nullableInteger({ format: 'int32', ...additive, description: 'Free places; null without `teamLimit`.' }),
    ),
    waitingPlace: Type.Optional(
      nullableInteger({ format: 'int32', ...additive, description: "Place of the caller's team on the waiting list, from 1." }),
    ),
    questions: Type.Optional(
      Type.Integer({ format: 'int32', ...additive, description: 'Number of questions of the registration.' }),
    ),
    missingAnswers: Type.Optional(
      Type.Integer({ format: 'int32', ...additive, description: 'Required answers that the caller has not given yet.' }),
    ),
    certificates: Type.Optional(
      Type.Boolean({
        ...additive,
        description: 'True if teams can download certificates after the end. False while the board is frozen.',
      }),
    ),
    survey: Type.Optional(stringEnum(surveyModes, { ...additive, description: 'Survey that is open to players after the end.' })),
    status: withSchemaOptions(ParticipationStatus, { description: "Status of the caller's team; Unsubmitted for visitors." }),
    start: Type.String({ format: 'date-time' }),
    end: Type.String({ format: 'date-time' }),
  },
  { title: 'GameDetail' },
)
export type GameDetail = Static<typeof GameDetail>

export const GameJoinRequest = Type.Object(
  {
    teamId: Id,
    organization: Type.Optional(nullableString({ maxLength: InputLimits.maxDivisionNameLength })),
    divisionId: Type.Optional(
      nullableInteger({
        format: 'int32',
        minimum: InputLimits.minId,
        maximum: InputLimits.maxInt32,
        description: 'Instead of `organization`.',
        ...additive,
      }),
    ),
    inviteCode: Type.Optional(nullableString({ maxLength: InputLimits.maxTypedCodeLength })),
    answers: JoinAnswers,
  },
  { title: 'GameJoinRequest' },
)
export type GameJoinRequest = Static<typeof GameJoinRequest>

export const AdminGame = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    title: Type.String(),
    hidden: Type.Boolean(),
    summary: Type.String(),
    content: Type.String(),
    acceptWithoutReview: Type.Boolean(),
    writeupRequired: Type.Boolean(),
    inviteCode: nullableString(),
    organizations: nullableArray(Type.String(), { description: 'Division names; null or empty = no divisions.' }),
    organizationCodes: Type.Optional(
      Type.Record(
        Type.String(),
        nullableString({ minLength: Limits.minDivisionCodeLength, maxLength: Limits.maxDivisionCodeLength }),
        {
          description: 'Division name -> own invitation code, or null.',
          'x-inferred': true,
        },
      ),
    ),
    teamMemberCountLimit: Type.Integer({ format: 'int32', description: '0 = unlimited.' }),
    containerCountLimit: Type.Integer({ format: 'int32', description: '0 = unlimited.' }),
    poster: nullableString({ description: '`/assets/{hash}/poster` or null.' }),
    publicKey: Type.String({ contentEncoding: 'base64', description: 'Public Ed25519 key that verifies team tokens.' }),
    practiceMode: Type.Boolean(),
    start: Type.String({ format: 'date-time' }),
    end: Type.String({ format: 'date-time' }),
    writeupDeadline: Type.String({ format: 'date-time' }),
    writeupNote: Type.String(),
    bloodBonus: BloodBonus,
    allowsDebt: Type.Boolean({ ...additive, description: 'True if hints may lower the score of a team below 0.' }),
    bloodPoints: nullable(BloodPoints, { ...additive, description: 'Bonuses in points, which replace `bloodBonus`.' }),
    freeze: nullableInstantMs({
      ...additive,
      description: 'Instant from which the scoreboard shows nothing new to players, in ms since 1970; null = never.',
    }),
    revealed: nullableInstantMs({ ...additive, description: 'Reveal of the scoreboard, in ms since 1970; null = not revealed.' }),
    registrationOpens: nullableInstantMs({ ...additive, description: 'Start of registration, in ms since 1970; null = none.' }),
    registrationCloses: nullableInstantMs({ ...additive, description: 'End of registration, in ms since 1970; null = none.' }),
    teamLimit: nullableInteger({ format: 'int32', ...additive, description: 'Maximum number of teams; null = unlimited.' }),
    survey: stringEnum(surveyModes, { ...additive, description: 'Survey after the end.' }),
    questions: Type.Array(EditedQuestion, { ...additive, description: 'Questions of the registration, archived ones last.' }),
  },
  { title: 'AdminGame' },
)
export type AdminGame = Static<typeof AdminGame>

function divisionName() {
  return Type.String({ maxLength: InputLimits.maxDivisionNameLength })
}

/**
 * Divisions of a game in the format that clients of the reference platform expect: a map from division name to invitation code.
 * The value is null for a division without a code.
 */
function divisionCodes(options: SchemaOptions = {}) {
  return Type.Record(
    Type.String(),
    nullableString({ minLength: Limits.minDivisionCodeLength, maxLength: Limits.maxDivisionCodeLength }),
    { propertyNames: divisionName(), maxProperties: InputLimits.maxDivisions, 'x-inferred': true, ...options },
  )
}

/**
 * New values for a game. PUT replaces all fields listed here, and an absent field gets its default. Exceptions: `organizations`
 * remain unchanged if they are absent or null. Fields that the reference platform does not have remain unchanged if they are
 * absent. Other fields of AdminGame are ignored.
 */
export const AdminGameWrite = Type.Object(
  {
    title: Type.String({ ...notEmpty, maxLength: InputLimits.maxTitleLength }),
    hidden: Type.Optional(Type.Boolean({ default: false })),
    summary: Type.Optional(Type.String({ default: '', maxLength: InputLimits.maxShortTextLength })),
    content: Type.Optional(Type.String({ default: '', maxLength: InputLimits.maxLongTextLength })),
    acceptWithoutReview: Type.Optional(Type.Boolean({ default: false })),
    writeupRequired: Type.Optional(Type.Boolean({ default: false })),
    inviteCode: Type.Optional(nullableString({ maxLength: Limits.maxGameCodeLength })),
    organizations: Type.Optional(
      Type.Union([Type.Array(divisionName(), { maxItems: InputLimits.maxDivisions }), divisionCodes(), Type.Null()], {
        description: 'List of names. The map form (name -> code or null) sets names and codes at once.',
      }),
    ),
    organizationCodes: Type.Optional(
      nullable(
        divisionCodes({
          description: 'If absent, retained names keep their codes. Entries for names outside of the list are ignored.',
        }),
      ),
    ),
    teamMemberCountLimit: Type.Optional(
      Type.Integer({ format: 'int32', default: 0, ...notNegative, maximum: InputLimits.maxInt32 }),
    ),
    containerCountLimit: Type.Optional(
      Type.Integer({ format: 'int32', default: Defaults.instancesPerTeam, ...notNegative, maximum: InputLimits.maxInt32 }),
    ),
    practiceMode: Type.Optional(Type.Boolean({ default: true })),
    start: instantInputSchema(),
    end: instantInputSchema({ description: 'Must be after `start`.' }),
    writeupDeadline: Type.Optional(instantInputSchema({ description: 'Default: now.' })),
    writeupNote: Type.Optional(Type.String({ default: '', maxLength: InputLimits.maxLongTextLength })),
    bloodBonus: Type.Optional(BloodBonus),
    allowsDebt: Type.Optional(Type.Boolean({ ...additive, description: 'Absent: unchanged.' })),
    bloodPoints: Type.Optional(
      nullable(BloodPoints, { ...additive, description: 'Absent: unchanged. Null: `bloodBonus` applies.' }),
    ),
    freeze: Type.Optional(
      instantMsInputSchema({
        ...additive,
        description:
          'In ms since 1970, after the start and not after the end. Absent: unchanged. Null: no freeze. Another instant undoes a reveal.',
      }),
    ),
    registrationOpens: Type.Optional(
      instantMsInputSchema({ ...additive, description: 'In ms since 1970. Absent: unchanged. Null: no start of registration.' }),
    ),
    registrationCloses: Type.Optional(
      instantMsInputSchema({ ...additive, description: 'In ms since 1970. Absent: unchanged. Null: no end of registration.' }),
    ),
    teamLimit: Type.Optional(
      nullableInteger({
        format: 'int32',
        ...additive,
        ...positive,
        maximum: InputLimits.maxInt32,
        description:
          'Maximum number of teams; others wait in the order of their registration. Absent: unchanged. Null: unlimited.',
      }),
    ),
    survey: Type.Optional(
      stringEnum(surveyModes, {
        ...additive,
        description: 'Survey after the end. Absent: unchanged. With answers, it cannot change between Named and Anonymous.',
      }),
    ),
    questions: Type.Optional(QuestionList),
  },
  { title: 'AdminGameWrite' },
)
export type AdminGameWrite = Static<typeof AdminGameWrite>

/** Settings for a copy of a game. The copy has the same duration. */
export const GameClone = Type.Object(
  {
    title: Type.String({ ...notEmpty, maxLength: InputLimits.maxTitleLength }),
    start: instantInputSchema(),
  },
  { title: 'GameClone' },
)
export type GameClone = Static<typeof GameClone>

export const AdminGamePage = Type.Object(
  {
    data: Type.Array(AdminGame),
    length: Type.Integer({ format: 'int32', description: 'Items in `data`.' }),
    total: Type.Integer({ format: 'int32', description: 'Total number of items; equals `length` if the call has no paging.' }),
  },
  { title: 'AdminGamePage' },
)
export type AdminGamePage = Static<typeof AdminGamePage>

export const ParticipationRef = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    team: TeamRef,
    status: ParticipationStatus,
    organization: nullableString(),
    division: Type.Optional(nullableString({ description: 'Same as `organization`.', ...additive })),
    divisionId: Type.Optional(nullableInteger({ format: 'int32', ...additive })),
  },
  { title: 'ParticipationRef' },
)
export type ParticipationRef = Static<typeof ParticipationRef>

export const ParticipationRecord = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    team: TeamWithProfiles,
    registeredMembers: Type.Array(Type.String({ format: 'uuid' }), { description: 'Members who joined this game.' }),
    organization: nullableString(),
    divisionId: Type.Optional(nullableInteger({ format: 'int32', ...additive })),
    status: ParticipationStatus,
    waitingPlace: Type.Optional(
      nullableInteger({
        format: 'int32',
        ...additive,
        description: 'Place on the waiting list, from 1; null if the team is not on it.',
      }),
    ),
    missingAnswers: Type.Optional(
      Type.Integer({ format: 'int32', ...additive, description: 'Required answers that team and members have not given yet.' }),
    ),
  },
  { title: 'ParticipationRecord' },
)
export type ParticipationRecord = Static<typeof ParticipationRecord>

/** Type of a notice. Organizers write `Normal` notices, and the platform generates all other notices. */
export const NoticeType = stringEnum(['Normal', ...bloodTypes, 'NewHint', 'NewChallenge'], {
  title: 'NoticeType',
})
export type NoticeType = Static<typeof NoticeType>

/**
 * Notice of a game. Content of `values` by type: Normal = [text]; bloods = [team, challenge]; NewHint and NewChallenge =
 * [challenge].
 */
export const GameNotice = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    time: Type.String({ format: 'date-time' }),
    type: NoticeType,
    values: Type.Array(Type.String()),
  },
  { title: 'GameNotice' },
)
export type GameNotice = Static<typeof GameNotice>

export const NoticeWrite = Type.Object(
  {
    content: Type.String({ ...notEmpty, maxLength: InputLimits.maxLongTextLength, description: 'Markdown.' }),
  },
  { title: 'NoticeWrite' },
)
export type NoticeWrite = Static<typeof NoticeWrite>

/** Type of an event for monitors. The type determines the meaning of the items in the event's `values`. */
export const EventType = stringEnum(['Normal', 'ContainerStart', 'ContainerDestroy', 'FlagSubmit', 'CheatDetected'], {
  title: 'EventType',
})
export type EventType = Static<typeof EventType>

/**
 * Event for monitors. Content of `values` by type: FlagSubmit = [AnswerResult, flag, challenge title, challenge id];
 * ContainerStart and ContainerDestroy = [challenge id, challenge title]; CheatDetected = [challenge title, submitting team,
 * owning team]; Normal = the last item is the text.
 */
export const GameEvent = Type.Object(
  {
    time: Type.String({ format: 'date-time' }),
    user: Type.String(),
    team: Type.String(),
    type: EventType,
    values: Type.Array(Type.String()),
  },
  { title: 'GameEvent' },
)
export type GameEvent = Static<typeof GameEvent>
