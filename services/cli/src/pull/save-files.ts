import { type Folder, writeInto } from '../folder-tree.ts'
import { sha256 } from '../state/digest.ts'

const foldersMark = /[\p{Cc}/\\:*?"<>|]/gu

/** A name from the platform as the name of a file: without folders, not hidden, not empty. */
export const safeFileName = (name: string): string => {
  const clean = name.toWellFormed().replaceAll(foldersMark, '_').trim()
  return clean === '' ? 'file' : clean.startsWith('.') ? `_${clean.slice(1)}` : clean
}

/** Writes files below a folder; what is there with other content stays, unless it is told to write over it. */
export const createWriter = (tree: Folder) => {
  const contents = new Map<string, Uint8Array>()
  const written: string[] = []
  const present = (path: string): Uint8Array | undefined =>
    contents.get(path) ?? (tree.paths.includes(path) ? tree.readBytes(path, Number.MAX_SAFE_INTEGER) : undefined)
  const write = (path: string, content: string | Uint8Array): void => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    const before = present(path)
    if (before !== undefined && Buffer.compare(before, bytes) === 0) return
    writeInto(tree.root, path, bytes)
    contents.set(path, bytes)
    written.push(path)
  }
  return {
    written: written as readonly string[],
    has: (path: string): boolean => present(path) !== undefined,
    write,
    /** Puts a file into a folder, under its name if that is free or holds the same. @returns its path in that folder */
    save(folder: string, name: string, content: Uint8Array): string {
      const safe = safeFileName(name)
      const at = (file: string) => (folder === '' ? file : `${folder}/${file}`)
      const other = present(at(safe))
      const isFree = other === undefined || Buffer.compare(other, content) === 0
      const file = isFree ? safe : `${sha256(content).slice(0, 8)}-${safe}`
      write(at(file), content)
      return file
    },
  }
}

export type Writer = ReturnType<typeof createWriter>
