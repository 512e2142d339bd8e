import { escapeFormulas } from '@capstan/contract/formula'
import { InputLimits } from '@capstan/contract/limits'
import type { AttachmentRule, ChallengeFile, ContainerRule, FlagRule } from '../format/challenge.ts'
import { challengeApiVersion } from '../format/challenge.ts'
import { toText } from '../record.ts'
import type { Finding } from '../report.ts'
import { readForeignFile } from '../toml.ts'
import { type FileTree, folderOf, nameOf, trimSlashes } from '../tree.ts'
import type { Source } from '../yaml.ts'
import type { Dialect } from './dialect.ts'
import { Fields } from './fields.ts'
import { nameFromTitle } from './names.ts'
import { type Nearby, readNearbyService } from './nearby-service.ts'
import {
  findFirstKeyWithValue,
  isPort,
  maxPorts,
  readAttachmentFiles,
  readAuthors,
  readBuildSettings,
  readCategory,
  readLabels,
  readPatternFlag,
  readResources,
  readSecurityContext,
  readTextFlag,
  readVariables,
  reportMissingFlag,
  reportUdp,
  resolveAttachmentFile,
  resolveSiblingPath,
} from './parts.ts'
import { onlyOne } from './pods.ts'
import { limitCores, limitMemoryMb, parseQuantity } from './quantities.ts'
import { addProjectDefaults, findRcdsProject } from './rcds-project.ts'
import { clampPoints, createConstantScore, createRctfScore, reportMinimum } from './score-curve.ts'
import { convertTemplate } from './templates.ts'

/**
 * Reader for challenges of rcds, which deploys them for rCTF. `challenge.yaml` contains `flag`, `provide`, `containers` and
 * `expose`. The reader applies the defaults of the project.
 */

function readFlags(tree: FileTree, file: string, fields: Fields): FlagRule[] {
  const value = fields.take('flag')
  if (value === undefined) return []
  if (typeof value !== 'object') return readTextFlag(fields, 'flag', fields.text('flag') ?? '')
  const flag = fields.fields('flag')
  if (flag === undefined) return []
  const path = flag.text('file')
  const pattern = flag.text('regex')
  if (path !== undefined && pattern !== undefined)
    flag.note('regex', 'left-out', 'The pattern is ignored because the flag is in a file.')
  flag.rest()
  if (path !== undefined) {
    const beside = resolveSiblingPath(tree, file, flag, 'file', path)
    return beside === undefined ? [] : [{ file: beside }]
  }
  return pattern === undefined ? [] : readPatternFlag(flag, 'regex', pattern)
}

function readProvided(tree: FileTree, file: string, fields: Fields): AttachmentRule[] {
  return fields.list('provide').flatMap((entry, index): AttachmentRule[] => {
    const plain = fields.elementText('provide', index, entry)
    if (plain !== undefined) return resolveAttachmentFile(tree, file, fields, 'provide', plain)
    const provided = fields.element('provide', index, entry)
    const archive = provided.text('kind') === undefined ? undefined : provided.fields('spec')
    const url = archive === undefined ? provided.text('url') : undefined
    const path = archive === undefined && url === undefined ? provided.text('file') : undefined
    const as = provided.text('as')
    if (as !== undefined && (archive !== undefined || url !== undefined))
      provided.note('as', 'converted', 'The platform chooses the file name.')
    if (archive !== undefined) {
      // Like rcds, this platform packs several attached files into one archive. The list of files therefore needs no conversion.
      const name = archive.text('as')
      if (name !== undefined) archive.note('as', 'converted', 'The archive is named by the platform.')
      const packed = readAttachmentFiles(tree, file, archive, 'files')
      archive.leaveOut({ additional: 'Files with inline content are not added to the archive. Add them to the folder.' })
      archive.rest()
      provided.rest()
      return packed
    }
    const folder = path === undefined ? provided.text('dir') : undefined
    if (folder !== undefined && as !== undefined) provided.note('as', 'converted', 'The archive is named by the platform.')
    provided.rest()
    if (url !== undefined) return [{ url }]
    if (folder !== undefined) return resolveAttachmentFile(tree, file, provided, 'dir', trimSlashes(folder))
    if (path !== undefined) return resolveAttachmentFile(tree, file, provided, 'file', path, as)
    provided.noteAll('left-out', 'No file is named.', 'Set `attachments`.')
    return []
  })
}

/** Reports a challenge whose file has no points (`value`). */
function noteUnknownScore(fields: Fields): void {
  fields.note('value', 'converted', 'The file has no points, so the platform default applies.', 'Set `score`.')
}

function readScore(fields: Fields, bounds: { minimum: number; maximum: number } | undefined): ChallengeFile['score'] {
  const key = findFirstKeyWithValue(fields, ['value', 'points']) ?? 'value'
  const value = fields.take(key)
  if (typeof value === 'object') {
    const range = fields.fields(key)
    const least = range?.number('min')
    const most = range?.number('max')
    range?.rest()
    if (range !== undefined && most !== undefined) {
      const points = clampPoints(range, 'max', most)
      if (least === undefined) range.note('min', 'converted', 'The file has no minimum, so it is 0.', 'Set `score`.')
      else reportMinimum([range, 'min'], least, points)
      return createRctfScore(least ?? 0, points)
    }
  } else if (value !== undefined) {
    const points = fields.number(key)
    if (points !== undefined) return createConstantScore(clampPoints(fields, key, points))
  } else if (bounds !== undefined) {
    const points = clampPoints(fields, key, bounds.maximum)
    reportMinimum([fields, key], bounds.minimum, points)
    return createRctfScore(bounds.minimum, points)
  }
  noteUnknownScore(fields)
  return undefined
}

/** Largest number that `mem` gives in MB. Larger numbers are bytes. */
const maxMegabytes = 2 ** 20

/** Reads `limits` of a container, with `cpu` in cores and `mem` in MB or bytes. */
function readLimits(limits: Fields | undefined): Pick<ContainerRule, 'cpu' | 'memoryMb'> {
  if (limits === undefined) return {}
  const key = findFirstKeyWithValue(limits, ['mem', 'memory']) ?? 'mem'
  const quantityOf = (name: string): number | undefined => {
    const value = limits.take(name)
    const quantity = parseQuantity(value ?? '')
    if (value !== undefined && quantity === undefined) limits.note(name, 'left-out', `\`${toText(value)}\` is not a quantity.`)
    return quantity
  }
  const [cores, memory] = [quantityOf('cpu'), quantityOf(key)]
  limits.rest()
  return {
    ...(cores !== undefined && { cpu: limitCores(limits, 'cpu', cores) }),
    ...(memory !== undefined && {
      memoryMb: limitMemoryMb(
        limits,
        key,
        memory < maxMegabytes && typeof limits.take(key) === 'number' ? memory * 2 ** 20 : memory,
      ),
    }),
  }
}

/** Returns the ports of a container in the form `5000 = "tcp"`. */
function readOwnExpose(container: Fields): NonNullable<ContainerRule['ports']> {
  const exposed = container.keys.includes('expose') ? container.fields('expose') : undefined
  return (exposed?.keys ?? []).flatMap((key): NonNullable<ContainerRule['ports']> => {
    const port = Number(key)
    const speech = exposed?.text(key) ?? 'tcp'
    if (isPort(port)) {
      if (exposed !== undefined) reportUdp(exposed, key, speech)
      return [{ port, speaks: speech.startsWith('http') ? 'http' : 'tcp' }]
    }
    exposed?.note(key, 'left-out', 'This must be a port from 1 to 65535.')
    return []
  })
}

function readContainer(tree: FileTree, file: string, fields: Fields): ContainerRule | undefined {
  const key = findFirstKeyWithValue(fields, ['containers', 'container']) ?? 'containers'
  const containers = fields.fields(key)
  const exposed = fields.fields('expose')
  if (containers === undefined) {
    exposed?.rest()
    return undefined
  }
  const exposedNames = (exposed?.keys ?? []).filter((name) => containers.keys.includes(name))
  const main = exposedNames[0] ?? containers.keys[0]
  if (main === undefined) return undefined
  for (const name of containers.keys)
    if (name !== main) containers.note(name, 'left-out', onlyOne, 'Put what the challenge needs into one image.')

  const ports: ContainerRule['ports'] = []
  let healthPath: string | undefined
  for (const name of exposed?.keys ?? []) {
    if (name !== main) {
      exposed?.note(name, 'left-out', onlyOne)
      continue
    }
    for (const [index, entry] of (exposed?.list(name) ?? []).entries()) {
      const way = exposed?.element(name, index, entry)
      const target = way?.number('target')
      const isHttp = way?.take('http') !== undefined
      if (way?.take('tcp') !== undefined) way.note('tcp', 'left-out', 'The platform chooses the public port.')
      if (isHttp) way?.note('http', 'left-out', 'The platform chooses the host name.')
      const path = isHttp ? way?.text('healthPath') : undefined
      if (healthPath === undefined && path?.startsWith('/')) healthPath = path
      else if (path !== undefined) way?.note('healthPath', 'left-out', 'Only one path is checked, and it starts with `/`.')
      way?.leaveOut({
        healthPath: 'An instance is ready when it accepts connections.',
        healthContent: 'An instance is ready when it accepts connections.',
        rateLimit: 'Connection limits are set for the gateway.',
      })
      way?.rest()
      if (isPort(target)) {
        if (!ports.some(({ port }) => port === target)) ports.push({ port: target, speaks: isHttp ? 'http' : 'tcp' })
      } else way?.note('target', 'left-out', 'This must be a port from 1 to 65535.')
    }
  }

  const container = containers.fields(main)
  if (container === undefined) return undefined
  for (const own of readOwnExpose(container)) if (!ports.some(({ port }) => port === own.port)) ports.push(own)
  const inner = container.list('ports')
  const first = inner.find(isPort)
  if (ports.length === 0 && first !== undefined) ports.push({ port: first, speaks: 'tcp' })
  if (inner.some((port) => !ports.some((open) => open.port === port)))
    container.note('ports', 'left-out', 'Ports that are not exposed are not opened.')
  const named = container.text('image')
  const build = readBuildSettings(tree, file, container)
  const resources = { ...readLimits(container.fields('limits')), ...readResources(container.fields('resources')) }
  const command = container.texts('command')
  const args = container.texts('args')
  const environment = readVariables(container, findFirstKeyWithValue(container, ['environment', 'env']) ?? 'environment')
  const security = readSecurityContext(container.fields('securityContext'))
  const egress = container.boolean('egress')
  if (named !== undefined && build !== undefined) container.note('image', 'left-out', 'The platform names the built image.')
  const image = build === undefined ? named : undefined
  container.leaveOut({
    replicas: 'Each team starts its own instance.',
    privileged: 'Instances run without capabilities.',
    k8s: 'The platform defines the pod.',
  })
  container.rest()
  if (ports.length === 0) {
    fields.note(key, 'left-out', 'No container is reachable: no port is exposed.')
    return undefined
  }
  if (image === undefined && build === undefined) {
    fields.note(key, 'left-out', 'The file names neither an image nor a folder to build.')
    return undefined
  }
  return {
    ...(image === undefined ? {} : { image }),
    ...(build === undefined ? {} : { build }),
    ports: (exposed ?? fields).limit(exposed === undefined ? key : main, ports, maxPorts, 'ports'),
    ...(command.length === 0 ? {} : { command }),
    ...(args.length === 0 ? {} : { args }),
    ...(environment === undefined ? {} : { environment }),
    ...security,
    ...resources,
    ...(egress === undefined ? {} : { egress }),
    ...(healthPath === undefined ? {} : { readiness: { path: healthPath } }),
  }
}

function readOne(tree: FileTree, written: Source, findings: Finding[], nearby: Nearby): ChallengeFile {
  const { file } = written
  const project = findRcdsProject(tree, file)
  const source = addProjectDefaults(written, project)
  const fields = new Fields(source, findings)
  const folder = folderOf(file)
  const title = fields.shortText('name', InputLimits.maxTitleLength) ?? nameOf(folder)
  const named = fields.text('category')
  const { category, tags: fromCategory } = readCategory(fields, 'category', named ?? nameOf(folderOf(folder)))
  const flags = readFlags(tree, file, fields)
  if (flags.length === 0) reportMissingFlag(fields, 'flag')
  const attachments = readProvided(tree, file, fields)
  const authors = readAuthors(fields, 'author')
  const labels = readLabels(fields, [...fields.texts('tags'), ...fromCategory])
  const score = readScore(fields, project?.points)
  const isVisible = (fields.boolean('visible') ?? true) && fields.boolean('hidden') !== true
  const id = fields.text('id')
  const value = source.value as Readonly<Record<string, unknown>>
  const description = convertTemplate(fields, 'description', fields.text('description') ?? '', (name) => value[name]).trimEnd()
  const container = readContainer(tree, file, fields)
  const services =
    container === undefined ? readNearbyService(tree, file, { category, address: description }, nearby) : { container }
  fields.leaveOut({
    sortWeight: 'Players choose the order.',
    tiebreakEligible: 'Every solve counts when teams are tied.',
    deployed: 'Containers start when a team asks for them.',
    backend: 'Each team gets its own instances.',
    instancer: 'The lifetime of instances is set for the whole platform.',
    strategy: 'Each team starts its own instance.',
    extraBuilds: 'Additional images are not built.',
    adminbot: 'Bots that visit links must run outside of the platform.',
  })
  fields.rest()
  return {
    apiVersion: challengeApiVersion,
    kind: 'Challenge',
    name: nameFromTitle(id ?? (nameOf(folder) || title)),
    title,
    category,
    ...(authors.length === 0 ? {} : { authors }),
    ...labels,
    enabled: isVisible && flags.length > 0,
    description: escapeFormulas(description),
    ...(score === undefined ? {} : { score }),
    flags,
    ...(attachments.length === 0 ? {} : { attachments }),
    ...services,
  }
}

/** Fields that only descriptors of other formats have next to `flag`. */
const ofOthers = ['files', 'attachments', 'port', 'ports', 'protocol']
const ofRcds = ['provide', 'containers', 'container', 'expose']

export const rcds: Dialect = {
  name: 'rcds',
  recognizes: (file, value) =>
    /^challenge\.(?:ya?ml|toml)$/.test(nameOf(file)) &&
    ('name' in value ? 'flag' in value || 'description' in value : 'flag' in value && 'author' in value) &&
    !('flags' in value || 'apiVersion' in value) &&
    (ofRcds.some((key) => key in value) || !ofOthers.some((key) => key in value)),
  read: (tree, file) => {
    const findings: Finding[] = []
    const [source] = readForeignFile(tree, file)
    if (source === undefined) throw new Error(`${file} is empty`)
    const own: Nearby = { dockerfiles: [] }
    return { challenge: readOne(tree, source, findings, own), findings, ...own }
  },
}
