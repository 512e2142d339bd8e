import { escapeFormulas } from '@capstan/contract/formula'
import { InputLimits } from '@capstan/contract/limits'
import {
  type AttachmentRule,
  type ChallengeFile,
  type ContainerRule,
  challengeApiVersion,
  containersOf,
  type FlagRule,
} from '../format/challenge.ts'
import { isRecord, toText } from '../record.ts'
import type { Finding } from '../report.ts'
import { readForeignFile } from '../toml.ts'
import {
  type FileTree,
  findFirstFile,
  folderOf,
  hasFile,
  hasFolder,
  joinPath,
  nameOf,
  readTextIfPossible,
  trimSlashes,
} from '../tree.ts'
import type { FieldPath, Source } from '../yaml.ts'
import { hasDescriptorName } from './descriptor-names.ts'
import type { Dialect, ReadOne } from './dialect.ts'
import { Fields } from './fields.ts'
import { nameFromTitle, parseCategory } from './names.ts'
import { type Nearby, readNearbyService } from './nearby-service.ts'
import {
  findFirstKeyWithValue,
  isPort,
  maxPorts,
  playerFolders,
  readAuthors,
  readBuildSettings,
  readCategory,
  readFirstText,
  readFlagOrPattern,
  readHints,
  readLabels,
  readPatternFlag,
  readPrerequisites,
  readReleaseTime,
  readResources,
  readTextFlag,
  readVariables,
  reportMissingFlag,
  reportUdp,
  resolveAttachmentFile,
  resolveSiblingPath,
  topicsNotImportedReason,
} from './parts.ts'
import { findReadmeFlag } from './readme-flag.ts'
import { clampPoints, createConstantScore, createCtfdScore, reportDecay, reportMinimum, reportShape } from './score-curve.ts'
import { convertTemplate } from './templates.ts'

/**
 * Reader for the formats of single events, such as `chall.toml`, `challenge.json`, `chall.yaml`, `meta.yaml` or `config.toml`.
 * The formats have the same fields under different names.
 */

const flagFiles = [
  'flag.txt',
  'flag',
  ...['src', 'challenge', 'private', 'deploy', 'server'].map((folder) => `${folder}/flag.txt`),
]

const fileKeys = ['file', 'path']
const patternKeys = ['regex', 'pattern']
const textKeys = ['content', 'flag', 'text', 'value', 'static', 'str']

const knownFlagTypes = ['static', 'text', 'string', 'plain', 'exact', 'regex']

/** True if a flag ignores case. */
function readIgnoreCase(flag: Fields): boolean {
  const data = flag.text('data')?.trim() ?? ''
  if (!['', 'case_sensitive', 'case_insensitive'].includes(data))
    flag.note('data', 'left-out', `The flag option \`${data}\` is not supported.`, 'Test the flag.')
  const key = findFirstKeyWithValue(flag, ['case_insensitive', 'ignore_case', 'ignoreCase', 'caseInsensitive'])
  const isSensitive = flag.boolean('case_sensitive')
  return data === 'case_insensitive' || isSensitive === false || (key !== undefined && flag.boolean(key) === true)
}

/** Returns the flags of a mapping from flags to their points. @returns undefined if the mapping describes a flag in another way */
function pointsByFlag(fields: Fields, key: string): Readonly<Record<string, number>> | undefined {
  const value = fields.take(key)
  if (!isRecord(value) || Object.keys(value).length === 0) return undefined
  const isKeyed = Object.values(value).every((each) => typeof each === 'number')
  return isKeyed && ![...textKeys, ...fileKeys].some((name) => name in value) ? (value as Record<string, number>) : undefined
}

const flagKeys = ['flags', 'flag', 'answer']

function readFlags(tree: FileTree, file: string, fields: Fields, isOnly: boolean): FlagRule[] {
  const key = findFirstKeyWithValue(fields, flagKeys)
  const keyed = key === undefined ? undefined : pointsByFlag(fields, key)
  if (key !== undefined && keyed !== undefined) {
    const [only, ...others] = Object.entries(keyed)
    const flag = ([text, points]: readonly [string, number]): FlagRule[] =>
      readTextFlag(fields, key, text).map((each) => ({
        ...each,
        ...(others.length > 0 && { points: clampPoints(fields, key, points) }),
      }))
    return only === undefined ? [] : fields.limit(key, [only, ...others], InputLimits.maxFlagsPerCall).flatMap(flag)
  }
  const given = (key === undefined ? [] : fields.list(key)).flatMap((entry, index): FlagRule[] => {
    const plain = fields.elementText(key ?? '', index, entry)
    if (plain !== undefined) return readFlagOrPattern(fields, key ?? '', plain)
    const isList = Array.isArray(fields.take(key ?? ''))
    const flag = isList ? fields.element(key ?? '', index, entry) : fields.fields(key ?? '')
    if (flag === undefined) return []
    const patterns = patternKeys.filter((name) => typeof flag.take(name) === 'string')
    const valueKey = findFirstKeyWithValue(flag, [...fileKeys, ...patterns, ...textKeys]) ?? 'content'
    // In some formats, `regex` does not contain the pattern. It is a boolean that says whether the flag is a pattern.
    const isMarked = !patternKeys.includes(valueKey) && patternKeys.some((name) => flag.keys.includes(name) && flag.boolean(name))
    const value = flag.text(valueKey)
    const type = flag.text('type')?.toLowerCase() ?? 'static'
    const isPattern = type === 'regex' || patternKeys.includes(valueKey) || isMarked
    if (!knownFlagTypes.includes(type))
      flag.note(
        'type',
        'converted',
        `Flags of the type \`${type}\` are not supported, so the text is the flag.`,
        'Test the flag.',
      )
    const ignoreCase = readIgnoreCase(flag)
    flag.rest()
    if (value === undefined) {
      flag.note(valueKey, 'left-out', 'The flag is empty.')
      return []
    }
    if (!fileKeys.includes(valueKey))
      return isPattern ? readPatternFlag(flag, valueKey, value, ignoreCase) : readTextFlag(flag, valueKey, value, ignoreCase)
    const beside = resolveSiblingPath(tree, file, flag, valueKey, value)
    return beside === undefined ? [] : [{ file: beside }]
  })
  if (given.length > 0) return fields.limit(key ?? 'flags', given, InputLimits.maxFlagsPerCall)
  if (!isOnly) return []
  const beside = findFirstFile(tree, folderOf(file), flagFiles)
  if (beside === undefined) {
    const named = findReadmeFlag(tree, folderOf(file), fields, key ?? 'flag')
    return named === undefined ? [] : readTextFlag(fields, key ?? 'flag', named)
  }
  fields.note(key ?? 'flag', 'converted', `The flag is the first line of \`${beside}\`.`)
  return [{ file: beside }]
}

function readFiles(tree: FileTree, file: string, fields: Fields, isOnly: boolean): AttachmentRule[] {
  const key = findFirstKeyWithValue(fields, [
    'files',
    'attachments',
    'attachment',
    'file',
    'dist',
    'downloads',
    'handout',
    'handouts',
    'provide',
    'distribution',
    'artifacts',
  ])
  const given = (key === undefined ? [] : fields.list(key)).flatMap((entry, index): AttachmentRule[] => {
    const plain = fields.elementText(key ?? '', index, entry)
    if (plain !== undefined)
      return /^https?:\/\//i.test(plain)
        ? [{ url: plain }]
        : plain.trim() === ''
          ? []
          : resolveAttachmentFile(tree, file, fields, key ?? '', trimSlashes(plain))
    if (!Array.isArray(fields.take(key ?? ''))) {
      fields.note(key ?? '', 'left-out', 'This must be a list of files.', 'Set `attachments`.')
      return []
    }
    const each = fields.element(key ?? '', index, entry)
    const url = readFirstText(each, 'url', 'link')
    const path = url === undefined ? readFirstText(each, 'src', 'file', 'path', 'name') : undefined
    const as = url === undefined ? readFirstText(each, 'dest', 'as', 'name') : undefined
    const container = each.text('container')
    if (container !== undefined) {
      each.note('container', 'left-out', 'Files of a built image are not copied.', 'Add the file to the folder.')
      return []
    }
    each.rest()
    if (url !== undefined) return [{ url }]
    if (path !== undefined) return resolveAttachmentFile(tree, file, each, 'src', trimSlashes(path), as === path ? undefined : as)
    each.noteAll('left-out', 'No file is named.', 'Set `attachments`.')
    return []
  })
  if (key !== undefined || !isOnly) return given
  const folder = playerFolders.find((name) => hasFolder(tree, joinPath(folderOf(file), name)))
  if (folder === undefined) return []
  fields.note('files', 'converted', `The files in \`${folder}\` become the attachments.`, 'Check that players may have them.')
  return [{ file: folder }]
}

/** Fields with the points of a challenge. The value of each field may be a number, or a table that contains the points. */
const scoreKeys = ['scoring', 'points', 'value', 'score', 'static_score', 'initial']
const initialKeys = ['initial', 'initialValue', 'start', 'max', 'maximum', 'points', 'value']

const minimumKeys = ['minimum', 'min', 'minimumValue', 'min_points', 'min_value', 'stop', 'end', 'floor']

/**
 * Fields that may be a table with the curve of the points. The initial points are then in another field, outside of the table.
 */
const curveKeys = ['dynamic', 'extra']

function readScore(fields: Fields): ChallengeFile['score'] {
  const tables = [...scoreKeys, ...curveKeys].flatMap((key) =>
    curveKeys.includes(key) || isRecord(fields.take(key)) ? (fields.fields(key) ?? []) : [],
  )
  const inTable = tables.find((table) => initialKeys.some((key) => table.keys.includes(key)))
  const holder = inTable ?? fields
  const plainKeys = scoreKeys.filter((key) => !isRecord(fields.take(key)))
  const own = findFirstKeyWithValue(holder, inTable === undefined ? [...plainKeys, 'max_points', 'max_value'] : initialKeys)
  for (const key of plainKeys)
    if ((key !== own || holder !== fields) && fields.take(key) !== undefined)
      fields.note(key, 'left-out', `The points are those of \`${own}\`.`)
  const most = own === undefined ? undefined : holder.number(own)
  const curve = inTable ?? tables.find((table) => ['decay', ...minimumKeys].some((key) => table.keys.includes(key))) ?? fields
  const least = findFirstKeyWithValue(curve, minimumKeys)
  const minimum = least === undefined ? undefined : curve.number(least)
  const decay = curve.number('decay')
  const shape = curve.keys.includes('function') ? curve.text('function') : undefined
  for (const table of tables) {
    table.leaveOut({ type: 'The curve follows from the points.' })
    table.rest()
  }
  const flagKey = findFirstKeyWithValue(fields, flagKeys)
  const ofFlags = flagKey === undefined ? undefined : pointsByFlag(fields, flagKey)
  if (own === undefined && flagKey !== undefined && ofFlags !== undefined) {
    const sum = Object.values(ofFlags).reduce((total, each) => total + each, 0)
    return createConstantScore(clampPoints(fields, flagKey, sum))
  }
  if (own === undefined || most === undefined) {
    fields.note('score', 'converted', 'The file has no points, so the platform default applies.', 'Set `score`.')
    return undefined
  }
  const points = clampPoints(holder, own, most)
  if (decay === undefined || minimum === undefined) {
    if (minimum === points) return createConstantScore(points)
    if (decay !== undefined) curve.note('decay', 'left-out', 'The points are fixed, because the file has no minimum.')
    if (minimum !== undefined) curve.note(least ?? 'minimum', 'left-out', 'The points are fixed, because the file has no decay.')
    return createConstantScore(points)
  }
  reportMinimum([curve, least ?? 'minimum'], minimum, points)
  reportDecay([curve, 'decay'], decay)
  reportShape([curve, 'function'], shape)
  return createCtfdScore({ initial: points, minimum, decay, isLinear: shape === 'linear' })
}

/** Returns the first of several fields of a mapping that has a value. */
function firstOf(value: Readonly<Record<string, unknown>>, keys: readonly string[]): unknown {
  return keys.map((key) => value[key]).find((each) => each !== undefined && each !== null)
}

const portNumberKeys = ['port', 'target', 'internal', 'container_port', 'tcp']

/** True if a port in one of the forms of `portsOf` speaks UDP. */
function isUdp(value: unknown): boolean {
  if (isRecord(value)) return [value.protocol, value.proto, value.type].some((each) => /^udp$/i.test(toText(each ?? '')))
  return typeof value === 'string' && /\/udp$/i.test(value)
}

/** Returns ports in the forms `3000`, `3000/tcp`, `HOST:3000` and `{ port: 3000 }`. The value may be a list of such ports. */
function portsOf(value: unknown): number[] {
  if (Array.isArray(value)) return value.flatMap(portsOf)
  if (isUdp(value)) return []
  if (isRecord(value)) return portsOf(firstOf(value, portNumberKeys))
  const port = typeof value === 'string' ? Number(/(\d{1,5})(?:\/\w{1,8})?$/.exec(value)?.[1]) : value
  return isPort(port) ? [port] : []
}

/** Ports on which a service listens according to its descriptor. */
type Listening = Readonly<{
  ports: readonly number[]
  /** Protocol of the ports. Absent if the descriptor does not state it. */
  speaks?: 'http' | 'tcp' | undefined
  noteLost: (ports: readonly number[]) => void
}>

type Runtime = Listening &
  Readonly<{
    container?: ContainerRule
    /** Limits of the service for a container that a file near the descriptor describes. */
    limits?: Limited
  }>

type Limited = Readonly<{
  rule: Pick<ContainerRule, 'cpu' | 'memoryMb'>
  note: (outcome: 'converted' | 'left-out', why: string, advice?: string) => void
}>

function readPorts(fields: Fields, key: string): Omit<Listening, 'speaks'> {
  const entries = fields.list(key)
  const found = entries.map(portsOf)
  for (const [index, ports] of found.entries())
    if (isUdp(entries[index]))
      fields.noteElement(key, index, 'left-out', 'Players reach only TCP ports.', 'Use TCP if players need the port.')
    else if (ports.length === 0)
      fields.noteElement(key, index, 'left-out', 'The port of the container is not known.', 'Set `container.ports`.')
  return {
    ports: fields.limit(key, [...new Set(found.flat())], maxPorts),
    noteLost: (ports) => {
      const lost = `No container has the port ${ports.join(', ')}.`
      if (ports.length > 0) fields.note(key, 'left-out', lost, 'Check `container.ports`.')
    },
  }
}

function portRules({ ports, speaks = 'tcp' }: Pick<Listening, 'ports' | 'speaks'>): ContainerRule['ports'] {
  return ports.map((port) => ({ port, speaks }))
}

/** Returns the protocol that a word names. @returns undefined for an unknown word */
function speechOfWord(word: string): 'http' | 'tcp' | undefined {
  if (/^(?:https?|web|site)$/i.test(word)) return 'http'
  return /^(?:tcp|nc|netcat|socat|ssh|telnet|stream)$/i.test(word) ? 'tcp' : undefined
}

/** Returns the protocol that the first of several fields names. Reports a protocol that instances do not offer. */
function readSpeech(fields: Fields, keys: readonly string[]): 'http' | 'tcp' | undefined {
  const key = findFirstKeyWithValue(fields, keys)
  const word = key === undefined ? undefined : fields.text(key)?.trim()
  if (key === undefined || !word) return undefined
  const speaks = speechOfWord(word)
  reportUdp(fields, key, word)
  if (speaks === undefined && !/^udp/i.test(word))
    fields.note(key, 'left-out', `\`${word}\` is not a known protocol.`, 'Check how players connect.')
  return speaks
}

/** Reads the service that the file describes. Other services of the file are reported. */
function readRuntime(tree: FileTree, file: string, fields: Fields): Runtime {
  const key = findFirstKeyWithValue(fields, [
    'containers',
    'deploy',
    'services',
    'deployments',
    'deployment',
    'container',
    'docker',
  ])
  const value = key === undefined ? undefined : fields.take(key)
  // Some formats have the switches `http: true` and `socat: true` instead of a protocol.
  const isWeb = fields.keys.includes('http') && fields.boolean('http') === true
  const isPlain = fields.keys.includes('socat') && fields.boolean('socat') === true
  const speaks = readSpeech(fields, ['protocol']) ?? (isWeb ? ('http' as const) : isPlain ? ('tcp' as const) : undefined)
  const top = { ...readPorts(fields, findFirstKeyWithValue(fields, ['ports', 'port', 'expose']) ?? 'ports'), speaks }
  const image = readFirstText(fields, 'image', 'docker_image', 'dockerImage')
  if (image !== undefined && image.trim() !== '' && top.ports.length > 0) {
    if (key !== undefined) fields.note(key, 'left-out', 'The container is created from `image`.')
    return { container: { image, ports: portRules(top) }, ...top }
  }
  if (image !== undefined) fields.note('image', 'left-out', 'The file names no port of the image.', 'Add `container`.')
  if (key === undefined) return top
  if (!(isRecord(value) || Array.isArray(value))) {
    fields.note(key, 'left-out', 'This does not describe a container.')
    return top
  }
  const entries = Array.isArray(value)
    ? value.map((entry, index) => ({ entry, each: fields.element(key, index, entry) }))
    : Object.values(value).every(isRecord)
      ? Object.entries(value).map(([name, entry]) => ({ entry, each: fields.fields(key)?.fields(name) }))
      : [{ entry: value, each: fields.fields(key) }]
  const portKeys = ['expose', 'ports', 'port', 'internal_port', 'containerPort', 'target', 'http', 'tcp']
  const open = entries.find(({ entry }) => isRecord(entry) && portKeys.some((name) => portsOf(entry[name]).length > 0))
  const why =
    open === undefined
      ? 'The file names no port of this service, so only a Dockerfile or compose file can describe it.'
      : 'Each team gets one container per challenge, so this one is not started.'
  for (const { each } of entries) if (each !== open?.each) each?.noteAll('left-out', why, 'Check `container`.')
  if (open?.each === undefined || !isRecord(open.entry)) return top
  const { each, entry } = open
  const portKey = portKeys.find((name) => portsOf(entry[name]).length > 0) ?? ''
  const listening = readPorts(each, portKey)
  const named = readSpeech(each, ['type', 'protocol', 'kind', 'proto'])
  const isHttp =
    portKey === 'http' || (each.keys.includes('http') && ![undefined, false].includes(each.take('http') as undefined))
  const own = { ...listening, speaks: isHttp ? ('http' as const) : named }
  const build = readBuildSettings(tree, file, each)
  const ownImage = each.text('image')
  const environment = readVariables(each, 'environment') ?? readVariables(each, 'env')
  const limits = readResources(each.fields('resources'))
  each.leaveOut({ name: 'The platform names instances.', replicas: 'Each team starts its own instance.' })
  each.rest()
  top.noteLost(top.ports.filter((port) => !own.ports.includes(port)))
  const rule = { ports: portRules(own), ...(environment === undefined ? {} : { environment }), ...limits }
  if (build !== undefined) return { container: { build, ...rule }, ...own }
  const note: Limited['note'] = (outcome, why, advice) => each.note('resources', outcome, why, advice)
  return ownImage === undefined ? { ...own, limits: { rule: limits, note } } : { container: { image: ownImage, ...rule }, ...own }
}

/** Fields with the text for players. */
const descriptionKeys = ['description', 'desc', 'prompt', 'statement', 'text']

const connectionKeys = ['connection_info', 'connection', 'endpoint', 'endpoints', 'url']

/**
 * Reads how players connect. The field contains a text such as `nc HOST PORT`, or a mapping with the host and the port. Such a
 * mapping often says only that the port speaks TCP, so the protocol also follows from a link in the description.
 */
function readConnection(fields: Fields, description: string): { key: string; text: string; speaks?: 'http' | 'tcp' | undefined } {
  const key = findFirstKeyWithValue(fields, connectionKeys) ?? 'connection_info'
  const value = fields.take(key)
  const read = fields.list(key).map((entry, index): { text: string; speaks?: 'http' | 'tcp' | undefined } => {
    const plain = fields.elementText(key, index, entry)
    if (plain !== undefined) return { text: plain.trim() }
    const each = Array.isArray(value) ? fields.element(key, index, entry) : fields.fields(key)
    if (each === undefined) return { text: '' }
    const named = readSpeech(each, ['type', 'protocol', 'kind', 'proto'])
    const url = readFirstText(each, 'url', 'link')
    const host = readFirstText(each, 'host', 'hostname', 'address', 'domain')
    const port = each.number('port')
    each.rest()
    const isLinked = host !== undefined && ['http', 'https'].some((scheme) => description.includes(`${scheme}://${host}`))
    const speaks = isLinked ? 'http' : named
    const place = [host, port].filter((part) => part !== undefined)
    const own = speaks === 'http' ? `http://${place.join(':')}` : `nc ${place.join(' ')}`
    return { text: url ?? (host === undefined ? '' : own), speaks }
  })
  const text = read
    .map((each) => each.text)
    .filter((each) => each !== '')
    .join('\n')
  return { key, text, speaks: read[0]?.speaks }
}

type Services = Pick<ChallengeFile, 'container' | 'containers'>

/** Sets the limits of the only container. Reports limits without a container, and limits of another file that are replaced. */
function withLimits(services: Services | undefined, limits: Limited | undefined): Services | undefined {
  if (limits === undefined || Object.keys(limits.rule).length === 0) return services
  const container = services?.container
  if (container === undefined) {
    const why = services === undefined ? 'The challenge has no container.' : 'The challenge has several containers.'
    limits.note('left-out', why, 'Set the limits of its containers.')
    return services
  }
  if (container.cpu !== undefined || container.memoryMb !== undefined)
    limits.note('converted', 'These limits replace those of the file that describes the container.')
  return { container: { ...container, ...limits.rule } }
}

const solutionHeading = /^#{1,6} *(?:solution|solve|writeup|walkthrough|flag)/im

/** Returns the title of a README. The title follows `# `, or is above a line of equals signs. */
function titleOf(lines: readonly string[]): string | undefined {
  const underlined = lines.findIndex((line, index) => line.trim() !== '' && /^=+$/.test(lines[index + 1]?.trim() ?? ''))
  const written = lines.find((line) => line.startsWith('# '))?.slice(2) ?? lines[underlined]
  return written?.trim() || undefined
}

/**
 * Returns the title of a README, and the text of the README before the solution.
 * @returns undefined if the README contains no solution
 */
function readIntroduction(tree: FileTree, file: string): { title: string | undefined; text: string } | undefined {
  const path = joinPath(folderOf(file), 'README.md')
  const whole = hasFile(tree, path) ? readTextIfPossible(tree, path, 256 * 1024) : undefined
  if (whole === undefined) return undefined
  const at = whole.search(solutionHeading)
  if (at === -1) return undefined
  const lines = whole.slice(0, at).split('\n')
  const title = titleOf(lines)
  const isHeading = (line: string): boolean => line.startsWith('#') || line.trim() === title || /^=+$/.test(line.trim())
  const text = lines.filter((line) => !isHeading(line) && !/^\**authors?\**:/i.test(line)).join('\n')
  return { title, text: text.trim() }
}

/** Returns the first tag that is a category, because some formats have only tags. */
function categoryOfTags(fields: Fields, tags: readonly string[]): string | undefined {
  const found = tags.find((tag) => parseCategory(tag) !== undefined)
  if (found !== undefined)
    fields.note('category', 'converted', `The file names no category, so the tag \`${found}\` is the category.`)
  return found
}

/** Moves the first word that is a category to the start. */
function knownCategoryFirst(words: readonly string[]): string[] {
  const found = words.find((word) => parseCategory(word) !== undefined)
  return found === undefined ? [...words] : [found, ...words.filter((word) => word !== found)]
}

function readVisible(fields: Fields): boolean {
  const shown = findFirstKeyWithValue(fields, ['visible', 'public', 'enabled'])
  const state = fields.keys.includes('state') ? fields.text('state') : undefined
  const isHidden = ['hidden', 'disabled'].map((key) => fields.boolean(key)).includes(true)
  return !isHidden && (state ?? 'visible') === 'visible' && (shown === undefined || fields.boolean(shown) !== false)
}

/**
 * Reads a challenge.
 * @param isOnly true if the other files in the folder belong to this challenge
 */
function readOne(tree: FileTree, source: Source, findings: Finding[], own: Nearby, isOnly: boolean): ChallengeFile {
  const { file } = source
  const fields = new Fields(source, findings)
  const folder = folderOf(file)
  const titleKey = findFirstKeyWithValue(fields, ['name', 'title'])
  // Some descriptors contain no text for players. The text is then in the README.
  const isTextless = isOnly && titleKey === undefined && !descriptionKeys.some((key) => fields.keys.includes(key))
  const readme = isTextless || fields.keys.includes('settings') ? readIntroduction(tree, file) : undefined
  const settings = fields.fields('settings')
  settings?.leaveOut({ deploy: 'Containers start when a team asks for them.', containers: 'The services determine this.' })
  settings?.rest()
  const ctfd = fields.fields('ctfd')
  const named = titleKey === undefined ? undefined : fields.text(titleKey)
  const title = fields.shorten(named ?? readme?.title ?? nameOf(folder), InputLimits.maxTitleLength, titleKey ?? 'name')
  const categoryKey = findFirstKeyWithValue(fields, ['category', 'categories'])
  const tags = fields.texts('tags')
  const outer = nameOf(folderOf(folder))
  const [
    category = parseCategory(outer) === undefined && categoryKey === undefined ? (categoryOfTags(fields, tags) ?? outer) : outer,
    ...further
  ] = categoryKey === undefined ? [] : knownCategoryFirst(fields.texts(categoryKey))
  const read = readCategory(fields, categoryKey ?? 'category', category)
  const flags = readFlags(tree, file, fields, isOnly)
  if (flags.length === 0) reportMissingFlag(fields, 'flag')
  const authors = readAuthors(fields, fields.keys.includes('authors') ? 'authors' : 'author')
  const labels = readLabels(fields, [...tags, ...read.tags, ...further])
  const score = readScore(ctfd?.keys.includes('points') === true ? ctfd : fields)
  ctfd?.rest()
  const hints = readHints(fields, findFirstKeyWithValue(fields, ['hints', 'hint']) ?? 'hints')
  const attachments = readFiles(tree, file, fields, isOnly)
  const isVisible = readVisible(fields)
  const value = source.value as Readonly<Record<string, unknown>>
  const written = readFirstText(fields, ...descriptionKeys)
  const beside =
    written === undefined && isOnly
      ? findFirstFile(tree, folder, ['description.md', 'Description.md', 'DESCRIPTION.md'])
      : undefined
  if (written === undefined && beside === undefined && readme !== undefined)
    fields.note('description', 'converted', 'It is the text of `README.md` before the solution, without headings and authors.')
  const description = convertTemplate(fields, 'description', written ?? readme?.text ?? '', (name) => value[name]).trimEnd()
  const { key: connectionKey, text: plainConnection, speaks: connectionSpeaks } = readConnection(fields, description)
  const connection = convertTemplate(fields, connectionKey, plainConnection, (name) => value[name])
  const runtime = readRuntime(tree, file, fields)
  const speaks = runtime.speaks ?? connectionSpeaks
  const services =
    (runtime.container && { container: runtime.container }) ??
    (isOnly
      ? readNearbyService(
          tree,
          file,
          {
            category: read.category,
            address: connection === '' ? description : connection,
            ports: runtime.ports,
            ...(speaks && { speaks }),
          },
          own,
        )
      : undefined)
  const found = withLimits(services, runtime.limits)
  const offered = containersOf(found ?? {}).flatMap(({ ports = [] }) => ports.map(({ port }) => port))
  runtime.noteLost(runtime.ports.filter((port) => !offered.includes(port)))
  if (found === undefined)
    for (const key of ['http', 'socat'])
      if (fields.keys.includes(key))
        fields.note(key, 'left-out', 'The challenge has no container.', 'Add `container` if it needs one.')
  const isListed = found === undefined && connection !== ''
  if (isListed && beside !== undefined)
    fields.note(connectionKey, 'left-out', 'The description is in a file, which is not changed.', `Add it to \`${beside}\`.`)
  else if (isListed) fields.note(connectionKey, 'converted', 'The connection text was added to the end of the description.')
  else if (connection !== '' && connection === plainConnection)
    fields.note(connectionKey, 'converted', 'Players see the address of their instance next to the description.')
  const releaseKey = findFirstKeyWithValue(fields, ['release', 'released_at', 'release_time', 'releaseTime', 'scheduled_at'])
  const release = releaseKey === undefined ? {} : readReleaseTime(fields, releaseKey)
  const unlockKey = findFirstKeyWithValue(fields, ['requirements', 'prerequisites', 'requires', 'unlock_requirement'])
  const unlock = unlockKey === undefined ? undefined : readPrerequisites(fields, unlockKey)
  fields.leaveOut({
    hiddenTags: topicsNotImportedReason,
    order: 'Players choose the order.',
    checker: 'Solvers are started by `capstan test`.',
    id: 'The name identifies the challenge.',
    identifier: 'The name identifies the challenge.',
    version: 'This is the version of the format.',
    can_be_auto_deployed: 'Containers start when a team asks for them.',
    instancer: 'Each team starts its own instance.',
    instanced: 'Each team starts its own instance.',
    instancer_id: 'The platform names its instances.',
    nginx: 'Instances are reached through the platform.',
    type: 'The curve follows from the points.',
    box: 'Players see the address of their instance next to the description.',
    host: 'Players see the address of their instance next to the description.',
    solution: 'Solutions are not imported.',
  })
  fields.rest()
  const text = escapeFormulas([description, ...(isListed ? [connection] : [])].filter((part) => part !== '').join('\n\n'))
  return {
    apiVersion: challengeApiVersion,
    kind: 'Challenge',
    name: nameFromTitle(isOnly ? nameOf(folder) || title : title),
    title,
    category: read.category,
    ...(authors.length === 0 ? {} : { authors }),
    ...labels,
    enabled: isVisible && flags.length > 0,
    description: beside === undefined ? text : { file: beside },
    ...(score === undefined ? {} : { score }),
    ...release,
    ...(unlock && { unlock }),
    flags,
    ...(hints.length === 0 ? {} : { hints }),
    ...(attachments.length === 0 ? {} : { attachments }),
    ...found,
  }
}

/**
 * Returns the key of the table with the fields of the challenge. The key is fixed in some formats, and an id in other formats.
 */
function tableKeyOf(value: Readonly<Record<string, unknown>>): string | undefined {
  const keys = Object.keys(value)
  const [only = ''] = keys
  const table = keys.length === 1 ? value[only] : undefined
  const isAlone = isRecord(table) && flagKeys.some((key) => key in table)
  return ['challenge', 'meta'].find((key) => isRecord(value[key])) ?? (isAlone ? only : undefined)
}

/** Returns a mapping with the fields of its table at the top level. Returns a mapping without a table unchanged. */
function unwrap(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const key = tableKeyOf(value)
  if (key === undefined) return value
  const { [key]: table, ...others } = value
  return { ...others, ...(table as Record<string, unknown>) }
}

/** Moves the fields of the table of a challenge to the top level. */
function withoutTable(source: Source): Source {
  const value = source.value as Record<string, unknown>
  const key = tableKeyOf(value)
  if (key === undefined) return source
  const table = value[key] as Record<string, unknown>
  const pathOf = (path: FieldPath): FieldPath => (Object.hasOwn(table, String(path[0])) ? [key, ...path] : path)
  return {
    ...source,
    value: unwrap(value),
    pathOf,
    lineOf: (path) => source.lineOf(pathOf(path)),
    textOf: (path) => source.textOf?.(pathOf(path)),
  }
}

/** Fields that occur only in descriptors of challenges. */
const ofChallenges = ['categories', 'category', 'points', 'value', 'scoring']

const facts = ['categories', 'category', 'description', 'points', 'value', 'author', 'authors', 'scoring', 'public', 'difficulty']

export const general: Dialect = {
  name: 'other',
  recognizes: (file, whole) => {
    const value = unwrap(whole)
    if (nameOf(file) === 'config.toml')
      return isRecord(value.settings) && ['deploy', 'containers'].some((key) => key in (value.settings as object))
    const hasFlag = ['flag', 'flags'].some((key) => key in value)
    const known = facts.filter((key) => key in value).length
    const isNamed = ['name', 'title', 'identifier'].some((key) => key in value)
    // Some formats contain no title. The title is then in the README.
    const isDescribed = hasFlag && known > 2 && hasDescriptorName(file)
    return (
      !('apiVersion' in value) &&
      (isNamed || isDescribed) &&
      (hasFlag ? known > 0 : known > 1 && ofChallenges.some((key) => key in value))
    )
  },
  read: (tree, file) => {
    const findings: Finding[] = []
    const [source] = readForeignFile(tree, file)
    if (source === undefined) throw new Error(`${file} is empty`)
    const own: Nearby = { dockerfiles: [] }
    return { challenge: readOne(tree, withoutTable(source), findings, own, true), findings, ...own }
  },
}

/**
 * Returns the paths of the challenges that a file lists, as a list or under the key `challenges`.
 * @returns an empty list if the file does not list challenges
 */
function listedPaths(whole: unknown): FieldPath[] {
  const listed = isRecord(whole) ? whole.challenges : whole
  const start = isRecord(whole) ? ['challenges'] : []
  if (Array.isArray(listed)) return listed.map((_, index) => [...start, index])
  return isRecord(listed) ? Object.keys(listed).map((key) => [...start, key]) : []
}

function valueAt(whole: unknown, path: FieldPath): unknown {
  return path.reduce((holder, key) => (holder as Record<string | number, unknown>)[key], whole)
}

/** Returns a part of a file as if the part were a separate file. */
function partOf(source: Source, start: FieldPath): Source {
  const pathOf = (path: FieldPath): FieldPath => [...start, ...path]
  return {
    file: source.file,
    value: valueAt(source.value, start),
    pathOf,
    lineOf: (path) => source.lineOf(pathOf(path)),
    textOf: (path) => source.textOf?.(pathOf(path)),
  }
}

/** Reader for files such as `challenges.json` that list several challenges in the format of a single event. */
export const challengeList: Dialect = {
  name: 'other',
  recognizes: (file, whole) => {
    const paths = listedPaths(whole)
    const isChallenge = (value: unknown): boolean => isRecord(value) && general.recognizes(file, value)
    return paths.length > 0 && paths.every((path) => isChallenge(valueAt(whole, path)))
  },
  read: (tree, file) => {
    const [source] = readForeignFile(tree, file)
    if (source === undefined) throw new Error(`${file} is empty`)
    return listedPaths(source.value).map((path): ReadOne => {
      const findings: Finding[] = []
      return { challenge: readOne(tree, partOf(source, path), findings, { dockerfiles: [] }, false), findings }
    })
  },
}
