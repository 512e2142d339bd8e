import type { Readable } from 'node:stream'
import { ImportLimits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import { type Entry, openPromise, type ZipFile } from 'yauzl'

/** A zip file as another platform exported it. Nothing is unpacked by the names in it: they are looked up, and never followed. */
export interface ExportArchive {
  readonly names: readonly string[]
  has(name: string): boolean
  /** Unpacked, as the archive says; `open` holds it to that. */
  sizeOf(name: string): number
  /** Another size than the archive says is an error of the stream. @throws Problem `import.unreadable` */
  open(name: string): Promise<Readable>
  close(): void
}

const unreadable = (detail: string): Problem => new Problem('import.unreadable', { detail })

/** @throws Problem `import.unreadable`, `import.too-large` */
const listEntries = async (zip: ZipFile): Promise<Map<string, Entry>> => {
  const entries = new Map<string, Entry>()
  let bytes = 0
  for await (const entry of zip.eachEntry()) {
    // Folders need no row; whatever else it is, a link too, is only ever read as bytes.
    if (entry.fileName.endsWith('/')) continue
    if (entry.isEncrypted()) throw unreadable('encrypted')
    if (entries.has(entry.fileName)) throw unreadable('two files of one name')
    bytes += entry.uncompressedSize
    if (bytes > ImportLimits.archiveBytes) throw new Problem('import.too-large')
    entries.set(entry.fileName, entry)
  }
  return entries
}

const asProblem = (error: unknown): Problem =>
  error instanceof Problem ? error : unreadable(error instanceof Error ? error.message : 'no zip file')

/**
 * @param path of a file that stays there until `close`
 * @throws Problem `import.unreadable`, also for names that lead out of the archive, `import.too-large`
 */
export const openExport = async (path: string): Promise<ExportArchive> => {
  const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true }
  const zip = await openPromise(path, options).catch((error: unknown) => {
    throw asProblem(error)
  })
  try {
    if (zip.entryCount > ImportLimits.archiveEntries) throw new Problem('import.too-large')
    const entries = await listEntries(zip)
    return {
      names: [...entries.keys()],
      has: (name) => entries.has(name),
      sizeOf: (name) => entries.get(name)?.uncompressedSize ?? 0,
      async open(name) {
        const entry = entries.get(name)
        if (!entry) throw unreadable(`${name} is missing`)
        return zip.openReadStreamPromise(entry).catch((error: unknown) => {
          throw asProblem(error)
        })
      },
      close: () => zip.close(),
    }
  } catch (error) {
    zip.close()
    throw asProblem(error)
  }
}
