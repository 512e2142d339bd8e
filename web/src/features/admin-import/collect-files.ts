import { Limits } from '@capstan/contract/limits'

/** A file with its path in what was dropped. */
interface CollectedFile {
  readonly path: string
  readonly file: File
}

export type Collected = { readonly archive: File } | { readonly name: string; readonly files: readonly CollectedFile[] }

/** What is more than an import takes; `files` or `size` says of what. */
export class TooMuch extends Error {
  readonly of: 'files' | 'size'

  constructor(of: 'files' | 'size') {
    super(`Too much: ${of}`)
    this.of = of
  }
}

/** Folders that hold no challenges; the server passes over them too. */
const passedOver = new Set(['.git', 'node_modules', '__pycache__', '.venv'])

const isArchive = (file: File): boolean => /\.zip$/i.test(file.name) || /zip/.test(file.type)

const createBounds = () => {
  let count = 0
  let sizeBytes = 0
  return (file: File) => {
    count += 1
    sizeBytes += file.size
    if (count > Limits.importFilesMax) throw new TooMuch('files')
    if (sizeBytes > Limits.importMaxBytes) throw new TooMuch('size')
  }
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> => new Promise((resolve, reject) => entry.file(resolve, reject))

/** Browsers give the entries of a folder in portions. */
const entriesOf = async (folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> => {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return all
    all.push(...some)
    if (all.length > Limits.importFilesMax) throw new TooMuch('files')
  }
}

/** What lies in dropped entries: one archive, or files with their paths. @throws TooMuch */
export async function collectEntries(entries: readonly FileSystemEntry[]): Promise<Collected> {
  const [only] = entries
  if (entries.length === 1 && only?.isFile) {
    const file = await fileOf(only as FileSystemFileEntry)
    if (isArchive(file)) return { archive: file }
  }
  const files: CollectedFile[] = []
  const admit = createBounds()
  const walk = async (entry: FileSystemEntry, parent: string, depth: number): Promise<void> => {
    if (depth > Limits.importDepthMax) throw new TooMuch('files')
    const path = parent === '' ? entry.name : `${parent}/${entry.name}`
    if (entry.isFile) {
      const file = await fileOf(entry as FileSystemFileEntry)
      admit(file)
      files.push({ path, file })
    } else if (!passedOver.has(entry.name)) {
      for (const child of await entriesOf(entry as FileSystemDirectoryEntry)) await walk(child, path, depth + 1)
    }
  }
  for (const entry of entries) await walk(entry, '', 1)
  return { name: only?.name ?? 'challenges', files }
}

/** The same of files that were chosen: with a folder each has its path. @throws TooMuch */
export function collectFiles(chosen: readonly File[]): Collected {
  const [only] = chosen
  if (chosen.length === 1 && only && isArchive(only)) return { archive: only }
  const admit = createBounds()
  const files = chosen.flatMap((file) => {
    const path = file.webkitRelativePath || file.name
    if (path.split('/').some((part) => passedOver.has(part))) return []
    admit(file)
    return [{ path, file }]
  })
  return { name: only?.webkitRelativePath.split('/', 1)[0] || 'challenges', files }
}
