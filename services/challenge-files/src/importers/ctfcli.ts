import { escapeFormulas } from '@capstan/contract/formula'
import { ContainerDefaults, InputLimits } from '@capstan/contract/limits'
import type { ChallengeFile, ContainerRule, FlagRule } from '../format/challenge.ts'
import { challengeApiVersion, containersOf } from '../format/challenge.ts'
import type { Finding } from '../report.ts'
import { type FileTree, folderOf, hasFile, hasFolder, joinPath, nameOf, trimSlashes } from '../tree.ts'
import { readYaml, type Source } from '../yaml.ts'
import type { Dialect } from './dialect.ts'
import { Fields } from './fields.ts'
import { nameFromTitle, parseCategory } from './names.ts'
import { type Nearby, readNearbyService } from './nearby-service.ts'
import {
  isPort,
  maxPorts,
  readAuthors,
  readBuildSettings,
  readCategory,
  readHints,
  readLabels,
  readMaxAttempts,
  readPatternFlag,
  readPrerequisites,
  readReleaseTime,
  readResources,
  readTextFlag,
  reportGuessedPort,
  reportMissingFlag,
  reportUdp,
  resolveAttachmentFile,
  resolveSiblingPath,
  topicsNotImportedReason,
} from './parts.ts'
import { limitCores, limitMemoryMb, limitStorageMb } from './quantities.ts'
import { clampPoints, createConstantScore, createCtfdScore, reportDecay, reportMinimum, reportShape } from './score-curve.ts'
import { listExposedPorts } from './service-files.ts'
import { convertAddresses } from './templates.ts'

/**
 * Reader for challenges in the format of ctfcli, a tool that uploads challenges to CTFd. The files are named `challenge.yml` or
 * `ctfcli.yaml`, and contain `value`, `type` and `flags`.
 */

/**
 * Types of challenges that an extension of ctfcli adds, and that exist on this platform, too. Their points do not follow the
 * rules of CTFd.
 */
const typesOfHere = ['staticattachment', 'staticcontainer', 'dynamicattachment', 'dynamiccontainer']

function readScore(fields: Fields): ChallengeFile['score'] {
  const given = fields.text('type')?.toLowerCase() ?? 'standard'
  const type = typesOfHere.includes(given) ? 'standard' : given
  const value = fields.number('value')
  const extra = type === 'standard' ? undefined : fields.fields('extra')
  const holderOf = (key: string): Fields => (extra?.keys.includes(key) === true ? extra : fields)
  const read = (key: string): number | undefined => (type === 'standard' ? undefined : holderOf(key).number(key))
  const initial = read('initial')
  const decay = read('decay')
  const minimum = read('minimum')
  const shape = type === 'standard' ? undefined : holderOf('function').text('function')
  extra?.rest()
  fields.leaveOut({ extra: 'The points of this challenge type are fixed.' })
  const falls = ['initial', 'minimum', 'decay', 'function']
  fields.leaveOut(Object.fromEntries(falls.map((key) => [key, 'The points of this challenge type are fixed.'])))
  const most = initial ?? value
  if (initial !== undefined && value !== undefined && value !== initial)
    fields.note('value', 'converted', `The points drop from \`initial\`, ${initial}.`)
  if (type !== 'standard' && type !== 'dynamic')
    fields.note(
      'type',
      'converted',
      `\`${type}\` is not a challenge type here.`,
      'Add `container` if the challenge needs an instance.',
    )
  if (most === undefined) {
    fields.note('value', 'converted', 'The file has no points, so the platform default applies.', 'Set `score`.')
    return undefined
  }
  const points = clampPoints(
    initial === undefined ? fields : holderOf('initial'),
    initial === undefined ? 'value' : 'initial',
    most,
  )
  if (decay === undefined) {
    if (type === 'dynamic' || minimum !== undefined)
      fields.note(
        'type',
        'converted',
        'The file does not say how fast the points drop, so they are fixed.',
        'Set `score.difficulty`.',
      )
    if (minimum !== undefined) holderOf('minimum').note('minimum', 'left-out', 'The points are fixed.')
    return createConstantScore(points)
  }
  if (minimum !== undefined) reportMinimum([holderOf('minimum'), 'minimum'], minimum, points)
  reportDecay([holderOf('decay'), 'decay'], decay)
  reportShape([holderOf('function'), 'function'], shape)
  return createCtfdScore({
    initial: points,
    minimum: minimum ?? 0,
    decay,
    isLinear: shape === 'linear',
  })
}

function readFlags(fields: Fields): FlagRule[] {
  return fields.list('flags').flatMap((entry, index): FlagRule[] => {
    const plain = fields.elementText('flags', index, entry)
    if (plain !== undefined) return readTextFlag(fields, 'flags', plain)
    const flag = fields.element('flags', index, entry)
    const type = flag.text('type') ?? 'static'
    const content = flag.text('content') ?? flag.text('flag') ?? ''
    if (type !== 'static' && type !== 'regex') {
      flag.noteAll('left-out', `Flags of the type \`${type}\` are not supported.`)
      return []
    }
    const data = flag.text('data')?.trim() ?? ''
    const ignoreCase = data === 'case_insensitive'
    if (!ignoreCase && !['', 'case_sensitive'].includes(data))
      flag.note('data', 'left-out', `The flag option \`${data}\` is not supported.`, 'Test the flag.')
    flag.leaveOut({ id: 'The ID belongs to another platform.' })
    flag.rest()
    return type === 'static'
      ? readTextFlag(flag, 'content', content, ignoreCase)
      : readPatternFlag(flag, 'content', content, ignoreCase)
  })
}

/**
 * Matches `cd FOLDER && docker build -t NAME .`, with which an extension builds a challenge. Commands with other
 * options cannot be imported.
 */
const buildScript = /^cd (?:\.\/)?([\w][\w./-]{0,200}) && docker build (?:(?:-t|--tag)[ =][\w./:@-]{1,300} )?\.$/

/** Reads the fields of an extension of ctfcli that runs containers: the container, and the template for separate flags of teams. */
function readHosted(tree: FileTree, file: string, fields: Fields): { container?: ContainerRule; flags: FlagRule[] } {
  const scripts = fields.fields('scripts')
  const script = scripts?.text('start')
  const folder = trimSlashes(buildScript.exec(script ?? '')?.[1] ?? '')
  const isBuilt = folder !== '' && hasFile(tree, [folderOf(file), folder, 'Dockerfile'].filter(Boolean).join('/'))
  const byOthers = 'Images are built by `capstan build`.'
  if (script !== undefined && !isBuilt) scripts?.note('start', 'left-out', byOthers, 'Name the folder in `container.build`.')
  scripts?.leaveOut(Object.fromEntries((scripts?.keys ?? []).map((key) => [key, byOthers])))
  const container = fields.fields('container')
  if (container === undefined) {
    if (isBuilt) scripts?.note('start', 'left-out', 'The file describes no container.', 'Add `container` with its port.')
    return { flags: [] }
  }
  const image = container.text('containerImage')
  const port = container.number('containerExposePort')
  const limits = {
    cpu: container.number('cpuCount'),
    memoryMb: container.number('memoryLimit'),
    storageMb: container.number('storageLimit'),
  }
  const capture = container.boolean('enableTrafficCapture')
  const template = container.text('flagTemplate')
  const flags: FlagRule[] =
    template === undefined || template === ''
      ? []
      : /\[(?:GUID|TEAM_HASH|C?LEET)\]/.test(template)
        ? [{ template }]
        : readTextFlag(container, 'flagTemplate', template)
  container.rest()
  if (!isBuilt && image === undefined) {
    fields.note('container', 'left-out', 'The file names neither an image nor a folder to build.')
    return { flags }
  }
  if (isBuilt && image !== undefined) container.note('containerImage', 'converted', `The image is built from \`${folder}\`.`)
  const own = port !== undefined && isPort(port) ? port : undefined
  if (own === undefined) reportGuessedPort(container, 'containerExposePort', ContainerDefaults.port)
  return {
    flags,
    container: {
      ...(isBuilt ? { build: { context: folder } } : { image: image ?? '' }),
      ports: [{ port: own ?? ContainerDefaults.port, speaks: 'tcp' }],
      ...(limits.cpu === undefined ? {} : { cpu: limitCores(container, 'cpuCount', limits.cpu / 10) }),
      ...(limits.memoryMb === undefined ? {} : { memoryMb: limitMemoryMb(container, 'memoryLimit', limits.memoryMb * 2 ** 20) }),
      ...(limits.storageMb === undefined ? {} : { storageMb: limitStorageMb(container, 'storageLimit', limits.storageMb) }),
      ...(capture === undefined ? {} : { capture }),
    },
  }
}

/**
 * Reads the container. `image` is a folder to build or the name of an image.
 * @param nearbyPorts returns the ports of the service that a compose file or Dockerfile near the descriptor describes
 */
function readContainer(
  tree: FileTree,
  file: string,
  fields: Fields,
  nearbyPorts: () => ContainerRule['ports'],
): ContainerRule | undefined {
  const image = fields.text('image')
  const protocol = fields.text('protocol')
  const older = fields.fields('containers')
  const speaks = protocol?.startsWith('http') === true ? ('http' as const) : ('tcp' as const)
  if (protocol !== undefined) reportUdp(fields, 'protocol', protocol)
  if (older !== undefined) {
    // The older format has a list of containers by name, with the ports to open.
    const [name, ...others] = older.keys
    for (const other of others) older.note(other, 'left-out', 'Each team gets one container per challenge.')
    const container = name === undefined ? undefined : older.fields(name)
    const build = container === undefined ? undefined : readBuildSettings(tree, file, container)
    const ports = (container?.list('ports') ?? []).flatMap((entry, index) => {
      const port = typeof entry === 'number' ? entry : container?.element('ports', index, entry).number('containerPort')
      if (isPort(port)) return [{ port, speaks }]
      container?.noteElement('ports', index, 'left-out', 'This must be a port from 1 to 65535.')
      return []
    })
    const resources = readResources(container?.fields('resources'))
    container?.rest()
    if (build === undefined || ports.length === 0) {
      fields.note('containers', 'left-out', 'No container is reachable: a folder to build or a port is missing.')
      return undefined
    }
    return { build, ports: fields.limit('containers', ports, maxPorts, 'ports'), ...resources }
  }
  if (image === undefined || image.trim() === '') {
    if (protocol !== undefined) fields.note('protocol', 'left-out', 'The file names no image, so there is nothing to connect to.')
    return undefined
  }
  const folder = image.startsWith('.') || hasFolder(tree, [folderOf(file), trimSlashes(image)].filter(Boolean).join('/'))
  const given = fields.number('port')
  if (given !== undefined && !isPort(given)) fields.note('port', 'left-out', 'This must be a port from 1 to 65535.')
  const exposed = isPort(given) ? [given] : folder ? portsOfDockerfile(tree, file, image) : []
  const [near] = exposed.length === 0 ? nearbyPorts() : []
  const port = exposed[0] ?? near?.port ?? ContainerDefaults.port
  if (exposed.length !== 1)
    fields.note(
      'image',
      'converted',
      near === undefined
        ? `The file names ${exposed.length === 0 ? 'no port' : 'several ports'}, so ${port} is used.`
        : `The file names no port, so port ${port} of the Dockerfile or compose file is used.`,
      'Set `container.ports` to the port of the challenge.',
      { repair: 'port', ports: near === undefined ? exposed : [near.port] },
    )
  const where = folder ? resolveSiblingPath(tree, file, fields, 'image', trimSlashes(image)) : undefined
  if (folder && where === undefined) return undefined
  return {
    ...(where !== undefined ? { build: { context: where } } : { image: image.replace(/^(?:docker|registry):\/\//, '') }),
    ports: [{ port, speaks: protocol === undefined ? (near?.speaks ?? speaks) : speaks }],
  }
}

function portsOfDockerfile(tree: FileTree, file: string, folder: string): number[] {
  return listExposedPorts(tree, joinPath(folderOf(file), trimSlashes(folder.replace(/^\.\/?/, '')), 'Dockerfile'))
}

/** Returns the name of the folder that contains the challenge's folder, if this name is a category. */
function categoryOfFolder(file: string): string | undefined {
  const name = nameOf(folderOf(folderOf(file)))
  return parseCategory(name) === undefined ? undefined : name
}

/** Reads a challenge whose fields have the names that ctfcli uses. Rows of CTFd sheets are read in the same way. */
export function readCtfcli(tree: FileTree, source: Source, findings: Finding[], nearby: Nearby): ChallengeFile {
  const { file } = source
  const fields = new Fields(source, findings)
  const title = fields.shortText('name', InputLimits.maxTitleLength) ?? nameOf(folderOf(file))
  const { category, tags: fromCategory } = readCategory(fields, 'category', fields.text('category') ?? categoryOfFolder(file))
  const hosted = readHosted(tree, file, fields)
  const named = readFlags(fields)
  const flags = named.length > 0 ? named : hosted.flags
  if (named.length > 0 && hosted.flags.length > 0)
    fields.note('container', 'converted', 'Its flag template is ignored because the challenge has flags.')
  if (flags.length === 0) reportMissingFlag(fields, 'flags')
  const authors = readAuthors(fields, 'author')
  const labels = readLabels(fields, [...fields.texts('tags'), ...fromCategory])
  const state = fields.text('state')
  const attachments = ['files', 'provide'].flatMap((key) =>
    fields
      .texts(key)
      .flatMap((path) =>
        /^https?:\/\//i.test(path) ? [{ url: path }] : resolveAttachmentFile(tree, file, fields, key, trimSlashes(path)),
      ),
  )
  const hints = readHints(fields, 'hints')
  const written = convertAddresses(fields, 'description', fields.text('description') ?? '').trimEnd()
  const connection = convertAddresses(fields, 'connection_info', fields.text('connection_info')?.trim() ?? '')
  const address = connection === '' ? written : connection
  const nearbyPorts = (): ContainerRule['ports'] =>
    containersOf(readNearbyService(tree, file, { category, address }, { dockerfiles: [] }) ?? {})
      .flatMap(({ ports = [] }) => ports)
      .filter(({ speaks }) => speaks !== undefined)
  const own = readContainer(tree, file, fields, nearbyPorts)
  if (own !== undefined && hosted.container !== undefined)
    fields.note('container', 'left-out', 'The container is created from `image`.')
  const container = own ?? hosted.container
  const services = container === undefined ? readNearbyService(tree, file, { category, address }, nearby) : { container }
  const isListed = services === undefined && connection !== ''
  if (isListed) fields.note('connection_info', 'converted', 'The connection text was added to the end of the description.')
  else if (connection !== '')
    fields.note('connection_info', 'converted', 'Players see the address of their instance next to the description.')
  const score = readScore(fields)
  const attempts = readMaxAttempts(fields, 'attempts')
  const release = readReleaseTime(fields, 'scheduled_at')
  const unlock = readPrerequisites(fields, 'requirements')
  const attribution = fields.text('attribution') ?? ''
  fields.leaveOut({
    host: 'Instances run in the cluster of the platform.',
    healthcheck: 'An instance is ready when it accepts connections.',
    next: 'Players choose the order of challenges.',
    solution: 'Solutions are not imported.',
    version: 'This is the version of the format.',
    expose: 'The platform chooses the public port.',
    replicas: 'Each team starts its own instance.',
    module: 'Challenges are grouped by category.',
    topics: topicsNotImportedReason,
    logic: 'Each of the flags is accepted.',
  })
  fields.rest()
  return {
    apiVersion: challengeApiVersion,
    kind: 'Challenge',
    name: nameFromTitle(title),
    title,
    category,
    ...(authors.length === 0 ? {} : { authors }),
    ...labels,
    enabled: (state ?? 'visible') === 'visible' && flags.length > 0,
    description: escapeFormulas(
      [written, ...(isListed ? [connection] : []), attribution].filter((part) => part !== '').join('\n\n'),
    ),
    ...(score === undefined ? {} : { score }),
    ...release,
    ...attempts,
    ...(unlock && { unlock }),
    flags,
    ...(hints.length === 0 ? {} : { hints }),
    ...(attachments.length === 0 ? {} : { attachments }),
    ...services,
  }
}

/** Fields that only ctfcli has. A descriptor without flags has the format of ctfcli if it contains one of these fields. */
const ofCtfd = ['type', 'state', 'extra', 'connection_info', 'version']

function isOfCtfd(value: Readonly<Record<string, unknown>>): boolean {
  return 'flags' in value || (!('flag' in value) && ofCtfd.some((key) => key in value))
}

export const ctfcli: Dialect = {
  name: 'ctfcli',
  recognizes: (file, value) =>
    !('apiVersion' in value) &&
    'name' in value &&
    ((/^challenge\.ya?ml$/.test(nameOf(file)) && isOfCtfd(value)) ||
      (/^ctfcli\.ya?ml$/.test(nameOf(file)) && ('flags' in value || 'category' in value)) ||
      (/\.ya?ml$/.test(nameOf(file)) && 'flags' in value && 'type' in value && 'value' in value)),
  read: (tree, file) => {
    const findings: Finding[] = []
    const [source] = readYaml(tree, file, '1.1')
    if (source === undefined) throw new Error(`${file} is empty`)
    const own: Nearby = { dockerfiles: [] }
    return { challenge: readCtfcli(tree, source, findings, own), findings, ...own }
  },
}
