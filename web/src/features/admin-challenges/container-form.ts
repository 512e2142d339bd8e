import {
  type ContainerChoices,
  type ContainerDefinition,
  type ContainerFault,
  containerFaults,
  containerPathPattern,
  fileModePattern,
  httpPathPattern,
  readyLinePattern,
  variableNamePattern,
} from '@capstan/contract/container-definition'
import { ContainerLimits, InputLimits, InstanceLimits } from '@capstan/contract/limits'
import type { OfferedPort } from '@capstan/contract/reach'
import { isIntegerBetween } from '../../components/editing/number-field.tsx'

/** Container settings as typed. Lists have one entry per line. An empty field means the default of the image or the platform. */
export type ContainerForm = Readonly<{
  command: string
  args: string
  /** One `NAME=value` per line. */
  environment: string
  /** Secrets. An empty value leaves the stored one unchanged. */
  secrets: readonly { readonly name: string; readonly value: string }[]
  flagVariables: string
  flagPath: string
  flagMode: string
  flagOwner: string
  user: string
  group: string
  readOnlyRoot: boolean
  /** One path with its size in MB per line. */
  writablePaths: string
  egress: string
  security: string
  exposure: string
  /** Ports that players can reach, such as `8080/http` and `9000/tcp`. */
  furtherPorts: string
  plainPort: boolean
  readyPath: string
  readyPort: string
  readyLine: string
  startTimeoutSeconds: string
  pullSecret: string
}>

/** Value that selects the platform's default, because a select has no empty value. */
export const byDefault = 'default'

const speeches = ['tcp', 'http'] as const

function textOf(value: number | undefined): string {
  return value === undefined ? '' : String(value)
}

export function containerFormOf(definition: ContainerDefinition): ContainerForm {
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
    furtherPorts: (definition.furtherPorts ?? [])
      .map((port) => {
        const offered = definition.offeredPorts?.find((each) => each.port === port)
        if (offered === undefined) return String(port)
        const switches = [...(offered.isRaw ? ['raw'] : []), ...(offered.hasOwnCertificate ? ['certificate'] : [])]
        return [port, offered.speaks, ...switches].join('/')
      })
      .join(' '),
    plainPort: definition.plainPort ?? false,
    readyPath: definition.readiness?.path ?? '',
    readyPort: textOf(definition.readiness?.port),
    readyLine: definition.readiness?.line ?? '',
    startTimeoutSeconds: textOf(definition.startTimeoutSeconds),
    pullSecret: definition.pullSecret ?? '',
  }
}

/** Fault of a field, with the line that it concerns. */
type FormFault = Readonly<{
  fault: ContainerFault | 'malformed'
  line?: number
}>

export type FormFaults = Partial<Record<keyof ContainerForm, FormFault>>

/** Returns non-empty lines with their numbers, so that a fault can name its line. */
function linesOf(text: string): { text: string; line: number }[] {
  return text.split('\n').flatMap((each, index) => (each.trim() === '' ? [] : [{ text: each.trim(), line: index + 1 }]))
}

function wordsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '')
}

function numberOf(text: string): number | undefined {
  return text.trim() === '' ? undefined : Number(text)
}

function variableOf(text: string): { name: string; value: string } {
  const at = text.indexOf('=')
  return at === -1 ? { name: text, value: '' } : { name: text.slice(0, at), value: text.slice(at + 1) }
}

function folderOf(text: string): { path: string; sizeMb: number } {
  const [path = '', size = ''] = text.split(/\s+/)
  return { path, sizeMb: Number(size) }
}

/**
 * Parses `port` or `port/protocol`, which may have options.
 * @returns undefined if the text is invalid
 */
function portOf(word: string): { readonly port: number; readonly offered: OfferedPort | undefined } | undefined {
  const [digits = '', said, ...switches] = word.split('/')
  const speaks = speeches.find((each) => each === said)
  const allowed = speaks === 'http' ? ['raw', 'certificate'] : ['certificate']
  const isFine = new Set(switches).size === switches.length && switches.every((each) => allowed.includes(each))
  if (!isPort(digits) || (said !== undefined && speaks === undefined) || !isFine) return undefined
  const port = Number(digits)
  const isRaw = switches.includes('raw')
  const hasOwnCertificate = switches.includes('certificate')
  const offered = speaks && { port, speaks, ...(isRaw && { isRaw }), ...(hasOwnCertificate && { hasOwnCertificate }) }
  return { port, offered }
}

function chosen<Value extends string>(value: string, from: readonly Value[]): Value | undefined {
  return from.find((each) => each === value)
}

function flagOf(form: ContainerForm): ContainerDefinition['flag'] {
  const variables = wordsOf(form.flagVariables)
  const owner = numberOf(form.flagOwner)
  const mode = form.flagMode.trim()
  if (form.flagPath.trim() === '') return variables.length === 0 ? undefined : { variables }
  const file = { path: form.flagPath.trim(), ...(mode !== '' && { mode }), ...(owner !== undefined && { owner }) }
  return { variables, file }
}

function readinessOf(form: ContainerForm): ContainerDefinition['readiness'] {
  const port = numberOf(form.readyPort)
  const [path, line] = [form.readyPath.trim(), form.readyLine.trim()]
  const said = { ...(port !== undefined && { port }), ...(path !== '' && { path }), ...(line !== '' && { line }) }
  return Object.keys(said).length === 0 ? undefined : said
}

/** Returns the definition for typed settings. It is valid only if `formFaultsOf` finds no fault. */
export function definitionOf(form: ContainerForm, choices: ContainerChoices): ContainerDefinition {
  const list = (text: string): string[] => text.split('\n').filter((line) => line !== '')
  const [command, args] = [list(form.command), list(form.args)]
  const environment = linesOf(form.environment).map(({ text }) => variableOf(text))
  const secrets = form.secrets
    .filter(({ name, value }) => name.trim() !== '' || value !== '')
    .map(({ name, value }) => ({ name: name.trim(), ...(value !== '' && { value }) }))
  const writablePaths = linesOf(form.writablePaths).map(({ text }) => folderOf(text))
  const further = wordsOf(form.furtherPorts).flatMap((word) => portOf(word) ?? [])
  const offeredPorts = further.flatMap(({ offered }) => offered ?? [])
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
    ...(further.length > 0 && { furtherPorts: further.map(({ port }) => port) }),
    ...(offeredPorts.length > 0 && { offeredPorts }),
    ...(form.plainPort && { plainPort: true }),
    ...(readiness && { readiness }),
    ...(seconds !== undefined && { startTimeoutSeconds: seconds }),
    ...(pullSecret !== '' && { pullSecret }),
  }
}

const variableName = new RegExp(variableNamePattern)
const containerPath = new RegExp(containerPathPattern)
const fileMode = new RegExp(fileModePattern)
const httpPath = new RegExp(httpPathPattern)
const readyLine = new RegExp(readyLinePattern)
const objectName = /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/

function isName(name: string): boolean {
  return variableName.test(name) && name.length <= InputLimits.maxWordLength
}
function isPath(path: string): boolean {
  return containerPath.test(path) && path.length <= ContainerLimits.maxPathLength
}
function isPort(text: string): boolean {
  return isIntegerBetween(text, InstanceLimits.minPort, InstanceLimits.maxPort)
}
function isUser(text: string): boolean {
  return isIntegerBetween(text, 0, ContainerLimits.maxUserId)
}
function isValue(text: string): boolean {
  return [...text].length <= InputLimits.maxShortTextLength
}

function malformedIn(form: ContainerForm): FormFaults {
  const faults: { -readonly [Field in keyof FormFaults]: FormFault } = {}
  const check = (field: keyof ContainerForm, isFine: boolean): void => {
    if (!isFine) faults[field] ??= { fault: 'malformed' }
  }
  const checkLines = (field: 'environment' | 'writablePaths', most: number, isFine: (text: string) => boolean): void => {
    const lines = linesOf(form[field])
    const wrong = lines.find(({ text }, index) => index >= most || !isFine(text))
    if (wrong) faults[field] = { fault: 'malformed', line: wrong.line }
  }
  const mayBe = (text: string, isFine: (text: string) => boolean): boolean => text.trim() === '' || isFine(text.trim())
  for (const field of ['command', 'args'] as const) {
    const lines = form[field].split('\n')
    check(field, lines.length <= ContainerLimits.maxArguments && lines.every(isValue))
  }
  checkLines('environment', ContainerLimits.maxVariables, (text) => {
    const { name, value } = variableOf(text)
    return text.includes('=') && isName(name) && isValue(value)
  })
  checkLines('writablePaths', ContainerLimits.maxWritablePaths, (text) => {
    const [path = '', size = '', ...more] = text.split(/\s+/)
    return more.length === 0 && isPath(path) && isIntegerBetween(size, 1, InstanceLimits.maxStorageMb)
  })
  const secrets = form.secrets.filter(({ name, value }) => name.trim() !== '' || value !== '')
  const isSecret = ({ name, value }: ContainerForm['secrets'][number]) => isName(name.trim()) && isValue(value)
  check('secrets', secrets.length <= ContainerLimits.maxVariables && secrets.every(isSecret))
  const variables = wordsOf(form.flagVariables)
  check('flagVariables', variables.length <= ContainerLimits.maxFlagVariables && variables.every(isName))
  check('flagPath', mayBe(form.flagPath, isPath))
  check(
    'flagMode',
    mayBe(form.flagMode, (text) => fileMode.test(text)),
  )
  for (const field of ['flagOwner', 'user', 'group'] as const) check(field, mayBe(form[field], isUser))
  const ports = wordsOf(form.furtherPorts)
  check('furtherPorts', ports.length <= ContainerLimits.maxFurtherPorts && ports.every((word) => portOf(word) !== undefined))
  check('readyPort', mayBe(form.readyPort, isPort))
  check(
    'readyPath',
    mayBe(form.readyPath, (text) => httpPath.test(text) && text.length <= ContainerLimits.maxPathLength),
  )
  check(
    'readyLine',
    mayBe(form.readyLine, (text) => readyLine.test(text) && [...text].length <= ContainerLimits.maxReadyLineLength),
  )
  check(
    'startTimeoutSeconds',
    mayBe(form.startTimeoutSeconds, (text) => isIntegerBetween(text, 1, ContainerLimits.maxStartTimeoutSeconds)),
  )
  const isObject = (text: string) => objectName.test(text) && text.length <= ContainerLimits.maxObjectNameLength
  check('pullSecret', mayBe(form.pullSecret, isObject))
  return faults
}

/** Returns the form field that shows a fault of the definition. */
function fieldOf(at: string): keyof ContainerForm {
  const [, first, second] = at.split('/')
  if (first === 'flag') return second === 'variables' ? 'flagVariables' : 'flagPath'
  if (first === 'readiness') return second === 'line' ? 'readyLine' : 'readyPort'
  if (first === 'offeredPorts') return 'furtherPorts'
  return first as keyof ContainerForm
}

export function formFaultsOf(form: ContainerForm, entry: number, choices: ContainerChoices): FormFaults {
  const malformed = malformedIn(form)
  if (Object.keys(malformed).length > 0) return malformed
  const faults: { -readonly [Field in keyof FormFaults]: FormFault } = {}
  for (const { at, fault } of containerFaults(definitionOf(form, choices), entry, choices)) {
    const field = fieldOf(at)
    const place = Number(at.split('/')[2])
    const line = field === 'environment' || field === 'writablePaths' ? linesOf(form[field])[place]?.line : undefined
    faults[field] ??= { fault, ...(line !== undefined && { line }) }
  }
  return faults
}
