import { type Instruction, parseDockerfile, wordsOfInstruction } from '../jails/dockerfile.ts'
import { countSharedPathParts, type FileTree, folderOf, hasFolder, joinPath } from '../tree.ts'
import type { Copy } from './volumes.ts'

/** Creates the Dockerfile of an image to which a compose file adds files and a working folder. */

export type Base = Readonly<{
  /** Name of an existing image. Absent if the other fields describe how to build the image. */
  image?: string
  /** Build folder, as a path in the tree. */
  context?: string
  text?: string
  path?: string
  target?: string | undefined
}>

/** Returns the deepest folder that contains all paths. */
export function deepestCommonFolder(tree: FileTree, paths: readonly string[]): string {
  const folders = paths.map((path) => (hasFolder(tree, path) ? path : folderOf(path)))
  return folders.reduce((shared, folder) => shared.split('/').slice(0, countSharedPathParts(shared, folder)).join('/'))
}

/** Returns the path of a file or folder relative to one of its parent folders. */
export function pathRelativeToFolder(folder: string, path: string): string {
  return path === folder ? '.' : folder === '' ? path : path.slice(folder.length + 1)
}

const remote = /^(?:https?:\/\/|git@|git:\/\/)/

/**
 * Adapts a COPY or ADD instruction to a new build folder that contains the original build folder. Adds the path of the original
 * folder to each source.
 */
function movedCopy({ keyword, rest, raw }: Instruction, prefix: string): string {
  const flags: string[] = []
  let plain = rest
  for (let flag = /^--\S{1,200}\s+/.exec(plain); flag !== null; flag = /^--\S{1,200}\s+/.exec(plain)) {
    flags.push(flag[0].trim())
    plain = plain.slice(flag[0].length)
  }
  if (flags.some((flag) => flag.startsWith('--from=')) || plain.startsWith('<<')) return raw
  const words = wordsOfInstruction(plain)
  const target = words.pop()
  if (target === undefined) return raw
  const sources = words.map((source) => (remote.test(source) ? source : joinPath(prefix, source.replace(/^\/+/, ''))))
  return [keyword, ...flags, JSON.stringify([...sources, target])].join(' ')
}

/** True if a RUN instruction mounts files of the build folder. Mounts from another image or stage do not count. */
function mountsBuildFolder(raw: string): boolean {
  const mounts = raw.split(/\s+/).filter((word) => word.startsWith('--mount='))
  const has = (mount: string, names: readonly string[]) =>
    mount
      .slice('--mount='.length)
      .split(',')
      .some((option) => names.includes(option.split('=', 1)[0] ?? ''))
  return mounts.some((mount) => has(mount, ['source', 'src'])) && !mounts.some((mount) => has(mount, ['from']))
}

/**
 * Adapts the paths in a Dockerfile, so that an image build can start in a parent folder.
 * @returns undefined if the Dockerfile mounts files of the build folder
 */
function movedText(text: string, prefix: string): string | undefined {
  if (prefix === '.') return text
  const instructions = parseDockerfile(text)
  if (instructions.some(({ keyword, raw }) => keyword === 'RUN' && mountsBuildFolder(raw))) return undefined
  const directives = text.split('\n').filter((line) => /^# *(?:syntax|escape)=/.test(line))
  const moved = instructions.map((each) =>
    each.keyword === 'COPY' || each.keyword === 'ADD' ? movedCopy(each, prefix) : each.raw,
  )
  return [...directives, ...moved].join('\n')
}

export type DerivedImage = Readonly<{
  /** Build folder, as a path in the tree. */
  context: string
  text: string
}>

/**
 * Returns a Dockerfile that adds files to an image and sets the working directory.
 * @returns undefined if the paths in the Dockerfile of the image cannot be adapted
 */
export function createDerivedDockerfile(
  tree: FileTree,
  { image, context, text, target }: Base,
  copies: readonly Copy[],
  workingFolder: string | undefined,
  home: string,
): DerivedImage | undefined {
  const paths = [...(context === undefined ? [] : [context]), ...copies.map(({ source }) => source)]
  const root = paths.length === 0 ? home : deepestCommonFolder(tree, paths)
  const base = context === undefined ? `FROM ${image}` : movedText(text ?? '', pathRelativeToFolder(root, context))
  if (base === undefined) return undefined
  const lines = [
    base.trimEnd(),
    ...(target === undefined ? [] : ['', `FROM ${target}`]),
    ...copies.map(({ source, target: to }) => {
      const from = pathRelativeToFolder(root, source)
      return hasFolder(tree, source) ? `COPY ${JSON.stringify([`${from}/`, `${to}/`])}` : `COPY ${JSON.stringify([from, to])}`
    }),
    ...(workingFolder === undefined ? [] : [`WORKDIR ${workingFolder}`]),
  ]
  return { context: root, text: `${lines.join('\n')}\n` }
}
