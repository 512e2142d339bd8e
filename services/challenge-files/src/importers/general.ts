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
import { isRecord } from '../record.ts'
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
  type WrittenFile,
} from '../tree.ts'
import type { Source } from '../yaml.ts'
import type { Dialect } from './dialect.ts'
import { Fields } from './fields.ts'
import { nameFromTitle } from './names.ts'
import { readNearbyService } from './nearby-service.ts'
import {
  findFirstKeyWithValue,
  isPort,
  maxPorts,
  readAuthors,
  readBuildSettings,
  readCategory,
  readFirstText,
  readHints,
  readLabels,
  readPatternFlag,
  readTextFlag,
  readVariables,
  reportMissingFlag,
  resolveAttachmentFile,
  resolveSiblingPath,
} from './parts.ts'
import { findReadmeFlag } from './readme-flag.ts'
import { clampPoints, createConstantScore, createCtfdScore } from './score-curve.ts'
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

function readFlags(tree: FileTree, file: string, fields: Fields): FlagRule[] {
  const key = findFirstKeyWithValue(fields, ['flags', 'flag', 'answer'])
  const given = (key === undefined ? [] : fields.list(key)).flatMap((entry, index): FlagRule[] => {
    const plain = fields.elementText(key ?? '', index, entry)
    if (plain !== undefined) return readTextFlag(fields, key ?? '', plain)
    const isList = Array.isArray(fields.take(key ?? ''))
    const flag = isList ? fields.element(key ?? '', index, entry) : fields.fields(key ?? '')
    if (flag === undefined) return []
    const valueKey = findFirstKeyWithValue(flag, [...fileKeys, ...patternKeys, ...textKeys]) ?? 'content'
    const value = flag.text(valueKey)
    const isPattern = flag.text('type') === 'regex' || patternKeys.includes(valueKey)
    flag.rest()
    if (value === undefined) return []
    if (!fileKeys.includes(valueKey))
      return isPattern ? readPatternFlag(flag, valueKey, value) : readTextFlag(flag, valueKey, value)
    const beside = resolveSiblingPath(tree, file, flag, valueKey, value)
    return beside === undefined ? [] : [{ file: beside }]
  })
  if (given.length > 0) return fields.limit(key ?? 'flags', given, InputLimits.maxFlagsPerCall)
  const beside = findFirstFile(tree, folderOf(file), flagFiles)
  if (beside === undefined) {
    const named = findReadmeFlag(tree, folderOf(file), fields, key ?? 'flag')
    return named === undefined ? [] : readTextFlag(fields, key ?? 'flag', named)
  }
  fields.note(key ?? 'flag', 'converted', `The flag is the first line of \`${beside}\`.`)
  return [{ file: beside }]
}

function readFiles(tree: FileTree, file: string, fields: Fields): AttachmentRule[] {
  const key = findFirstKeyWithValue(fields, [
    'files',
    'attachments',
    'attachment',
    'dist',
    'downloads',
    'handout',
    'handouts',
    'provide',
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
    return path === undefined
      ? []
      : resolveAttachmentFile(tree, file, each, 'src', trimSlashes(path), as === path ? undefined : as)
  })
  if (key !== undefined) return given
  const folder = ['dist', 'handout', 'attachments', 'public'].find((name) => hasFolder(tree, joinPath(folderOf(file), name)))
  if (folder === undefined) return []
  fields.note('files', 'converted', `The files in \`${folder}\` become the attachments.`, 'Check that players may have them.')
  return [{ file: folder }]
}

function readScore(fields: Fields): ChallengeFile['score'] {
  const key = findFirstKeyWithValue(fields, ['scoring', 'points', 'value', 'score', 'static_score', 'initial'])
  const holder = key !== undefined && isRecord(fields.take(key)) ? fields.fields(key) : fields
  const own =
    holder === fields
      ? key
      : holder && findFirstKeyWithValue(holder, ['initial', 'initialValue', 'start', 'max', 'maximum', 'points', 'value'])
  const most = own === undefined ? undefined : holder?.number(own)
  if (holder === undefined || own === undefined || most === undefined) {
    fields.note('score', 'converted', 'The file has no points, so the platform default applies.', 'Set `score`.')
    return undefined
  }
  const least = findFirstKeyWithValue(holder, ['minimum', 'min', 'minimumValue'])
  const minimum = least === undefined ? undefined : holder.number(least)
  const decay = holder.number('decay')
  if (holder !== fields) {
    holder.leaveOut({ type: 'The curve follows from the points.' })
    holder.rest()
  }
  const points = clampPoints(holder, own, most)
  if (decay === undefined || minimum === undefined) {
    if (decay !== undefined) holder.note('decay', 'left-out', 'The points are fixed, because the file has no minimum.')
    if (minimum !== undefined) holder.note(least ?? 'minimum', 'left-out', 'The points are fixed, because the file has no decay.')
    return createConstantScore(points)
  }
  return createCtfdScore({ initial: points, minimum, decay, isLinear: false })
}

/** Returns ports in the forms `3000`, `3000/tcp`, `HOST:3000` and `{ port: 3000 }`, or a list of them. */
function portsOf(value: unknown): number[] {
  if (Array.isArray(value)) return value.flatMap(portsOf)
  if (isRecord(value)) return portsOf(value.port ?? value.target ?? value.internal ?? value.container_port ?? value.tcp)
  const port = typeof value === 'string' ? Number(/(\d{1,5})(?:\/\w{1,8})?$/.exec(value)?.[1]) : value
  return isPort(port) ? [port] : []
}

/** Ports on which a service listens according to its descriptor. */
type Listening = Readonly<{
  ports: readonly number[]
  isHttp: boolean
  noteLost: (ports: readonly number[]) => void
}>

type Runtime = Listening & { readonly container?: ContainerRule }

function readPorts(fields: Fields, key: string): Omit<Listening, 'isHttp'> {
  const found = fields.list(key).map(portsOf)
  for (const [index, ports] of found.entries())
    if (ports.length === 0)
      fields.noteElement(key, index, 'left-out', 'The port of the container is not known.', 'Set `container.ports`.')
  return {
    ports: fields.limit(key, [...new Set(found.flat())], maxPorts),
    noteLost: (ports) => {
      const lost = `No container has the port ${ports.join(', ')}.`
      if (ports.length > 0) fields.note(key, 'left-out', lost, 'Check `container.ports`.')
    },
  }
}

function portRules({ ports, isHttp }: Pick<Listening, 'ports' | 'isHttp'>): ContainerRule['ports'] {
  return ports.map((port) => ({ port, speaks: isHttp ? 'http' : 'tcp' }))
}

/** Reads the service that the file describes. Other services of the file are reported. */
function readRuntime(tree: FileTree, file: string, fields: Fields): Runtime {
  const key = findFirstKeyWithValue(fields, ['containers', 'deploy', 'services', 'deployments', 'container', 'docker'])
  const value = key === undefined ? undefined : fields.take(key)
  const isHttp = readFirstText(fields, 'protocol')?.startsWith('http') === true
  const top = { ...readPorts(fields, findFirstKeyWithValue(fields, ['ports', 'port', 'expose']) ?? 'ports'), isHttp }
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
  for (const { each } of entries)
    if (each !== open?.each)
      each?.noteAll('left-out', 'Each team gets one container per challenge, so this one is not started.', 'Check `container`.')
  if (open?.each === undefined || !isRecord(open.entry)) return top
  const { each, entry } = open
  const portKey = portKeys.find((name) => portsOf(entry[name]).length > 0) ?? ''
  const listening = readPorts(each, portKey)
  const type = readFirstText(each, 'type', 'protocol', 'kind', 'proto')
  const speaksHttp = portKey === 'http' || each.take('http') !== undefined || /^(?:https?|web|site)$/i.test(type ?? '')
  const own = { ...listening, isHttp: speaksHttp }
  const build = readBuildSettings(tree, file, each)
  const named = each.text('image')
  const environment = readVariables(each, 'environment') ?? readVariables(each, 'env')
  each.leaveOut({ name: 'The platform names instances.', replicas: 'Each team starts its own instance.' })
  each.rest()
  top.noteLost(top.ports.filter((port) => !own.ports.includes(port)))
  const rule = { ports: portRules(own), ...(environment === undefined ? {} : { environment }) }
  if (build !== undefined) return { container: { build, ...rule }, ...own }
  return named === undefined ? own : { container: { image: named, ...rule }, ...own }
}

const solutionHeading = /^#{1,6} *(?:solution|solve|writeup|walkthrough|flag)/im

/** Returns the title of a README, and its text before the solution. @returns undefined if the README contains no solution */
function readIntroduction(tree: FileTree, file: string): { title: string | undefined; text: string } | undefined {
  const path = joinPath(folderOf(file), 'README.md')
  const whole = hasFile(tree, path) ? readTextIfPossible(tree, path, 256 * 1024) : undefined
  if (whole === undefined) return undefined
  const at = whole.search(solutionHeading)
  if (at === -1) return undefined
  const lines = whole.slice(0, at).split('\n')
  const title = lines
    .find((line) => line.startsWith('# '))
    ?.slice(2)
    .trim()
  const text = lines.filter((line) => !line.startsWith('#') && !/^\**authors?\**:/i.test(line)).join('\n')
  return { title: title || undefined, text: text.trim() }
}

function readVisible(fields: Fields): boolean {
  const shown = findFirstKeyWithValue(fields, ['visible', 'public', 'enabled'])
  const state = fields.keys.includes('state') ? fields.text('state') : undefined
  const isHidden = fields.boolean('hidden') ?? false
  return !isHidden && (state ?? 'visible') === 'visible' && (shown === undefined || fields.boolean(shown) !== false)
}

function readOne(tree: FileTree, source: Source, findings: Finding[], dockerfiles: WrittenFile[]): ChallengeFile {
  const { file } = source
  const fields = new Fields(source, findings)
  const folder = folderOf(file)
  const readme = fields.keys.includes('settings') ? readIntroduction(tree, file) : undefined
  const settings = fields.fields('settings')
  settings?.leaveOut({ deploy: 'Containers start when a team asks for them.', containers: 'The services determine this.' })
  settings?.rest()
  const ctfd = fields.fields('ctfd')
  const titleKey = findFirstKeyWithValue(fields, ['name', 'title']) ?? 'name'
  const whole = fields.text(titleKey) ?? readme?.title ?? nameOf(folder)
  const title = fields.shorten(whole, InputLimits.maxTitleLength, titleKey)
  const categoryKey = findFirstKeyWithValue(fields, ['category', 'categories'])
  const [category = nameOf(folderOf(folder)), ...further] = categoryKey === undefined ? [] : fields.texts(categoryKey)
  const read = readCategory(fields, categoryKey ?? 'category', category)
  const flags = readFlags(tree, file, fields)
  if (flags.length === 0) reportMissingFlag(fields, 'flag')
  const authors = readAuthors(fields, fields.keys.includes('authors') ? 'authors' : 'author')
  const labels = readLabels(fields, [...fields.texts('tags'), ...read.tags, ...further])
  const score = readScore(ctfd?.keys.includes('points') === true ? ctfd : fields)
  ctfd?.rest()
  const hints = readHints(fields, findFirstKeyWithValue(fields, ['hints', 'hint']) ?? 'hints')
  const attachments = readFiles(tree, file, fields)
  const isVisible = readVisible(fields)
  const value = source.value as Readonly<Record<string, unknown>>
  const written = readFirstText(fields, 'description', 'desc', 'prompt', 'statement', 'text')
  const beside =
    written === undefined ? findFirstFile(tree, folder, ['description.md', 'Description.md', 'DESCRIPTION.md']) : undefined
  if (written === undefined && beside === undefined && readme !== undefined)
    fields.note('description', 'converted', 'It is the text of `README.md` before the solution, without headings and authors.')
  const description = convertTemplate(fields, 'description', written ?? readme?.text ?? '', (name) => value[name]).trimEnd()
  const connectionKey = findFirstKeyWithValue(fields, ['connection_info', 'connection', 'endpoint', 'url']) ?? 'connection_info'
  const connection = fields.text(connectionKey)?.trim() ?? ''
  const runtime = readRuntime(tree, file, fields)
  const found =
    (runtime.container && { container: runtime.container }) ??
    readNearbyService(
      tree,
      file,
      {
        category: read.category,
        address: connection === '' ? description : connection,
        ports: runtime.ports,
        isHttp: runtime.isHttp,
      },
      findings,
      dockerfiles,
    )
  const offered = containersOf(found ?? {}).flatMap(({ ports = [] }) => ports.map(({ port }) => port))
  runtime.noteLost(runtime.ports.filter((port) => !offered.includes(port)))
  const isListed = found === undefined && connection !== ''
  if (isListed && beside !== undefined)
    fields.note(connectionKey, 'left-out', 'The description is in a file, which is not changed.', `Add it to \`${beside}\`.`)
  else if (isListed) fields.note(connectionKey, 'converted', 'The connection text was added to the end of the description.')
  else if (connection !== '')
    fields.note(connectionKey, 'converted', 'Players see the address of their instance next to the description.')
  fields.leaveOut({
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
    name: nameFromTitle(nameOf(folder) || title),
    title,
    category: read.category,
    ...(authors.length === 0 ? {} : { authors }),
    ...labels,
    enabled: isVisible && flags.length > 0,
    description: beside === undefined ? text : { file: beside },
    ...(score === undefined ? {} : { score }),
    flags,
    ...(hints.length === 0 ? {} : { hints }),
    ...(attachments.length === 0 ? {} : { attachments }),
    ...found,
  }
}

/** Moves the fields of the table `challenge` to the top level. `chall.toml` has them in this table. */
function withoutTable(source: Source): Source {
  const value = source.value as Record<string, unknown>
  if (!isRecord(value.challenge)) return source
  const { challenge, ...others } = value
  const lineOf: Source['lineOf'] = (path) =>
    Object.hasOwn(challenge, String(path[0])) ? source.lineOf(['challenge', ...path]) : source.lineOf(path)
  return { file: source.file, value: { ...others, ...challenge }, lineOf }
}

/** Fields that occur only in descriptors of challenges. */
const ofChallenges = ['categories', 'category', 'points', 'value', 'scoring']

const facts = ['categories', 'category', 'description', 'points', 'value', 'author', 'authors', 'scoring', 'public', 'difficulty']

export const general: Dialect = {
  name: 'other',
  recognizes: (file, whole) => {
    const value = isRecord(whole.challenge) ? { ...whole, ...whole.challenge } : whole
    if (nameOf(file) === 'config.toml')
      return isRecord(value.settings) && ['deploy', 'containers'].some((key) => key in (value.settings as object))
    const hasFlag = ['flag', 'flags'].some((key) => key in value)
    const known = facts.filter((key) => key in value).length
    return (
      !('apiVersion' in value) &&
      ('name' in value || 'title' in value || 'identifier' in value) &&
      (hasFlag ? known > 0 : known > 1 && ofChallenges.some((key) => key in value))
    )
  },
  read: (tree, file) => {
    const findings: Finding[] = []
    const [source] = readForeignFile(tree, file)
    if (source === undefined) throw new Error(`${file} is empty`)
    const dockerfiles: WrittenFile[] = []
    return { challenge: readOne(tree, withoutTable(source), findings, dockerfiles), dockerfiles, findings }
  },
}
