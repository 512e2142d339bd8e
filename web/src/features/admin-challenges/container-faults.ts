import {
  type ContainerChoices,
  containerPathPattern,
  fileModePattern,
  httpPathPattern,
  readyLinePattern,
  variableNamePattern,
} from '@capstan/contract/container-definition'
import { type ContainerListFault, findContainerListFaults } from '@capstan/contract/container-list-faults'
import { type ChallengeContainer, containerNamePattern } from '@capstan/contract/containers'
import { ContainerLimits, InputLimits, InstanceLimits } from '@capstan/contract/limits'
import { canInstanceBeGuarded } from '@capstan/contract/reach'
import { isIntegerTextBetween } from '../../components/editing/number-field.tsx'
import { listFilledLines, listPortRows, listSecretRows, parseEnvironmentVariable, splitWords } from './container-form.ts'
import { listNetworkRows, type TypedContainer, toChallengeContainers } from './containers-form.ts'

/**
 * Faults that cannot occur in the form. The form selects containers by key, and shows the settings of the entry container only
 * for the first container.
 */
type ImpossibleFault = 'unknown' | 'entryMissing' | 'entryOnly'

type ShownFault = Exclude<ContainerListFault, ImpossibleFault>

/** Fault of a field. `line` is the number of the faulty line or row. */
export type FormFault = Readonly<{
  fault: ShownFault | 'malformed' | 'missing' | 'name' | 'guard' | 'port' | 'cpu' | 'memory' | 'storage'
  line?: number
}>

export type FormFaults = Partial<Record<keyof TypedContainer, FormFault>>

type WrittenFaults = { -readonly [Field in keyof FormFaults]: FormFault }

const variableName = new RegExp(variableNamePattern)
const containerPath = new RegExp(containerPathPattern)
const fileMode = new RegExp(fileModePattern)
const httpPath = new RegExp(httpPathPattern)
const readyLine = new RegExp(readyLinePattern)
const hostName = new RegExp(containerNamePattern)
const objectName = /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/

function isName(name: string): boolean {
  return variableName.test(name) && name.length <= InputLimits.maxWordLength
}
function isHostName(text: string): boolean {
  return hostName.test(text)
}
function isPath(path: string): boolean {
  return containerPath.test(path) && path.length <= ContainerLimits.maxPathLength
}
function isPort(text: string): boolean {
  return isIntegerTextBetween(text, InstanceLimits.minPort, InstanceLimits.maxPort)
}
function isUser(text: string): boolean {
  return isIntegerTextBetween(text, 0, ContainerLimits.maxUserId)
}
function isValue(text: string): boolean {
  return [...text].length <= InputLimits.maxShortTextLength
}

/** Returns the fields whose text has the wrong format. */
function malformedIn(form: TypedContainer, isEntry: boolean): FormFaults {
  const faults: WrittenFaults = {}
  const check = (field: keyof TypedContainer, isFine: boolean): void => {
    if (!isFine) faults[field] ??= { fault: 'malformed' }
  }
  const checkLines = (field: 'environment' | 'writablePaths', most: number, isFine: (text: string) => boolean): void => {
    const lines = listFilledLines(form[field])
    const wrong = lines.find(({ text }, index) => index >= most || !isFine(text))
    if (wrong) faults[field] = { fault: 'malformed', line: wrong.line }
  }
  const checkRows = <Row>(
    field: keyof TypedContainer,
    rows: readonly { row: Row; line: number }[],
    isFine: (row: Row) => boolean,
  ) => {
    const wrong = rows.find(({ row }) => !isFine(row))
    if (wrong) faults[field] = { fault: 'malformed', line: wrong.line }
  }
  const mayBe = (text: string, isFine: (text: string) => boolean): boolean => text.trim() === '' || isFine(text.trim())
  for (const field of ['command', 'args', 'readyCommand'] as const) {
    const lines = form[field].split('\n')
    check(field, lines.length <= ContainerLimits.maxArguments && lines.every(isValue))
  }
  checkLines('environment', ContainerLimits.maxVariables, (text) => {
    const { name, value } = parseEnvironmentVariable(text)
    return text.includes('=') && isName(name) && isValue(value)
  })
  checkLines('writablePaths', ContainerLimits.maxWritablePaths, (text) => {
    const [path = '', size = '', ...more] = text.split(/\s+/)
    return more.length === 0 && isPath(path) && isIntegerTextBetween(size, 1, InstanceLimits.maxStorageMb)
  })
  const secrets = listSecretRows(form)
  check('secrets', secrets.length <= ContainerLimits.maxVariables)
  checkRows('secrets', secrets, ({ name, value }) => isName(name.trim()) && isValue(value))
  const variables = splitWords(form.flagVariables)
  check('flagVariables', variables.length <= ContainerLimits.maxFlagVariables && variables.every(isName))
  check('flagPath', mayBe(form.flagPath, isPath))
  check(
    'flagMode',
    mayBe(form.flagMode, (text) => fileMode.test(text)),
  )
  for (const field of ['flagOwner', 'user', 'group'] as const) check(field, mayBe(form[field], isUser))
  const ports = listPortRows(form)
  check('ports', ports.length <= ContainerLimits.maxFurtherPorts)
  checkRows('ports', ports, ({ port }) => isPort(port))
  const networks = listNetworkRows(form)
  check('networks', networks.length <= ContainerLimits.maxNetworks)
  checkRows('networks', networks, ({ name, aliases }) => {
    const words = splitWords(aliases)
    return [name.trim(), ...words].every(isHostName) && words.length <= ContainerLimits.maxAliases
  })
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
    mayBe(form.startTimeoutSeconds, (text) => isIntegerTextBetween(text, 1, ContainerLimits.maxStartTimeoutSeconds)),
  )
  const isObject = (text: string) => objectName.test(text) && text.length <= ContainerLimits.maxObjectNameLength
  check('pullSecret', mayBe(form.pullSecret, isObject))
  if (!isHostName(form.name.trim())) faults.name = { fault: 'name' }
  if (isEntry && !isPort(form.port)) faults.port = { fault: 'port' }
  if (isEntry && form.reach.isGuarded && !canInstanceBeGuarded(form.reach)) faults.reach = { fault: 'guard' }
  const { minCpuTenths, maxCpuTenths, minMemoryMb, maxMemoryMb, minStorageMb, maxStorageMb } = InstanceLimits
  if (!isIntegerTextBetween(form.cpuTenths, minCpuTenths, maxCpuTenths)) faults.cpuTenths = { fault: 'cpu' }
  if (!isIntegerTextBetween(form.memoryMb, minMemoryMb, maxMemoryMb)) faults.memoryMb = { fault: 'memory' }
  if (!isIntegerTextBetween(form.storageMb, minStorageMb, maxStorageMb)) faults.storageMb = { fault: 'storage' }
  return faults
}

type Place = Readonly<{ field: keyof TypedContainer; line?: number | undefined }>

function placeInDefinition(form: TypedContainer, [first = '', second = '']: readonly string[]): Place {
  const place = Number(second)
  switch (first) {
    case 'environment':
    case 'writablePaths':
      return { field: first, line: listFilledLines(form[first])[place]?.line }
    case 'secrets':
      return { field: first, line: listSecretRows(form)[place]?.line }
    case 'furtherPorts':
      return { field: 'ports', line: listPortRows(form)[place]?.line }
    case 'offeredPorts':
      return { field: 'ports', line: listPortRows(form).filter(({ row }) => row.speaks !== 'inner')[place]?.line }
    case 'flag':
      return { field: second === 'variables' ? 'flagVariables' : 'flagPath' }
    case 'readiness':
      return { field: second === 'line' ? 'readyLine' : second === 'command' ? 'readyCommand' : 'readyPort' }
    default:
      return { field: first as keyof TypedContainer }
  }
}

/**
 * Returns the form field, and the line or row, for the JSON pointer of a fault.
 * @param steps parts of the JSON pointer that follow the index of the container
 */
function placeOf(form: TypedContainer, [first = '', ...others]: readonly string[]): Place {
  if (first === 'definition') return placeInDefinition(form, others)
  if (first === 'networks') return { field: first, line: listNetworkRows(form)[Number(others[0])]?.line }
  return { field: first === '' ? 'name' : (first as keyof TypedContainer) }
}

/** Returns the secrets that have neither a stored value nor an entered one. */
function missingSecrets(form: TypedContainer, stored: readonly ChallengeContainer[]): FormFaults {
  const known = stored.find(({ name }) => name === form.name.trim())?.definition.secrets ?? []
  const missing = listSecretRows(form).find(({ row }) => row.value === '' && known.every(({ name }) => name !== row.name.trim()))
  return missing ? { secrets: { fault: 'missing', line: missing.line } } : {}
}

/** Set of all values of `ImpossibleFault`. */
const impossible: ReadonlySet<ContainerListFault> = new Set<ImpossibleFault>(['unknown', 'entryMissing', 'entryOnly'])

function isShown(fault: ContainerListFault): fault is ShownFault {
  return !impossible.has(fault)
}

/**
 * Returns the invalid fields of each container, with their errors. Reports contradictions between fields only if every field
 * has the right format.
 * @param stored containers with the names of the secrets that have a value
 */
export function findFaultsOfContainers(
  typed: readonly TypedContainer[],
  stored: readonly ChallengeContainer[],
  choices: ContainerChoices,
): readonly FormFaults[] {
  const malformed = typed.map((form, index) => malformedIn(form, index === 0))
  if (malformed.some((faults) => Object.keys(faults).length > 0)) return malformed
  const faults = typed.map((form): WrittenFaults => missingSecrets(form, stored))
  for (const { at, fault } of findContainerListFaults(toChallengeContainers(typed, choices), choices)) {
    const [, index = '', ...steps] = at.split('/')
    const [form, own] = [typed[Number(index)], faults[Number(index)]]
    if (!form || !own || !isShown(fault)) continue
    const { field, line } = placeOf(form, steps)
    own[field] ??= { fault, ...(line !== undefined && { line }) }
  }
  return faults
}
