import { type Dirent, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type FileTree, resolvePath } from '@capstan/challenge-files/tree'

/** Files of one folder, and folders within each other, that are looked at. */
const filesMax = 200_000
const depthMax = 40

/** Folders that hold no challenges. */
const skipped = new Set(['.git', 'node_modules', '.venv', '__pycache__'])

/** A folder of this machine. */
export type Folder = FileTree &
  Readonly<{
    /** Of this machine. */
    root: string
    /** @throws if the file is larger than `maxBytes` or is not there */
    readBytes: (path: string, maxBytes: number) => Buffer
  }>

/** A folder of this machine; links are passed over, so that nothing outside of it is read. */
export function openFolder(root: string): Folder {
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`There is no folder ${root}.`)
  const paths: string[] = []
  const walk = (folder: string, depth: number): void => {
    if (depth > depthMax) return
    const entries: Dirent[] = readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory() && !skipped.has(entry.name)) walk(path, depth + 1)
      if (!entry.isFile()) continue
      if (paths.length >= filesMax) throw new Error(`There are more than ${filesMax} files below ${root}.`)
      paths.push(path)
    }
  }
  walk('', 0)
  const known = new Set(paths)
  const readBytes = (path: string, maxBytes: number): Buffer => {
    if (!known.has(path)) throw new Error(`${path} is not here.`)
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
 * Writes a file of a folder, with the folders that it lies in. Links are not followed here either: whoever made them could have any
 * file of this machine written over.
 *
 * @param flag `wx`: only where there is none
 * @throws for a path that leads out of the folder, or through a link
 */
export function writeInto(root: string, path: string, content: string | Uint8Array, flag: 'w' | 'wx' = 'w'): void {
  if (resolvePath('', path) !== path) throw new Error(`${path} is outside of the folder.`)
  const parts = path.split('/')
  for (const depth of parts.keys()) {
    const part = parts.slice(0, depth + 1).join('/')
    if (lstatSync(join(root, part), { throwIfNoEntry: false })?.isSymbolicLink())
      throw new Error(`${part} is a link: nothing is written there.`)
  }
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content, { flag })
}
