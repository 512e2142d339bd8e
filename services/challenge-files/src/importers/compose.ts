import type { ContainerRule } from '../format/challenge.ts'
import type { Finding } from '../report.ts'
import { countSharedParts, type FileTree, folderOf, hasFile, joinPath, resolvePath } from '../tree.ts'
import { readYaml, type Source, UnreadableFile } from '../yaml.ts'
import { Fields } from './fields.ts'
import { isPort, readBuild, readResources } from './parts.ts'
import { readService } from './services.ts'

/** Reader for the published service of a compose file next to a descriptor. */

/** Returns the port of the container in the short form `HOST:PUBLISHED:TARGET/PROTOCOL`. */
function targetOf(written: string): number | undefined {
  const plain = written.replaceAll(/\$\{\w{1,64}:?-([^{}]{0,64})\}/g, '$1').replace(/\/\w{1,8}$/, '')
  const port = Number(plain.slice(plain.lastIndexOf(':') + 1).split('-')[0])
  return isPort(port) ? port : undefined
}

function readPorts(service: Fields): number[] {
  return service.list('ports').flatMap((entry, index): number[] => {
    const written = service.elementText('ports', index, entry)
    if (written !== undefined) return [targetOf(written)].filter((port) => port !== undefined)
    const long = service.element('ports', index, entry)
    const target = Number(long.text('target'))
    for (const key of long.keys) long.take(key)
    return isPort(target) ? [target] : []
  })
}

function readCompose(tree: FileTree, file: string, findings: Finding[]): Source | undefined {
  try {
    return readYaml(tree, file, '1.1')[0]
  } catch (cause) {
    if (!(cause instanceof UnreadableFile)) throw cause
    findings.push({ file, line: cause.line, field: '', outcome: 'left-out', why: cause.message, advice: 'Correct the file.' })
    return undefined
  }
}

/** Returns a folder relative to another folder of the tree. */
function relativeTo(folder: string, path: string): string {
  const shared = folder === '' ? 0 : countSharedParts(folder, path)
  const [from = [], to = []] = [folder, path].map((each) => each.split('/').slice(shared).filter(Boolean))
  return [...from.map(() => '..'), ...to].join('/') || '.'
}

/** Returns a rule whose build folder is relative to the folder of the descriptor instead of the compose file. */
function movedBuild(tree: FileTree, file: string, descriptor: string, build: NonNullable<ContainerRule['build']>) {
  const context = resolvePath(folderOf(file), build.context)
  if (context === undefined) return undefined
  const dockerfile = joinPath(context, build.dockerfile ?? 'Dockerfile')
  return hasFile(tree, dockerfile) ? { ...build, context: relativeTo(folderOf(descriptor), context) } : undefined
}

const noInterpolation = 'Variables of the shell are not available.'

/**
 * Reads the service that a compose file publishes. Further services are reported.
 * @returns undefined if no service is published, or if its image cannot be built or pulled
 */
export function readPublishedService(
  tree: FileTree,
  file: string,
  descriptor: string,
  findings: Finding[],
): ContainerRule | undefined {
  const source = readCompose(tree, file, findings)
  if (source === undefined) return undefined
  const own: Finding[] = []
  const fields = new Fields(source, own)
  const services = fields.fields('services')
  const publishes = (name: string): boolean => {
    const value = (services?.take(name) ?? {}) as { ports?: unknown }
    return Array.isArray(value.ports) && value.ports.length > 0
  }
  const names = services?.keys ?? []
  const name = names.find(publishes)
  const service = name === undefined ? undefined : services?.fields(name)
  if (service === undefined) return undefined
  for (const other of names)
    if (other !== name)
      services?.note(
        other,
        'left-out',
        'Each team gets one container per challenge, so this one is not started.',
        'Put what the challenge needs into one image.',
      )
  const ports = [...new Set(readPorts(service))].slice(0, 16)
  const written = readBuild(tree, file, service)
  const build = written && movedBuild(tree, file, descriptor, written)
  const limits = readResources(service.fields('deploy')?.fields('resources'))
  service.leaveOut({
    container_name: 'Instances are named by the platform.',
    depends_on: 'Each team gets one container per challenge.',
    healthcheck: 'An instance is ready when it accepts connections.',
    labels: 'The platform sets the labels.',
    volumes: 'Volumes are not mounted.',
    ulimits: 'Limits of processes are set for the whole platform.',
    ...(build && { image: 'The platform names the built image.' }),
  })
  const { environment = {}, image, ...rule } = readService(service)
  const isUnknown = ([, value]: [string, unknown]) => /\$\{?\w/.test(String(value))
  for (const [variable] of Object.entries(environment).filter(isUnknown))
    service.note(`environment.${variable}`, 'left-out', noInterpolation, 'Set its value.')
  const left = Object.fromEntries(Object.entries(environment).filter((entry) => !isUnknown(entry)))
  if (ports.length === 0 || (build === undefined && image === undefined)) return undefined
  findings.push(...own)
  return {
    ...(build === undefined ? { image: image ?? '' } : { build }),
    ports: ports.map((port) => ({ port })),
    ...rule,
    ...limits,
    ...(Object.keys(left).length === 0 ? {} : { environment: left }),
  }
}
