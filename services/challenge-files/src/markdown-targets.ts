import { assetsPath, pathOfStoredFile } from '@capstan/contract/asset-address'

/** Address in a Markdown text: `[words](address "title")`, with `!` in front if it is an image. */
type Target = Readonly<{
  start: number
  end: number
  address: string
  isImage: boolean
}>

function isBreak(character: string | undefined): boolean {
  return character === undefined || character === ')' || character === '"' || character.trim() === ''
}

function targetsOf(markdown: string): Target[] {
  const found: Target[] = []
  /** Stack of open brackets. A value is true if the bracket starts an image. */
  const open: boolean[] = []
  for (let at = 0; at < markdown.length; at++) {
    const character = markdown[at]
    if (character === '\\') at += 1
    else if (character === '[') open.push(markdown[at - 1] === '!')
    if (character !== ']') continue
    const isImage = open.pop()
    if (isImage === undefined || markdown[at + 1] !== '(') continue
    const start = at + 2
    let end = start
    while (!isBreak(markdown[end])) end++
    if (end > start) found.push({ start, end, address: markdown.slice(start, end), isImage })
    at = end - 1
  }
  return found
}

/** Replaces addresses of links and images. An address is unchanged if `replace` returns undefined. */
export function replaceMarkdownTargets(
  markdown: string,
  replace: (address: string, isImage: boolean) => string | undefined,
): string {
  let text = ''
  let done = 0
  for (const { start, end, address, isImage } of targetsOf(markdown)) {
    const other = replace(address, isImage)
    if (other === undefined) continue
    text += markdown.slice(done, start) + other
    done = end
  }
  return text + markdown.slice(done)
}

export type StoredTarget = Readonly<{
  hash: string
  name: string
}>

/** Returns the stored file if the address is `/assets/{hash}/{name}`. @returns undefined for other addresses */
export function parseStoredFileAddress(address: string): StoredTarget | undefined {
  const [empty, assets, hash = '', name = '', ...others] = address.split('/')
  const isStored =
    empty === '' && `/${assets}` === assetsPath && /^[0-9a-f]{64}$/.test(hash) && name !== '' && others.length === 0
  if (!isStored) return undefined
  try {
    return { hash, name: decodeURIComponent(name) }
  } catch {
    return undefined
  }
}

export function addressOfStoredFile({ hash, name }: StoredTarget): string {
  return pathOfStoredFile(hash, name)
}

/** Local file to which a Markdown text refers. */
export type LocalTarget = Readonly<{
  path: string
  /** Name of the file on the platform. Undefined if this name equals the local name. */
  as: string | undefined
}>

const asMark = '#as='

/** Escapes characters that would end a Markdown target or have a meaning in an address. */
function encoded(text: string): string {
  return text.replaceAll(/[^\p{L}\p{M}\p{N}._~/-]/gu, (character) =>
    /[!'()*]/.test(character)
      ? `%${character.charCodeAt(0).toString(16).toUpperCase()}`
      : encodeURIComponent(character.toWellFormed()),
  )
}

/** Returns the address of a local file for use in a text, such as `images/_capstan.yaml#as=capstan.yaml`. */
export function addressOfLocalFile({ path, as }: LocalTarget): string {
  return encoded(path) + (as === undefined ? '' : asMark + encoded(as))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function isRelative(address: string): boolean {
  return !/^[/#]|:/.test(address)
}

/**
 * Returns the local file of an image or of a link below `images/`. Other links are ignored, because they may lead to files that
 * must not be published, such as a solution.
 * @param find function that returns the file at a path in the text, or undefined if there is no file
 */
export function findLocalTarget(
  address: string,
  isImage: boolean,
  find: (path: string) => string | undefined,
): LocalTarget | undefined {
  if (!isRelative(address) || !(isImage || /^(?:\.\/)?images\//.test(address))) return undefined
  const literal = find(address)
  if (literal !== undefined) return { path: literal, as: undefined }
  const [name = '', as] = address.split(asMark, 2)
  const path = find(name) ?? find(decoded(name))
  return path === undefined ? undefined : { path, as: as === undefined ? undefined : decoded(as) }
}
