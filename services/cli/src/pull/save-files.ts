import { safeFileName, sameName } from '@capstan/challenge-files/safe-names'
import { folderOf } from '@capstan/challenge-files/tree'
import { type Folder, writeInto } from '../folder-tree.ts'
import { sha256 } from '../state/digest.ts'

function inFolder(folder: string, file: string): string {
  return folder === '' ? file : `${folder}/${file}`
}

/**
 * Creates a writer for files below a folder. Some disks ignore case and Unicode composition in names. A name is therefore taken
 * if an existing name differs only in these.
 */
export function createWriter(tree: Folder) {
  const contents = new Map<string, Uint8Array>()
  const written: string[] = []
  /** Paths of files and their parent folders, by their `sameName`. */
  const known = new Map<string, string>()
  const add = (path: string): void => {
    for (let each = path; each !== '' && !known.has(sameName(each)); each = folderOf(each)) known.set(sameName(each), each)
  }
  for (const path of tree.paths) add(path)
  const contentOf = (path: string): Uint8Array | undefined =>
    contents.get(path) ?? (tree.paths.includes(path) ? tree.readBytes(path, Number.MAX_SAFE_INTEGER) : undefined)
  const write = (path: string, content: string | Uint8Array): void => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    const before = contentOf(path)
    if (before !== undefined && Buffer.compare(before, bytes) === 0) return
    writeInto(tree.root, path, bytes)
    contents.set(path, bytes)
    add(path)
    written.push(path)
  }
  const isTaken = (path: string): boolean => known.has(sameName(path))
  return {
    written: written as readonly string[],
    isTaken,
    write,
    /**
     * Saves a file from the platform in a folder and changes no other file.
     * @returns its safe name, which was free or belongs to a file with the same content
     */
    save(folder: string, name: string, content: Uint8Array): string {
      const safe = safeFileName(name)
      const digest = sha256(content).slice(0, 8)
      const fits = (file: string): boolean => {
        const path = inFolder(folder, file)
        if (!isTaken(path)) return true
        const other = contentOf(path)
        return other !== undefined && Buffer.compare(other, content) === 0
      }
      let file = safe
      for (let count = 1; !fits(file); count++) file = count === 1 ? `${digest}-${safe}` : `${digest}-${count}-${safe}`
      write(inFolder(folder, file), content)
      return file
    },
  }
}

export type Writer = ReturnType<typeof createWriter>
