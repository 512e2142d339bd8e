import { type FileTree, folderOf, nameOf, resolvePath } from '@capstan/challenge-files/tree'
import { tidyFileName } from '@capstan/contract/file-name'
import { InputLimits } from '@capstan/contract/limits'
import type { Folder } from '../folder-tree.ts'
import { plainLines, sha256 } from '../state/digest.ts'
import { storedAddress, withImages } from './images.ts'

/** What is uploaded at most, for one file: platforms set their own bound below. */
export const fileMaxBytes = 1024 * 1024 * 1024

/** In UTF-8. */
const textMaxBytes = InputLimits.longTextMaxLength * 4

/** Content to upload, by its SHA-256. */
export type Uploads = Map<
  string,
  { readonly name: string; readonly content: Uint8Array /** As the text names it. */; readonly address?: string }
>

export interface ResolvedText {
  readonly text: string
  /** Images that the text names. */
  readonly images: Uploads
}

/** Where a path that a file names leads; checked when the file was read. */
export const pathIn = (folder: string, path: string): string => resolvePath(folder, path) ?? path

const readImage = (tree: FileTree, folder: string, address: string): string | undefined => {
  if (address.includes(':') || address.startsWith('/') || address.startsWith('#')) return undefined
  const path = resolvePath(folder, address)
  return path !== undefined && tree.paths.includes(path) ? path : undefined
}

/** A Markdown text with the images beside it, as the platform will show it. */
export const resolveText = (
  tree: Folder,
  folder: string,
  description: string | { readonly file: string } | undefined,
): ResolvedText => {
  const images: Uploads = new Map()
  const file = typeof description === 'object' ? pathIn(folder, description.file) : undefined
  const markdown = plainLines(
    file === undefined ? ((description as string | undefined) ?? '') : tree.readText(file, textMaxBytes),
  )
  const base = file === undefined ? folder : folderOf(file)
  const text = withImages(markdown, (address) => {
    const path = readImage(tree, base, address)
    if (path === undefined) return undefined
    const content = tree.readBytes(path, fileMaxBytes)
    const [hash, name] = [sha256(content), tidyFileName(nameOf(path))]
    images.set(hash, { name, content, address })
    return storedAddress({ hash, name })
  })
  return { text, images }
}
