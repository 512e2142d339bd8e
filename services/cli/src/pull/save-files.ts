import { createHash, randomUUID } from 'node:crypto'
import { renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { normalizePathCase, safeFileName } from '@capstan/challenge-files/safe-names'
import { folderOf } from '@capstan/challenge-files/tree'
import { hashOfFile } from '../content.ts'
import { type Folder, prepareWritePath, writeFileInFolder } from '../folder-tree.ts'
import { sha256 } from '../state/digest.ts'

/** Content of a file. A download arrives in pieces, so that a large file does not fill the memory. */
export type DownloadedContent = Uint8Array | AsyncIterable<Uint8Array>

function inFolder(folder: string, file: string): string {
  return folder === '' ? file : `${folder}/${file}`
}

/** Writes a new file. @returns the SHA-256 of its content */
async function store(place: string, content: DownloadedContent): Promise<string> {
  const hash = createHash('sha256')
  const file = await open(place, 'wx')
  try {
    for await (const piece of content instanceof Uint8Array ? [content] : content) {
      hash.update(piece)
      await file.appendFile(piece)
    }
  } finally {
    await file.close()
  }
  return hash.digest('hex')
}

/**
 * Creates a writer for files below a folder. Some disks ignore case and Unicode composition in names. A name therefore counts as
 * used if an existing name differs only in case or composition.
 */
export function createFileWriter(tree: Folder) {
  /** Map from the path of each written file to its SHA-256. */
  const digests = new Map<string, string>()
  const written: string[] = []
  /** Map from `sameName(path)` to the path, for files and their parent folders. */
  const known = new Map<string, string>()
  const add = (path: string): void => {
    for (let each = path; each !== '' && !known.has(normalizePathCase(each)); each = folderOf(each))
      known.set(normalizePathCase(each), each)
  }
  for (const path of tree.paths) add(path)
  const digestOf = (path: string): string | undefined =>
    digests.get(path) ?? (tree.paths.includes(path) ? hashOfFile(tree.locate(path, Number.MAX_SAFE_INTEGER)) : undefined)
  const noteWritten = (path: string, digest: string): void => {
    digests.set(path, digest)
    add(path)
    written.push(path)
  }
  const isTaken = (path: string): boolean => known.has(normalizePathCase(path))
  return {
    written: written as readonly string[],
    isTaken,
    write(path: string, content: string | Uint8Array): void {
      const digest = sha256(content)
      if (digestOf(path) === digest) return
      writeFileInFolder(tree.root, path, content)
      noteWritten(path, digest)
    },
    /**
     * Saves a file from the platform in a folder and changes no other file. An interrupted download leaves no file.
     * @returns the safe name of the file, which was free or belongs to a file with the same content
     */
    async save(folder: string, name: string, content: DownloadedContent): Promise<string> {
      const safe = safeFileName(name)
      const partial = prepareWritePath(tree.root, inFolder(folder, `.${randomUUID()}.part`))
      try {
        const digest = await store(partial, content)
        const short = digest.slice(0, 8)
        const fits = (file: string): boolean => {
          const path = inFolder(folder, file)
          return !isTaken(path) || digestOf(path) === digest
        }
        let file = safe
        for (let count = 1; !fits(file); count++) file = count === 1 ? `${short}-${safe}` : `${short}-${count}-${safe}`
        const path = inFolder(folder, file)
        if (digestOf(path) !== digest) {
          renameSync(partial, prepareWritePath(tree.root, path))
          noteWritten(path, digest)
        }
        return file
      } finally {
        rmSync(partial, { force: true })
      }
    },
  }
}

export type Writer = ReturnType<typeof createFileWriter>
