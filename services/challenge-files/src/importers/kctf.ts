import { InputLimits } from '@capstan/contract/limits'
import type { ChallengeFile, ContainerRule, FlagRule } from '../format/challenge.ts'
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
  readCategory,
  readReadiness,
  readResources,
  readSecurity,
} from './parts.ts'

/**
 * Challenges of kCTF: `challenge.yaml` is a Kubernetes object of the kind Challenge, with a `challenge` folder that is built.
 * Title, text, category and flag stand in `metadata.yaml` beside it, where there is one.
 */

/** What the listener of kCTF's image serves on unless told. */
const usualPort = 1337

const join = (...parts: string[]): string => parts.filter((part) => part !== '').join('/')

const firstThere = (tree: FileTree, folder: string, names: readonly string[]): string | undefined =>
  names.find((name) => tree.paths.includes(join(folder, name)))

const runsElsewhere = 'The operator makes the pod.'

const readContainer = (tree: FileTree, file: string, spec: Fields, flags: readonly FlagRule[]): ContainerRule | undefined => {
  const folder = folderOf(file)
  const image = spec.text('image')
  const network = spec.fields('network')
  const ports: ContainerRule['ports'] = (network?.list('ports') ?? []).flatMap((entry, index): ContainerRule['ports'] => {
    const way = network?.element('ports', index, entry)
    const protocol = way?.text('protocol')
    const port = way?.number('targetPort') ?? way?.number('port')
    way?.leaveOut({ port: 'The platform chooses the outer port.', domains: 'The platform chooses the host name.' })
    way?.rest()
    return isPort(port) ? [{ port, speaks: protocol?.toUpperCase().startsWith('HTTP') === true ? 'http' : 'tcp' }] : []
  })
  network?.leaveOut({ public: 'Instances are reached through the platform.', dns: runsElsewhere })
  network?.rest()

  const template = spec.fields('podTemplate')
  const pod = template?.fields('template')?.fields('spec')
  const ofPod = readSecurity(pod?.fields('securityContext'))
  let rule: Partial<ContainerRule> = {}
  for (const [index, entry] of (pod?.list('containers') ?? []).entries()) {
    const container = pod?.element('containers', index, entry)
    if (container === undefined) continue
    if (index > 0) {
      container.note('name', 'left-out', 'One container of a challenge runs for each team.')
      continue
    }
    container.take('name')
    const environment: Record<string, string> = {}
    for (const [at, variable] of container.list('env').entries()) {
      const fields = container.element('env', at, variable)
      const name = fields.text('name')
      const value = fields.text('value')
      if (fields.take('valueFrom') !== undefined)
        fields.note(
          'valueFrom',
          'left-out',
          'Secrets of another cluster are not here.',
          'Set the variable in `container.environment`.',
        )
      fields.rest()
      if (name !== undefined && value !== undefined) environment[name] = value
    }
    const command = container.texts('command')
    const args = container.texts('args')
    const named = container.text('image')
    rule = {
      ...(named === undefined ? {} : { image: named }),
      ...(command.length === 0 ? {} : { command }),
      ...(args.length === 0 ? {} : { args }),
      ...flagVariable(Object.keys(environment).length === 0 ? undefined : environment, flags),
      ...ofPod,
      ...readSecurity(container.fields('securityContext')),
      ...readReadiness(container.fields('readinessProbe')),
      ...readResources(container.fields('resources')),
    }
    container.leaveOut({
      volumeMounts: 'Volumes of another cluster are not here.',
      livenessProbe: runsElsewhere,
    })
    container.rest()
  }
  pod?.leaveOut({
    volumes: 'Volumes of another cluster are not here.',
    nodeSelector: 'Nodes are chosen by the operator.',
    tolerations: 'Nodes are chosen by the operator.',
    runtimeClassName: 'The runtime is chosen by the operator.',
    automountServiceAccountToken: 'Instances have no token.',
    serviceAccountName: 'Instances have no account.',
  })
  pod?.rest()

  const dockerfile = firstThere(tree, folder, ['challenge/Dockerfile', 'Dockerfile', 'challenge/image/Dockerfile'])
  if (dockerfile === undefined && image === undefined && rule.image === undefined) {
    spec.note('image', 'left-out', 'Neither an image nor a folder to build is here.')
    return undefined
  }
  const { image: named, ...others } = rule
  return {
    ...(dockerfile === undefined
      ? { image: named ?? image ?? '' }
      : { build: { context: folderOf(dockerfile) === '' ? '.' : folderOf(dockerfile) } }),
    ports: ports.length === 0 ? [{ port: usualPort, speaks: 'tcp' }] : ports,
    ...others,
  }
}

interface Text {
  readonly title?: string
  readonly category?: ReturnType<typeof readCategory>
  readonly description: string
  readonly flags: FlagRule[]
  readonly points?: number
  readonly enabled?: boolean
}

/** What players read, out of `metadata.yaml`. */
const readText = (tree: FileTree, folder: string, findings: Finding[]): Text | undefined => {
  const name = firstThere(tree, folder, ['metadata.yaml', 'metadata.yml'])
  const [source] = name === undefined ? [] : readYaml(tree, join(folder, name), '1.1')
  if (source === undefined) return undefined
  const fields = new Fields(source, findings)
  const title = fields.text('name')
  const flag = fields.text('flag') ?? ''
  const points = fields.boolean('has_static_score') === true ? fields.number('static_score') : undefined
  const enabled = fields.boolean('visible')
  const read: Text = {
    ...(title === undefined ? {} : { title }),
    category: readCategory(fields, 'category', fields.text('category')),
    description: (fields.text('description') ?? '').trimEnd(),
    flags: flag.trim() === '' ? [] : flagText(fields, 'flag', flag),
    ...(points === undefined ? {} : { points: Math.round(points) }),
    ...(enabled === undefined ? {} : { enabled }),
  }
  fields.leaveOut({
    label: 'Challenges are found by title, category and tags.',
    link: 'Players read the address of their own instance beside the description.',
    host: 'Players read the address of their own instance beside the description.',
    attachment: 'Files beside the descriptor are attached.',
    links_for_testing: 'Testing is done in the editor.',
    instanced: 'Each team starts an instance of its own.',
  })
  fields.rest()
  return read
}

const readOne = (tree: FileTree, source: Source, findings: Finding[]): ChallengeFile => {
  const { file } = source
  const folder = folderOf(file)
  const fields = new Fields(source, findings)
  fields.take('apiVersion')
  fields.take('kind')
  const metadata = fields.fields('metadata')
  const id = metadata?.text('name') ?? nameOf(folder)
  metadata?.leaveOut({ namespace: runsElsewhere, annotations: runsElsewhere, labels: runsElsewhere })
  metadata?.rest()
  const text = readText(tree, folder, findings)
  const flagFile = firstThere(tree, folder, ['challenge/flag', 'challenge/flag.txt', 'flag', 'flag.txt'])
  const flags = text !== undefined && text.flags.length > 0 ? text.flags : flagFile === undefined ? [] : [{ file: flagFile }]
  if (flags.length === 0) {
    fields.note(
      'metadata',
      'left-out',
      'No flag is here, so that nobody can solve it yet.',
      'Add it to `flags`, and enable the challenge then.',
    )
  }
  const spec = fields.fields('spec')
  const container = spec === undefined ? undefined : readContainer(tree, file, spec, flags)
  spec?.leaveOut({
    deployed: 'Containers start when a team asks for them.',
    powDifficultySeconds: 'Visitors prove their work at the log-in.',
    healthcheck: 'An instance is ready when it accepts connections.',
    horizontalPodAutoscalerSpec: 'Each team starts an instance of its own.',
    replicas: 'Each team starts an instance of its own.',
    allowConnectTo: 'Instances reach no other pods.',
    persistentVolumeClaims: 'Volumes of another cluster are not here.',
    imagePullSecrets: 'Secrets of another cluster are not here.',
    defaultDuration: 'How long instances live is a setting of the platform.',
    domainName: 'The platform chooses the host name.',
    gatewayName: 'Instances are reached through the platform.',
  })
  spec?.rest()
  fields.rest()
  const attachments = tree.paths
    .filter((path) => path.startsWith(`${join(folder, 'attachments')}/`))
    .flatMap((path) => attachmentFile(tree, file, fields, 'metadata', path.slice(folder === '' ? 0 : folder.length + 1)))
  const category = text?.category ?? readCategory(fields, 'metadata', id.includes('-') ? id.slice(0, id.indexOf('-')) : undefined)
  return {
    apiVersion: challengeApiVersion,
    kind: 'Challenge',
    name: nameFrom(id),
    title: (text?.title ?? id).slice(0, InputLimits.titleMaxLength),
    category: category.category,
    ...(category.tags.length === 0 ? {} : { tags: category.tags }),
    ...(text?.enabled === undefined ? {} : { enabled: text.enabled && flags.length > 0 }),
    description: text?.description ?? '',
    ...(text?.points === undefined ? {} : { score: { points: text.points, minimumShare: 1 } }),
    flags,
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(container === undefined ? {} : { container }),
  }
}

const groups: readonly unknown[] = ['kctf.dev/v1', 'kctf.dev/v1alpha1']

export const kctf: Dialect = {
  name: 'kctf',
  recognizes: (_, value) => groups.includes(value.apiVersion) && value.kind === 'Challenge',
  read: (tree, file) => {
    const findings: Finding[] = []
    const sources = readYaml(tree, file, '1.1')
    let challenge: ChallengeFile | undefined
    for (const source of sources) {
      const value = source.value as Readonly<Record<string, unknown>> | null
      if (value === null) continue
      if (challenge === undefined && kctf.recognizes(file, value)) challenge = readOne(tree, source, findings)
      else
        findings.push({
          file,
          line: source.lineOf(['kind']),
          field: 'kind',
          outcome: 'left-out',
          why: `The object \`${String(value.kind)}\` beside the challenge is not made.`,
          advice: 'Put what the challenge needs into its image.',
        })
    }
    if (challenge === undefined) throw new Error(`${file} holds no Challenge`)
    return { challenge, findings }
  },
}
