import { type Dirent, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { type FileTree, resolvePath } from '@capstan/challenge-files/tree'

/** Maximum number of files in a folder, and maximum depth of nested folders. */
const maxFiles = 200_000
const maxDepth = 40

const skipped = new Set(['.git', 'node_modules', '.venv', '__pycache__'])

export type Folder = FileTree &
  Readonly<{
    root: string
    /** @throws if the file is missing or larger than `maxBytes` */
    readBytes: (path: string, maxBytes: number) => Buffer
    /** Returns the path of a file on this machine. @throws if the file is missing or larger than `maxBytes` */
    locate: (path: string, maxBytes: number) => string
  }>

/** Returns the target of a link. @returns undefined if the target does not exist */
function targetOf(link: string): string | undefined {
  try {
    return realpathSync(link)
  } catch {
    // The target does not exist, or the link leads to itself.
    return undefined
  }
}

/**
 * Opens a local folder. It follows links inside the folder and skips all other links, so that nothing outside of the folder is
 * read.
 */
export function openFolder(root: string): Folder {
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`The folder ${root} does not exist.`)
  const paths: string[] = []
  const leftOut = new Map<string, string>()
  const home = realpathSync(root)
  const walk = (folder: string, depth: number, parents: readonly string[]): void => {
    if (depth > maxDepth) {
      leftOut.set(folder, `is more than ${maxDepth} levels deep`)
      return
    }
    const entries: Dirent[] = readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      const isLink = entry.isSymbolicLink()
      const target = isLink ? targetOf(join(root, path)) : undefined
      if (isLink && (target === undefined || !target.startsWith(home + sep))) {
        leftOut.set(path, target === undefined ? 'is a broken link' : 'is a link that leads out of the folder')
        continue
      }
      const own = target ?? (entry.isDirectory() ? join(parents.at(-1) ?? home, entry.name) : '')
      const kind = target === undefined ? entry : statSync(target)
      // Do not follow a link to a parent folder, because the walk would never end.
      if (kind.isDirectory() && !skipped.has(entry.name) && !parents.includes(own)) walk(path, depth + 1, [...parents, own])
      if (!kind.isFile()) continue
      if (paths.length >= maxFiles) throw new Error(`There are more than ${maxFiles} files below ${root}.`)
      paths.push(path)
    }
  }
  walk('', 0, [home])
  const known = new Set(paths)
  const locate = (path: string, maxBytes: number): string => {
    if (!known.has(path)) throw new Error(`${path} does not exist.`)
    const whole = join(root, path)
    if (statSync(whole).size > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes.`)
    return whole
  }
  const readBytes = (path: string, maxBytes: number): Buffer => readFileSync(locate(path, maxBytes))
  return {
    root,
    paths,
    leftOut,
    readBytes,
    locate,
    readText: (path, maxBytes) => new TextDecoder('utf-8', { fatal: true }).decode(readBytes(path, maxBytes)),
  }
}

/**
 * Returns the path at which a file of the folder is written on this machine, and creates its parent folders. The path contains no
 * links, because a link could make the command overwrite any file on this machine.
 * @throws if the path leads outside the folder or contains a link
 */
export function prepareWritePath(root: string, path: string): string {
  if (resolvePath('', path) !== path) throw new Error(`${path} is outside the folder.`)
  const parts = path.split('/')
  for (const depth of parts.keys()) {
    const part = parts.slice(0, depth + 1).join('/')
    if (lstatSync(join(root, part), { throwIfNoEntry: false })?.isSymbolicLink())
      throw new Error(`${part} is a link, so no file was written there.`)
  }
  const place = join(root, path)
  mkdirSync(dirname(place), { recursive: true })
  return place
}

/**
 * Writes a file and creates its parent folders.
 * @param flag `wx`: only if the file does not exist
 * @throws if the path leads outside the folder or contains a link
 */
export function writeFileInFolder(root: string, path: string, content: string | Uint8Array, flag: 'w' | 'wx' = 'w'): void {
  writeFileSync(prepareWritePath(root, path), content, { flag })
}
