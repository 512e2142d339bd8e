import { attachedFoldersOf, isAttachedPath } from '../safe-names.ts'
import { type FileTree, folderOf, nameOf } from '../tree.ts'
import { type ReadCapstanFile, readCapstanFile } from './read.ts'

export const capstanFileName = 'capstan.yaml'

export function findCapstanFilePaths(tree: FileTree): string[] {
  return tree.paths.filter((path) => nameOf(path) === capstanFileName)
}

export type FoundCapstanFiles = Readonly<{
  files: readonly ReadCapstanFile[]
  /**
   * True if a path is in a subfolder for images, or for files that players download. A `capstan.yaml` there does not describe a
   * challenge.
   */
  isAttachedPath: (path: string) => boolean
}>

/** Reads every `capstan.yaml` in a tree. A file in a folder for images or downloads is ignored. */
export function findCapstanFiles(tree: FileTree): FoundCapstanFiles {
  const paths = findCapstanFilePaths(tree)
  const owners = new Map<string, readonly string[]>()
  const found = new Map<string, ReadCapstanFile>()
  const depthOf = (path: string): number => path.split('/').length
  // Read outer folders first, because they determine which folders to ignore.
  for (const file of paths.toSorted((left, right) => depthOf(left) - depthOf(right))) {
    if (isAttachedPath(file, owners)) continue
    const read = readCapstanFile(tree, file)
    found.set(file, read)
    owners.set(folderOf(file), attachedFoldersOf(read.kind))
  }
  return { files: paths.flatMap((path) => found.get(path) ?? []), isAttachedPath: (path) => isAttachedPath(path, owners) }
}
