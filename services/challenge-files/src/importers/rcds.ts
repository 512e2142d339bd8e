import { Defaults, InputLimits } from '@capstan/contract/limits'
import type { AttachmentRule, ChallengeFile, ContainerRule, FlagRule } from '../format/challenge.ts'
import { challengeApiVersion } from '../format/challenge.ts'
import type { Finding } from '../report.ts'
import { type FileTree, folderOf, nameOf } from '../tree.ts'
import { readYaml, type Source } from '../yaml.ts'
import type { Dialect } from './dialect.ts'
import { Fields } from './fields.ts'
import { nameFrom } from './names.ts'
import {
  attachmentFile,
  flagText,
  flagVariable,
  isPort,
  pathBeside,
  readBuild,
  readCategory,
  readResources,
  readSecurity,
  readVariables,
} from './parts.ts'

/** Challenges of rcds, which deploys them for rCTF: `challenge.yaml` with `flag`, `provide`, `containers` and `expose`. */

const instanceAddress = '[address of your instance]'

/** What a placeholder of a description stands for there. */
const placeholderText = (expression: string): string => (expression === 'nc' ? `nc ${instanceAddress}` : instanceAddress)

const placeholder = /\{\{([^{}]{1,128})\}\}|\{(instancer(?::[^{}]{1,128})?)\}/g
const linkToPlaceholder = /\[([^[\]]{1,256})\]\((?:\{\{[^{}]{1,128}\}\}|\{instancer(?::[^{}]{1,128})?\})\)/g

const readDescription = (fields: Fields): string => {
  const text = fields.text('description') ?? ''
  const plain = text
    .replace(linkToPlaceholder, (_, label: string) => label)
    .replace(placeholder, (_, jinja?: string, instancer?: string) => placeholderText((jinja ?? instancer ?? '').trim()))
  if (plain !== text)
    fields.note('description', 'converted', 'Players read the address of their own instance beside the description.')
  return plain.trimEnd()
}

const readFlags = (tree: FileTree, file: string, fields: Fields): FlagRule[] => {
  const value = fields.take('flag')
  if (typeof value === 'string' || typeof value === 'number') return flagText(fields, 'flag', String(value))
  const flag = fields.fields('flag')
  if (flag === undefined) return []
  const path = flag.text('file')
  const pattern = flag.text('regex')
  flag.rest()
  if (path !== undefined) {
    const beside = pathBeside(tree, file, flag, 'file', path)
    return beside === undefined ? [] : [{ file: beside }]
  }
  return pattern === undefined ? [] : [{ pattern }]
}

const readProvided = (tree: FileTree, file: string, fields: Fields): AttachmentRule[] =>
  fields.list('provide').flatMap((entry, index): AttachmentRule[] => {
    if (typeof entry === 'string') return attachmentFile(tree, file, fields, 'provide', entry)
    const provided = fields.element('provide', index, entry)
    const url = provided.text('url')
    const path = provided.text('file')
    const as = provided.text('as')
    const archive = provided.text('kind') === undefined ? undefined : provided.fields('spec')
    if (archive !== undefined) {
      // Several files are packed into one archive here too.
      const name = archive.text('as')
      if (name !== undefined) archive.note('as', 'converted', 'The archive is named by the platform.')
      const packed = archive.texts('files').flatMap((each) => attachmentFile(tree, file, archive, 'files', each))
      archive.leaveOut({
        additional: 'Files that are written out in the descriptor are not packed.',
        exclude: 'Each file is named.',
      })
      archive.rest()
      provided.rest()
      return packed
    }
    provided.rest()
    if (url !== undefined) return [{ url }]
    return path === undefined ? [] : attachmentFile(tree, file, provided, 'file', path, as)
  })

const readScore = (fields: Fields): ChallengeFile['score'] => {
  const value = fields.take('value')
  if (value === undefined) return undefined
  if (typeof value === 'number') return { points: Math.round(value), minimumShare: 1 }
  const range = fields.fields('value')
  const least = range?.number('min')
  const most = range?.number('max')
  range?.rest()
  if (most === undefined || most <= 0) return undefined
  fields.note(
    'value',
    'converted',
    'How fast the value falls is not in the file: it falls as the platform does by default.',
    'Set `score.difficulty`.',
  )
  return {
    points: Math.round(most),
    minimumShare: Math.min(1, Math.max(0, (least ?? 0) / most)),
    difficulty: Defaults.difficulty,
  }
}

const onlyOne = 'One container of a challenge runs for each team; this one is not started.'

const readContainer = (tree: FileTree, file: string, fields: Fields, flags: readonly FlagRule[]): ContainerRule | undefined => {
  const containers = fields.fields('containers')
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
  for (const name of exposed?.keys ?? []) {
    if (name !== main) {
      exposed?.note(name, 'left-out', onlyOne)
      continue
    }
    for (const [index, entry] of (exposed?.list(name) ?? []).entries()) {
      const way = exposed?.element(name, index, entry)
      const target = way?.number('target')
      const isHttp = way?.take('http') !== undefined
      if (way?.take('tcp') !== undefined) way.note('tcp', 'left-out', 'The platform chooses the outer port.')
      if (isHttp) way?.note('http', 'left-out', 'The platform chooses the host name.')
      way?.leaveOut({
        healthContent: 'An instance is ready when it accepts connections.',
        rateLimit: 'Limits on connections belong to the gateway.',
      })
      way?.rest()
      if (isPort(target)) ports.push({ port: target, speaks: isHttp ? 'http' : 'tcp' })
      else way?.note('target', 'left-out', 'A port from 1 to 65535 is expected here.')
    }
  }

  const container = containers.fields(main)
  if (container === undefined) return undefined
  for (const port of container.list('ports')) if (ports.length === 0 && isPort(port)) ports.push({ port, speaks: 'tcp' })
  const image = container.text('image')
  const build = readBuild(tree, file, container)
  const resources = readResources(container.fields('resources'))
  const command = container.texts('command')
  const args = container.texts('args')
  const variables = flagVariable(readVariables(container, 'environment'), flags)
  const security = readSecurity(container.fields('securityContext'))
  container.leaveOut({
    replicas: 'Each team starts an instance of its own.',
    k8s: 'The operator makes the pod.',
  })
  container.rest()
  if (ports.length === 0) {
    fields.note('containers', 'left-out', 'Nothing of it can be reached: no port is exposed.')
    return undefined
  }
  if (image === undefined && build === undefined) {
    fields.note('containers', 'refused', 'Neither an image nor a folder to build is named.')
    return undefined
  }
  return {
    ...(image === undefined ? {} : { image }),
    ...(build === undefined ? {} : { build }),
    ports,
    ...(command.length === 0 ? {} : { command }),
    ...(args.length === 0 ? {} : { args }),
    ...variables,
    ...security,
    ...resources,
  }
}

const readOne = (tree: FileTree, source: Source, findings: Finding[]): ChallengeFile => {
  const { file } = source
  const fields = new Fields(source, findings)
  const folder = folderOf(file)
  const title = fields.text('name') ?? nameOf(folder)
  const named = fields.text('category')
  const { category, tags } = readCategory(fields, 'category', named ?? nameOf(folderOf(folder)))
  const flags = readFlags(tree, file, fields)
  if (flags.length === 0) fields.note('flag', 'refused', 'No flag is named, so that nobody could solve it.')
  const container = readContainer(tree, file, fields, flags)
  const attachments = readProvided(tree, file, fields)
  const authors = fields.texts('author')
  const score = readScore(fields)
  const enabled = fields.boolean('visible')
  const id = fields.text('id')
  const description = readDescription(fields)
  fields.leaveOut({
    sortWeight: 'Players choose the order.',
    tiebreakEligible: 'Every solve counts for the order of equal teams.',
    deployed: 'Containers start when a team asks for them.',
    backend: 'Every team gets its own instances here.',
    instancer: 'How long instances live is a setting of the platform.',
    extraBuilds: 'Images that are no part of the challenge are not built.',
    adminbot: 'Programs that visit links run outside of the platform.',
  })
  fields.rest()
  return {
    apiVersion: challengeApiVersion,
    kind: 'Challenge',
    name: nameFrom(id ?? nameOf(folder)),
    title: title.slice(0, InputLimits.titleMaxLength),
    category,
    ...(authors.length === 0 ? {} : { authors }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(enabled === undefined ? {} : { enabled }),
    description,
    ...(score === undefined ? {} : { score }),
    flags,
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(container === undefined ? {} : { container }),
  }
}

export const rcds: Dialect = {
  name: 'rcds',
  recognizes: (file, value) =>
    /^challenge\.ya?ml$/.test(nameOf(file)) && 'name' in value && 'flag' in value && !('apiVersion' in value),
  read: (tree, file) => {
    const findings: Finding[] = []
    const [source] = readYaml(tree, file, '1.1')
    if (source === undefined) throw new Error(`${file} is empty`)
    return { challenge: readOne(tree, source, findings), findings }
  },
}
