import { ChallengeTags, Difficulty } from '@capstan/contract/challenge-labels'
import { AttemptRules, ChallengeCategory, ChallengeType } from '@capstan/contract/challenges'
import { variableNamePattern } from '@capstan/contract/container-definition'
import { stringEnum, withOptions } from '@capstan/contract/kit'
import { InputLimits, InstanceLimits, Limits, notEmpty, share } from '@capstan/contract/limits'
import { type Static, Type } from 'typebox'
import { containerFields } from './container.ts'

/**
 * `capstan.yaml` of one challenge. Editors complete by its JSON Schema, so each field is described in a sentence. Absent fields
 * have the defaults of the platform.
 */

const closed = { additionalProperties: false } as const

function relativePath(description: string) {
  return Type.String({ ...notEmpty, maxLength: InputLimits.maxFileNameLength, description })
}

function line(maxLength: number, description: string) {
  return Type.String({ ...notEmpty, maxLength, description })
}

const FileText = Type.Object({ file: relativePath('A text file beside this one.') }, closed)

function command(description: string) {
  return Type.Array(Type.String({ maxLength: InputLimits.maxShortTextLength }), { minItems: 1, maxItems: 64, description })
}

function make() {
  return command(
    'Writes the file: run in this folder with `OUTPUT`, where it goes, and `FLAG`, the first flag, in its environment.',
  )
}

export const FlagFile = Type.Union(
  [
    Type.Object(
      {
        file: relativePath('A file beside this one.'),
        as: Type.Optional(line(InputLimits.maxFileNameLength, 'The name under which it is stored.')),
      },
      closed,
    ),
    Type.Object({ url: line(InputLimits.maxUrlLength, 'Where it is downloaded.') }, closed),
  ],
  { description: 'What the team gets that this flag is given to. Each flag goes to one team then.' },
)
export type FlagFile = Static<typeof FlagFile>

export const FlagRule = Type.Union(
  [
    Type.Object(
      {
        text: line(Limits.maxFlagLength, 'The flag.'),
        attachment: Type.Optional(FlagFile),
        ignoreCase: Type.Optional(Type.Boolean({ default: false, description: 'Letters count the same in both cases.' })),
      },
      closed,
    ),
    Type.Object({ file: relativePath('A file whose first line is the flag.') }, closed),
    Type.Object(
      {
        environment: Type.String({
          pattern: variableNamePattern,
          maxLength: InputLimits.maxWordLength,
          description: 'The variable, where it is applied, that holds the flag.',
        }),
      },
      closed,
    ),
    Type.Object(
      {
        eachTeam: line(Limits.maxFlagLength, 'A flag for each team, with a file of its own: `[HEX]` is filled in.'),
        count: Type.Integer({ minimum: 1, maximum: 1_000, description: 'How many are made: more than there are teams.' }),
        make: make(),
        as: line(InputLimits.maxFileNameLength, 'The name under which teams get their file.'),
      },
      closed,
    ),
    Type.Object(
      {
        template: line(Limits.maxFlagTemplateLength, 'A flag for each team: `[TEAM_HASH]`, `[GUID]` and `[LEET]` are filled in.'),
      },
      closed,
    ),
    Type.Object(
      {
        pattern: line(Limits.maxFlagPatternLength, 'A regular expression of RE2 that the whole flag matches.'),
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
        file: relativePath('A file, or a folder, beside this one that players download.'),
        as: Type.Optional(line(InputLimits.maxFileNameLength, 'The name under which they get it.')),
      },
      closed,
    ),
    Type.Object({ url: line(InputLimits.maxUrlLength, 'Where players download it.') }, closed),
    Type.Object({ make: make(), as: line(InputLimits.maxFileNameLength, 'The name under which players get it.') }, closed),
  ],
  { description: 'What players download. Several files are packed into one archive.' },
)
export type AttachmentRule = Static<typeof AttachmentRule>

const Build = Type.Object(
  {
    context: relativePath('Folder to build; `.` is this folder.'),
    dockerfile: Type.Optional(relativePath('Below the context; `Dockerfile` unless given.')),
    target: Type.Optional(line(InputLimits.maxWordLength, 'The stage of the Dockerfile.')),
    args: Type.Optional(
      Type.Record(Type.String({ pattern: variableNamePattern }), Type.String({ maxLength: InputLimits.maxShortTextLength })),
    ),
  },
  closed,
)

const ContainerPort = Type.Object(
  {
    port: Type.Integer({ minimum: InstanceLimits.minPort, maximum: InstanceLimits.maxPort }),
    speaks: Type.Optional(
      withOptions(stringEnum(['tcp', 'http']), {
        description: 'The first port speaks tcp unless this is given; players are led to another one if it is.',
      }),
    ),
    raw: Type.Optional(
      Type.Boolean({ default: false, description: 'HTTP is handed over by bytes, however malformed; by TLS and port alone.' }),
    ),
    ownCertificate: Type.Optional(
      Type.Boolean({ default: false, description: 'TLS passes through: the challenge ends it itself.' }),
    ),
    guarded: Type.Optional(
      Type.Boolean({ default: false, description: 'A page keeps strangers out. For HTTP that the gateway reads.' }),
    ),
  },
  closed,
)

export const ContainerRule = Type.Object(
  {
    image: Type.Optional(
      Type.String({ maxLength: InputLimits.maxImageNameLength, description: 'An image that exists; empty: none yet.' }),
    ),
    build: Type.Optional(Build),
    ports: Type.Array(ContainerPort, {
      minItems: 1,
      maxItems: 16,
      description: 'What the container serves. Players are led to the first.',
    }),
    ...containerFields,
    cpu: Type.Optional(
      Type.Number({
        minimum: InstanceLimits.minCpuTenths / 10,
        maximum: InstanceLimits.maxCpuTenths / 10,
        multipleOf: 0.1,
        description: 'Cores, in tenths.',
      }),
    ),
    memoryMb: Type.Optional(Type.Integer({ minimum: InstanceLimits.minMemoryMb, maximum: InstanceLimits.maxMemoryMb })),
    storageMb: Type.Optional(Type.Integer({ minimum: InstanceLimits.minStorageMb, maximum: InstanceLimits.maxStorageMb })),
    capture: Type.Optional(Type.Boolean({ default: false, description: 'Whether the traffic of players is recorded.' })),
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
      maxLength: InputLimits.maxWordLength,
      description: 'What the challenge is known by when the file is applied again: never change it.',
    }),
    title: line(InputLimits.maxTitleLength, 'What players read.'),
    category: ChallengeCategory,
    authors: Type.Optional(Type.Array(line(InputLimits.maxTitleLength, 'Who made it.'), { maxItems: 32 })),
    tags: Type.Optional(withOptions(ChallengeTags, { description: 'Words that players find it by.' })),
    difficulty: Type.Optional(withOptions(Difficulty, { description: 'How hard you say it is; players read it.' })),
    enabled: Type.Optional(Type.Boolean({ default: false, description: 'Whether players see it.' })),
    description: Type.Union([Type.String({ maxLength: InputLimits.maxLongTextLength }), FileText], { description: 'Markdown.' }),
    score: Type.Optional(
      Type.Object(
        {
          points: Type.Integer({ minimum: 0, maximum: InputLimits.maxScore, description: 'For the first who solves it.' }),
          minimumShare: Type.Optional(
            Type.Number({ ...share, description: 'The part of it that always remains; 1 = it never falls.' }),
          ),
          difficulty: Type.Optional(
            Type.Number({
              exclusiveMinimum: 0,
              maximum: InputLimits.maxDifficulty,
              description: 'The larger, the slower it falls.',
            }),
          ),
        },
        closed,
      ),
    ),
    attempts: Type.Optional(
      Type.Object(
        {
          limit: Type.Optional(
            withOptions(AttemptRules.submissionLimit, {
              default: 0,
              description: 'Flags that a team may submit; 0: any number.',
            }),
          ),
          cooldownSeconds: Type.Optional(
            withOptions(AttemptRules.cooldownSeconds, { default: 0, description: 'Pause of a team after a wrong flag.' }),
          ),
        },
        closed,
      ),
    ),
    bloods: Type.Optional(
      Type.Boolean({ default: true, description: 'False: the first solvers get no bloods, no bonus and no blood notice.' }),
    ),
    flags: Type.Array(FlagRule, { maxItems: InputLimits.maxFlagsPerCall, description: 'Any of them is right.' }),
    hints: Type.Optional(
      Type.Array(
        Type.Object(
          {
            text: Type.String({ maxLength: InputLimits.maxShortTextLength, description: 'Markdown.' }),
            cost: Type.Optional(Type.Integer({ minimum: 0, maximum: InputLimits.maxScore, default: 0 })),
          },
          closed,
        ),
        { maxItems: InputLimits.maxHints },
      ),
    ),
    attachments: Type.Optional(Type.Array(AttachmentRule, { maxItems: InputLimits.maxFilesPerUpload })),
    attachmentName: Type.Optional(
      line(InputLimits.maxFileNameLength, 'The name under which teams get the file of their flag, where each flag has one.'),
    ),
    container: Type.Optional(ContainerRule),
    type: Type.Optional(
      withOptions(ChallengeType, { description: 'Only where flags and container do not say it. It never changes.' }),
    ),
    solver: Type.Optional(
      Type.Object(
        {
          command: command('Prints the flag. It gets `HOST`, `PORT` and `ADDRESS` of an instance in its environment.'),
          timeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_600, default: 120 })),
        },
        { ...closed, description: 'How `capstan test` solves the challenge.' },
      ),
    ),
  },
  { ...closed, title: 'Challenge', description: 'A challenge of Capstan.' },
)
export type ChallengeFile = Static<typeof ChallengeFile>
