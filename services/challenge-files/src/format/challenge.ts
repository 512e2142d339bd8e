import { ChallengeCategory } from '@capstan/contract/challenges'
import { stringEnum, withOptions } from '@capstan/contract/kit'
import { InputLimits, InstanceLimits, Limits, notEmpty, share } from '@capstan/contract/limits'
import { type Static, Type } from 'typebox'

/**
 * `capstan.yaml` of one challenge. Its JSON Schema is what editors complete by, so each field says in a sentence what it is.
 * Fields that are absent have the defaults of the platform.
 */

const closed = { additionalProperties: false } as const

/** A path below the folder of the file, with `/`. */
const relativePath = (description: string) => Type.String({ ...notEmpty, maxLength: InputLimits.fileNameMaxLength, description })

const line = (maxLength: number, description: string) => Type.String({ ...notEmpty, maxLength, description })

/** A name of an environment variable. */
const variableName = '^[A-Za-z_][A-Za-z0-9_.-]*$'

const FileText = Type.Object({ file: relativePath('A text file beside this one.') }, closed)

export const FlagRule = Type.Union(
  [
    Type.Object(
      {
        text: line(Limits.flagMaxLength, 'The flag.'),
        ignoreCase: Type.Optional(Type.Boolean({ default: false, description: 'Letters count the same in both cases.' })),
      },
      closed,
    ),
    Type.Object({ file: relativePath('A file whose first line is the flag.') }, closed),
    Type.Object(
      {
        template: line(Limits.flagTemplateMaxLength, 'A flag for each team: `[TEAM_HASH]`, `[GUID]` and `[LEET]` are filled in.'),
      },
      closed,
    ),
    Type.Object(
      {
        pattern: line(InputLimits.shortTextMaxLength, 'A regular expression that the whole flag matches.'),
        ignoreCase: Type.Optional(Type.Boolean({ default: false, description: 'Letters count the same in both cases.' })),
      },
      closed,
    ),
  ],
  { description: 'What is accepted as a flag.' },
)
export type FlagRule = Static<typeof FlagRule>

export const AttachmentRule = Type.Union(
  [
    Type.Object(
      {
        file: relativePath('A file beside this one that players download.'),
        as: Type.Optional(line(InputLimits.fileNameMaxLength, 'The name under which they get it.')),
      },
      closed,
    ),
    Type.Object({ url: line(InputLimits.urlMaxLength, 'Where players download it.') }, closed),
  ],
  { description: 'What players download. Several files are packed into one archive.' },
)
export type AttachmentRule = Static<typeof AttachmentRule>

const Build = Type.Object(
  {
    context: relativePath('The folder that is built, `.` for this one.'),
    dockerfile: Type.Optional(relativePath('Below the context; `Dockerfile` unless given.')),
    target: Type.Optional(line(InputLimits.wordMaxLength, 'The stage of the Dockerfile.')),
    args: Type.Optional(
      Type.Record(Type.String({ pattern: variableName }), Type.String({ maxLength: InputLimits.shortTextMaxLength })),
    ),
  },
  closed,
)

const ContainerPort = Type.Object(
  {
    port: Type.Integer({ minimum: InstanceLimits.portMin, maximum: InstanceLimits.portMax }),
    speaks: Type.Optional(withOptions(stringEnum(['tcp', 'http']), { default: 'tcp' })),
  },
  closed,
)

export const ContainerRule = Type.Object(
  {
    image: Type.Optional(line(InputLimits.imageNameMaxLength, 'An image that exists.')),
    build: Type.Optional(Build),
    ports: Type.Array(ContainerPort, { minItems: 1, maxItems: 16, description: 'What players reach, the most important first.' }),
    command: Type.Optional(Type.Array(Type.String({ maxLength: InputLimits.shortTextMaxLength }), { maxItems: 64 })),
    args: Type.Optional(Type.Array(Type.String({ maxLength: InputLimits.shortTextMaxLength }), { maxItems: 64 })),
    environment: Type.Optional(
      Type.Record(Type.String({ pattern: variableName }), Type.String({ maxLength: InputLimits.shortTextMaxLength }), {
        maxProperties: 128,
      }),
    ),
    flag: Type.Optional(
      Type.Object(
        {
          environment: Type.Optional(Type.String({ pattern: variableName, maxLength: InputLimits.wordMaxLength })),
          file: Type.Optional(line(InputLimits.fileNameMaxLength, 'An absolute path in the container.')),
        },
        { ...closed, description: 'Where the container finds its flag.' },
      ),
    ),
    cpu: Type.Optional(
      Type.Number({
        minimum: InstanceLimits.cpuTenthsMin / 10,
        maximum: InstanceLimits.cpuTenthsMax / 10,
        multipleOf: 0.1,
        description: 'Cores, in tenths.',
      }),
    ),
    memoryMb: Type.Optional(Type.Integer({ minimum: InstanceLimits.memoryMbMin, maximum: InstanceLimits.memoryMbMax })),
    storageMb: Type.Optional(Type.Integer({ minimum: InstanceLimits.storageMbMin, maximum: InstanceLimits.storageMbMax })),
    egress: Type.Optional(Type.Boolean({ default: false, description: 'Whether it may open connections to the internet.' })),
    readOnlyRoot: Type.Optional(Type.Boolean({ description: 'Whether the root of its file system cannot be written.' })),
    user: Type.Optional(Type.Integer({ minimum: 0, maximum: InputLimits.int32Max, description: 'The user it runs as.' })),
  },
  { ...closed, description: 'What each team starts for itself.' },
)
export type ContainerRule = Static<typeof ContainerRule>

export const challengeApiVersion = 'capstan/v1'

export const ChallengeFile = Type.Object(
  {
    apiVersion: stringEnum([challengeApiVersion]),
    kind: stringEnum(['Challenge']),
    name: Type.String({
      pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
      maxLength: InputLimits.wordMaxLength,
      description: 'What the challenge is known by when the file is applied again: never change it.',
    }),
    title: line(InputLimits.titleMaxLength, 'What players read.'),
    category: ChallengeCategory,
    authors: Type.Optional(Type.Array(line(InputLimits.titleMaxLength, 'Who made it.'), { maxItems: 32 })),
    tags: Type.Optional(Type.Array(line(InputLimits.tagMaxLength, 'A word to find it by.'), { maxItems: InputLimits.tagsMax })),
    enabled: Type.Optional(Type.Boolean({ default: false, description: 'Whether players see it.' })),
    description: Type.Union([Type.String({ maxLength: InputLimits.longTextMaxLength }), FileText], { description: 'Markdown.' }),
    score: Type.Optional(
      Type.Object(
        {
          points: Type.Integer({ minimum: 0, maximum: InputLimits.scoreMax, description: 'For the first who solves it.' }),
          minimumShare: Type.Optional(
            Type.Number({ ...share, description: 'The part of it that always remains; 1 = it never falls.' }),
          ),
          difficulty: Type.Optional(
            Type.Number({
              exclusiveMinimum: 0,
              maximum: InputLimits.difficultyMax,
              description: 'The larger, the slower it falls.',
            }),
          ),
        },
        closed,
      ),
    ),
    flags: Type.Array(FlagRule, { maxItems: InputLimits.flagsPerCallMax, description: 'Any of them is right.' }),
    hints: Type.Optional(
      Type.Array(
        Type.Object(
          {
            text: line(InputLimits.shortTextMaxLength, 'Markdown.'),
            cost: Type.Optional(Type.Integer({ minimum: 0, maximum: InputLimits.scoreMax, default: 0 })),
          },
          closed,
        ),
        { maxItems: InputLimits.hintsMax },
      ),
    ),
    attachments: Type.Optional(Type.Array(AttachmentRule, { maxItems: InputLimits.filesPerUploadMax })),
    container: Type.Optional(ContainerRule),
  },
  { ...closed, title: 'Challenge', description: 'A challenge of Capstan.' },
)
export type ChallengeFile = Static<typeof ChallengeFile>
