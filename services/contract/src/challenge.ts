import { type Static, Type } from 'typebox'
import { ChallengeTags, Difficulty } from './challenge-labels.ts'
import { AttemptRules, ChallengeCategory, ChallengeType, ContainerInfo, FlagKind } from './challenges.ts'
import { ContainerChoices, ContainerDefinition } from './container-definition.ts'
import { nullable, Sha256Hex } from './kit.ts'
import { anyMember, exactlyOne, InputLimits, InstanceLimits, Limits, notEmpty, notNegative, positive, share } from './limits.ts'
import { ChallengeReach } from './reach.ts'
import { SourceWrite } from './sources.ts'

/** A file that the platform stores, or an address elsewhere. */
export const ChallengeFileRef = Type.Union([
  Type.Object(
    { hash: Sha256Hex, name: Type.String({ ...notEmpty, maxLength: InputLimits.maxFileNameLength }) },
    { title: 'StoredFile', description: 'Content from the upload call, under a name of its own.' },
  ),
  Type.Object({ url: Type.String({ ...notEmpty, maxLength: InputLimits.maxUrlLength }) }, { title: 'RemoteFile' }),
])
export type ChallengeFileRef = Static<typeof ChallengeFileRef>

const ChallengeFlag = Type.Object(
  {
    flag: Type.String({ ...notEmpty, maxLength: Limits.maxFlagPatternLength }),
    kind: Type.Optional(FlagKind),
    file: nullable(ChallengeFileRef, { description: 'What the team of this flag downloads.' }),
  },
  { title: 'ChallengeFlag' },
)

const ChallengeContainer = Type.Object(
  {
    image: Type.String({ maxLength: InputLimits.maxImageNameLength, description: 'Empty: none yet.' }),
    port: Type.Integer({ minimum: InstanceLimits.minPort, maximum: InstanceLimits.maxPort }),
    reach: ChallengeReach,
    cpuTenths: Type.Integer({ minimum: InstanceLimits.minCpuTenths, maximum: InstanceLimits.maxCpuTenths }),
    memoryMb: Type.Integer({ minimum: InstanceLimits.minMemoryMb, maximum: InstanceLimits.maxMemoryMb }),
    storageMb: Type.Integer({ minimum: InstanceLimits.minStorageMb, maximum: InstanceLimits.maxStorageMb }),
    capture: Type.Boolean({ description: 'True if the traffic of players is recorded.' }),
    definition: ContainerDefinition,
  },
  { title: 'ChallengeContainer' },
)
export type ChallengeContainer = Static<typeof ChallengeContainer>

export const Challenge = Type.Object(
  {
    title: Type.String({ ...notEmpty, maxLength: InputLimits.maxTitleLength }),
    category: ChallengeCategory,
    type: ChallengeType,
    tags: ChallengeTags,
    difficulty: nullable(Difficulty, { description: 'In a word; null: not given.' }),
    enabled: Type.Boolean(),
    description: Type.String({ maxLength: InputLimits.maxLongTextLength, description: 'Markdown.' }),
    points: Type.Integer({ ...notNegative, maximum: InputLimits.maxScore, description: 'For the first team that solves it.' }),
    minimumShare: Type.Number({ ...share, description: 'Part of the points that always remains.' }),
    decay: Type.Number({
      ...positive,
      maximum: InputLimits.maxDifficulty,
      description: 'The larger, the slower the points fall.',
    }),
    ...AttemptRules,
    bloods: Type.Boolean({ description: 'False: no bloods, no bonus, and no blood notice.' }),
    hints: Type.Array(Type.String({ maxLength: InputLimits.maxShortTextLength }), { maxItems: InputLimits.maxHints }),
    flags: Type.Array(ChallengeFlag, { maxItems: InputLimits.maxFlagsPerCall, description: 'Empty for DynamicContainer.' }),
    template: Type.String({ maxLength: Limits.maxFlagTemplateLength, description: 'Of the flags of DynamicContainer.' }),
    attachment: nullable(ChallengeFileRef, { description: 'What every team downloads. Null for DynamicAttachment.' }),
    attachmentName: Type.String({
      ...notEmpty,
      maxLength: InputLimits.maxFileNameLength,
      description: 'Name under which teams get the file of their flag.',
    }),
    containers: Type.Array(ChallengeContainer, { ...exactlyOne, description: 'Unused where the type runs none.' }),
  },
  { title: 'Challenge' },
)
export type Challenge = Static<typeof Challenge>

/** A challenge of a game, with what its editor needs beside it. */
export const WholeChallenge = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    version: Type.String({ description: 'Another one after each change of the challenge, however it is made.' }),
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
export type WholeChallenge = Static<typeof WholeChallenge>

/** Fields that earlier clients do not know. If they are absent in a write, they remain unchanged. */
const addedFields = { bloods: Type.Optional(Challenge.properties.bloods) }

/** Challenge as clients write it. */
export const ChallengeWrite = Type.Object({ ...Challenge.properties, ...addedFields }, { title: 'ChallengeWrite' })
export type ChallengeWrite = Static<typeof ChallengeWrite>

export const WholeChallengeWrite = Type.Object(
  {
    version: Type.Optional(
      nullable(Sha256Hex, { description: 'The one that was changed. 409 if the challenge has another; absent: any.' }),
    ),
    challenge: ChallengeWrite,
    source: Type.Optional(nullable(SourceWrite, { description: 'File that it is applied from; absent: nothing is noted.' })),
  },
  { title: 'WholeChallengeWrite' },
)
export type WholeChallengeWrite = Static<typeof WholeChallengeWrite>

/** Changes that are the same for many challenges. */
export const ChallengeChange = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean()),
    category: Type.Optional(ChallengeCategory),
    difficulty: Type.Optional(nullable(Difficulty, { description: 'Null removes it.' })),
    addTags: Type.Optional(ChallengeTags),
    removeTags: Type.Optional(ChallengeTags),
  },
  { title: 'ChallengeChange', ...anyMember },
)
export type ChallengeChange = Static<typeof ChallengeChange>
