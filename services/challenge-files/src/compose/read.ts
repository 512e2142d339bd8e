import { ContainerLimits } from '@capstan/contract/limits'
import type { ChallengeFile, ContainerRule, NamedContainerRule } from '../format/challenge.ts'
import { Fields } from '../importers/fields.ts'
import { readBuildSettings } from '../importers/parts.ts'
import { findListeningPort, listExposedPorts } from '../importers/service-files.ts'
import { isRecord } from '../record.ts'
import type { Finding } from '../report.ts'
import {
  type FileTree,
  folderOf,
  hasFile,
  joinPath,
  readTextIfPossible,
  relativeTo,
  resolvePath,
  type WrittenFile,
} from '../tree.ts'
import { assignNamesAndNetworks, type PlannedContainer } from './containers.ts'
import { type Base, createDerivedDockerfile } from './image.ts'
import { type ComposeProject, readComposeProject } from './project.ts'
import { type ComposeService, readComposeService, reportComposeExtensions } from './service.ts'
import type { Copy } from './volumes.ts'

/** Reads the services of a compose file as containers of a challenge. */

export type ReadCompose = Readonly<{
  containers: Pick<ChallengeFile, 'container' | 'containers'>
  /** Additional Dockerfiles, which add files of the repository to images of containers. */
  dockerfiles: readonly WrittenFile[]
  /** Settings of the challenge in `x-capstan`. */
  own: Readonly<Record<string, unknown>>
  /** Container variables whose name suggests that the value is a flag. */
  flags: readonly string[]
}>

export type ComposeOptions = Readonly<{
  /** Path of the descriptor. The paths in the challenge are relative to the descriptor's folder. */
  descriptor: string
  /** Returns the protocol that a service speaks on a port. */
  speaks: (port: number) => 'http' | 'tcp'
  /** Returns the default port of a service if none of the files that describe the service contains a port. */
  usualPort: () => number
}>

const maxDockerfileBytes = 256 * 1024

/** Default ports of images, for services that publish no port. */
const usualPorts: readonly (readonly [RegExp, number])[] = [
  [/(?:^|\/)(?:nginx|httpd|caddy|php|wordpress|traefik|apache)\b/, 80],
  [/(?:^|\/)tomcat\b/, 8080],
]

/** Images of servers that players do not use directly. */
const innerImages = new Set([
  'mysql',
  'mariadb',
  'postgres',
  'redis',
  'valkey',
  'mongo',
  'rabbitmq',
  'memcached',
  'elasticsearch',
])

/** True for the image of a server or browser that players do not use directly. */
function isInnerImage(image: string): boolean {
  const parts = image.split('/')
  const [name = ''] = parts.at(-1)?.split(':', 1) ?? []
  return innerImages.has(name) || parts.some((part) => part.startsWith('selenium') || part.startsWith('chrome'))
}

type Image = Readonly<{
  rule: Pick<ContainerRule, 'image' | 'build'>
  /** Path of the Dockerfile in the tree. */
  dockerfile?: string
  written?: WrittenFile
}>

/** Returns the text of the Dockerfile that `build.dockerfile_inline` contains. */
function inlineDockerfile(service: Fields): string | undefined {
  const build = service.take('build')
  const text = isRecord(build) ? build.dockerfile_inline : undefined
  return typeof text === 'string' ? text : undefined
}

const dockerfileNames = ['Dockerfile', 'dockerfile', 'Containerfile']

function createImages(tree: FileTree, file: string, project: ComposeProject, { descriptor }: ComposeOptions) {
  /** Map from image name to build settings, because a service can use an image that another service builds. */
  const built = new Map<string, Base & { readonly args?: Record<string, string> }>()

  const baseOf = (service: Fields): (Base & { readonly args?: Record<string, string> }) | undefined => {
    const image = service.keys.includes('image') ? service.text('image') : undefined
    if (!service.keys.includes('build') || service.take('build') === undefined) {
      if (image === undefined)
        service.note('image', 'refused', 'The service has neither an image nor a build.', 'Add one of them.')
      return image === undefined ? undefined : (built.get(image) ?? { image })
    }
    const inline = inlineDockerfile(service)
    const written = readBuildSettings(tree, file, service)
    const context = written && resolvePath(project.folder, written.context)
    if (written === undefined || context === undefined) {
      service.note('build', 'refused', 'The build folder is not in the imported folder.', 'Import the folder above it.')
      return undefined
    }
    const path =
      written.dockerfile === undefined
        ? dockerfileNames.map((name) => joinPath(context, name)).find((each) => hasFile(tree, each))
        : resolvePath(context, written.dockerfile)
    const text =
      inline ?? (path !== undefined && hasFile(tree, path) ? readTextIfPossible(tree, path, maxDockerfileBytes) : undefined)
    if (text === undefined || (inline === undefined && path === undefined)) {
      if (image !== undefined) {
        service.note(
          'build',
          'left-out',
          'The Dockerfile is not in the folder, so the image is used as it is.',
          'Check that it can be pulled.',
        )
        return { image }
      }
      service.note('build', 'refused', 'The Dockerfile is not in the folder.', 'Add it, or name an image.')
      return undefined
    }
    if (image !== undefined) service.note('image', 'left-out', 'The platform names the built image.')
    const base = {
      context,
      text,
      ...(path !== undefined && inline === undefined && { path }),
      target: written.target,
      ...(written.args && { args: written.args }),
    }
    if (image !== undefined) built.set(image, base)
    return base
  }

  /**
   * Returns the image of a service. If the service adds files or a working folder to the image, also returns the Dockerfile that
   * adds them.
   */
  const imageOf = (base: Base & { readonly args?: Record<string, string> }, service: ComposeService, fields: Fields): Image => {
    const { context, target, args, path } = base
    const { copies } = service.volumes
    const isPlain = copies.length === 0 && service.workingFolder === undefined
    const whole = { ...(args && { args }) }
    if (isPlain && context === undefined) return { rule: { image: base.image ?? '' } }
    if (isPlain && context !== undefined && path !== undefined) {
      const own = relativeTo(context, path)
      const rule = {
        context: relativeTo(folderOf(descriptor), context),
        ...(own !== 'Dockerfile' && { dockerfile: own }),
        ...(target !== undefined && { target }),
        ...whole,
      }
      return { rule: { build: rule }, dockerfile: path }
    }
    const derived = createDerivedDockerfile(tree, base, copies, service.workingFolder, project.folder)
    if (derived === undefined) {
      fields.note(service.service, 'left-out', 'The files cannot be copied into the image.', 'Copy them in the Dockerfile.')
      return imageOf(base, { ...service, volumes: { ...service.volumes, copies: [] } }, fields)
    }
    const ignoreFile = context === undefined ? '' : joinPath(context, '.dockerignore')
    if (context !== derived.context && hasFile(tree, ignoreFile))
      fields.note(
        service.service,
        'left-out',
        `\`${ignoreFile}\` does not apply, because the build folder is above it, so the image may contain the files that it excludes.`,
        'Write its lines into a `.dockerignore` of the new build folder.',
      )
    const name = `Dockerfile.capstan-${service.service.replaceAll(/[^A-Za-z0-9_-]/g, '-')}`
    const written = { path: joinPath(derived.context, name), text: derived.text }
    return {
      rule: { build: { context: relativeTo(folderOf(descriptor), derived.context), dockerfile: name, ...whole } },
      ...(path !== undefined && { dockerfile: path }),
      written,
    }
  }
  return { baseOf, imageOf }
}

/** Returns the files that the `secrets` and `configs` of a service mount into its container. */
function readMounted(tree: FileTree, project: ComposeProject, top: Fields, service: Fields): Copy[] {
  return (['secrets', 'configs'] as const).flatMap((kind) =>
    service.list(kind).flatMap((entry, index): Copy[] => {
      const text = service.elementText(kind, index, entry)
      const long = text === undefined ? service.element(kind, index, entry) : undefined
      const name = text ?? long?.text('source') ?? ''
      const given = long?.text('target') ?? name
      for (const key of ['uid', 'gid', 'mode']) long?.take(key)
      long?.rest()
      const target = given.startsWith('/') ? given : `${kind === 'secrets' ? '/run/secrets' : ''}/${given}`
      const all = top.take(kind)
      const definition = isRecord(all) ? all[name] : undefined
      const path =
        isRecord(definition) && typeof definition.file === 'string' ? resolvePath(project.folder, definition.file) : undefined
      if (path !== undefined && hasFile(tree, path)) {
        service.noteElement(kind, index, 'converted', 'The file is copied into the image.')
        return [{ source: path, target }]
      }
      service.noteElement(kind, index, 'left-out', `The file of \`${name}\` is not in the folder.`, 'Copy it into the image.')
      return []
    }),
  )
}

const withoutInternet = 'Containers reach only each other, not the internet.'

/** Reports volumes that several services use, because containers of an instance do not share files. */
function noteSharedVolumes(services: readonly Readonly<{ service: ComposeService; fields: Fields }>[]): void {
  const uses = services.flatMap(({ service, fields }) => service.volumes.named.map((volume) => ({ ...volume, service, fields })))
  for (const { name, index, service, fields } of uses) {
    const isShared = uses.some((other) => other.name === name && other.service !== service)
    if (isShared)
      fields.noteElement('volumes', index, 'left-out', 'Containers do not share volumes.', 'Send the files over the network.')
    else fields.noteElement('volumes', index, 'converted', 'Each instance has its own files at this path.')
  }
}

type Entry = ComposeService & { readonly port: number }

/** Returns the service to which players connect, with its port. */
function entryOf(
  services: readonly Readonly<{ service: ComposeService; image: Image; fields: Fields }>[],
  tree: FileTree,
  options: ComposeOptions,
): Entry | undefined {
  const isOwn = ({ own }: ComposeService): boolean => Array.isArray(own.ports) && own.ports.length > 0
  const found =
    services.find(({ service }) => isOwn(service) && service.published.length > 0) ??
    services.find(({ service }) => service.published.length > 0) ??
    services.find(({ service }) => isOwn(service))
  if (found !== undefined) return { ...found.service, port: found.service.published[0] ?? 0 }
  const guesses = services.map(({ service, image, fields }) => ({
    service,
    fields,
    exposed: [...service.exposed, ...(image.dockerfile === undefined ? [] : listExposedPorts(tree, image.dockerfile))],
    isInner: isInnerImage(service.image ?? ''),
    port:
      service.exposed[0] ??
      (image.dockerfile === undefined
        ? usualPorts.find(([name]) => name.test(service.image ?? ''))?.[1]
        : findListeningPort(tree, image.dockerfile)),
  }))
  const guess =
    guesses.find(({ port, isInner }) => port !== undefined && !isInner) ?? guesses.find(({ isInner }) => !isInner) ?? guesses[0]
  if (guess === undefined) return undefined
  const port = guess.port ?? options.usualPort()
  guess.fields.note(
    'ports',
    'converted',
    `The service publishes no port, so players connect to port ${port}.`,
    'Set `ports` to the port of the challenge.',
    { repair: 'port', ports: [...new Set(guess.exposed)] },
  )
  return { ...guess.service, port }
}

/**
 * Reads a compose file.
 * @returns undefined if the file has no services, or if a part of the file was refused and reported
 */
export function readCompose(tree: FileTree, file: string, options: ComposeOptions, findings: Finding[]): ReadCompose | undefined {
  const own: Finding[] = []
  const project = readComposeProject(tree, file, own)
  findings.push(...own)
  if (project === undefined || own.some(({ outcome }) => outcome === 'refused')) return undefined
  const before = findings.length
  const top = new Fields(project.source, findings)
  const holder = top.fields('services')
  const settings = top.take('x-capstan')
  if (settings !== undefined && !isRecord(settings)) top.note('x-capstan', 'refused', 'This must be a mapping.')
  const images = createImages(tree, file, project, options)
  const names = (holder?.keys ?? []).filter((name) => {
    const profiles = (holder?.take(name) as { profiles?: unknown } | undefined)?.profiles
    if (!Array.isArray(profiles) || profiles.length === 0) return true
    holder?.note(name, 'left-out', 'The service starts only with a profile.', 'Remove `profiles` if the challenge needs it.')
    return false
  })
  const bases = new Map(
    names.map((name) => {
      const fields = holder?.fields(name)
      return [name, { fields, base: fields && images.baseOf(fields) }] as const
    }),
  )
  const services = names.flatMap((name) => {
    const { fields, base: read } = bases.get(name) ?? {}
    if (fields === undefined || holder === undefined) return []
    const service = readComposeService(tree, project, name, fields, (each) => readMounted(tree, project, top, each))
    // A service may use an image that a later service builds.
    const base = read !== undefined && read.context === undefined ? (images.baseOf(fields) ?? read) : read
    return base === undefined ? [] : [{ service, fields, image: images.imageOf(base, service, holder) }]
  })
  noteSharedVolumes(services)
  for (const key of ['secrets', 'configs']) top.take(key)
  const entry = entryOf(services, tree, options)
  if (services.length > ContainerLimits.maxContainers)
    top.note(
      'services',
      'refused',
      `A challenge has at most ${ContainerLimits.maxContainers} containers, but the file has ${services.length} services.`,
      'Split the file by challenge.',
    )
  readTop(top)
  noteUnset(project, file, findings)
  if (holder === undefined || entry === undefined || findings.slice(before).some(({ outcome }) => outcome === 'refused'))
    return undefined
  const flags = services.flatMap(({ service }) =>
    Object.entries(service.rule.environment ?? {}).flatMap(([name, value]) =>
      /^(?:\w{1,16}_)?flag$/i.test(name) && typeof value === 'string' ? [value] : [],
    ),
  )
  const planned = assignNamesAndNetworks(
    services.map(({ service }) => service),
    services.find(({ service }) => service.service === entry.service)?.service ?? entry,
    holder,
  )
  const taken = new Set<number>()
  const rules = planned.map(({ service, name, rule: networks }: PlannedContainer): NamedContainerRule => {
    const image = services.find((each) => each.service === service)?.image
    const isEntry = service.service === entry.service
    const wanted = isEntry && service.published.length === 0 && entry.port !== 0 ? [entry.port] : service.published
    const open = wanted.filter((port) => {
      if (!taken.has(port)) return taken.add(port)
      holder.note(
        service.service,
        'left-out',
        `Another container already offers port ${port} to players.`,
        'Let one of them listen on another port.',
      )
      return false
    })
    const asked = service.rule.readiness?.port
    const inner = asked !== undefined && !open.includes(asked) ? [asked] : []
    const ports = [...open.map((port) => ({ port, speaks: options.speaks(port) })), ...inner.map((port) => ({ port }))]
    return { name, ...image?.rule, ...service.rule, ...networks, ...(ports.length > 0 && { ports }), ...service.own }
  })
  const [first, ...others] = rules
  if (first === undefined) return undefined
  const isOne = others.length === 0 && entry.own.name === undefined
  const { name: _, networks: __, dependsOn: ___, ...only } = first
  findings.push({
    file,
    line: project.source.lineOf(['services']),
    field: 'services',
    outcome: 'converted',
    why: withoutInternet,
    advice: 'Set `egress` of a container that needs the internet.',
  })
  return {
    containers: isOne ? { container: { ...only, ports: only.ports ?? [] } } : { containers: rules },
    dockerfiles: services.flatMap(({ image }) => image.written ?? []),
    own: isRecord(settings) ? settings : {},
    flags: [...new Set(flags)],
  }
}

/** Reports texts that contain a variable without a value. Ports and container variables are reported elsewhere. */
function noteUnset({ source, unset }: ComposeProject, file: string, findings: Finding[]): void {
  for (const [field, { path, names }] of unset)
    if (path[0] === 'services' && path[2] !== 'environment' && path[2] !== 'ports')
      findings.push({
        ...{ file, line: source.lineOf(path), field, outcome: 'left-out' },
        why: `The text is read without ${names.map((name) => `\`${name}\``).join(', ')}, which has no value.`,
        advice: 'Set it in a file `.env` next to the compose file.',
      })
}

const unusedOfNetworks = ['driver', 'driver_opts', 'ipam', 'name', 'enable_ipv6', 'attachable', 'labels']

/** Reports the top-level fields other than `services`. */
function readTop(top: Fields): void {
  const volumes = top.take('volumes')
  for (const [name, volume] of Object.entries(isRecord(volumes) ? volumes : {}))
    if (
      isRecord(volume) &&
      (volume.driver_opts !== undefined || ![undefined, null, 'local'].includes(volume.driver as undefined))
    )
      top.noteElement('volumes', name, 'left-out', 'Volumes of a driver do not exist here.', 'Copy the files into the image.')
  const networks = top.take('networks')
  for (const [name, network] of Object.entries(isRecord(networks) ? networks : {}))
    if (isRecord(network) && network.external !== undefined && network.external !== false)
      top.noteElement(
        'networks',
        name,
        'left-out',
        'Instances reach only their own containers.',
        'Add the containers that it needs.',
      )
  for (const [name, network] of Object.entries(isRecord(networks) ? networks : {}))
    if (isRecord(network) && network.internal === true)
      top.noteElement('networks', name, 'converted', 'Networks do not reach the internet, so `internal` changes nothing.')
  for (const [name, network] of Object.entries(isRecord(networks) ? networks : {}))
    if (isRecord(network) && unusedOfNetworks.some((key) => key in network))
      top.noteElement('networks', name, 'left-out', 'The platform creates the networks and chooses addresses.')
  if (top.keys.includes('include'))
    top.note('include', 'refused', 'Included files are not read.', 'Write their services into this file.')
  top.leaveOut({ version: 'Compose files no longer have a version.', name: 'The challenge gets the name of its folder.' })
  reportComposeExtensions(top)
  top.rest()
}
