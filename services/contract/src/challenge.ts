import { type Static, Type } from 'typebox'
import { ChallengeTags, Difficulty } from './challenge-labels.ts'
import { AttemptRules, ChallengeCategory, ChallengeType, ContainerInfo, FlagKind, ScheduleTimes } from './challenges.ts'
import { ContainerChoices } from './container-definition.ts'
import { ChallengeContainer } from './containers.ts'
import { Hint, HintWrite } from './hints.ts'
import { nullable, optionalFields, Sha256Hex, stringEnum } from './kit.ts'
import {
  anyMember,
  ContainerLimits,
  InputLimits,
  Limits,
  notEmpty,
  notEmptyList,
  notNegative,
  positive,
  share,
} from './limits.ts'
import { pickFields } from './pick-fields.ts'
import { curveNames } from './score.ts'
import { SourceWrite } from './sources.ts'
import { UnlockRule } from './unlock.ts'

/** Attachment: a file that the platform stores, or an address on another site. */
export const ChallengeFileRef = Type.Union([
  Type.Object(
    { hash: Sha256Hex, name: Type.String({ ...notEmpty, maxLength: InputLimits.maxFileNameLength }) },
    { title: 'StoredFile', description: 'Content from the upload call, with a new name.' },
  ),
  Type.Object({ url: Type.String({ ...notEmpty, maxLength: InputLimits.maxUrlLength }) }, { title: 'RemoteFile' }),
])
export type ChallengeFileRef = Static<typeof ChallengeFileRef>

/** Points that a team gets for a found flag. */
export const FlagPoints = Type.Integer({
  ...notNegative,
  maximum: InputLimits.maxScore,
  description:
    'Points for the flag, in addition to the points of the challenge. If a flag has points, a team must find all flags of the challenge.',
})

const flagFields = {
  flag: Type.String({ ...notEmpty, maxLength: Limits.maxFlagPatternLength }),
  kind: Type.Optional(FlagKind),
  file: nullable(ChallengeFileRef, { description: 'File for the team that gets this flag.' }),
}

const ChallengeFlag = Type.Object({ ...flagFields, points: Type.Optional(FlagPoints) }, { title: 'ChallengeFlag' })

const ChallengeFlagWrite = Type.Object(
  {
    ...flagFields,
    points: Type.Optional(
      nullable(FlagPoints, { description: 'Null: the flag has no points. Absent: an equal flag retains its points.' }),
    ),
  },
  { title: 'ChallengeFlagWrite' },
)

/** Container in the form that write calls accept. */
const ChallengeContainerWrite = Type.Object(
  { ...ChallengeContainer.properties, name: Type.Optional(ChallengeContainer.properties.name) },
  { title: 'ChallengeContainerWrite' },
)

const listOfContainers = { ...notEmptyList, maxItems: ContainerLimits.maxContainers } as const

export const Challenge = Type.Object(
  {
    title: Type.String({ ...notEmpty, maxLength: InputLimits.maxTitleLength }),
    category: ChallengeCategory,
    type: ChallengeType,
    tags: ChallengeTags,
    difficulty: nullable(Difficulty, { description: 'Difficulty for players; null if it is not set.' }),
    enabled: Type.Boolean(),
    description: Type.String({ maxLength: InputLimits.maxLongTextLength, description: 'Markdown.' }),
    points: Type.Integer({
      ...notNegative,
      maximum: InputLimits.maxScore,
      description: 'Points for the first team that solves it.',
    }),
    minimumShare: Type.Number({ ...share, description: 'Minimum share of the points.' }),
    decay: Type.Number({
      ...positive,
      maximum: InputLimits.maxDecay,
      description:
        'Exponential: larger values reduce the points more slowly. Linear: points per solve. Parabola: solves until the minimum.',
    }),
    ...ScheduleTimes,
    curve: stringEnum(curveNames, { description: 'Curve by which the points fall.' }),
    isValueFixed: Type.Boolean({
      description: 'True if each team retains the points that the challenge was worth when the team solved it.',
    }),
    ...AttemptRules,
    unlock: nullable(UnlockRule, { description: 'Condition under which it opens for a team. Null: it is open.' }),
    bloods: Type.Boolean({ description: 'False: no bloods, no bonus, and no blood notice.' }),
    hints: Type.Array(Hint, { maxItems: InputLimits.maxHints }),
    flags: Type.Array(ChallengeFlag, { maxItems: InputLimits.maxFlagsPerCall, description: 'Empty for DynamicContainer.' }),
    template: Type.String({ maxLength: Limits.maxFlagTemplateLength, description: 'Template of the flags of DynamicContainer.' }),
    attachment: nullable(ChallengeFileRef, { description: 'File for all teams. Null for DynamicAttachment.' }),
    attachmentName: Type.String({
      ...notEmpty,
      maxLength: InputLimits.maxFileNameLength,
      description: 'Name under which teams get the file of their flag.',
    }),
    containers: Type.Array(ChallengeContainer, {
      ...listOfContainers,
      description: 'The first is the entry of players. Unused if the type has no container.',
    }),
  },
  { title: 'Challenge' },
)
export type Challenge = Static<typeof Challenge>

/** Challenge with additional data that the challenge editor shows. */
export const FullChallenge = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    version: Type.String({ description: 'Changes with every change of the challenge.' }),
    solvers: Type.Integer({ format: 'int32', description: 'Teams that solved it.' }),
    choices: ContainerChoices,
    testContainer: nullable(ContainerInfo, { description: 'The running test instance.' }),
    files: Type.Array(Type.Object({ hash: Sha256Hex, bytes: Type.Integer(notNegative) }), {
      description: 'Sizes of the stored files of the challenge and its flags.',
    }),
    challenge: Challenge,
  },
  { title: 'WholeChallenge' },
)
export type FullChallenge = Static<typeof FullChallenge>

/** Fields that older clients omit. Omitted fields remain unchanged. */
export const addedChallengeFields = ['release', 'deadline', 'bloods', 'curve', 'isValueFixed', 'unlock'] as const

/** Fields that older clients omit or send in an older form. */
const addedFields = {
  ...optionalFields(pickFields(Challenge.properties, addedChallengeFields)),
  hints: Type.Array(HintWrite, { maxItems: InputLimits.maxHints }),
  flags: Type.Array(ChallengeFlagWrite, { maxItems: InputLimits.maxFlagsPerCall, description: 'Empty for DynamicContainer.' }),
  containers: Type.Array(ChallengeContainerWrite, {
    ...listOfContainers,
    description:
      'If the list has a single container without a name, its stored name and networks and all additional containers remain unchanged.',
  }),
}

/** Challenge in the form that write calls accept. */
export const ChallengeWrite = Type.Object({ ...Challenge.properties, ...addedFields }, { title: 'ChallengeWrite' })
export type ChallengeWrite = Static<typeof ChallengeWrite>

export const FullChallengeWrite = Type.Object(
  {
    version: Type.Optional(
      nullable(Sha256Hex, {
        description:
          'Revision that the caller edited. 409 if the challenge has another one. If absent, any revision is accepted.',
      }),
    ),
    challenge: ChallengeWrite,
    source: Type.Optional(nullable(SourceWrite, { description: 'Source file of the challenge. If absent, it does not change.' })),
  },
  { title: 'WholeChallengeWrite' },
)
export type FullChallengeWrite = Static<typeof FullChallengeWrite>

/** New challenge with the name that identifies it in files. */
export const ChallengeOpen = Type.Object({ challenge: ChallengeWrite, source: SourceWrite }, { title: 'ChallengeOpen' })
export type ChallengeOpen = Static<typeof ChallengeOpen>

/** Changes to apply to several challenges in one call. */
export const ChallengeChange = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean()),
    category: Type.Optional(ChallengeCategory),
    difficulty: Type.Optional(nullable(Difficulty, { description: 'Null removes it.' })),
    addTags: Type.Optional(ChallengeTags),
    removeTags: Type.Optional(ChallengeTags),
    release: Type.Optional(Challenge.properties.release),
    deadline: Type.Optional(Challenge.properties.deadline),
  },
  { title: 'ChallengeChange', ...anyMember },
)
export type ChallengeChange = Static<typeof ChallengeChange>

export const ChallengesChange = Type.Object(
  {
    challenges: Type.Array(Type.Integer({ format: 'int32', minimum: InputLimits.minId, maximum: InputLimits.maxInt32 }), {
      ...notEmptyList,
      maxItems: Limits.maxChangedChallenges,
      uniqueItems: true,
      description: 'Ids.',
    }),
    change: ChallengeChange,
  },
  { title: 'ChallengesChange' },
)
