import { type Static, Type } from 'typebox'
import { nullableString, stringEnum } from './kit.ts'
import { ContainerLimits, InputLimits, InstanceLimits, notEmpty } from './limits.ts'
import { OfferedPort, PortLabel } from './reach.ts'

/**
 * Definition of a challenge's container: its settings except image, entry port and resources. If a setting is absent, the default
 * of the image or of the platform applies. The api, challenge files and the editor share this schema.
 */

const closed = { additionalProperties: false } as const

export const variableNamePattern = '^[A-Za-z_][A-Za-z0-9_.-]*$'

/** Pattern that matches absolute paths. */
export const containerPathPattern = '^(?:/[A-Za-z0-9._-]+)+$'

export const fileModePattern = '^0[0-7]{3}$'

/** Pattern that matches HTTP paths: visible characters without a fragment. */
export const httpPathPattern = '^/[!-"$-~]*$'

/**
 * Pattern that matches readiness texts. A container is ready when it prints its readiness text. The text begins with a visible
 * character and contains no control characters.
 */
export const readyLinePattern = '^[^\\u0000-\\u0020\\u007f][^\\u0000-\\u001f\\u007f]*$'

const objectNamePattern = '^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$'

const VariableName = Type.String({ pattern: variableNamePattern, maxLength: InputLimits.maxWordLength })

function Words(description: string) {
  return Type.Array(Type.String({ maxLength: InputLimits.maxShortTextLength }), {
    minItems: ContainerLimits.minArguments,
    maxItems: ContainerLimits.maxArguments,
    description,
  })
}

function Path(description: string) {
  return Type.String({ pattern: containerPathPattern, maxLength: ContainerLimits.maxPathLength, description })
}

const Port = Type.Integer({ minimum: InstanceLimits.minPort, maximum: InstanceLimits.maxPort })

function UserNumber(description: string) {
  return Type.Integer({ minimum: ContainerLimits.minUserId, maximum: ContainerLimits.maxUserId, description })
}

/** Environment variables that the platform sets. A challenge cannot override them. */
const reservedVariables: readonly string[] = ['TEAM_ID']

/** Sets of destinations to which a container may connect. Each set includes the previous set. */
export const egressKinds = ['None', 'Dns', 'Internet'] as const
export const EgressKind = stringEnum(egressKinds, { description: 'Networks that the container can reach.' })
export type EgressKind = Static<typeof EgressKind>

export const SecurityProfile = stringEnum(['Restricted', 'Baseline'], {
  description: 'Restricted: it cannot run as root. Baseline: it can run as root, but without capabilities.',
})
export type SecurityProfile = Static<typeof SecurityProfile>

export const ExposureKind = stringEnum(['Proxy', 'NodePort'], {
  description: 'Proxy: players reach it only through the platform. NodePort: on a port of the nodes.',
})
export type ExposureKind = Static<typeof ExposureKind>

export const FlagFile = Type.Object(
  {
    path: Path('Place where the container finds its flag.'),
    mode: Type.Optional(
      Type.String({
        pattern: fileModePattern,
        maxLength: ContainerLimits.maxFileModeLength,
        default: '0444',
        description: 'Permissions in octal.',
      }),
    ),
    owner: Type.Optional(UserNumber('User that owns the file; 0 unless given.')),
  },
  closed,
)
export type FlagFile = Static<typeof FlagFile>

export const WritablePath = Type.Object(
  {
    path: Path('Folder that is empty at the start.'),
    sizeMb: Type.Integer({
      minimum: ContainerLimits.minWritableMb,
      maximum: InstanceLimits.maxStorageMb,
      description: 'Size in MB.',
    }),
  },
  closed,
)
export type WritablePath = Static<typeof WritablePath>

export const Readiness = Type.Object(
  {
    port: Type.Optional(Port),
    path: Type.Optional(
      Type.String({
        pattern: httpPathPattern,
        maxLength: ContainerLimits.maxPathLength,
        description: 'HTTP path that responds with 200 to 399 once the container is ready. Without it, an open port suffices.',
      }),
    ),
    line: Type.Optional(
      Type.String({
        pattern: readyLinePattern,
        maxLength: ContainerLimits.maxReadyLineLength,
        description: 'Text of a line that the container writes once it is ready. It replaces port and path.',
      }),
    ),
    command: Type.Optional(
      Words(
        'Program that checks the readiness. It replaces port, path and line. The container is ready once it ends with code 0.',
      ),
    ),
  },
  closed,
)
export type Readiness = Static<typeof Readiness>

const definitionFields = {
  command: Type.Optional(Words('Program, instead of the entry point of the image.')),
  args: Type.Optional(Words('Arguments, instead of those of the image.')),
  environment: Type.Optional(
    Type.Array(Type.Object({ name: VariableName, value: Type.String({ maxLength: InputLimits.maxShortTextLength }) }, closed), {
      maxItems: ContainerLimits.maxVariables,
      description: 'Variables that are not secret.',
    }),
  ),
  flag: Type.Optional(
    Type.Object(
      {
        variables: Type.Optional(
          Type.Array(VariableName, {
            maxItems: ContainerLimits.maxFlagVariables,
            description: 'Variables that contain the flag, instead of the platform default. Empty if only the file contains it.',
          }),
        ),
        file: Type.Optional(FlagFile),
      },
      closed,
    ),
  ),
  user: Type.Optional(UserNumber('User id of the container; by default the user of the image.')),
  group: Type.Optional(UserNumber('Group id of the container.')),
  readOnlyRoot: Type.Optional(Type.Boolean({ description: 'True if only the writable paths can be written.' })),
  writablePaths: Type.Optional(Type.Array(WritablePath, { maxItems: ContainerLimits.maxWritablePaths })),
  egress: Type.Optional(EgressKind),
  security: Type.Optional(SecurityProfile),
  exposure: Type.Optional(ExposureKind),
  furtherPorts: Type.Optional(
    Type.Array(Port, {
      maxItems: ContainerLimits.maxFurtherPorts,
      description: 'TCP ports besides the entry that gateways can reach.',
    }),
  ),
  offeredPorts: Type.Optional(
    Type.Array(OfferedPort, {
      maxItems: ContainerLimits.maxFurtherPorts,
      description: 'Ports among these that players see, with their protocols.',
    }),
  ),
  entryLabel: Type.Optional(PortLabel),
  plainPort: Type.Optional(
    Type.Boolean({
      description:
        'True if HTTP gets a plain port in addition to its host name. Plain ports are public, so other teams can try them.',
    }),
  ),
  readiness: Type.Optional(Readiness),
  startTimeoutSeconds: Type.Optional(
    Type.Integer({
      minimum: ContainerLimits.minStartTimeoutSeconds,
      maximum: ContainerLimits.maxStartTimeoutSeconds,
      description: 'Maximum time until the container is ready.',
    }),
  ),
  pullSecret: Type.Optional(
    Type.String({
      ...notEmpty,
      pattern: objectNamePattern,
      maxLength: ContainerLimits.maxObjectNameLength,
      description: 'Secret of the cluster for pulling the image, in addition to those of the platform.',
    }),
  ),
}

/** Container definition in the form that the database stores. Secret values are stored separately. */
export const StoredContainer = Type.Object(definitionFields, { ...closed, title: 'StoredContainer' })
export type StoredContainer = Static<typeof StoredContainer>

export const ContainerDefinition = Type.Object(
  {
    ...definitionFields,
    secrets: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: VariableName,
            value: Type.Optional(
              nullableString({
                maxLength: InputLimits.maxShortTextLength,
                description: 'Never returned. Null retains the stored value.',
              }),
            ),
          },
          closed,
        ),
        { maxItems: ContainerLimits.maxVariables, description: 'Variables with secret values.' },
      ),
    ),
  },
  { ...closed, title: 'ContainerDefinition' },
)
export type ContainerDefinition = Static<typeof ContainerDefinition>

/** Options that the platform allows for challenges. */
export const ContainerChoices = Type.Object({
  egress: Type.Array(EgressKind),
  security: Type.Array(SecurityProfile),
  exposure: Type.Array(ExposureKind),
  maxContainers: Type.Integer({ description: 'Number of containers that a challenge may have.' }),
})
export type ContainerChoices = Static<typeof ContainerChoices>

export const ContainerSettings = Type.Object(
  { definition: ContainerDefinition, choices: ContainerChoices },
  { title: 'ContainerSettings' },
)
export type ContainerSettings = Static<typeof ContainerSettings>

/** Fault in a combination of fields. Each field alone is valid. */
export type ContainerFault = 'reserved' | 'twice' | 'path' | 'overlap' | 'entry' | 'unknownPort' | 'eitherOr' | 'root' | 'choice'

export type PlacedFault = Readonly<{
  /** JSON pointer into the definition (RFC 6901). */
  at: string
  fault: ContainerFault
}>

const systemPaths = ['/proc', '/sys', '/dev']

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

/** Returns a fault for each value that also occurs earlier in the list. The fault contains the JSON pointer of the value. */
export function findRepeatedValues<Value>(
  values: readonly Readonly<{ at: string; value: Value }>[],
): { at: string; fault: 'twice' }[] {
  return values
    .filter(({ value }, index) => values.findIndex((other) => other.value === value) < index)
    .map(({ at }) => ({ at, fault: 'twice' }))
}

function pathFault(path: string): ContainerFault | undefined {
  return path.split('/').some((name) => name === '.' || name === '..') || systemPaths.some((folder) => isBelow(path, folder))
    ? 'path'
    : undefined
}

/**
 * Returns a fault for each folder that is inside another folder, and for a flag file that a folder would hide. A flag file inside a
 * folder is allowed, because it is mounted over the folder.
 */
function overlaps(folders: readonly WritablePath[], file: FlagFile | undefined): PlacedFault[] {
  const inEachOther = folders.flatMap(({ path }, index) =>
    folders.some((other, at) => at < index && (isBelow(path, other.path) || isBelow(other.path, path)))
      ? [{ at: `/writablePaths/${index}/path`, fault: 'overlap' as const }]
      : [],
  )
  const isHidden = file !== undefined && folders.some(({ path }) => isBelow(path, file.path))
  return [...inEachOther, ...(isHidden ? [{ at: '/flag/file/path', fault: 'overlap' as const }] : [])]
}

const ranks: Omit<ContainerChoices, 'maxContainers'> = {
  egress: [...egressKinds],
  security: ['Restricted', 'Baseline'],
  exposure: ['Proxy', 'NodePort'],
}

/** Returns the options that the platform allows. Each list is ordered from the narrowest option to the widest allowed option. */
export function listAllowedContainerChoices(
  widest: Readonly<{
    egress: EgressKind
    security: SecurityProfile
    exposure: ExposureKind
    maxContainers: number
  }>,
): ContainerChoices {
  return {
    egress: ranks.egress.slice(0, ranks.egress.indexOf(widest.egress) + 1),
    security: ranks.security.slice(0, ranks.security.indexOf(widest.security) + 1),
    exposure: ranks.exposure.slice(0, ranks.exposure.indexOf(widest.exposure) + 1),
    maxContainers: widest.maxContainers,
  }
}

export const allChoices: ContainerChoices = { ...ranks, maxContainers: ContainerLimits.maxContainers }

/**
 * Returns all faults of a definition, each with the JSON pointer of its field.
 * @param entry entry port, to which players connect; null if the container is not the entry container
 * @param choices options that the platform allows; by default all
 */
export function findDefinitionFaults(
  definition: ContainerDefinition,
  entry: number | null,
  choices: ContainerChoices = allChoices,
): PlacedFault[] {
  const {
    environment = [],
    secrets = [],
    writablePaths = [],
    furtherPorts = [],
    offeredPorts = [],
    flag,
    readiness,
    user,
  } = definition
  const names = [
    ...environment.map(({ name }, index) => ({ at: `/environment/${index}/name`, value: name })),
    ...secrets.map(({ name }, index) => ({ at: `/secrets/${index}/name`, value: name })),
    ...(flag?.variables ?? []).map((name, index) => ({ at: `/flag/variables/${index}`, value: name })),
  ]
  const places = [
    ...writablePaths.map(({ path }, index) => ({ at: `/writablePaths/${index}/path`, value: path })),
    ...(flag?.file ? [{ at: '/flag/file/path', value: flag.file.path }] : []),
  ]
  const ports = furtherPorts.map((port, index) => ({ at: `/furtherPorts/${index}`, value: port }))
  const offered = offeredPorts.map(({ port }, index) => ({ at: `/offeredPorts/${index}/port`, value: port }))
  const security = definition.security ?? choices.security.at(-1)
  const asked = (['egress', 'security', 'exposure'] as const).filter((key) => {
    const allowed: readonly string[] = choices[key]
    const value = definition[key]
    return value !== undefined && !allowed.includes(value)
  })
  return [
    ...names.filter(({ value }) => reservedVariables.includes(value)).map(({ at }) => ({ at, fault: 'reserved' as const })),
    ...findRepeatedValues(names),
    ...places.flatMap(({ at, value }) => (pathFault(value) === undefined ? [] : [{ at, fault: 'path' as const }])),
    ...overlaps(writablePaths, flag?.file),
    ...findRepeatedValues(ports),
    ...ports.filter(({ value }) => value === entry).map(({ at }) => ({ at, fault: 'entry' as const })),
    ...findRepeatedValues(offered),
    ...offered.filter(({ value }) => !furtherPorts.includes(value)).map(({ at }) => ({ at, fault: 'unknownPort' as const })),
    ...(readiness?.port === undefined || [entry, ...furtherPorts].includes(readiness.port)
      ? []
      : [{ at: '/readiness/port', fault: 'unknownPort' as const }]),
    ...(readiness?.path !== undefined && entry === null && furtherPorts.length === 0
      ? [{ at: '/readiness/path', fault: 'unknownPort' as const }]
      : []),
    ...(readiness?.line !== undefined && (readiness.port !== undefined || readiness.path !== undefined)
      ? [{ at: '/readiness/line', fault: 'eitherOr' as const }]
      : []),
    ...(readiness?.command !== undefined && Object.keys(readiness).length > 1
      ? [{ at: '/readiness/command', fault: 'eitherOr' as const }]
      : []),
    ...(user === 0 && security === 'Restricted' ? [{ at: '/user', fault: 'root' as const }] : []),
    ...asked.map((key) => ({ at: `/${key}`, fault: 'choice' as const })),
  ]
}
