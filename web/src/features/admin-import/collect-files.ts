import { Limits } from '@capstan/contract/limits'

type CollectedFile = Readonly<{
  path: string
  file: File
}>

export type Collected = { readonly archive: File } | Readonly<{ name: string; files: readonly CollectedFile[] }>

export class TooMuch extends Error {
  readonly of: 'files' | 'size'

  constructor(of: 'files' | 'size') {
    super(`Too much: ${of}`)
    this.of = of
  }
}

/** Folders that never contain challenges. The server skips them too. */
const passedOver = new Set(['.git', 'node_modules', '__pycache__', '.venv'])

function isArchive(file: File): boolean {
  return /\.zip$/i.test(file.name) || /zip/.test(file.type)
}

/** Name that every CSV file of challenges gets in the archive. A downloaded file may have any name. */
export const sheetName = 'challenges.csv'
/** True for a CSV file that is not inside a folder. */
function isSheet(file: File): boolean {
  return /\.csv$/i.test(file.name) && !file.webkitRelativePath
}

/**
 * Returns the selected file if it is an archive or a CSV file of challenges.
 * @returns undefined for any other file
 */
function collectOne(file: File): Collected | undefined {
  if (isArchive(file)) return { archive: file }
  if (!isSheet(file)) return undefined
  createBounds()(file)
  return { name: 'challenges', files: [{ path: sheetName, file }] }
}

function createBounds() {
  let count = 0
  let sizeBytes = 0
  return (file: File) => {
    count += 1
    sizeBytes += file.size
    if (count > Limits.maxImportFiles) throw new TooMuch('files')
    if (sizeBytes > Limits.maxImportBytes) throw new TooMuch('size')
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}

/** Browsers return the entries of a folder in batches, so read until a batch is empty. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return all
    all.push(...some)
    if (all.length > Limits.maxImportFiles) throw new TooMuch('files')
  }
}

/**
 * Returns the archive or the files that the user dropped on the page.
 * @throws TooMuch
 */
export async function collectDroppedFiles(entries: readonly FileSystemEntry[]): Promise<Collected> {
  const [only] = entries
  if (entries.length === 1 && only?.isFile) {
    const one = collectOne(await fileOf(only as FileSystemFileEntry))
    if (one) return one
  }
  const files: CollectedFile[] = []
  const admit = createBounds()
  const walk = async (entry: FileSystemEntry, parent: string, depth: number): Promise<void> => {
    if (depth > Limits.maxImportDepth) throw new TooMuch('files')
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

export function collectChosenFiles(chosen: readonly File[]): Collected {
  const [only] = chosen
  const one = chosen.length === 1 && only ? collectOne(only) : undefined
  if (one) return one
  const admit = createBounds()
  const files = chosen.flatMap((file) => {
    const path = file.webkitRelativePath || file.name
    if (path.split('/').some((part) => passedOver.has(part))) return []
    admit(file)
    return [{ path, file }]
  })
  return { name: only?.webkitRelativePath.split('/', 1)[0] || 'challenges', files }
}
