import { FlagPoints } from '@capstan/contract/challenge'
import { ChallengeTags, Difficulty } from '@capstan/contract/challenge-labels'
import { AttemptRules, ChallengeCategory, ChallengeType } from '@capstan/contract/challenges'
import { variableNamePattern } from '@capstan/contract/container-definition'
import {
  ChallengeContainer,
  ContainerDependency,
  ContainerNetwork,
  ContainerSizes,
  defaultContainerName,
} from '@capstan/contract/containers'
import { HintPrice } from '@capstan/contract/hints'
import { instantInputSchema, optionalFields, stringEnum, withSchemaOptions } from '@capstan/contract/kit'
import { ContainerLimits, InputLimits, InstanceLimits, Limits, notEmpty, notEmptyList, share } from '@capstan/contract/limits'
import { PortLabel } from '@capstan/contract/reach'
import { curveNames } from '@capstan/contract/score'
import { LockedView } from '@capstan/contract/unlock'
import { type Static, Type } from 'typebox'
import { containerFields } from './container.ts'

/**
 * Format of the `capstan.yaml` of one challenge. Editors show the description of each field, which is in the JSON Schema. Absent
 * fields have the defaults of the platform.
 */

const closed = { additionalProperties: false } as const

function relativePath(description: string) {
  return Type.String({ ...notEmpty, maxLength: InputLimits.maxFileNameLength, description })
}

function line(maxLength: number, description: string) {
  return Type.String({ ...notEmpty, maxLength, description })
}

const FileText = Type.Object({ file: relativePath('A text file in this folder or below it.') }, closed)

function command(description: string) {
  return Type.Array(Type.String({ maxLength: InputLimits.maxShortTextLength }), { minItems: 1, maxItems: 64, description })
}

function make() {
  return command(
    'Command that writes the file. It runs in this folder, with the path of the file in `OUTPUT` and the first flag in `FLAG`.',
  )
}

export const FlagFile = Type.Union(
  [
    Type.Object(
      {
        file: relativePath('A file in this folder or below it.'),
        as: Type.Optional(line(InputLimits.maxFileNameLength, 'File name on the platform.')),
      },
      closed,
    ),
    Type.Object({ url: line(InputLimits.maxUrlLength, 'URL of the download.') }, closed),
  ],
  { description: 'File for the team that gets this flag. Each flag then belongs to one team.' },
)
export type FlagFile = Static<typeof FlagFile>

/** Fields that a flag has only if it is the same for all teams. */
const sharedFlag = { points: Type.Optional(FlagPoints) }

export const FlagRule = Type.Union(
  [
    Type.Object(
      {
        text: line(Limits.maxFlagLength, 'The flag.'),
        attachment: Type.Optional(FlagFile),
        ignoreCase: Type.Optional(Type.Boolean({ default: false, description: 'Ignore the letter case.' })),
        ...sharedFlag,
      },
      closed,
    ),
    Type.Object({ file: relativePath('A file whose first line is the flag.'), ...sharedFlag }, closed),
    Type.Object(
      {
        environment: Type.String({
          pattern: variableNamePattern,
          maxLength: InputLimits.maxWordLength,
          description: 'Name of the environment variable from which `capstan apply` reads the flag.',
        }),
        ...sharedFlag,
      },
      closed,
    ),
    Type.Object(
      {
        eachTeam: line(Limits.maxFlagLength, 'A separate flag and file for each team: `[HEX]` is replaced.'),
        count: Type.Integer({
          minimum: 1,
          maximum: 1_000,
          description: 'Number of flags. It must be larger than the number of teams.',
        }),
        make: make(),
        as: line(InputLimits.maxFileNameLength, 'File name for teams.'),
      },
      closed,
    ),
    Type.Object(
      {
        template: line(
          Limits.maxFlagTemplateLength,
          'A separate flag for each team: `[TEAM_HASH]`, `[GUID]` and `[LEET]` are replaced.',
        ),
      },
      closed,
    ),
    Type.Object(
      {
        pattern: line(Limits.maxFlagPatternLength, 'An RE2 regular expression that must match the whole answer.'),
        ignoreCase: Type.Optional(Type.Boolean({ default: false, description: 'Ignore the letter case.' })),
        ...sharedFlag,
      },
      closed,
    ),
  ],
  { description: 'A flag that is accepted.' },
)
export type FlagRule = Static<typeof FlagRule>

export const AttachmentRule = Type.Union(
  [
    Type.Object(
      {
        file: relativePath('A file or folder below this folder that players download.'),
        as: Type.Optional(line(InputLimits.maxFileNameLength, 'File name for players.')),
      },
      closed,
    ),
    Type.Object({ url: line(InputLimits.maxUrlLength, 'URL of the download.') }, closed),
    Type.Object({ make: make(), as: line(InputLimits.maxFileNameLength, 'File name for players.') }, closed),
  ],
  { description: 'Files for players. Several files are packed into one archive.' },
)
export type AttachmentRule = Static<typeof AttachmentRule>

const Build = Type.Object(
  {
    context: relativePath('Build context; `.` is this folder.'),
    dockerfile: Type.Optional(relativePath('Path below the context; by default `Dockerfile`.')),
    target: Type.Optional(line(InputLimits.maxWordLength, 'Stage of the Dockerfile.')),
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
      withSchemaOptions(stringEnum(['tcp', 'http']), {
        description: 'Protocol of the port. The first port is `tcp` by default; players see other ports only if this is set.',
      }),
    ),
    raw: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Pass HTTP on without parsing it. Players then reach it only by TLS or port.',
      }),
    ),
    ownCertificate: Type.Optional(Type.Boolean({ default: false, description: 'The challenge terminates TLS itself.' })),
    label: Type.Optional(PortLabel),
    guarded: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Only clients with the key of the instance reach it. Only for HTTP that the gateway parses.',
      }),
    ),
  },
  closed,
)

const containerRuleFields = {
  image: Type.Optional(
    Type.String({ maxLength: InputLimits.maxImageNameLength, description: 'Image that exists; empty if no image is set yet.' }),
  ),
  build: Type.Optional(Build),
  ports: Type.Array(ContainerPort, {
    minItems: 1,
    maxItems: 16,
    description: 'Ports of the container. Players see the first one.',
  }),
  ...containerFields,
  cpu: Type.Optional(
    Type.Number({
      minimum: InstanceLimits.minCpuTenths / 10,
      maximum: InstanceLimits.maxCpuTenths / 10,
      multipleOf: 0.1,
      description: 'CPU limit in cores, in steps of 0.1.',
    }),
  ),
  ...optionalFields(ContainerSizes),
  capture: Type.Optional(
    Type.Union([Type.Boolean(), Type.Literal('all')], {
      default: false,
      description: 'Record connections to published ports; `all` also records the traffic between containers.',
    }),
  ),
}

export const ContainerRule = Type.Object(containerRuleFields, {
  ...closed,
  description: 'Container that each team starts for itself.',
})
export type ContainerRule = Static<typeof ContainerRule>

const { name: ContainerName, receivesFlag } = ChallengeContainer.properties

export const NamedContainerRule = Type.Object(
  {
    name: ContainerName,
    ...containerRuleFields,
    ports: Type.Optional(
      Type.Array(ContainerPort, {
        maxItems: 16,
        description: 'Ports of the container. The first port of the first container is the entry of players.',
      }),
    ),
    networks: Type.Optional(
      Type.Array(Type.Union([ContainerName, ContainerNetwork]), {
        ...notEmptyList,
        maxItems: ContainerLimits.maxNetworks,
        description:
          'Networks of this container. Containers in the same network can connect to each other. Default: the network `default`.',
      }),
    ),
    dependsOn: Type.Optional(
      Type.Array(Type.Union([ContainerName, ContainerDependency]), {
        maxItems: ContainerLimits.maxContainers,
        description:
          'Containers that must start before this container. If an entry is only a name, that container must have started.',
      }),
    ),
    receivesFlag,
  },
  closed,
)
export type NamedContainerRule = Static<typeof NamedContainerRule>

export const challengeApiVersion = 'capstan/v1'

/** Hint of a challenge. `cost` is the former name of `price`. */
export const HintRule = Type.Union([
  Type.String({ maxLength: InputLimits.maxShortTextLength, description: 'Markdown of a free hint.' }),
  Type.Object(
    {
      text: Type.String({ maxLength: InputLimits.maxShortTextLength, description: 'Markdown.' }),
      price: Type.Optional(withSchemaOptions(HintPrice, { default: 0 })),
      cost: Type.Optional(withSchemaOptions(HintPrice, { default: 0, description: 'Former name of `price`.' })),
    },
    closed,
  ),
])
export type HintRule = Static<typeof HintRule>

export const ChallengeFile = Type.Object(
  {
    apiVersion: stringEnum([challengeApiVersion]),
    kind: stringEnum(['Challenge']),
    name: Type.String({
      pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
      maxLength: InputLimits.maxWordLength,
      description: 'Name that identifies the challenge when the file is applied again. Never change it.',
    }),
    title: line(InputLimits.maxTitleLength, 'Title for players.'),
    category: ChallengeCategory,
    authors: Type.Optional(Type.Array(line(InputLimits.maxTitleLength, 'Author of the challenge.'), { maxItems: 32 })),
    tags: Type.Optional(withSchemaOptions(ChallengeTags, { description: 'Tags by which players find the challenge.' })),
    difficulty: Type.Optional(withSchemaOptions(Difficulty, { description: 'Difficulty that players see.' })),
    enabled: Type.Optional(Type.Boolean({ default: false, description: 'Show the challenge to players.' })),
    description: Type.Union([Type.String({ maxLength: InputLimits.maxLongTextLength }), FileText], { description: 'Markdown.' }),
    score: Type.Optional(
      Type.Object(
        {
          points: Type.Integer({
            minimum: 0,
            maximum: InputLimits.maxScore,
            description: 'Points for the first team that solves it.',
          }),
          minimumShare: Type.Optional(
            Type.Number({ ...share, description: 'Minimum share of the points; with 1 they never decrease.' }),
          ),
          difficulty: Type.Optional(
            Type.Number({
              exclusiveMinimum: 0,
              maximum: InputLimits.maxDecay,
              description:
                'Exponential: larger values reduce the points more slowly. Linear: points per solve. Parabola: solves until the minimum.',
            }),
          ),
          curve: Type.Optional(
            withSchemaOptions(stringEnum(curveNames), {
              description:
                'How the points fall: `linear` and `parabola` as in CTFd, `rctf` as in rCTF; `exponential` by default.',
            }),
          ),
          fixed: Type.Optional(
            Type.Boolean({ default: false, description: 'True: later solves do not reduce the points of earlier ones.' }),
          ),
        },
        closed,
      ),
    ),
    release: Type.Optional(
      instantInputSchema({
        description: 'Players see the challenge from this time on, if it is enabled: `2026-05-01T12:00:00Z`.',
      }),
    ),
    deadline: Type.Optional(instantInputSchema({ description: 'Players may submit flags until this time.' })),
    attempts: Type.Optional(
      Type.Object(
        {
          limit: Type.Optional(
            withSchemaOptions(AttemptRules.submissionLimit, {
              default: 0,
              description: 'Flags that a team may submit; 0: any number.',
            }),
          ),
          cooldownSeconds: Type.Optional(
            withSchemaOptions(AttemptRules.cooldownSeconds, {
              default: 0,
              description: 'Seconds for which a team cannot submit after a wrong flag.',
            }),
          ),
        },
        closed,
      ),
    ),
    unlock: Type.Optional(
      Type.Object(
        {
          after: Type.Optional(
            Type.Array(line(InputLimits.maxWordLength, 'Name of another challenge.'), {
              maxItems: Limits.maxPrerequisites,
              description: 'Names of the challenges that a team must solve first.',
            }),
          ),
          count: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: Limits.maxPrerequisites,
              description: 'Number of these challenges that is enough; all by default.',
            }),
          ),
          points: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: InputLimits.maxScore,
              description: 'Alternatively: points of a team at which the challenge opens.',
            }),
          ),
          locked: Type.Optional(
            withSchemaOptions(LockedView, {
              default: 'Shown',
              description: 'Whether teams see the title before they unlock it.',
            }),
          ),
        },
        { ...closed, description: 'Condition under which the challenge opens for a team.' },
      ),
    ),
    bloods: Type.Optional(
      Type.Boolean({ default: true, description: 'False: the first solvers get no bloods, no bonus and no blood notice.' }),
    ),
    flags: Type.Array(FlagRule, {
      maxItems: InputLimits.maxFlagsPerCall,
      description: 'Each of the flags is accepted. If a flag has points, a team must find all flags.',
    }),
    hints: Type.Optional(Type.Array(HintRule, { maxItems: InputLimits.maxHints })),
    attachments: Type.Optional(Type.Array(AttachmentRule, { maxItems: InputLimits.maxFilesPerUpload })),
    attachmentName: Type.Optional(
      line(InputLimits.maxFileNameLength, 'Name under which teams download their file, if each flag has a file.'),
    ),
    container: Type.Optional(ContainerRule),
    containers: Type.Optional(
      Type.Array(NamedContainerRule, {
        ...notEmptyList,
        maxItems: ContainerLimits.maxContainers,
        description: 'Several containers, instead of `container`. Players connect to the first one.',
      }),
    ),
    type: Type.Optional(
      withSchemaOptions(ChallengeType, {
        description: 'Type of the challenge, if flags and container do not determine it. It cannot change.',
      }),
    ),
    solver: Type.Optional(
      Type.Object(
        {
          command: command(
            'Command that prints the flag. It gets `HOST`, `PORT` and `ADDRESS` of an instance in its environment.',
          ),
          timeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_600, default: 120 })),
        },
        { ...closed, description: 'Solver for `capstan test`.' },
      ),
    ),
  },
  { ...closed, title: 'Challenge', description: 'A challenge of Capstan.' },
)
export type ChallengeFile = Static<typeof ChallengeFile>

/** Container in a file, with its path in the file, such as `container` or `containers[1]`. */
export type PlacedContainer = NamedContainerRule & { readonly place: string }

/** Returns the containers of a file, which lists them in `container` or in `containers`. */
export function containersOf({
  container,
  containers,
}: Pick<ChallengeFile, 'container' | 'containers'>): readonly PlacedContainer[] {
  if (container !== undefined) return [{ ...container, name: defaultContainerName, place: 'container' }]
  return (containers ?? []).map((each, index) => ({ ...each, place: pathOfContainer(index) }))
}

/** Returns the path of a container in a file that lists several containers, such as `containers[1]`. */
export function pathOfContainer(index: number): string {
  return `containers[${index}]`
}

/** Returns a challenge with changed containers. The challenge may list them in `container` or in `containers`. */
export function mapContainers(
  challenge: ChallengeFile,
  change: (container: NamedContainerRule, place: string) => NamedContainerRule,
): ChallengeFile {
  const { container, containers } = challenge
  if (container !== undefined) {
    const {
      name: _,
      networks: __,
      dependsOn: ___,
      receivesFlag: ____,
      ports = [],
      ...rule
    } = change({ name: defaultContainerName, ...container }, 'container')
    return { ...challenge, container: { ...rule, ports } }
  }
  return containers === undefined
    ? challenge
    : { ...challenge, containers: containers.map((each, index) => change(each, pathOfContainer(index))) }
}
