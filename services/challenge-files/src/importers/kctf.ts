import { InputLimits } from '@capstan/contract/limits'
import type { AttachmentRule, ChallengeFile, ContainerRule, FlagRule } from '../format/challenge.ts'
import { challengeApiVersion } from '../format/challenge.ts'
import { isRecord } from '../record.ts'
import type { Finding } from '../report.ts'
import { type FileTree, findFirstFile, folderOf, joinPath, nameOf, trimSlashes } from '../tree.ts'
import { readYaml, type Source, UnreadableFile } from '../yaml.ts'
import type { Dialect, ReadOne } from './dialect.ts'
import { reportIgnoredDocuments, reportIgnoredObjects, reportOddSyntax } from './documents.ts'
import { Fields } from './fields.ts'
import { nameFromTitle } from './names.ts'
import {
  findFirstKeyWithValue,
  isPort,
  maxPorts,
  readAuthors,
  readCategory,
  readLabels,
  readTextFlag,
  reportMissingFlag,
  reportUdp,
  resolveAttachmentFile,
} from './parts.ts'
import { readPodContainer } from './pods.ts'
import { findReadmeFlag } from './readme-flag.ts'
import { clampPoints, createConstantScore } from './score-curve.ts'

/**
 * Reader for challenges of kCTF. `challenge.yaml` is a Kubernetes object of the kind Challenge, next to a folder `challenge` to
 * build. An optional `metadata.yaml` contains title, text, category and flag.
 */

/** Default port of kCTF's image. */
const usualPort = 1337

/**
 * Returns the path of the flag file in the build folder.
 * @returns undefined if there is no flag file, or more than one
 */
function onlyFlagFile(tree: FileTree, folder: string): string | undefined {
  const inside = `${joinPath(folder, 'challenge')}/`
  const found = tree.paths.filter((path) => path.startsWith(inside) && /^flag(?:\.txt)?$/.test(nameOf(path)))
  return found.length === 1 ? found[0]?.slice(folder === '' ? 0 : folder.length + 1) : undefined
}

const runsElsewhere = 'The platform defines the pod.'

function readContainer(tree: FileTree, file: string, spec: Fields): ContainerRule | undefined {
  const folder = folderOf(file)
  const image = spec.text('image')
  const network = spec.fields('network')
  const known = new Set<number>()
  const ports: ContainerRule['ports'] = (network?.list('ports') ?? []).flatMap((entry, index): ContainerRule['ports'] => {
    const way = network?.element('ports', index, entry)
    const protocol = way?.text('protocol')
    if (protocol !== undefined && way !== undefined) reportUdp(way, 'protocol', protocol)
    const target = way?.number('targetPort')
    const port = target ?? way?.number('port')
    way?.leaveOut({ port: 'The platform chooses the public port.', domains: 'The platform chooses the host name.' })
    way?.rest()
    if (!isPort(port) || known.has(port)) {
      way?.noteAll('left-out', 'This must be a port from 1 to 65535 that is not listed twice.')
      return []
    }
    known.add(port)
    return [{ port, speaks: protocol?.toUpperCase().startsWith('HTTP') === true ? 'http' : 'tcp' }]
  })
  network?.leaveOut({ public: 'Instances are reached through the platform.', dns: runsElsewhere })
  network?.rest()

  const outer = spec.fields('podTemplate')
  const template = outer?.fields('template')
  const { port, ...rule } = readPodContainer(template?.fields('spec'), known)
  template?.leaveOut({ metadata: 'The platform defines the pod.' })
  for (const each of [template, outer]) each?.rest()
  const dockerfile = findFirstFile(tree, folder, ['challenge/Dockerfile', 'Dockerfile', 'challenge/image/Dockerfile'])
  if (dockerfile === undefined && image === undefined && rule.image === undefined) {
    spec.note('image', 'left-out', 'The file names neither an image nor a folder to build.')
    return undefined
  }
  if (dockerfile !== undefined && image !== undefined)
    spec.note('image', 'left-out', `The image is built from \`${dockerfile}\`.`)
  const { image: named, ...others } = rule
  return {
    ...(dockerfile === undefined
      ? { image: named ?? image ?? '' }
      : { build: { context: folderOf(dockerfile) === '' ? '.' : folderOf(dockerfile) } }),
    ports: ports.length === 0 ? [{ port: port ?? usualPort, speaks: 'tcp' }] : (network ?? spec).limit('ports', ports, maxPorts),
    ...others,
  }
}

type Text = Readonly<{
  title?: string
  authors: readonly string[]
  category?: ReturnType<typeof readCategory>
  labels?: ReturnType<typeof readLabels>
  description: string
  flags: FlagRule[]
  /** Files for players. Absent if the metadata lists no files. */
  attachments?: AttachmentRule[]
  points?: number
  enabled?: boolean
}>

/** Reads the metadata. If this fails, the challenge is imported without metadata. */
function readMetadata(tree: FileTree, file: string, findings: Finding[]): Source | undefined {
  try {
    const [source, ...further] = readYaml(tree, file, '1.1')
    findings.push(...reportIgnoredDocuments(further), ...(source === undefined ? [] : reportOddSyntax(source)))
    return source
  } catch (cause) {
    if (!(cause instanceof UnreadableFile)) throw cause
    findings.push({ file, line: cause.line, field: '', outcome: 'left-out', why: cause.message, advice: 'Correct the file.' })
    return undefined
  }
}

/** Reads the texts for players and the flags from `metadata.yaml`. */
function readText(tree: FileTree, file: string, findings: Finding[]): Text | undefined {
  const folder = folderOf(file)
  const name = findFirstFile(tree, folder, ['metadata.yaml', 'metadata.yml'])
  const source = name === undefined ? undefined : readMetadata(tree, joinPath(folder, name), findings)
  if (source === undefined) return undefined
  const fields = new Fields(source, findings)
  const title = fields.shortText('name', InputLimits.maxTitleLength)
  const flag = fields.text('flag') ?? ''
  const isStatic = fields.boolean('has_static_score') === true
  const pointsKey = isStatic ? 'static_score' : findFirstKeyWithValue(fields, ['value', 'points'])
  const points = pointsKey === undefined ? undefined : fields.number(pointsKey)
  const fileKey = findFirstKeyWithValue(fields, ['attachments', 'files', 'distribution', 'provide'])
  const authors = readAuthors(fields, fields.keys.includes('authors') ? 'authors' : 'author')
  fields.leaveOut({ static_score: 'This field has no effect without `has_static_score`.' })
  if (points === undefined)
    fields.note(
      'score',
      'converted',
      'The file does not say how the points drop, so the platform default applies.',
      'Set `score`.',
    )
  const enabled = fields.boolean('visible')
  const category = readCategory(fields, 'category', fields.text('category'))
  const read: Text = {
    ...(title === undefined ? {} : { title }),
    authors,
    category,
    labels: readLabels(fields, [...fields.texts('tags'), ...category.tags]),
    description: (fields.text('description') ?? '').trimEnd(),
    flags: flag.trim() === '' ? [] : readTextFlag(fields, 'flag', flag),
    ...(fileKey === undefined
      ? {}
      : {
          attachments: fields
            .limit(fileKey, fields.texts(fileKey), InputLimits.maxFilesPerUpload)
            .flatMap((path) => resolveAttachmentFile(tree, file, fields, fileKey, trimSlashes(path))),
        }),
    ...(points === undefined || pointsKey === undefined ? {} : { points: clampPoints(fields, pointsKey, points) }),
    ...(enabled === undefined ? {} : { enabled }),
  }
  fields.leaveOut({
    label: 'Challenges are found by title, category and tags.',
    link: 'Players see the address of their instance next to the description.',
    host: 'Players see the address of their instance next to the description.',
    attachment: 'Files next to the descriptor are attached.',
    links_for_testing: 'Test the challenge in the editor.',
    instanced: 'Each team starts its own instance.',
    deploy: 'Containers start when a team asks for them.',
  })
  fields.rest()
  return read
}

function readOne(tree: FileTree, source: Source, findings: Finding[]): ReadOne {
  const { file } = source
  const folder = folderOf(file)
  const fields = new Fields(source, findings)
  fields.take('apiVersion')
  fields.take('kind')
  const metadata = fields.fields('metadata')
  const id = metadata?.text('name') ?? nameOf(folder)
  metadata?.leaveOut({ namespace: runsElsewhere, annotations: runsElsewhere, labels: runsElsewhere })
  metadata?.rest()
  const text = readText(tree, file, findings)
  // If `metadata.yaml` is missing or unreadable, another descriptor of the folder may contain the text. So collect the findings
  // about missing parts in a list that can be dropped.
  const alone: Finding[] | undefined = text === undefined ? [] : undefined
  const unsaid = new Fields({ ...source, value: {} }, alone ?? findings)
  const flagFile =
    findFirstFile(tree, folder, ['challenge/flag', 'challenge/flag.txt', 'flag', 'flag.txt']) ?? onlyFlagFile(tree, folder)
  const given = text !== undefined && text.flags.length > 0 ? text.flags : flagFile === undefined ? [] : [{ file: flagFile }]
  const named = given.length === 0 ? findReadmeFlag(tree, folder, unsaid, 'flags') : undefined
  const flags = named === undefined ? given : readTextFlag(unsaid, 'flags', named)
  if (flags.length === 0) reportMissingFlag(unsaid, 'flags')
  if (text === undefined)
    unsaid.note('score', 'converted', 'The file has no points, so the platform default applies.', 'Set `score`.')
  const spec = fields.fields('spec')
  const container = spec === undefined ? undefined : readContainer(tree, file, spec)
  spec?.leaveOut({
    deployed: 'Containers start when a team asks for them.',
    powDifficultySeconds: 'Proof of work is only used at login.',
    healthcheck: 'An instance is ready when it accepts connections.',
    horizontalPodAutoscalerSpec: 'Each team starts its own instance.',
    replicas: 'Each team starts its own instance.',
    allowConnectTo: 'Instances cannot connect to other pods.',
    persistentVolumeClaims: 'Volumes of another cluster are not available.',
    imagePullSecrets: 'Secrets of another cluster are not available.',
    defaultDuration: 'The lifetime of instances is set for the whole platform.',
    domainName: 'The platform chooses the host name.',
    gatewayName: 'Instances are reached through the platform.',
  })
  spec?.rest()
  fields.rest()
  const attached = tree.paths.filter((path) => path.startsWith(`${joinPath(folder, 'attachments')}/`))
  const attachments =
    text?.attachments ??
    unsaid
      .limit('attachments', attached, InputLimits.maxFilesPerUpload)
      .flatMap((path) =>
        resolveAttachmentFile(tree, file, unsaid, 'attachments', path.slice(folder === '' ? 0 : folder.length + 1)),
      )
  const category = text?.category ?? readCategory(unsaid, 'category', id.includes('-') ? id.slice(0, id.indexOf('-')) : undefined)
  const challenge: ChallengeFile = {
    apiVersion: challengeApiVersion,
    kind: 'Challenge',
    name: nameFromTitle(id),
    title: text?.title ?? id,
    category: category.category,
    ...(text === undefined || text.authors.length === 0 ? {} : { authors: [...text.authors] }),
    ...(text?.labels ?? readLabels(unsaid, category.tags)),
    enabled: (text?.enabled ?? true) && flags.length > 0,
    description: text?.description ?? '',
    ...(text?.points === undefined ? {} : { score: createConstantScore(text.points) }),
    flags,
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(container === undefined ? {} : { container }),
  }
  return { challenge, findings, ...(alone === undefined ? {} : { alone }) }
}

/** Kinds of challenges: with one shared instance, and with an instance per team. */
const kinds: readonly unknown[] = ['Challenge', 'ChallengeInstanceTemplate']
const groups: readonly unknown[] = ['kctf.dev/v1', 'kctf.dev/v1alpha1']

export const kctf: Dialect = {
  name: 'kctf',
  recognizes: (_, value) => groups.includes(value.apiVersion) && kinds.includes(value.kind),
  read: (tree, file) => {
    const sources = readYaml(tree, file, '1.1')
    const found = sources.find(({ value }) => isRecord(value) && kctf.recognizes(file, value))
    if (found === undefined) throw new Error(`${file} contains no Challenge`)
    return readOne(tree, found, reportIgnoredObjects(sources.filter((source) => source !== found)))
  },
}
