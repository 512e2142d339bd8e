import { type Instruction, parseDockerfile, wordsOfInstruction } from '../jails/dockerfile.ts'
import { type FileTree, folderOf, nameOf } from '../tree.ts'
import { findDescriptors } from './descriptor-names.ts'
import { readDockerfile } from './jailed-build.ts'
import { isPort } from './parts.ts'

/** Finds the Dockerfiles and compose files that belong to a descriptor. */

function isDockerfile(path: string): boolean {
  return /^(?:dockerfile|containerfile)$/i.test(nameOf(path))
}

export function isComposeFileName(path: string): boolean {
  return /^(?:docker-)?compose\.ya?ml$/i.test(nameOf(path))
}

/** Folders with files for players or authors. An image that is built from such a folder might not contain the flag. */
export const foldersForPeople =
  /^(?:attachments?|bot|dist|dist(?:ribute|ribution)?|downloads?|exploits?|files?|give|handouts?|healthcheck|player|provided?|public|release|share|sol|solutions?|solve[rs]?|static|tests?|writeups?)$/i

/** Maximum number of subfolder levels in which the import searches for compose files and Dockerfiles. */
export const maxDepth = 3

type ServiceFiles = Readonly<{
  services: readonly string[]
  descriptorFolders: ReadonlySet<string>
}>

const known = new WeakMap<readonly string[], ServiceFiles>()

function serviceFilesOf(tree: FileTree): ServiceFiles {
  const { paths } = tree
  const cached = known.get(paths)
  if (cached !== undefined) return cached
  const found = {
    services: paths.filter((path) => isDockerfile(path) || isComposeFileName(path)),
    descriptorFolders: new Set(findDescriptors(tree).map(folderOf)),
  }
  known.set(paths, found)
  return found
}

/**
 * Returns the files that describe a service in the folder of a descriptor and below it, nearest first. Folders with another
 * descriptor are left out. Files in folders for players and authors, and in deep folders, are in `unused`.
 */
export function findServiceFiles(
  tree: FileTree,
  descriptor: string,
): { dockerfiles: string[]; composeFiles: string[]; unused: string[] } {
  // A sheet contains many challenges, so a service cannot be assigned to one of these challenges.
  if (/\.csv$/i.test(descriptor)) return { dockerfiles: [], composeFiles: [], unused: [] }
  const base = folderOf(descriptor)
  const inside = base === '' ? '' : `${base}/`
  const { services, descriptorFolders } = serviceFilesOf(tree)
  const below = services
    .filter((path) => path.startsWith(inside))
    .map((path) => ({ path, parts: path.slice(inside.length).split('/').slice(0, -1) }))
    .filter(({ parts }) => !parts.some((_, index) => descriptorFolders.has(inside + parts.slice(0, index + 1).join('/'))))
    .toSorted((left, right) => left.parts.length - right.parts.length)
    .map(({ path, parts }) => ({ path, isNear: parts.length <= maxDepth && !parts.some((part) => foldersForPeople.test(part)) }))
  const near = below.filter(({ isNear }) => isNear).map(({ path }) => path)
  return {
    dockerfiles: near.filter((path) => !isComposeFileName(path)),
    composeFiles: near.filter(isComposeFileName),
    unused: below.filter(({ isNear }) => !isNear).map(({ path }) => path),
  }
}

/**
 * Returns the ports that the image of a Dockerfile exposes. If the last stage exposes no ports, returns the ports of other
 * stages.
 */
export function listExposedPorts(tree: FileTree, dockerfile: string): number[] {
  const instructions = parseDockerfile(readDockerfile(tree, dockerfile) ?? '')
  const lastStage = instructions.slice(instructions.findLastIndex(({ keyword }) => keyword === 'FROM') + 1)
  const isExpose = ({ keyword }: Instruction): boolean => keyword === 'EXPOSE'
  const exposes = (lastStage.some(isExpose) ? lastStage : instructions).filter(isExpose)
  const written = exposes.flatMap(({ rest }) => rest.split(/\s+/))
  return [...new Set(written.map((each) => Number(/^(\d{1,5})(?:\/tcp)?$/i.exec(each)?.[1])).filter(isPort))]
}

const listener =
  /(?:TCP[46]?-(?:LISTEN|L):|(?:--port|--bind|--listen|-b|-p)[ =,"']{1,4}(?:\[?[\da-fA-F.:]{1,39}\]?:)?|(?:0\.0\.0\.0|\[::\]):|\bPORT[ =]["']?)(\d{2,5})\b/i

/**
 * Returns the port on which the image of a Dockerfile listens: the exposed port, or else the port in its commands, or else the
 * usual port of its base image.
 */
export function findListeningPort(tree: FileTree, dockerfile: string): number | undefined {
  const instructions = parseDockerfile(readDockerfile(tree, dockerfile) ?? '')
  const values = new Map(
    instructions
      .filter(({ keyword }) => keyword === 'ARG' || keyword === 'ENV')
      .flatMap(({ rest }) => [...rest.matchAll(/\b(\w+)[= ]["']?(\d{1,5})\b/g)].map(([, name = '', port = '']) => [name, port])),
  )
  const exposed = instructions.filter(({ keyword }) => keyword === 'EXPOSE').at(-1)?.rest
  // Players reach only TCP ports.
  const written = exposed
    ?.split(/\s+/)
    .filter((word) => !/\/udp$/i.test(word))
    .join(' ')
    .replace(/\$\{?(\w{1,64})\}?/, (_, name: string) => values.get(name) ?? '')
  const port = Number(/\d{1,5}/.exec(written ?? '')?.[0])
  if (isPort(port)) return port
  const starts = instructions.filter(({ keyword }) => ['CMD', 'ENTRYPOINT'].includes(keyword))
  const commands = [...starts, ...instructions.filter(({ keyword }) => keyword === 'ENV' || keyword === 'RUN')]
  const named = commands
    .map(({ keyword, rest }) => Number(listener.exec(keyword === 'ENV' ? rest : wordsOfInstruction(rest).join(' '))?.[1]))
    .find(isPort)
  if (named !== undefined) return named
  const base =
    instructions
      .filter(({ keyword }) => keyword === 'FROM')
      .at(-1)
      ?.rest.split(/\s/)[0] ?? ''
  return /\b(?:apache|httpd|nginx|caddy|wordpress|drupal)\b/.test(base) ? 80 : /\btomcat\b/.test(base) ? 8080 : undefined
}
