import { isStorableText } from '@capstan/contract/account-rules'
import { sanitizeFileName } from '@capstan/contract/file-name'
import { InputLimits } from '@capstan/contract/limits'
import type { AttachmentRule } from '../format/challenge.ts'
import { findLocalTarget, replaceMarkdownTargets } from '../markdown-targets.ts'
import { chooseFreeName, type TakenNames } from '../safe-names.ts'
import { folderOf, hasFile, nameOf, printableName, resolvePath } from '../tree.ts'
import { note, noteMistake, nothingRuns, type ReadContext } from './read-context.ts'

export type Part = { readonly name: string } & (
  | Readonly<{
      path: string
      /** Required SHA-256 of the content. If absent, any content is accepted. */
      hash?: string
    }>
  | { readonly make: readonly string[] }
)

/** Download for players: an address, a file, or several files that are packed into an archive. */
export type GivenFile = { readonly url: string } | Readonly<{ name: string; parts: readonly Part[] }>

/** Image that a description shows, or file to which the description links. */
export type DescribedImage = Readonly<{
  reference: string
  path: string
  name: string
}>

/**
 * Returns the text of a file next to the challenge. If the file cannot be read, reports it.
 * @returns undefined if the file was reported
 */
export function readText(context: ReadContext, field: string, path: string, maxBytes: number): string | undefined {
  const { tree, folder } = context
  const whole = resolvePath(folder, path)
  if (whole === undefined || !hasFile(tree, whole)) {
    noteMistake(context, field, `\`${path}\` is not in the archive.`)
    return undefined
  }
  try {
    const text = tree.readText(whole, maxBytes)
    if (isStorableText(text)) return text
    noteMistake(context, field, `\`${path}\` contains a NUL character, which cannot be stored.`)
    return undefined
  } catch (cause) {
    noteMistake(context, field, cause instanceof Error ? cause.message : String(cause))
    return undefined
  }
}

/** Refuses the challenge if an attachment, or a file in an attached folder, cannot be read. */
function refuseUnreadFile(context: ReadContext, field: string, whole: string): boolean {
  const unread = [...(context.tree.leftOut ?? [])]
  const [odd] = unread.filter(([path]) => path === whole || whole === '' || path.startsWith(`${whole}/`))
  if (odd === undefined) return false
  const why = `Players would get \`${printableName(odd[0])}\`, which ${odd[1]}.`
  note(context, field, 'refused', why, 'Rename or replace it.')
  return true
}

/** Returns the files that a rule attaches. A rule can attach a folder with many files, or an address without files. */
function readParts(context: ReadContext, rule: AttachmentRule, field: string): Part[] {
  if ('url' in rule) return []
  if ('make' in rule) {
    if (context.author !== undefined) return [{ name: rule.as, make: rule.make }]
    note(context, field, 'left-out', nothingRuns, 'Create it, then add it in the editor.')
    return []
  }
  const { tree, folder, file } = context
  const whole = resolvePath(folder, rule.file)
  if (whole === undefined || refuseUnreadFile(context, field, whole)) return []
  if (hasFile(tree, whole)) return [{ path: whole, name: rule.as ?? nameOf(whole) }]
  const inside = whole === '' ? '' : `${whole}/`
  const below = tree.paths.filter((path) => path.startsWith(inside) && path !== file)
  if (below.length === 0)
    noteMistake(context, field, `\`${rule.file}\` is not in the archive.`, 'Build it, then add it in the editor.')
  return below.map((path) => ({ path, name: path.slice(inside.length) }))
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

/**
 * Reads the attachment of a challenge or of a flag. The platform accepts either one address or files.
 * @returns the attachment, and the remaining addresses, which belong into the description
 */
export function readAttachment(
  context: ReadContext,
  rules: readonly AttachmentRule[],
  field: string,
): Readonly<{ given: GivenFile | null; links: readonly string[] }> {
  const parts = rules.flatMap((rule) => readParts(context, rule, field))
  if (new Set(parts.map(({ name }) => name)).size < parts.length)
    noteMistake(context, field, 'Two attachments have the same name. Rename one with `as`.')
  const urls = rules.flatMap((rule) => ('url' in rule ? [rule.url] : []))
  for (const url of urls)
    if (!isWebAddress(url)) noteMistake(context, field, `\`${url.slice(0, 200)}\` does not start with http:// or https://.`)
  const links = urls.filter(isWebAddress)
  const [only] = parts
  if (only === undefined && links.length === 1 && links[0] !== undefined) return { given: { url: links[0] }, links: [] }
  if (links.length > 0 && context.author !== undefined)
    noteMistake(context, field, 'Attachments must be either one address or files.')
  if (only === undefined) return { given: null, links }
  if (parts.length === 1) return { given: { name: sanitizeFileName(only.name), parts }, links }
  const taken: TakenNames = new Map()
  const packed = parts.map((part) => ({ ...part, name: chooseFreeName(part.name, taken) }))
  return { given: { name: `${context.described.name}.zip`, parts: packed }, links }
}

/**
 * Reads the description with its images.
 * @param links the addresses to add at the end
 */
export function readDescription(
  context: ReadContext,
  links: readonly string[],
): { description: string; images: readonly DescribedImage[] } {
  const { tree, file, folder, described } = context
  const given = described.description
  const home = typeof given === 'string' ? folder : folderOf(resolvePath(folder, given.file) ?? file)
  const text =
    typeof given === 'string' ? given : (readText(context, 'description', given.file, InputLimits.maxLongTextLength * 4) ?? '')
  const plain = text.replaceAll('\r\n', '\n')
  const description = links.length === 0 ? plain : [plain.trimEnd(), ...links.map((url) => `<${url}>`)].join('\n\n')
  const images = new Map<string, DescribedImage>()
  replaceMarkdownTargets(description, (reference, isImage) => {
    const target = findLocalTarget(reference, isImage, (named) => {
      const path = resolvePath(home, named)
      return path !== undefined && hasFile(tree, path) ? path : undefined
    })
    const odd = isImage && !target ? tree.leftOut?.get(resolvePath(home, reference) ?? '') : undefined
    if (odd !== undefined)
      note(context, 'description', 'left-out', `The image \`${printableName(reference)}\` ${odd}.`, 'Rename or replace it.')
    if (target) images.set(reference, { reference, path: target.path, name: sanitizeFileName(target.as ?? nameOf(target.path)) })
    return undefined
  })
  return { description, images: [...images.values()] }
}
