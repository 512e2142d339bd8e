import {
  type ContainerDefinition,
  EgressKind,
  ExposureKind,
  FlagFile,
  Readiness,
  SecurityProfile,
  StoredContainer,
  variableNamePattern,
} from '@capstan/contract/container-definition'
import type { ContainerListFault, PlacedContainerListFault } from '@capstan/contract/container-list-faults'
import { ContainerLimits, InputLimits } from '@capstan/contract/limits'
import type { ChallengeSpeech } from '@capstan/contract/reach'
import { type Static, Type } from 'typebox'

/** Converts between `container` in the file of a challenge and the container definition of the platform. */

const closed = { additionalProperties: false } as const

const VariableName = Type.String({ pattern: variableNamePattern, maxLength: InputLimits.maxWordLength })

const VariableValue = Type.Union([
  Type.String({ maxLength: InputLimits.maxShortTextLength }),
  Type.Object(
    {
      secret: Type.String({
        pattern: variableNamePattern,
        maxLength: InputLimits.maxWordLength,
        description: 'Environment variable of `capstan apply` with the value. The value is never in the file and never shown.',
      }),
    },
    closed,
  ),
])

const { command, args, user, group, readOnlyRoot, writablePaths, plainPort, startTimeoutSeconds, pullSecret } =
  StoredContainer.properties

export const containerFields = {
  command,
  args,
  environment: Type.Optional(
    Type.Record(Type.String({ pattern: variableNamePattern, maxLength: InputLimits.maxWordLength }), VariableValue, {
      maxProperties: ContainerLimits.maxVariables,
    }),
  ),
  flag: Type.Optional(
    Type.Object(
      {
        environment: Type.Optional(
          Type.Union([VariableName, Type.Array(VariableName, { maxItems: ContainerLimits.maxFlagVariables })]),
        ),
        file: Type.Optional(Type.Union([FlagFile.properties.path, FlagFile])),
      },
      { ...closed, description: 'Place where the container finds its flag: variables, a file, or both.' },
    ),
  ),
  egress: Type.Optional(
    Type.Union([Type.Boolean(), EgressKind], {
      description: 'Allowed outgoing connections; `true` is the internet, `false` none.',
    }),
  ),
  readOnlyRoot,
  writablePaths,
  user,
  group,
  security: Type.Optional(SecurityProfile),
  exposure: Type.Optional(ExposureKind),
  plainPort,
  readiness: Type.Optional(Readiness),
  startTimeoutSeconds,
  pullSecret,
}

const ContainerFields = Type.Object(containerFields, closed)
export type ContainerFields = Static<typeof ContainerFields>

/** Default name of the variable with the flag. */
export const platformFlagVariable = 'FLAG'

type Port = Readonly<{
  port: number
  speaks?: ChallengeSpeech
  raw?: boolean
  ownCertificate?: boolean
  label?: string
}>
type Ports = readonly Port[]

/** Returns the additional ports in the format of files. Players see the ports that have a protocol. */
export function additionalPortsOf({ furtherPorts = [], offeredPorts = [] }: StoredContainer): Ports {
  return furtherPorts.map((port) => {
    const { speaks, isRaw, hasOwnCertificate, label } = offeredPorts.find((offered) => offered.port === port) ?? {}
    return {
      port,
      ...(speaks && { speaks }),
      ...(isRaw && { raw: true }),
      ...(hasOwnCertificate && { ownCertificate: true }),
      ...(label !== undefined && { label }),
    }
  })
}

function egressOf(egress: ContainerFields['egress']): EgressKind | undefined {
  return typeof egress === 'boolean' ? (egress ? 'Internet' : 'None') : egress
}

const defaultFlagFileMode = '0444'

/** Removes settings that have their default value. */
function plainFile({ path, mode, owner }: FlagFile): FlagFile {
  return {
    path,
    ...(mode !== undefined && mode !== defaultFlagFileMode && { mode }),
    ...(owner !== undefined && owner !== 0 && { owner }),
  }
}

function flagOf(flag: ContainerFields['flag']): ContainerDefinition['flag'] {
  if (flag?.environment === undefined && flag?.file === undefined) return undefined
  const { environment = [], file } = flag
  return {
    variables: typeof environment === 'string' ? [environment] : [...environment],
    ...(file !== undefined && { file: plainFile(typeof file === 'string' ? { path: file } : file) }),
  }
}

function plainReadiness({ port, path, line, command }: Readiness): Readiness {
  return {
    ...(port !== undefined && { port }),
    ...(path !== undefined && { path }),
    ...(line !== undefined && { line }),
    ...(command?.length && { command }),
  }
}

function variablesOf(environment: ContainerFields['environment'], secretOf: (variable: string) => string | null) {
  const entries = Object.entries(environment ?? {})
  const plain = entries.flatMap(([name, value]) => (typeof value === 'string' ? [{ name, value }] : []))
  const hidden = entries.flatMap(([name, value]) => (typeof value === 'string' ? [] : [{ name, value: secretOf(value.secret) }]))
  return { ...(plain.length > 0 && { environment: plain }), ...(hidden.length > 0 && { secrets: hidden }) }
}

/**
 * Converts the container of a file into the platform's definition.
 * @param hasEntry true if the first port is the entry port. Definitions omit the entry port
 * @param secretOf function that returns the value of a secret variable. If the function returns null, the stored value is
 * retained
 */
export function createContainerDefinition(
  { ports, ...rule }: ContainerFields & { readonly ports: Ports },
  hasEntry: boolean,
  secretOf: (variable: string) => string | null,
): ContainerDefinition {
  const [first, ...others] = ports
  if (!hasEntry || first === undefined) return definitionWith(rule, ports, secretOf)
  const further = others.filter(({ port }) => port !== first.port)
  return { ...definitionWith(rule, further, secretOf), ...(first.label !== undefined && { entryLabel: first.label }) }
}

function definitionWith(
  rule: ContainerFields,
  further: Ports,
  secretOf: (variable: string) => string | null,
): ContainerDefinition {
  const { command, args, user, group, readOnlyRoot, writablePaths, security, exposure, readiness } = rule
  const egress = egressOf(rule.egress)
  const flag = flagOf(rule.flag)
  const furtherPorts = [...new Set(further.map(({ port }) => port))]
  const offeredPorts = furtherPorts.flatMap((port) => {
    const { speaks, raw, ownCertificate, label } = further.find((each) => each.port === port && each.speaks !== undefined) ?? {}
    if (speaks === undefined) return []
    return [
      {
        ...{ port, speaks },
        ...(raw && speaks === 'http' && { isRaw: true }),
        ...(ownCertificate && { hasOwnCertificate: true }),
        ...(label !== undefined && { label }),
      },
    ]
  })
  return {
    ...(command?.length && { command }),
    ...(args?.length && { args }),
    ...variablesOf(rule.environment, secretOf),
    ...(flag && { flag }),
    ...(user !== undefined && { user }),
    ...(group !== undefined && { group }),
    ...(readOnlyRoot !== undefined && { readOnlyRoot }),
    ...(writablePaths?.length && { writablePaths: writablePaths.map(({ path, sizeMb }) => ({ path, sizeMb })) }),
    ...(egress && { egress }),
    ...(security && { security }),
    ...(exposure && { exposure }),
    ...(furtherPorts.length > 0 && { furtherPorts }),
    ...(offeredPorts.length > 0 && { offeredPorts }),
    ...(rule.plainPort && { plainPort: true }),
    ...(readiness && { readiness: plainReadiness(readiness) }),
    ...(rule.startTimeoutSeconds !== undefined && { startTimeoutSeconds: rule.startTimeoutSeconds }),
    ...(rule.pullSecret !== undefined && { pullSecret: rule.pullSecret }),
  }
}

/**
 * Converts a definition into fields of a file. The file reads each secret from a variable with the same name. Omits the additional
 * ports and all labels of ports, because the field `ports` contains them.
 */
export function toContainerFields(definition: ContainerDefinition): ContainerFields {
  const { environment = [], secrets = [], flag, furtherPorts: _, offeredPorts: __, entryLabel: ___, ...rest } = definition
  const variables = [
    ...environment.map(({ name, value }) => [name, value] as const),
    ...secrets.map(({ name }) => [name, { secret: name }] as const),
  ]
  const file = flag?.file && plainFile(flag.file)
  // If the definition has a flag file but no variable names, the container also gets the flag in the default variable.
  const names = flag?.variables ?? (file && [platformFlagVariable])
  const isPathAlone = file !== undefined && file.mode === undefined && file.owner === undefined
  return {
    ...rest,
    ...(variables.length > 0 && { environment: Object.fromEntries(variables) }),
    ...((names !== undefined || file !== undefined) && {
      flag: {
        ...(names !== undefined &&
          (names.length > 0 || file === undefined) && { environment: names.length === 1 && names[0] ? names[0] : names }),
        ...(file !== undefined && { file: isPathAlone ? file.path : file }),
      },
    }),
  }
}

/**
 * Removes secrets from a definition and sorts its members, so that definitions can be compared.
 * @param entry port to which players connect, or null if players cannot connect
 */
export function normalizeContainerDefinition(definition: ContainerDefinition, entry: number | null): StoredContainer {
  const further = additionalPortsOf(definition).filter(({ port }) => port !== entry)
  const { secrets: _, ...plain } = definitionWith(toContainerFields(definition), further, () => null)
  return { ...plain, ...(definition.entryLabel !== undefined && { entryLabel: definition.entryLabel }) }
}

const faultTexts: Readonly<Record<ContainerListFault, string>> = {
  reserved: 'This variable is set by the platform.',
  twice: 'The name occurs twice.',
  path: 'This path is not allowed.',
  overlap: 'The path overlaps a writable folder.',
  entry: 'Players already get this port.',
  unknownPort: 'The container does not have this port.',
  eitherOr: 'Give either a command, or a line of output, or a port and a path.',
  root: 'The security profile does not allow root.',
  choice: 'The platform does not allow it.',
  unknown: 'The challenge has no container with this name.',
  cycle: 'The container waits for itself, perhaps through other containers.',
  entryMissing: 'The first container needs a port for players.',
  entryOnly: 'This setting applies to the whole instance. Set it in the first container.',
  many: 'This is more than the platform allows.',
}

/**
 * Converts a fault in a list of containers into the path of a field in the file, and a sentence for authors.
 * @param containers containers to which the fault refers, with their paths in the file
 */
export function describeContainerFault(
  { at, fault }: PlacedContainerListFault,
  containers: readonly { readonly place: string }[],
): { field: string; why: string } {
  const [, index = '', ...path] = at.split('/')
  const [setting = '', ...others] = path[0] === 'definition' ? path.slice(1) : path
  const names: Readonly<Record<string, string>> = {
    furtherPorts: 'ports',
    offeredPorts: 'ports',
    entryLabel: 'ports',
    secrets: 'environment',
    port: 'ports',
  }
  const place = containers[Number(index)]?.place ?? ''
  return { field: [place, names[setting] ?? setting, ...others].filter((part) => part !== '').join('.'), why: faultTexts[fault] }
}
