import { type Dirent, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type FileTree, resolvePath } from '@capstan/challenge-files/tree'

/** Maximum number of files in a folder, and of levels of nested folders. */
const maxFiles = 200_000
const maxDepth = 40

const skipped = new Set(['.git', 'node_modules', '.venv', '__pycache__'])

export type Folder = FileTree &
  Readonly<{
    root: string
    /** @throws if the file is missing or larger than `maxBytes` */
    readBytes: (path: string, maxBytes: number) => Buffer
  }>

/** Opens a local folder. It skips links, so that nothing outside of the folder is read. */
export function openFolder(root: string): Folder {
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`The folder ${root} does not exist.`)
  const paths: string[] = []
  const walk = (folder: string, depth: number): void => {
    if (depth > maxDepth) return
    const entries: Dirent[] = readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory() && !skipped.has(entry.name)) walk(path, depth + 1)
      if (!entry.isFile()) continue
      if (paths.length >= maxFiles) throw new Error(`There are more than ${maxFiles} files below ${root}.`)
      paths.push(path)
    }
  }
  walk('', 0)
  const known = new Set(paths)
  const readBytes = (path: string, maxBytes: number): Buffer => {
    if (!known.has(path)) throw new Error(`${path} does not exist.`)
    const whole = join(root, path)
    if (statSync(whole).size > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes.`)
    return readFileSync(whole)
  }
  return {
    root,
    paths,
    readBytes,
    readText: (path, maxBytes) => new TextDecoder('utf-8', { fatal: true }).decode(readBytes(path, maxBytes)),
  }
}

/**
 * Writes a file and creates its parent folders. It does not follow links, because a link could make the command overwrite any
 * file on this machine.
 * @param flag `wx`: only if the file does not exist
 * @throws if the path leaves the folder or passes through a link
 */
export function writeInto(root: string, path: string, content: string | Uint8Array, flag: 'w' | 'wx' = 'w'): void {
  if (resolvePath('', path) !== path) throw new Error(`${path} is outside the folder.`)
  const parts = path.split('/')
  for (const depth of parts.keys()) {
    const part = parts.slice(0, depth + 1).join('/')
    if (lstatSync(join(root, part), { throwIfNoEntry: false })?.isSymbolicLink())
      throw new Error(`${part} is a link and was not written to.`)
  }
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content, { flag })
}
