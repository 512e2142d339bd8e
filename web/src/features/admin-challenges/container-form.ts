import type { ContainerChoices, ContainerDefinition } from '@capstan/contract/container-definition'
import type { ChallengeSpeech, OfferedPort } from '@capstan/contract/reach'

/** Additional port of a container, as entered in the form. */
export type TypedPort = Readonly<{
  port: string
  /** Protocol for players, or `inner` if they cannot use the port. */
  speaks: ChallengeSpeech | 'inner'
  isRaw: boolean
  hasOwnCertificate: boolean
  /** Label for players. Empty if there is none. */
  label: string
}>

/**
 * Container settings as entered in the form. Lists have one entry per line. An empty field means the default of the image or the
 * platform.
 */
export type ContainerForm = Readonly<{
  command: string
  args: string
  /** Environment variables, one `NAME=value` per line. */
  environment: string
  /** Secrets as entered in the form. An empty value leaves the stored secret unchanged. */
  secrets: readonly Readonly<{ name: string; value: string }>[]
  flagVariables: string
  flagPath: string
  flagMode: string
  flagOwner: string
  user: string
  group: string
  readOnlyRoot: boolean
  /** Writable folders. Each line is a path with its size in MB. */
  writablePaths: string
  egress: string
  security: string
  exposure: string
  ports: readonly TypedPort[]
  /** Label that players see above the address of the port to which they connect. */
  entryLabel: string
  plainPort: boolean
  readyPath: string
  readyPort: string
  readyLine: string
  /** Command that checks whether the program is ready. Each line contains one argument. The first is the program. */
  readyCommand: string
  startTimeoutSeconds: string
  pullSecret: string
}>

/**
 * Value of the select option for the platform's default. It is not an empty text, because a select option cannot have an empty
 * value.
 */
export const byDefault = 'default'

function textOf(value: number | undefined): string {
  return value === undefined ? '' : String(value)
}

export function toContainerForm(definition: ContainerDefinition): ContainerForm {
  return {
    command: (definition.command ?? []).join('\n'),
    args: (definition.args ?? []).join('\n'),
    environment: (definition.environment ?? []).map(({ name, value }) => `${name}=${value}`).join('\n'),
    secrets: (definition.secrets ?? []).map(({ name }) => ({ name, value: '' })),
    flagVariables: (definition.flag?.variables ?? []).join(' '),
    flagPath: definition.flag?.file?.path ?? '',
    flagMode: definition.flag?.file?.mode ?? '',
    flagOwner: textOf(definition.flag?.file?.owner),
    user: textOf(definition.user),
    group: textOf(definition.group),
    readOnlyRoot: definition.readOnlyRoot ?? false,
    writablePaths: (definition.writablePaths ?? []).map(({ path, sizeMb }) => `${path} ${sizeMb}`).join('\n'),
    egress: definition.egress ?? byDefault,
    security: definition.security ?? byDefault,
    exposure: definition.exposure ?? byDefault,
    ports: (definition.furtherPorts ?? []).map((port) => {
      const offered = definition.offeredPorts?.find((each) => each.port === port)
      return {
        port: String(port),
        speaks: offered?.speaks ?? 'inner',
        isRaw: offered?.isRaw ?? false,
        hasOwnCertificate: offered?.hasOwnCertificate ?? false,
        label: offered?.label ?? '',
      }
    }),
    entryLabel: definition.entryLabel ?? '',
    plainPort: definition.plainPort ?? false,
    readyPath: definition.readiness?.path ?? '',
    readyPort: textOf(definition.readiness?.port),
    readyLine: definition.readiness?.line ?? '',
    readyCommand: (definition.readiness?.command ?? []).join('\n'),
    startTimeoutSeconds: textOf(definition.startTimeoutSeconds),
    pullSecret: definition.pullSecret ?? '',
  }
}

/** Returns the non-empty lines with their line numbers. Error messages contain these numbers. */
export function listFilledLines(text: string): { text: string; line: number }[] {
  return text.split('\n').flatMap((each, index) => (each.trim() === '' ? [] : [{ text: each.trim(), line: index + 1 }]))
}

/** Returns the words of a command. Each line is one word, because a word may contain spaces. */
function wordLinesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '')
}

export function splitWords(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '')
}

function numberOf(text: string): number | undefined {
  return text.trim() === '' ? undefined : Number(text)
}

export function parseEnvironmentVariable(text: string): { name: string; value: string } {
  const at = text.indexOf('=')
  return at === -1 ? { name: text, value: '' } : { name: text.slice(0, at), value: text.slice(at + 1) }
}

function folderOf(text: string): { path: string; sizeMb: number } {
  const [path = '', size = ''] = text.split(/\s+/)
  return { path, sizeMb: Number(size) }
}

/** Returns the rows that are not blank, with their row numbers. */
export function listFilledRows<Row>(rows: readonly Row[], isBlank: (row: Row) => boolean): { row: Row; line: number }[] {
  return rows.flatMap((row, index) => (isBlank(row) ? [] : [{ row, line: index + 1 }]))
}

/** Returns the secrets that have a name or a value. */
export function listSecretRows({ secrets }: Pick<ContainerForm, 'secrets'>) {
  return listFilledRows(secrets, ({ name, value }) => name.trim() === '' && value === '')
}

/** Returns the ports that have a number. */
export function listPortRows({ ports }: Pick<ContainerForm, 'ports'>) {
  return listFilledRows(ports, ({ port }) => port.trim() === '')
}

/** Returns the ports that are published to players. */
export function toPublishedPorts(form: Pick<ContainerForm, 'ports'>): OfferedPort[] {
  return listPortRows(form).flatMap(({ row: { port, speaks, isRaw, hasOwnCertificate, label } }) =>
    speaks === 'inner'
      ? []
      : {
          ...{ port: Number(port), speaks },
          ...(isRaw && { isRaw }),
          ...(hasOwnCertificate && { hasOwnCertificate }),
          ...(label.trim() !== '' && { label: label.trim() }),
        },
  )
}

function chosen<Value extends string>(value: string, from: readonly Value[]): Value | undefined {
  return from.find((each) => each === value)
}

function flagOf(form: ContainerForm): ContainerDefinition['flag'] {
  const variables = splitWords(form.flagVariables)
  const owner = numberOf(form.flagOwner)
  const mode = form.flagMode.trim()
  if (form.flagPath.trim() === '') return variables.length === 0 ? undefined : { variables }
  const file = { path: form.flagPath.trim(), ...(mode !== '' && { mode }), ...(owner !== undefined && { owner }) }
  return { variables, file }
}

function readinessOf(form: ContainerForm): ContainerDefinition['readiness'] {
  const port = numberOf(form.readyPort)
  const [path, line] = [form.readyPath.trim(), form.readyLine.trim()]
  const command = wordLinesOf(form.readyCommand)
  const said = {
    ...(port !== undefined && { port }),
    ...(path !== '' && { path }),
    ...(line !== '' && { line }),
    ...(command.length > 0 && { command }),
  }
  return Object.keys(said).length === 0 ? undefined : said
}

/**
 * Returns the container definition for the settings that are entered in the form. The definition is valid only if
 * `findFaultsOfContainers` finds no fault.
 */
export function toContainerDefinition(form: ContainerForm, choices: ContainerChoices): ContainerDefinition {
  const [command, args] = [wordLinesOf(form.command), wordLinesOf(form.args)]
  const environment = listFilledLines(form.environment).map(({ text }) => parseEnvironmentVariable(text))
  const secrets = listSecretRows(form).map(({ row: { name, value } }) => ({ name: name.trim(), ...(value !== '' && { value }) }))
  const writablePaths = listFilledLines(form.writablePaths).map(({ text }) => folderOf(text))
  const ports = listPortRows(form).map(({ row }) => Number(row.port))
  const offeredPorts = toPublishedPorts(form)
  const [user, group, seconds] = [form.user, form.group, form.startTimeoutSeconds].map(numberOf)
  const flag = flagOf(form)
  const readiness = readinessOf(form)
  const egress = chosen(form.egress, choices.egress)
  const security = chosen(form.security, choices.security)
  const exposure = chosen(form.exposure, choices.exposure)
  const pullSecret = form.pullSecret.trim()
  return {
    ...(command.length > 0 && { command }),
    ...(args.length > 0 && { args }),
    ...(environment.length > 0 && { environment }),
    ...(secrets.length > 0 && { secrets }),
    ...(flag && { flag }),
    ...(user !== undefined && { user }),
    ...(group !== undefined && { group }),
    ...(form.readOnlyRoot && { readOnlyRoot: true }),
    ...(writablePaths.length > 0 && { writablePaths }),
    ...(egress && { egress }),
    ...(security && { security }),
    ...(exposure && { exposure }),
    ...(ports.length > 0 && { furtherPorts: ports }),
    ...(offeredPorts.length > 0 && { offeredPorts }),
    ...(form.entryLabel.trim() !== '' && { entryLabel: form.entryLabel.trim() }),
    ...(form.plainPort && { plainPort: true }),
    ...(readiness && { readiness }),
    ...(seconds !== undefined && { startTimeoutSeconds: seconds }),
    ...(pullSecret !== '' && { pullSecret }),
  }
}
