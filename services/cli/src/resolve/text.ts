import type { DescribedChallenge } from '@capstan/challenge-files/challenge/read'
import { addressOfStoredFile, findLocalTarget, replaceMarkdownTargets } from '@capstan/challenge-files/markdown-targets'
import { type FileTree, folderOf, hasFile, nameOf, resolvePath } from '@capstan/challenge-files/tree'
import { sanitizeFileName } from '@capstan/contract/file-name'
import { InputLimits } from '@capstan/contract/limits'
import { type Content, contentOfFile } from '../content.ts'
import type { Folder } from '../folder-tree.ts'
import { normalizeLineEnds } from '../state/digest.ts'

/** Maximum size of an uploaded file. Platforms have lower limits. */
export const maxFileBytes = 1024 * 1024 * 1024

const maxTextBytes = InputLimits.maxLongTextLength * 4

/** Map from SHA-256 to the content to upload. */
export type Uploads = Map<
  string,
  Readonly<{ name: string; content: Content /** Address of the file in the text. */; address?: string }>
>

export type ResolvedText = Readonly<{
  text: string
  images: Uploads
}>

/** Resolves a path that a `capstan.yaml` contains. The check of the file has already refused paths that lead outside the tree. */
export function resolvePathInFolder(folder: string, path: string): string {
  return resolvePath(folder, path) ?? path
}

function fileAt(tree: FileTree, folder: string, address: string): string | undefined {
  const path = resolvePath(folder, address)
  return path !== undefined && hasFile(tree, path) ? path : undefined
}

/** Returns the images of a description, and the description with the addresses that the images get on the platform. */
export function replaceImageAddresses(
  tree: Folder,
  { challenge, images }: Pick<DescribedChallenge, 'challenge' | 'images'>,
): Readonly<{ description: string; images: Uploads }> {
  const uploads: Uploads = new Map()
  const addresses = new Map<string, string>()
  for (const { reference, path, name } of images) {
    const content = contentOfFile(tree.locate(path, maxFileBytes))
    const { hash } = content
    uploads.set(hash, { name, content, address: reference })
    addresses.set(reference, addressOfStoredFile({ hash, name }))
  }
  return { description: replaceMarkdownTargets(challenge.description, (reference) => addresses.get(reference)), images: uploads }
}

/**
 * Resolves a Markdown text from a file. Returns its images, and the text with the addresses that the images get on the platform.
 */
export function resolveMarkdownText(
  tree: Folder,
  folder: string,
  description: string | { readonly file: string } | undefined,
): ResolvedText {
  const images: Uploads = new Map()
  const file = typeof description === 'object' ? resolvePathInFolder(folder, description.file) : undefined
  const markdown = normalizeLineEnds(
    file === undefined ? ((description as string | undefined) ?? '') : tree.readText(file, maxTextBytes),
  )
  const base = file === undefined ? folder : folderOf(file)
  const text = replaceMarkdownTargets(markdown, (address, isImage) => {
    const target = findLocalTarget(address, isImage, (path) => fileAt(tree, base, path))
    if (target === undefined) return undefined
    const content = contentOfFile(tree.locate(target.path, maxFileBytes))
    const [hash, name] = [content.hash, sanitizeFileName(target.as ?? nameOf(target.path))]
    images.set(hash, { name, content, address })
    return addressOfStoredFile({ hash, name })
  })
  return { text, images }
}
