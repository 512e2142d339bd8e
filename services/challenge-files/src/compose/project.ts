import { parseEnv } from 'node:util'
import { reportIgnoredDocuments, reportOddSyntax } from '../importers/documents.ts'
import { formatFieldPath } from '../importers/fields.ts'
import { isRecord, toText } from '../record.ts'
import type { Finding } from '../report.ts'
import { type FileTree, folderOf, hasFile, joinPath, nameOf, readTextIfPossible, resolvePath } from '../tree.ts'
import { type FieldPath, readYaml, type Source, UnreadableFile } from '../yaml.ts'
import { replaceComposeVariables } from './interpolate.ts'
import { mergeMappings } from './merge.ts'

/** Reads a compose file with its override file, its `.env`, the services that it extends, and its variables. */

export type Unset = Readonly<{
  path: FieldPath
  /** Names of the variables that have no value. */
  names: readonly string[]
}>

export type ComposeProject = Readonly<{
  source: Source
  folder: string
  /** Values of the variables in `.env`. */
  variables: ReadonlyMap<string, string>
  /**
   * Map of the fields whose text contains variables without a value. Each entry contains the path of the field and the names of
   * these variables.
   */
  unset: ReadonlyMap<string, Unset>
  /** Name of the variable by field, for each field whose text consists of only one variable. */
  whole: ReadonlyMap<string, string>
}>

const maxEnvBytes = 256 * 1024
const maxExtends = 16

/** Returns the variables of a file in the format of `.env`. @returns undefined if the file cannot be read */
export function readEnvFile(tree: FileTree, path: string): Map<string, string> | undefined {
  const text = hasFile(tree, path) ? readTextIfPossible(tree, path, maxEnvBytes) : undefined
  if (text === undefined) return undefined
  return new Map(Object.entries(parseEnv(text)).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

function overrideOf(tree: FileTree, file: string): string | undefined {
  const [, start = ''] = /^((?:docker-)?compose)\.ya?ml$/.exec(nameOf(file)) ?? []
  if (start === '') return undefined
  return ['yml', 'yaml'].map((end) => joinPath(folderOf(file), `${start}.override.${end}`)).find((path) => hasFile(tree, path))
}

function mappingOf(
  tree: FileTree,
  file: string,
): Readonly<{ source: Source; value: Record<string, unknown>; further: readonly Source[] }> | undefined {
  const [source, ...further] = readYaml(tree, file, '1.1')
  const [odd] = source?.unknownTags ?? []
  if (odd !== undefined) throw new UnreadableFile(odd.line, `The tag \`${odd.tag}\` is not supported.`)
  return source !== undefined && isRecord(source.value) ? { source, value: { ...source.value }, further } : undefined
}

type Services = Readonly<Record<string, unknown>>

function servicesOf(value: Readonly<Record<string, unknown>>): Services {
  return isRecord(value.services) ? value.services : {}
}

/** Converts the paths of a service, which are relative to the folder of its file, into paths relative to another folder. */
function movedService(service: Readonly<Record<string, unknown>>, prefix: string): Record<string, unknown> {
  if (prefix === '') return { ...service }
  const moved = (path: unknown): unknown =>
    typeof path === 'string' && !/^(?:[/~$]|\w+:\/\/)/.test(path) ? joinPath(prefix, path) : path
  const { build, volumes, env_file: envFile } = service
  const isPath = (text: string): boolean => text.startsWith('.')
  return {
    ...service,
    ...(typeof build === 'string' && { build: moved(build) }),
    ...(isRecord(build) && { build: { ...build, context: moved(build.context ?? '.') } }),
    ...(Array.isArray(volumes) && {
      volumes: volumes.map((each) =>
        typeof each === 'string' && isPath(each)
          ? moved(each)
          : isRecord(each) && typeof each.source === 'string' && isPath(each.source)
            ? { ...each, source: moved(each.source) }
            : each,
      ),
    }),
    ...(envFile !== undefined && { env_file: Array.isArray(envFile) ? envFile.map(moved) : moved(envFile) }),
  }
}

/**
 * Returns the content of a compose file, with the services under the key `services`. In the first version of the format, the
 * services are at the top level.
 */
function foundServices(value: Record<string, unknown>): Record<string, unknown> | undefined {
  if (isRecord(value.services)) return value
  const all = Object.values(value)
  const isFirstVersion = all.length > 0 && all.every((each) => isRecord(each) && ('image' in each || 'build' in each))
  return isFirstVersion ? { services: value } : undefined
}

type Report = (path: FieldPath, outcome: Finding['outcome'], why: string, advice: string) => void

/** Returns the services of a compose file, or no services if the file does not exist. */
type ReadServices = (path: string) => Services

/** Creates a function that reads the services of compose files. It parses each file only once. */
function createServicesReader(tree: FileTree): ReadServices {
  const known = new Map<string, Services>()
  return (path) => {
    const services = known.get(path) ?? servicesOf((hasFile(tree, path) ? mappingOf(tree, path)?.value : undefined) ?? {})
    known.set(path, services)
    return services
  }
}

/** Returns a service with the settings of the services that it extends. */
function extendedService(
  servicesIn: ReadServices,
  file: string,
  services: Services,
  name: string,
  report: Report,
  depth = 0,
): unknown {
  const service = services[name]
  if (!isRecord(service) || service.extends === undefined) return service
  const { extends: base, ...own } = service
  const from = toText(isRecord(base) ? (base.service ?? name) : base)
  const path = isRecord(base) && base.file !== undefined ? resolvePath(folderOf(file), toText(base.file)) : file
  const known = path === file ? services : path === undefined ? {} : servicesIn(path)
  const parent =
    path === undefined || depth >= maxExtends ? undefined : extendedService(servicesIn, path, known, from, report, depth + 1)
  if (!isRecord(parent)) {
    report(['services', name, 'extends'], 'refused', `The service extends \`${from}\`, which does not exist.`, 'Add its file.')
    return own
  }
  const prefix =
    path === undefined || path === file ? '' : folderOf(path).slice(folderOf(file) === '' ? 0 : folderOf(file).length + 1)
  const { depends_on: _, ...inherited } = movedService(parent, prefix)
  return mergeMappings(
    path === file ? { ...inherited, ...(parent.depends_on !== undefined && { depends_on: parent.depends_on }) } : inherited,
    own,
  )
}

function createInterpolation(variables: ReadonlyMap<string, string>, report: Report) {
  const unset = new Map<string, Unset>()
  const whole = new Map<string, string>()
  const walk = (value: unknown, path: FieldPath): unknown => {
    if (Array.isArray(value)) return value.map((each, index) => walk(each, [...path, index]))
    if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, walk(each, [...path, key])]))
    if (typeof value !== 'string' || !value.includes('$')) return value
    const found = replaceComposeVariables(value, variables)
    const place = formatFieldPath(path)
    const unknown = [...new Set(found.unset)]
    if (unknown.length > 0) unset.set(place, { path, names: unknown })
    const [, only = ''] = /^(?:\w+=)?\$\{?(\w+)(?:\}|:?[-?].*\})?$/.exec(value) ?? []
    if (only !== '') whole.set(place, only)
    if (found.missing !== undefined)
      report(path, 'left-out', `${found.missing}.`, 'Set it in a file `.env` next to the compose file.')
    if (found.isOdd)
      report(path, 'converted', 'A `$` belongs to no variable, so it is retained.', 'Write `$$` for a literal `$`.')
    return found.text
  }
  return { walk, unset, whole }
}

/**
 * Reads a compose file. Reports the reason if the file cannot be read.
 * @returns undefined if the file has no services or cannot be read
 */
export function readComposeProject(tree: FileTree, file: string, findings: Finding[]): ComposeProject | undefined {
  let first: ReturnType<typeof mappingOf>
  let value: Record<string, unknown>
  const report =
    (source: Source | undefined): Report =>
    (path, outcome, why, advice) =>
      findings.push({ file, line: source?.lineOf(path) ?? 1, field: formatFieldPath(path), outcome, why, advice })
  try {
    first = mappingOf(tree, file)
    const services = first && foundServices(first.value)
    if (first === undefined || services === undefined) return undefined
    value = services
    const override = overrideOf(tree, file)
    const second = override === undefined ? undefined : mappingOf(tree, override)
    findings.push(...reportOddSyntax(first.source), ...(second === undefined ? [] : reportOddSyntax(second.source)))
    findings.push(...reportIgnoredDocuments([...first.further, ...(second?.further ?? [])]))
    if (second !== undefined) {
      value = mergeMappings(value, second.value)
      report(undefined)([], 'converted', `The settings of \`${nameOf(override ?? '')}\` apply too.`, 'Check them.')
    }
    const known = servicesOf(value)
    const servicesIn = createServicesReader(tree)
    const extended = Object.keys(known).map((name) => [
      name,
      extendedService(servicesIn, file, known, name, report(first?.source)),
    ])
    value = { ...value, services: Object.fromEntries(extended) }
  } catch (cause) {
    if (!(cause instanceof UnreadableFile)) throw cause
    findings.push({ file, line: cause.line, field: '', outcome: 'refused', why: cause.message, advice: 'Correct the file.' })
    return undefined
  }
  const { source } = first
  const variables = readEnvFile(tree, joinPath(folderOf(file), '.env')) ?? new Map<string, string>()
  const { walk, unset, whole } = createInterpolation(variables, report(source))
  return { source: { ...source, value: walk(value, []) }, folder: folderOf(file), variables, unset, whole }
}
