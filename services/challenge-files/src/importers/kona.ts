import { Defaults, InputLimits } from '@capstan/contract/limits'
import type { AttachmentRule, ChallengeFile, ContainerRule, FlagRule } from '../format/challenge.ts'
import { challengeApiVersion } from '../format/challenge.ts'
import type { Finding } from '../report.ts'
import { readForeign } from '../toml.ts'
import { type FileTree, folderOf, nameOf, trimSlashes } from '../tree.ts'
import type { Source } from '../yaml.ts'
import type { Dialect, ReadOne } from './dialect.ts'
import { Fields } from './fields.ts'
import { nameFrom } from './names.ts'
import {
  attachmentFile,
  attachmentFiles,
  flagPattern,
  flagText,
  isPort,
  noteMissingFlag,
  pathBeside,
  readAuthors,
  readCategory,
  readCost,
  readLabels,
  readVariables,
  topicsAreHidden,
} from './parts.ts'
import { onlyOne, readPods } from './pods.ts'
import { constantScore, ctfdScore, pointsWithin, rctfScore } from './score-curve.ts'
import { readServices } from './services.ts'
import { readTemplate } from './templates.ts'

/**
 * Reader for challenges of Konata: `kona.yaml` lists the challenges of a folder and their images. Field names may use camel case
 * or underscores.
 */

function either(fields: Fields, camel: string): string {
  const snake = camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return fields.keys.includes(snake) ? snake : camel
}

/** Reads a flag that is a text, a text under `str`, or a file. */
function flagOf(tree: FileTree, file: string, holder: Fields, key: string): FlagRule[] {
  const value = holder.take(key)
  if (value === undefined) return []
  if (typeof value !== 'object') return flagText(holder, key, String(value))
  const flag = holder.fields(key)
  const text = flag?.text('str') ?? flag?.text(either(flag, 'strContent'))
  const path = text === undefined ? flag?.text('file') : undefined
  flag?.rest()
  if (text !== undefined) return flagText(holder, key, text)
  const beside = path === undefined || flag === undefined ? undefined : pathBeside(tree, file, flag, 'file', path)
  return beside === undefined ? [] : [{ file: beside }]
}

const ofTeam = '_[TEAM_HASH]'

/** Reads flags that another program generates. If teams get their own instances, they also get their own flags here. */
function providedFlags(flags: Fields, hasInstances: boolean): FlagRule[] {
  return flags.list('rctf').flatMap((entry, index): FlagRule[] => {
    if (typeof entry !== 'object' || entry === null) return flagText(flags, 'rctf', String(entry))
    const provided = flags.element('rctf', index, entry)
    const provider = provided.text('provider') ?? ''
    const config = provided.fields('config')
    const text = ['base', 'flag', 'value'].map((key) => config?.text(key)).find((each) => each !== undefined)
    const mode = config?.text('mode')
    config?.rest()
    provided.rest()
    const [rule] = text === undefined ? [] : flagText(provided, 'config', text)
    if (rule === undefined || !('text' in rule)) {
      provided.note('provider', 'left-out', `What \`${provider}\` gives out is not known here.`, 'Add it to `flags`.')
      return []
    }
    if (!provider.endsWith('/dynamic') || !hasInstances) return [rule]
    const end = rule.text.endsWith('}') ? rule.text.length - 1 : rule.text.length
    provided.note(
      'config',
      'converted',
      `Each team has a flag of its own here too, made another way than by \`${mode ?? provider}\`.`,
    )
    return [{ template: `${rule.text.slice(0, end)}${ofTeam}${rule.text.slice(end)}` }]
  })
}

/** Returns a flag that is the same for all teams, because teams have no instances. */
function withoutTeam(rule: FlagRule): FlagRule {
  return 'template' in rule ? { text: rule.template.replace(ofTeam, '') } : rule
}

function readFlags(tree: FileTree, file: string, fields: Fields): FlagRule[] {
  const flags = fields.fields('flags')
  if (flags === undefined) return []
  const first = Array.isArray(flags.take('rctf'))
    ? providedFlags(flags, fields.keys.includes(either(fields, 'instancerConfig')))
    : flagOf(tree, file, flags, 'rctf')
  const others = flags.list('ctfd').flatMap((entry, index): FlagRule[] => {
    if (typeof entry !== 'object') return flagText(flags, 'ctfd', String(entry))
    const flag = flags.element('ctfd', index, entry)
    const type = flag.text('type') ?? 'static'
    const read = flagOf(tree, file, flag, 'flag')
    flag.rest()
    if (type === 'static') return read
    if (type === 'regex') return read.flatMap((rule) => ('text' in rule ? flagPattern(flag, 'flag', rule.text) : []))
    flag.note('type', 'left-out', `Flags of the type \`${type}\` are not known here.`)
    return []
  })
  flags.rest()
  const known = new Set<string>()
  return [...first, ...others].filter((rule) => {
    const text = JSON.stringify(rule)
    return !known.has(text) && known.add(text)
  })
}

function readAttachments(tree: FileTree, file: string, fields: Fields): AttachmentRule[] {
  const value = fields.take('attachments')
  if (value === undefined) return []
  if (Array.isArray(value)) return attachmentFiles(tree, file, fields, 'attachments')
  const attachments = fields.fields('attachments')
  if (attachments === undefined) return []
  const ready = either(attachments, 'preCompressed')
  const found = [
    ...attachmentFiles(tree, file, attachments, 'files'),
    ...attachments.texts(ready).flatMap((path) => attachmentFile(tree, file, attachments, ready, path)),
  ]
  attachments.leaveOut({
    additional: 'Files that are written out in the descriptor are not packed: add them to the folder.',
    archiveName: 'The archive is named by the platform.',
    archive_name: 'The archive is named by the platform.',
    stripComponents: 'The archive has the folders of the files.',
    strip_components: 'The archive has the folders of the files.',
    password: 'Archives have no password.',
  })
  attachments.rest()
  return found
}

/** Defaults of Konata. */
const usual = { most: 500, least: 100, decay: 60 }

function readScore(fields: Fields): ChallengeFile['score'] {
  const scoring = fields.fields('scoring')
  const mostKey = scoring === undefined ? 'initialValue' : either(scoring, 'initialValue')
  const most = scoring?.number(mostKey) ?? usual.most
  const least = scoring?.number(either(scoring, 'minimumValue')) ?? usual.least
  const ofCtfd = scoring?.fields('ctfd')
  const decay = ofCtfd?.number('decay')
  const shape = ofCtfd?.text(either(ofCtfd, 'decayFunction'))
  if (ofCtfd !== undefined) ofCtfd.leaveOut({ [either(ofCtfd, 'maxAttempts')]: 'How often a team may try is not limited.' })
  ofCtfd?.rest()
  const ofRctf = scoring?.fields('rctf')
  if (ofRctf !== undefined)
    ofRctf.leaveOut({
      [either(ofRctf, 'eligibleForTiebreaks')]: 'Every solve counts for the order of equal teams.',
      kind: 'Values follow the curve of the platform.',
      dynamic: 'Values follow the curve of the platform.',
    })
  ofRctf?.rest()
  scoring?.rest()
  const points = pointsWithin(scoring ?? fields, mostKey, most)
  if (decay === undefined && shape === undefined) return rctfScore(fields, 'scoring', least, points)
  if (least >= points) return constantScore(points)
  return ctfdScore(fields, 'scoring', {
    initial: points,
    minimum: least,
    decay: decay ?? usual.decay,
    isLinear: shape === 'linear',
  })
}

/**
 * Adds a valid port to the known ports.
 * @returns false if it is invalid or already known
 */
function isNewPort(port: number | undefined, known: Set<number>): port is number {
  if (!isPort(port) || known.has(port)) return false
  known.add(port)
  return true
}

interface BuiltImage {
  readonly build: NonNullable<ContainerRule['build']>
  readonly fields: Fields
  isUsed: boolean
}

/** Build contexts of images, by the name in templates. */
type BuiltImages = Map<string, BuiltImage>

function readImages(tree: FileTree, file: string, deployment: Fields | undefined): BuiltImages {
  const images: BuiltImages = new Map()
  for (const [index, entry] of (deployment?.list('images') ?? []).entries()) {
    const image = deployment?.element('images', index, entry)
    if (image === undefined) continue
    const name = image.text('name') ?? String(index)
    const path = image.text('path') ?? image.text(either(image, 'buildContext')) ?? '.'
    const context = pathBeside(tree, file, image, 'path', path)
    const dockerfile = image.text('dockerfile')
    const args = readVariables(image, either(image, 'buildArgs'))
    image.leaveOut({
      tag: 'Images are named by those who push them.',
      registryName: 'Images are named by those who push them.',
      registry_name: 'Images are named by those who push them.',
      platform: 'Images are built for the nodes of the cluster.',
      noCache: 'How images are built is up to those who build them.',
      no_cache: 'How images are built is up to those who build them.',
      exports: 'Files that a build makes are added to the folder by hand.',
    })
    image.rest()
    if (context !== undefined)
      images.set(name, {
        fields: image,
        isUsed: false,
        build: {
          context: trimSlashes(context),
          ...(dockerfile === undefined ? {} : { dockerfile }),
          ...(args === undefined ? {} : { args }),
        },
      })
  }
  deployment?.leaveOut({
    kubernetesManifests: 'The operator makes the pod.',
    kubernetes_manifests: 'The operator makes the pod.',
    kubernetesInlineManifests: 'The operator makes the pod.',
    kubernetes_inline_manifests: 'The operator makes the pod.',
  })
  deployment?.rest()
  return images
}

const imageTemplate = /^\{\{ ?images\[ ?['"]?([\w .-]{1,128})['"]? ?\] ?\}\}$/

const ownAddress = 'Players read the address of their own instance beside the description.'

function readEndpoints(fields: Fields): { readonly isHttp: boolean; readonly port: number | undefined; readonly own: Fields }[] {
  return fields.list('endpoints').map((entry, index) => {
    const own = fields.element('endpoints', index, entry)
    const isHttp = own.text('type')?.startsWith('http') === true
    const port = own.number('port')
    own.leaveOut({ endpoint: ownAddress, name: ownAddress })
    own.rest()
    return { isHttp, port, own }
  })
}

/** Returns the first exposed container with its ports and reports the ports of others. */
function readExposed(instancer: Fields) {
  const ports: { port: number; speaks: 'http' | 'tcp' }[] = []
  const known = new Set<number>()
  let first: { readonly name: string | undefined; readonly isHttp: boolean; readonly way: Fields } | undefined
  for (const [index, entry] of instancer.list('expose').entries()) {
    const way = instancer.element('expose', index, entry)
    const name = way.text(either(way, 'containerName'))
    const port = way.number(either(way, 'containerPort'))
    const isHttp = way.text('kind')?.startsWith('http') === true
    const chosen = 'The platform chooses the host name.'
    const led = 'Players are led to every port that says what it speaks.'
    way.leaveOut({ hostPrefix: chosen, host_prefix: chosen, shouldDisplay: led, should_display: led, title: led })
    way.rest()
    first ??= { name, isHttp, way }
    if (name !== first.name) way.noteAll('left-out', onlyOne, 'Put what the challenge needs into one image.')
    else if (isNewPort(port, known)) ports.push({ port, speaks: isHttp ? 'http' : 'tcp' })
    else if (index > 0) way.noteAll('left-out', 'A port from 1 to 65535 is expected here, another one for each way.')
  }
  return { first, ports, known }
}

function readContainer(
  fields: Fields,
  images: BuiltImages,
  flags: readonly FlagRule[],
  isOnly: boolean,
): ContainerRule | undefined {
  const instancer = fields.fields(either(fields, 'instancerConfig'))
  const endpoints = readEndpoints(fields)
  const [firstImage] = images.values()
  if (instancer === undefined) {
    if (endpoints.length === 0) return undefined
    if (!isOnly || firstImage === undefined) {
      const advice = 'Write the address into the description, or add `container`.'
      fields.note('endpoints', 'left-out', 'What runs outside of the platform has no address here.', advice)
      return undefined
    }
    fields.note('endpoints', 'converted', 'Each team starts an instance of its own.', 'Check `container.ports`.')
    firstImage.isUsed = true
    const known = new Set<number>()
    const ports = endpoints.flatMap(({ isHttp, port }) =>
      isNewPort(port ?? Defaults.exposedPort, known)
        ? [{ port: port ?? Defaults.exposedPort, speaks: isHttp ? ('http' as const) : ('tcp' as const) }]
        : [],
    )
    return { build: firstImage.build, ports }
  }
  if (endpoints.length > 0) fields.note('endpoints', 'left-out', ownAddress)
  const { first, ports, known } = readExposed(instancer)
  const exposed = {
    name: first?.name,
    ports: known,
    tellUnknown: () =>
      first?.way.note(either(first.way, 'containerName'), 'converted', 'Nothing has this name: the first container is taken.'),
  }
  const config = instancer.fields('config')
  const hasServices = config?.keys.includes('services') === true
  const {
    port: own,
    image,
    ...pod
  } = config === undefined
    ? {}
    : hasServices
      ? readServices(config, 'services', exposed)
      : readPods(config, 'pods', exposed, flags)
  config?.leaveOut({ networks: 'What an instance may connect to is a setting of the platform.' })
  config?.rest()
  instancer.leaveOut({
    instancer: 'Instances run in the cluster of the platform.',
    challengeIntegrationId: 'The platform names its instances.',
    challenge_integration_id: 'The platform names its instances.',
    timeoutMilliseconds: 'How long instances live is a setting of the platform.',
    timeout_milliseconds: 'How long instances live is a setting of the platform.',
    extendable: 'Whether instances live longer is a setting of the platform.',
  })
  instancer.rest()
  const templated = image === undefined ? undefined : imageTemplate.exec(image.trim())?.[1]
  const named = image !== undefined && !image.includes('{{') ? image : undefined
  const built = named === undefined ? (images.get(templated ?? '') ?? firstImage) : undefined
  const key = either(fields, 'instancerConfig')
  if (named === undefined && built === undefined) {
    fields.note(key, 'left-out', 'Neither an image nor a folder to build is named.')
    return undefined
  }
  if (built !== undefined) {
    built.isUsed = true
    if (!images.has(templated ?? ''))
      fields.note(key, 'converted', 'Which image it runs is not said by name: the first of `deployment.images` is built.')
  }
  return {
    ...(built === undefined ? { image: named ?? '' } : { build: built.build }),
    ports: ports.length > 0 ? ports : [{ port: own ?? Defaults.exposedPort, speaks: first?.isHttp ? 'http' : 'tcp' }],
    ...pod,
  }
}

/** Reads hints, which only CTFd uses. */
function readCtfdHints(fields: Fields): NonNullable<ChallengeFile['hints']> {
  const ofCtfd = fields.fields('ctfd')
  if (ofCtfd === undefined) return []
  const hints = ofCtfd.list('hints').flatMap((entry, index) => {
    const hint = ofCtfd.element('hints', index, entry)
    const text = hint.shortText('hint', InputLimits.maxShortTextLength)
    const title = hint.text('title')
    const cost = hint.number('cost')
    hint.rest()
    if (text === undefined || text.trim() === '') return []
    return [{ text: title === undefined ? text : `**${title}** ${text}`, ...readCost(hint, cost) }]
  })
  ofCtfd.leaveOut({
    topics: topicsAreHidden,
    type: 'Values follow the curve of the platform.',
    connectionInfo: ownAddress,
    connection_info: ownAddress,
  })
  ofCtfd.rest()
  return hints
}

function readOne(tree: FileTree, source: Source, fields: Fields, images: BuiltImages, isOnly: boolean): ChallengeFile {
  const { file } = source
  const title = fields.shortText('name', InputLimits.maxTitleLength) ?? nameOf(folderOf(file))
  const named = fields.text('category')
  const { category, tags: fromCategory } = readCategory(fields, 'category', named)
  const id = fields.text(either(fields, 'overrideId')) ?? `${named ?? ''}-${title}`
  const wanted = readFlags(tree, file, fields)
  if (wanted.length === 0) noteMissingFlag(fields, 'flags')
  const authors = readAuthors(fields, 'author')
  const hints = readCtfdHints(fields)
  const labels = readLabels(fields, [...fields.texts('tags'), ...fromCategory])
  const hidden = fields.boolean('hidden')
  const attachments = readAttachments(tree, file, fields)
  const score = readScore(fields)
  const container = readContainer(fields, images, wanted, isOnly)
  const flags = container === undefined ? wanted.map(withoutTeam) : wanted
  const own: Readonly<Record<string, unknown>> = { name: title, author: authors.join(', '), category: named, challenge_id: id }
  const description = readTemplate(fields, 'description', fields.text('description') ?? '', (key) => own[key]).trim()
  fields.leaveOut({
    releaseTime: 'Challenges are enabled by hand.',
    release_time: 'Challenges are enabled by hand.',
    sortWeight: 'Players choose the order.',
    sort_weight: 'Players choose the order.',
    adminBot: 'Programs that visit links run outside of the platform.',
    admin_bot: 'Programs that visit links run outside of the platform.',
  })
  fields.rest()
  return {
    apiVersion: challengeApiVersion,
    kind: 'Challenge',
    name: nameFrom(id),
    title,
    category,
    ...(authors.length === 0 ? {} : { authors }),
    ...labels,
    ...(hidden === undefined ? {} : { enabled: !hidden && flags.length > 0 }),
    description,
    ...(score === undefined ? {} : { score }),
    flags,
    ...(hints.length === 0 ? {} : { hints }),
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(container === undefined ? {} : { container }),
  }
}

export const kona: Dialect = {
  name: 'kona',
  // Without challenges, the file is the project file, which describes the deployment.
  recognizes: (file, value) => /^kona\.(?:ya?ml|toml)$/.test(nameOf(file)) && 'challenges' in value,
  read: (tree, file) => {
    const [source] = readForeign(tree, file)
    if (source === undefined) throw new Error(`${file} is empty`)
    const shared: Finding[] = []
    const fields = new Fields(source, shared)
    const images = readImages(tree, file, fields.fields('deployment'))
    fields.leaveOut({ discovery: 'Every folder is read.' })
    const entries = fields.list('challenges')
    fields.rest()
    const read = entries.map((entry, index): ReadOne => {
      const findings: Finding[] = index === 0 ? shared : []
      const own = new Fields(source, findings, ['challenges', index], entry)
      return { findings, challenge: readOne(tree, source, own, images, entries.length === 1) }
    })
    for (const { fields: image, isUsed } of images.values())
      if (!isUsed)
        image.noteAll('left-out', 'No challenge of the file runs it for a team.', 'Add `container` to the one that needs it.')
    return read
  },
}
